#include "store/search_text.h"

#include <QSet>
#include <algorithm>
#include <utility>

namespace hearth::ui {

namespace {

constexpr qsizetype kMostQuery = 1000;  // letters; nobody types more
constexpr int kMostTokens = 48;         // more of them narrow down no further
constexpr int kJointsThatTell = 2;      // of a phrase: its trigrams would only cost time
constexpr qsizetype kLineBefore = 32;
constexpr qsizetype kLineAfter = 120;

bool isBlank(QChar letter) {
    return letter.isSpace() || letter.category() == QChar::Other_Control;
}

// "中国人" -> {0, 1, 2, 3}: where each letter begins, and the end. A letter may take two units.
QList<qsizetype> starts(const QString& text) {
    QList<qsizetype> places;
    places.reserve(text.size() + 1);
    for (qsizetype i = 0; i < text.size(); ++i) {
        places.append(i);
        if (text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
            ++i;
        }
    }
    places.append(text.size());
    return places;
}

// A string of FTS5's: it has no meaning of its own between quotes.
QString quoted(QString token) {
    return QLatin1Char('"') + token.replace(QLatin1Char('"'), QLatin1String("\"\"")) +
           QLatin1Char('"');
}

// Stands for a space within a token: no folded text has it.
constexpr QChar kSpace = QChar(0xA0);

// "the rain" -> "he ra": each space with two letters on both sides. Frequent words stand beside
// each other far less often than in one message, so a phrase of them is told by these.
// use: called with each.
template <typename Use>
void eachJoint(const QString& folded, const QList<qsizetype>& places, const Use& use) {
    constexpr qsizetype kSide = 2;
    for (qsizetype i = kSide; i + kSide + 1 < places.size(); ++i) {
        if (folded[places[i]] == QLatin1Char(' ')) {
            const qsizetype begin = places[i - kSide];
            use(folded.mid(begin, places[i + kSide + 1] - begin).replace(QLatin1Char(' '), kSpace));
        }
    }
}

// No half of a letter that takes two units.
qsizetype cutAt(const QString& text, qsizetype at) {
    return at > 0 && at < text.size() && text[at].isLowSurrogate() ? at - 1 : at;
}

}  // namespace

QString foldForSearch(const QString& text) {
    QString folded = text;
    for (qsizetype i = 0; i < folded.size(); ++i) {
        const QChar letter = folded[i];
        if (isBlank(letter)) {
            folded[i] = QLatin1Char(' ');
        } else if (letter.isHighSurrogate() && i + 1 < folded.size() &&
                   folded[i + 1].isLowSurrogate()) {
            const char32_t lower =
                QChar::toCaseFolded(QChar::surrogateToUcs4(letter, folded[i + 1]));
            if (QChar::requiresSurrogates(lower)) {
                folded[i] = QChar(QChar::highSurrogate(lower));
                folded[i + 1] = QChar(QChar::lowSurrogate(lower));
            }
            ++i;
        } else if (letter.isSurrogate()) {
            folded[i] = QLatin1Char(' ');  // half a letter, which UTF-8 cannot hold
        } else {
            folded[i] = letter.toCaseFolded();
        }
    }
    return folded;
}

QStringList searchWords(const QString& query) {
    QStringList words;
    const QString folded = foldForSearch(query.normalized(QString::NormalizationForm_C));
    const QStringList parts = folded.left(kMostQuery).split(QLatin1Char('"'));
    for (qsizetype part = 0; part < parts.size(); ++part) {
        // Every second part is between quotes; a quote that nothing closes is none.
        const bool isQuoted = part % 2 == 1 && part + 1 < parts.size();
        const QStringList found = isQuoted
                                      ? QStringList(parts[part].trimmed())
                                      : parts[part].split(QLatin1Char(' '), Qt::SkipEmptyParts);
        for (const QString& word : found) {
            if (!word.isEmpty() && !words.contains(word)) {
                words.append(word);
            }
        }
    }
    return words;
}

QString gramsOf(const QString& folded) {
    const QList<qsizetype> places = starts(folded);
    const QStringView text(folded);
    QSet<QStringView> grams;
    for (qsizetype i = 0; i + 1 < places.size(); ++i) {
        if (text[places[i]] == QLatin1Char(' ')) {
            continue;
        }
        grams.insert(text.mid(places[i], places[i + 1] - places[i]));
        if (i + 2 < places.size() && text[places[i + 1]] != QLatin1Char(' ')) {
            grams.insert(text.mid(places[i], places[i + 2] - places[i]));
        }
    }
    QSet<QString> joints;
    eachJoint(folded, places, [&](const QString& joint) { joints.insert(joint); });
    QString all;
    all.reserve(3 * grams.size() + 6 * joints.size());
    for (const QStringView gram : grams) {
        all += gram;
        all += QLatin1Char(' ');
    }
    for (const QString& joint : joints) {
        all += joint;
        all += QLatin1Char(' ');
    }
    return all;
}

SearchMatch matchFor(const QStringList& words) {
    QStringList triples;
    QStringList grams;
    for (const QString& word : words) {
        const QList<qsizetype> places = starts(word);
        const qsizetype letters = places.size() - 1;
        QStringList joints;
        eachJoint(word, places, [&](const QString& joint) { joints.append(quoted(joint)); });
        for (const QString& joint : std::as_const(joints)) {
            if (grams.size() < kMostTokens && !grams.contains(joint)) {
                grams.append(joint);
            }
        }
        if (joints.size() >= kJointsThatTell) {
            continue;
        }
        QStringList& tokens = letters > 2 ? triples : grams;
        const qsizetype length = std::min<qsizetype>(3, letters);
        for (qsizetype i = 0; i + length <= letters && tokens.size() < kMostTokens; ++i) {
            const QString token = quoted(word.mid(places[i], places[i + length] - places[i]));
            if (!tokens.contains(token)) {
                tokens.append(token);
            }
        }
    }
    const QString both = QStringLiteral(" AND ");
    return {triples.join(both), grams.join(both)};
}

std::optional<FoundLine> lineAround(const QString& text, const QStringList& words) {
    const QString folded = foldForSearch(text);
    qsizetype first = -1;
    qsizetype length = 0;
    for (const QString& word : words) {
        const qsizetype at = folded.indexOf(word);
        if (at < 0) {
            return std::nullopt;
        }
        if (first < 0 || at < first) {
            first = at;
            length = word.size();
        }
    }
    if (first < 0) {
        return std::nullopt;
    }
    const qsizetype begin = cutAt(text, std::max<qsizetype>(0, first - kLineBefore));
    const qsizetype end = cutAt(text, std::min(text.size(), first + length + kLineAfter));
    const auto plain = [&](qsizetype from, qsizetype to) {
        QString line = text.mid(from, to - from);
        const bool spaceFirst = !line.isEmpty() && isBlank(line.front());
        const bool spaceLast = !line.isEmpty() && isBlank(line.back());
        line = line.simplified();
        return (spaceFirst ? QStringLiteral(" ") : QString()) + line +
               (spaceLast && !line.isEmpty() ? QStringLiteral(" ") : QString());
    };
    FoundLine line{plain(begin, first), plain(first, first + length), plain(first + length, end)};
    line.before = begin > 0 ? QStringLiteral("…") + line.before
                            : line.before.mid(line.before.startsWith(QLatin1Char(' ')) ? 1 : 0);
    if (end < text.size()) {
        line.after += QStringLiteral("…");
    }
    return line;
}

}  // namespace hearth::ui
