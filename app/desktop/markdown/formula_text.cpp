#include "markdown/formula_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTextBlock>
#include <QTextDocument>
#include <algorithm>
#include <functional>

#include "markdown/formula_tag.h"
#include "markdown/math_parser.h"
#include "markdown/math_text.h"

namespace hearth::ui {

namespace {

QString wordsOf(const QString& source) {
    const auto formula = parseFormula(source);
    return formula ? mathWords(*formula) : source;
}

// The text from `from` to `to`, with what `say` makes of the sources in place of the formulas.
QString textOf(const QTextDocument& document, int from, int to,
               const std::function<QString(const QString&)>& say) {
    QString text;
    QString title;  // of the formula that is being read
    QString letters;
    bool whole = true;
    const auto endFormula = [&] {
        if (!title.isEmpty()) {
            text += whole ? say(formulaOfTitle(title)) : letters;
        }
        title.clear();
        letters.clear();
        whole = true;
    };
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.position() > from && block.position() <= to) {
            text += QLatin1Char('\n');
        }
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            const int begin = std::max(from, fragment.position());
            const int end = std::min(to, fragment.position() + fragment.length());
            const QString known = fragment.charFormat().toolTip();
            if (known != title) {
                endFormula();
                title = known;
            }
            const bool all =
                begin == fragment.position() && end == fragment.position() + fragment.length();
            whole = whole && all;
            QString part = begin < end
                               ? fragment.text().mid(begin - fragment.position(), end - begin)
                               : QString();
            part.replace(QChar::LineSeparator, QLatin1Char('\n'));
            part.replace(QChar::Nbsp, QLatin1Char(' '));
            (title.isEmpty() ? text : letters) += part;
        }
        endFormula();
    }
    return text;
}

}  // namespace

QString FormulaText::source(QQuickTextDocument* document, int from, int to) {
    if (document == nullptr || document->textDocument() == nullptr) {
        return {};
    }
    return textOf(*document->textDocument(), std::min(from, to), std::max(from, to),
                  [](const QString& source) { return source; });
}

QString FormulaText::words(QQuickTextDocument* document) {
    if (document == nullptr || document->textDocument() == nullptr) {
        return {};
    }
    const QTextDocument& text = *document->textDocument();
    return textOf(text, 0, text.characterCount() - 1, wordsOf);
}

void FormulaText::copy(QQuickTextDocument* document, int from, int to) {
    QGuiApplication::clipboard()->setText(source(document, from, to));
}

}  // namespace hearth::ui
