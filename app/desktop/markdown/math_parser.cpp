#include "markdown/math_parser.h"

#include "markdown/math_environments.h"
#include "markdown/math_reader.h"

namespace hearth::ui {

namespace {

// The source without its delimiters; null: it has none, or only their beginning. An environment is
// its own.
QStringView contentOf(QStringView source) {
    constexpr struct {
        QStringView open, close;
    } kDelimiters[] = {{u"\\(", u"\\)"}, {u"\\[", u"\\]"}, {u"$$", u"$$"}, {u"$", u"$"}};
    for (const auto& [open, close] : kDelimiters) {
        if (source.startsWith(open)) {
            const bool whole =
                source.size() >= open.size() + close.size() && source.endsWith(close);
            return whole ? source.mid(open.size(), source.size() - open.size() - close.size())
                         : QStringView();
        }
    }
    constexpr QStringView kBegin = u"\\begin";
    const qsizetype end = source.indexOf(u'}');
    const bool whole =
        source.startsWith(kBegin) && end > 0 &&
        source.endsWith(QStringLiteral("\\end") +
                        source.mid(kBegin.size(), end + 1 - kBegin.size()).toString());
    return whole ? source : QStringView();
}

}  // namespace

bool isDisplayFormula(const QString& source) {
    const QStringView text = QStringView(source).trimmed();
    return text.startsWith(u"\\[") || text.startsWith(u"$$") || text.startsWith(u"\\begin{");
}

bool isFormulaEnvironment(const QString& name) {
    return mathEnvironment(name).has_value();
}

std::optional<MathNode> parseFormula(const QString& source) {
    if (source.size() > kLongestFormula) {
        return std::nullopt;
    }
    const QStringView content = contentOf(QStringView(source).trimmed());
    if (content.trimmed().isEmpty()) {
        return std::nullopt;
    }
    return MathReader(content).read();
}

}  // namespace hearth::ui
