#include "markdown/plain_line.h"

#include <QRegularExpression>

namespace hearth::ui {

QString withoutMarkup(const QString& line) {
    // [text](target) and ![text](target)
    static const QRegularExpression links(
        QStringLiteral("!?\\[([^\\[\\]]+)\\]\\([^()\\s]*(?: [^()]*)?\\)"));
    // *text*, **text**, __text__, ~~text~~, `text`: marks that touch their text and no word outside
    static const QRegularExpression marks(QStringLiteral(
        "(?<![\\w*_~`\\\\])(\\*{1,3}|_{1,3}|~~|`{1,2})(?![\\s*_~`])([^\\n]{0,200}?)(?<![\\s\\\\])"
        "\\1(?![\\w*_~`])"));
    QString plain = line;
    plain.replace(links, QStringLiteral("\\1"));
    // Twice, because marks may stand within marks.
    plain.replace(marks, QStringLiteral("\\2"));
    plain.replace(marks, QStringLiteral("\\2"));
    return plain;
}

}  // namespace hearth::ui
