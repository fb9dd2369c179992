#include "markdown/math_environments.h"

#include <QHash>

namespace hearth::ui {

namespace {

MathEnvironment matrix(const char* open, const char* close) {
    return {.open = QString::fromUtf8(open),
            .close = QString::fromUtf8(close),
            .columns = QStringLiteral("c")};
}

MathEnvironment cases(const char* open, const char* close, bool displayed) {
    return {.open = QString::fromUtf8(open),
            .close = QString::fromUtf8(close),
            .columns = QStringLiteral("l"),
            .displayed = displayed};
}

MathEnvironment equations(bool ownFormula, bool argument = false) {
    return {.columns = QStringLiteral("rl"),
            .columnGap = 2,
            .aligned = true,
            .displayed = true,
            .ownFormula = ownFormula,
            .argument = argument};
}

MathEnvironment centred(bool ownFormula) {
    return {.columns = QStringLiteral("c"), .displayed = true, .ownFormula = ownFormula};
}

const QHash<QString, MathEnvironment>& environments() {
    static const QHash<QString, MathEnvironment> table = {
        {QStringLiteral("matrix"), matrix("", "")},
        {QStringLiteral("pmatrix"), matrix("(", ")")},
        {QStringLiteral("bmatrix"), matrix("[", "]")},
        {QStringLiteral("Bmatrix"), matrix("{", "}")},
        {QStringLiteral("vmatrix"), matrix("|", "|")},
        {QStringLiteral("Vmatrix"), matrix("‖", "‖")},
        {QStringLiteral("smallmatrix"),
         {.columns = QStringLiteral("c"), .columnGap = 0.5, .small = true}},
        {QStringLiteral("array"),
         {.columns = QStringLiteral("c"), .argument = true, .columnsAreArgument = true}},
        {QStringLiteral("subarray"),
         {.columns = QStringLiteral("c"),
          .small = true,
          .argument = true,
          .columnsAreArgument = true}},
        {QStringLiteral("cases"), cases("{", "", false)},
        {QStringLiteral("dcases"), cases("{", "", true)},
        {QStringLiteral("rcases"), cases("", "}", false)},
        {QStringLiteral("aligned"), equations(false)},
        {QStringLiteral("split"), equations(false)},
        {QStringLiteral("alignedat"), equations(false, true)},
        {QStringLiteral("align"), equations(true)},
        {QStringLiteral("flalign"), equations(true)},
        {QStringLiteral("alignat"), equations(true, true)},
        {QStringLiteral("eqnarray"),
         {.columns = QStringLiteral("rcl"),
          .columnGap = 0.28,
          .displayed = true,
          .ownFormula = true}},
        {QStringLiteral("gathered"), centred(false)},
        {QStringLiteral("gather"), centred(true)},
        {QStringLiteral("multline"), centred(true)},
        {QStringLiteral("equation"), centred(true)},
        {QStringLiteral("displaymath"), centred(true)},
    };
    return table;
}

}  // namespace

std::optional<MathEnvironment> mathEnvironment(const QString& name) {
    const QString plain = name.endsWith(QLatin1Char('*')) ? name.chopped(1) : name;
    const auto found = environments().constFind(plain);
    return found == environments().cend() ? std::nullopt : std::optional(*found);
}

}  // namespace hearth::ui
