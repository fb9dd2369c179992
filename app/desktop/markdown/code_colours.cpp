#include "markdown/code_colours.h"

#include <QTextDocument>
#include <utility>

namespace hearth::ui {

CodeColours::CodeColours(QObject* parent) : QSyntaxHighlighter(parent), lexer_(QString()) {}

void CodeColours::setTarget(QQuickTextDocument* target) {
    if (std::exchange(target_, target) == target) {
        return;
    }
    // Code of no known language keeps its document free of all this.
    setDocument(target != nullptr && lexer_.isKnown() ? target->textDocument() : nullptr);
    emit targetChanged();
}

void CodeColours::setLanguage(const QString& language) {
    if (std::exchange(language_, language) == language) {
        return;
    }
    lexer_ = CodeLexer(language);
    if (target_ != nullptr) {
        setDocument(nullptr);
        setDocument(lexer_.isKnown() ? target_->textDocument() : nullptr);
    }
    emit languageChanged();
}

void CodeColours::setColour(QColor* colour, const QColor& wanted) {
    if (std::exchange(*colour, wanted) == wanted) {
        return;
    }
    if (document() != nullptr) {
        rehighlight();
    }
    emit coloursChanged();
}

QColor CodeColours::colourOf(WordKind kind) const {
    switch (kind) {
        case WordKind::Keyword:
            return keyword_;
        case WordKind::Type:
            return type_;
        case WordKind::Text:
            return text_;
        case WordKind::Number:
            return number_;
        case WordKind::Comment:
            return comment_;
    }
    return {};
}

void CodeColours::highlightBlock(const QString& line) {
    QList<WordRun> runs;
    setCurrentBlockState(lexer_.lex(line, previousBlockState(), &runs));
    for (const WordRun& run : std::as_const(runs)) {
        if (run.start + run.length > kLongestLine) {
            break;
        }
        setFormat(static_cast<int>(run.start), static_cast<int>(run.length), colourOf(run.kind));
    }
}

}  // namespace hearth::ui
