// Finds the formulas in markdown. A markdown parser would take their backslashes for escapes and
// their underscores for emphasis, so it does not get to see them.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui {

// Finds \( \)  \[ \]  $$ $$  \begin{x} \end{x}, and $ $ around text that looks like a formula;
// within one paragraph, and not within `code`.
class Formulas {
public:
    // Returns the text with a mark, of characters that no text has, in place of each formula, and
    // of each \( \) \, \; \: \! outside of one.
    QString hide(const QString& markdown);
    // Puts the sources back into the parser's output for the marked text.
    QString source(const QString& marked) const;
    // The same as HTML, everything escaped. A formula that fits in a line is rich text in a tag
    // that holds its source (formula_tag.h); any other is its source in <code>.
    QString html(const QString& marked) const;

private:
    struct Hidden {
        QString source;
        bool isFormula = true;
    };
    static QString htmlOf(const Hidden& hidden, qsizetype index);
    template <typename Text, typename Mark>
    void split(const QString& marked, const Text& text, const Mark& mark) const;

    QList<Hidden> hidden_;
};

// The opening of a formula of its own lines: "\[", "$$" or "\begin{align}"; empty: the line has
// none.
QString formulaOpening(QStringView line);
// The end of a formula with that opening: "\]".
QString formulaClosing(const QString& opening);
// The position after the end of a formula with that opening, searched in this line from `from`. -1:
// it does not end here.
qsizetype formulaEnd(QStringView line, qsizetype from, const QString& opening);

}  // namespace hearth::ui
