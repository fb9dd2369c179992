#include "markdown/plain_text.h"

#include <QList>

#include "markdown/block_list_model.h"
#include "markdown/formula_tag.h"

namespace hearth::ui {

namespace {

// Reads the safe HTML of a block (block.h).
class BlockWords {
public:
    QString of(const QString& html) {
        qsizetype at = 0;
        while (at < html.size()) {
            if (html[at] == QLatin1Char('<')) {
                const qsizetype end = html.indexOf(QLatin1Char('>'), at);
                if (end < 0) {
                    break;
                }
                const QStringView name = QStringView(html).mid(at + 1, end - at - 1);
                const QString formula = formulaOfTag(name);
                if (!formula.isNull()) {
                    out_ += formula;
                    const qsizetype behind = html.indexOf(QLatin1String("</span>"), end);
                    at = behind < 0 ? html.size() : behind;
                    continue;
                }
                tag(name);
                at = end + 1;
            } else if (html[at] == QLatin1Char('&')) {
                at = entity(html, at);
            } else {
                out_ += html[at];
                ++at;
            }
        }
        return out_.trimmed();
    }

private:
    struct Level {
        bool isOrdered = false;
        int number = 1;
    };

    void beginLine() {
        if (!out_.isEmpty() && !out_.endsWith(QLatin1Char('\n'))) {
            out_ += QLatin1Char('\n');
        }
    }

    void tag(QStringView whole) {
        const bool closes = whole.startsWith(QLatin1Char('/'));
        const QStringView name = (closes ? whole.mid(1) : whole).split(QLatin1Char(' ')).first();
        if (name == QLatin1String("br") || name == QLatin1String("br/")) {
            out_ += QLatin1Char('\n');
        } else if (name == QLatin1String("ul") || name == QLatin1String("ol")) {
            list(name == QLatin1String("ol"), closes, whole);
        } else if (name == QLatin1String("li")) {
            if (!closes) {
                item();
            }
        } else if (name == QLatin1String("td") || name == QLatin1String("th")) {
            if (closes) {
                out_ += QLatin1Char('\t');
            }
        } else if (name == QLatin1String("tr")) {
            while (out_.endsWith(QLatin1Char('\t'))) {
                out_.chop(1);
            }
            beginLine();
        } else if (name == QLatin1String("p")) {
            // The first paragraph of an item stands behind its mark.
            if (!afterMark_ || closes) {
                beginLine();
            }
        } else if (name == QLatin1String("blockquote") || name == QLatin1String("pre")) {
            beginLine();
        }
        if (name != QLatin1String("li")) {
            afterMark_ = false;
        }
    }

    void list(bool isOrdered, bool closes, QStringView whole) {
        beginLine();
        if (closes) {
            if (!levels_.isEmpty()) {
                levels_.removeLast();
            }
            return;
        }
        int first = 1;
        const QLatin1String start("start=\"");
        if (const qsizetype at = whole.indexOf(start); at >= 0) {
            const QStringView number = whole.mid(at + start.size());
            first = number.left(number.indexOf(QLatin1Char('"'))).toInt();
        }
        levels_.append({isOrdered, first});
    }

    void item() {
        beginLine();
        if (levels_.isEmpty()) {
            return;
        }
        Level& level = levels_.last();
        out_ += QString(2 * (levels_.size() - 1), QLatin1Char(' '));
        out_ += level.isOrdered ? QStringLiteral("%1. ").arg(level.number) : QStringLiteral("- ");
        ++level.number;
        afterMark_ = true;
    }

    qsizetype entity(const QString& html, qsizetype at) {
        constexpr qsizetype kLongest = 10;
        const qsizetype end = html.indexOf(QLatin1Char(';'), at);
        const QStringView name = QStringView(html).mid(at + 1, end - at - 1);
        char32_t letter = 0;
        if (end < 0 || name.size() > kLongest) {
            letter = U'&';
        } else if (name == QLatin1String("lt")) {
            letter = U'<';
        } else if (name == QLatin1String("gt")) {
            letter = U'>';
        } else if (name == QLatin1String("amp")) {
            letter = U'&';
        } else if (name == QLatin1String("quot")) {
            letter = U'"';
        } else if (name == QLatin1String("nbsp")) {
            letter = U' ';
        } else if (name.startsWith(QLatin1String("#x"))) {
            letter = name.mid(2).toUInt(nullptr, 16);
        } else if (name.startsWith(QLatin1Char('#'))) {
            letter = name.mid(1).toUInt();
        }
        if (letter == 0 || letter > 0x10FFFF) {
            out_ += QLatin1Char('&');
            return at + 1;
        }
        out_ += QString::fromUcs4(&letter, 1);
        return end < 0 || name.size() > kLongest ? at + 1 : end + 1;
    }

    QString out_;
    QList<Level> levels_;
    bool afterMark_ = false;
};

}  // namespace

QString plainText(const QString& markdown) {
    BlockListModel list;
    list.setText(markdown, true);
    QStringList parts;
    for (const Block& block : list.blocks()) {
        const bool source = block.kind == BlockKind::Code || block.kind == BlockKind::Formula;
        parts << (source                          ? block.code
                  : block.kind == BlockKind::Rule ? QStringLiteral("———")
                                                  : BlockWords().of(block.html));
    }
    return parts.join(QStringLiteral("\n\n"));
}

}  // namespace hearth::ui
