#include "documents/word_search.h"

#include <QSqlQuery>
#include <QVariant>

namespace hearth::ui {

namespace {

constexpr qsizetype kMostTerms = 64;

bool standsAlone(char32_t letter) {
    switch (QChar::script(letter)) {
        case QChar::Script_Han:
        case QChar::Script_Hiragana:
        case QChar::Script_Katakana:
        case QChar::Script_Thai:
        case QChar::Script_Lao:
        case QChar::Script_Khmer:
        case QChar::Script_Myanmar:
            return true;
        default:
            return false;
    }
}

// As FTS5's unicode61 sees it: marks belong to their letters.
bool isOfWord(char32_t letter) {
    return QChar::isLetterOrNumber(letter) || QChar::isMark(letter);
}

// Gathers the terms of a question.
class Terms {
public:
    void add(char32_t letter) {
        const QString one = QString::fromUcs4(&letter, 1);
        if (standsAlone(letter)) {
            endWord();
            // A pair says more than its letters do.
            if (alone_ > 0) {
                put(before_ + QLatin1Char(' ') + one);
            }
            before_ = one;
            ++alone_;
        } else if (isOfWord(letter)) {
            endLetters();
            word_ += one;
        } else {
            end();
        }
    }
    void end() {
        endWord();
        endLetters();
    }
    QStringList take() { return std::move(terms_); }

private:
    void put(const QString& term) {
        if (terms_.size() < kMostTerms && !terms_.contains(term)) {
            terms_.append(term);
        }
    }
    void endWord() {
        if (!word_.isEmpty()) {
            put(word_);
            word_.clear();
        }
    }
    void endLetters() {
        if (alone_ == 1) {
            put(before_);
        }
        alone_ = 0;
    }

    QStringList terms_;
    QString word_;
    QString before_;
    int alone_ = 0;
};

}  // namespace

QString wordsForIndex(const QString& text) {
    QString words;
    words.reserve(text.size() + text.size() / 8);
    for (const char32_t letter : text.toUcs4()) {
        if (standsAlone(letter)) {
            words += QLatin1Char(' ') + QString::fromUcs4(&letter, 1) + QLatin1Char(' ');
        } else {
            words += QString::fromUcs4(&letter, 1);
        }
    }
    return words;
}

QString matchForQuestion(const QString& question) {
    Terms terms;
    for (const char32_t letter : question.toLower().toUcs4()) {
        terms.add(letter);
    }
    terms.end();
    QStringList quoted;
    for (const QString& term : terms.take()) {
        quoted.append(QLatin1Char('"') + term + QLatin1Char('"'));
    }
    return quoted.join(QStringLiteral(" OR "));
}

bool WordSearch::create(const QSqlDatabase& database) {
    // The text lies in a table of its own. Endings of English words are cut; other languages are
    // cut in the text and in the question alike.
    return QSqlQuery(database).exec(
        QStringLiteral("CREATE VIRTUAL TABLE words USING fts5(text, content='',"
                       " tokenize='porter unicode61 remove_diacritics 2')"));
}

bool WordSearch::add(int passage, const QString& text) {
    QSqlQuery query(database_);
    query.prepare(QStringLiteral("INSERT INTO words (rowid, text) VALUES (?, ?)"));
    query.addBindValue(passage + 1);
    query.addBindValue(wordsForIndex(text));
    return query.exec();
}

QList<PassageHit> WordSearch::find(const QString& question, int most) {
    QList<PassageHit> hits;
    const QString match = matchForQuestion(question);
    if (match.isEmpty()) {
        return hits;
    }
    QSqlQuery query(database_);
    query.setForwardOnly(true);
    query.prepare(
        QStringLiteral("SELECT rowid, bm25(words) FROM words WHERE words MATCH ?"
                       " ORDER BY bm25(words), rowid LIMIT ?"));
    query.addBindValue(match);
    query.addBindValue(most);
    if (query.exec()) {
        while (query.next()) {
            // SQLite's are negative: the best come first.
            hits.append({query.value(0).toInt() - 1, -query.value(1).toDouble()});
        }
    }
    return hits;
}

}  // namespace hearth::ui
