// Colours the words of a code block. It looks at lines that changed and at no others.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickTextDocument>
#include <QSyntaxHighlighter>

#include "markdown/code_lexer.h"

namespace hearth::ui {

class CodeColours : public QSyntaxHighlighter {
    Q_OBJECT
    QML_ELEMENT
    // The text of the block.
    Q_PROPERTY(QQuickTextDocument* target READ target WRITE setTarget NOTIFY targetChanged)
    Q_PROPERTY(QString language READ language WRITE setLanguage NOTIFY languageChanged)
    Q_PROPERTY(QColor keyword MEMBER keyword_ WRITE setKeyword NOTIFY coloursChanged)
    Q_PROPERTY(QColor type MEMBER type_ WRITE setType NOTIFY coloursChanged)
    Q_PROPERTY(QColor text MEMBER text_ WRITE setText NOTIFY coloursChanged)
    Q_PROPERTY(QColor number MEMBER number_ WRITE setNumber NOTIFY coloursChanged)
    Q_PROPERTY(QColor comment MEMBER comment_ WRITE setComment NOTIFY coloursChanged)

public:
    explicit CodeColours(QObject* parent = nullptr);

    QQuickTextDocument* target() const { return target_; }
    void setTarget(QQuickTextDocument* target);
    QString language() const { return language_; }
    void setLanguage(const QString& language);
    void setKeyword(const QColor& colour) { setColour(&keyword_, colour); }
    void setType(const QColor& colour) { setColour(&type_, colour); }
    void setText(const QColor& colour) { setColour(&text_, colour); }
    void setNumber(const QColor& colour) { setColour(&number_, colour); }
    void setComment(const QColor& colour) { setColour(&comment_, colour); }

    // A line is coloured up to here: laying out thousands of pieces of one line takes long.
    static constexpr qsizetype kLongestLine = 4000;

signals:
    void targetChanged();
    void languageChanged();
    void coloursChanged();

protected:
    void highlightBlock(const QString& line) override;

private:
    void setColour(QColor* colour, const QColor& wanted);
    QColor colourOf(WordKind kind) const;

    QQuickTextDocument* target_ = nullptr;
    QString language_;
    CodeLexer lexer_;
    QColor keyword_, type_, text_, number_, comment_;
};

}  // namespace hearth::ui
