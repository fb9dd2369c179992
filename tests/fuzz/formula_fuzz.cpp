// Any bytes as a formula, and as a message with formulas in it.
#include <QString>
#include <cstddef>
#include <cstdint>

#include "fuzz/fuzz_input.h"
#include "markdown/formula_tag.h"
#include "markdown/formulas.h"
#include "markdown/math_parser.h"
#include "markdown/math_text.h"

using namespace hearth;
using namespace hearth::ui;

namespace {

// Returns the number of nodes.
int check_tree(const MathNode& node, int depth) {
    // A group is a few levels of the tree.
    FUZZ_CHECK(depth < 8 * kDeepestFormula);
    int nodes = 1;
    for (const MathNode& part : node.parts) {
        nodes += check_tree(part, depth + 1);
    }
    if (node.kind == MathKind::Array) {
        FUZZ_CHECK(node.width == 0 ||
                   node.parts.size() % static_cast<std::size_t>(node.width) == 0);
        FUZZ_CHECK(node.width > 0 || node.parts.empty());
    }
    return nodes;
}

// Each tag of rich text is closed, by its own end, and none is a stranger's.
void check_html(const QString& html) {
    QStringList open;
    for (qsizetype at = html.indexOf(u'<'); at >= 0; at = html.indexOf(u'<', at + 1)) {
        const qsizetype end = html.indexOf(u'>', at);
        FUZZ_CHECK(end > at);
        const QString tag = html.mid(at + 1, end - at - 1);
        if (tag.startsWith(u'/')) {
            FUZZ_CHECK(!open.isEmpty() && open.takeLast() == tag.mid(1));
        } else {
            FUZZ_CHECK(QStringList({"i", "b", "sub", "sup"}).contains(tag));
            open << tag;
        }
    }
    FUZZ_CHECK(open.isEmpty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const QString text =
        QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    for (const QString& source : {QStringLiteral("\\[%1\\]").arg(text), text}) {
        const auto formula = parseFormula(source);
        if (!formula) {
            continue;
        }
        FUZZ_CHECK(source.size() <= kLongestFormula);
        FUZZ_CHECK(check_tree(*formula, 0) < 6 * kMostFormulaNodes);
        FUZZ_CHECK(mathWords(*formula).size() < 100 * (source.size() + kMostFormulaNodes));
        const auto html = mathHtml(*formula);
        if (html) {
            check_html(*html);
            const QString tag = formulaTag(source, *html, 1);
            const QString inside = tag.mid(1, tag.indexOf(u'>') - 1);
            FUZZ_CHECK(formulaOfTag(inside) == QString(source).replace(u'\n', u' '));
        }
    }
    Formulas formulas;
    QString known = text;
    known.replace(QChar(0xFDD0), QChar::ReplacementCharacter);
    known.replace(QChar(0xFDD1), QChar::ReplacementCharacter);
    const QString marked = formulas.hide(text);
    FUZZ_CHECK(formulas.source(marked) == known);
    FUZZ_CHECK(!formulas.html(marked).isEmpty() || text.isEmpty());
    return 0;
}
