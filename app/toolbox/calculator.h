// Works out an arithmetic expression: "2 * (3 + 4) ^ 2", "sqrt(2) / 3", "max(1, 2)".
//
//   + - * / % ^ and brackets; ^ binds most and to the right, % is the remainder of a division
//   sqrt abs round floor ceil exp ln log log2 sin cos tan asin acos atan (radians), min max
//   pi, e
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <hearth/result.h>

namespace hearth::toolbox {

inline constexpr std::size_t kMostExpressionBytes = 4096;
inline constexpr int kMostExpressionDepth = 100;

// InvalidArgument, with the place counted from 1: no expression, too long, nested too deep, or a
// result that is no number.
Result<double> calculate(std::string_view expression);
// 15 significant digits; whole numbers up to 2^53 in full.
std::string number_text(double value);

}  // namespace hearth::toolbox
