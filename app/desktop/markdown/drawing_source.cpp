#include "markdown/drawing_source.h"

namespace hearth::ui {

namespace {

// The text between `begin` and `end` at the start goes, with white space around it.
bool drop(QStringView& text, QLatin1String begin, QLatin1String end) {
    if (!text.startsWith(begin, Qt::CaseInsensitive)) {
        return false;
    }
    const qsizetype at = text.indexOf(end, begin.size());
    text = at < 0 ? QStringView() : text.mid(at + end.size()).trimmed();
    return true;
}

}  // namespace

bool beginsDrawing(const QString& language, QStringView code) {
    if (language != QLatin1String("svg") && language != QLatin1String("xml") &&
        language != QLatin1String("html") && !language.isEmpty()) {
        return false;
    }
    QStringView text = code.trimmed();
    while (drop(text, QLatin1String("<?xml"), QLatin1String("?>")) ||
           drop(text, QLatin1String("<!--"), QLatin1String("-->")) ||
           drop(text, QLatin1String("<!doctype svg"), QLatin1String(">"))) {}
    const QLatin1String root("<svg");
    if (!text.startsWith(root) || text.size() == root.size()) {
        return false;
    }
    const QChar next = text.at(root.size());
    return next.isSpace() || next == QLatin1Char('>') || next == QLatin1Char('/');
}

bool isDrawing(const QString& language, QStringView code) {
    const QStringView text = code.trimmed();
    return beginsDrawing(language, text) &&
           (language == QLatin1String("svg") || text.endsWith(QLatin1String("</svg>")));
}

}  // namespace hearth::ui
