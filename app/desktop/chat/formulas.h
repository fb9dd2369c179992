// Formulas in markdown. To a markdown parser their backslashes are escapes and their underscores
// emphasis; kept out of its sight they stay as they were written.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui {

// \( \)  \[ \]  $$ $$  \begin{x} \end{x}, and $ $ where what is between them looks like a formula;
// within one paragraph, and not within `code`.
class Formulas {
public:
    // The text with a mark, of characters that no text has, in place of each formula, and of each
    // \( \) \, \; \: \! outside of one.
    QString hide(const QString& markdown);
    // Puts the sources back into what the parser made of the marked text.
    QString source(const QString& marked) const;
    // Likewise as HTML, everything escaped: formulas in <code>.
    QString html(const QString& marked) const;

private:
    struct Hidden {
        QString source;
        bool isFormula = true;
    };
    template <typename Text, typename Mark>
    void split(const QString& marked, const Text& text, const Mark& mark) const;

    QList<Hidden> hidden_;
};

// What the line of a formula that stands alone begins with: "\[" or "$$"; empty: none.
QString formulaOpening(QStringView line);
// Where a formula that was opened so ends in this line, searched from `from`: behind its end. -1:
// not in this line.
qsizetype formulaEnd(QStringView line, qsizetype from, const QString& opening);

}  // namespace hearth::ui
