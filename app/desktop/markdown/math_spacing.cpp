#include "markdown/math_spacing.h"

#include <array>

namespace hearth::ui {

namespace {

// 1: thin, 2: medium, 3: thick; negative: only outside of scripts.
constexpr std::array<std::array<int, 8>, 8> kSpaces = {{
    // Ord Op Bin Rel Open Close Punct Inner
    {0, 1, -2, -3, 0, 0, 0, -1},      // Ord
    {1, 1, 0, -3, 0, 0, 0, -1},       // Op
    {-2, -2, 0, 0, -2, 0, 0, -2},     // Bin
    {-3, -3, 0, 0, -3, 0, 0, -3},     // Rel
    {0, 0, 0, 0, 0, 0, 0, 0},         // Open
    {0, 1, -2, -3, 0, 0, 0, -1},      // Close
    {-1, -1, 0, -1, -1, -1, -1, -1},  // Punct
    {-1, 1, -2, -3, -1, 0, -1, -1},   // Inner
}};
constexpr std::array<double, 4> kWidths = {0, 3.0 / 18, 4.0 / 18, 5.0 / 18};

// A node without a class of its own takes no part.
bool isNeutral(const MathNode& node) {
    return node.kind == MathKind::Space;
}

bool needsNothingBefore(MathClass cls) {
    return cls == MathClass::Bin || cls == MathClass::Op || cls == MathClass::Rel ||
           cls == MathClass::Open || cls == MathClass::Punct;
}

}  // namespace

std::vector<MathClass> classesIn(const std::vector<MathNode>& row) {
    std::vector<MathClass> classes;
    classes.reserve(row.size());
    MathClass* before = nullptr;
    for (const MathNode& node : row) {
        MathClass cls = node.cls;
        if (!isNeutral(node)) {
            const bool alone = before == nullptr || needsNothingBefore(*before);
            if (cls == MathClass::Bin && alone) {
                cls = MathClass::Ord;
            }
            const bool ends =
                cls == MathClass::Rel || cls == MathClass::Close || cls == MathClass::Punct;
            if (ends && before != nullptr && *before == MathClass::Bin) {
                *before = MathClass::Ord;
            }
        }
        classes.push_back(cls);
        before = isNeutral(node) ? before : &classes.back();
    }
    if (before != nullptr && *before == MathClass::Bin) {
        *before = MathClass::Ord;
    }
    return classes;
}

double mathSpace(MathClass left, MathClass right, bool inScript) {
    const int space = kSpaces[static_cast<std::size_t>(left)][static_cast<std::size_t>(right)];
    if (space < 0) {
        return inScript ? 0 : kWidths[static_cast<std::size_t>(-space)];
    }
    return kWidths[static_cast<std::size_t>(space)];
}

}  // namespace hearth::ui
