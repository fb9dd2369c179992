#include "markdown/formula_tag.h"

namespace hearth::ui {

namespace {

const QLatin1String kTag("span title=\"");

}  // namespace

QString formulaTag(const QString& source, const QString& html, qsizetype index) {
    QString title = source.toHtmlEscaped();
    title.replace(QLatin1Char('\n'), QLatin1Char(' '));
    return QStringLiteral("<span title=\"%1:%2\">%3</span>").arg(index).arg(title, html);
}

QString formulaOfTag(QStringView tag) {
    if (!tag.startsWith(kTag) || !tag.endsWith(QLatin1Char('"'))) {
        return {};
    }
    QString title = tag.mid(kTag.size()).chopped(1).toString();
    title.replace(QLatin1String("&lt;"), QLatin1String("<"))
        .replace(QLatin1String("&gt;"), QLatin1String(">"))
        .replace(QLatin1String("&quot;"), QLatin1String("\""))
        .replace(QLatin1String("&amp;"), QLatin1String("&"));
    return formulaOfTitle(title);
}

// "3:\(x\)" -> "\(x\)"
QString formulaOfTitle(const QString& title) {
    const qsizetype colon = title.indexOf(QLatin1Char(':'));
    return colon < 0 ? QString() : title.mid(colon + 1);
}

}  // namespace hearth::ui
