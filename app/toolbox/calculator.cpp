#include "toolbox/calculator.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace hearth::toolbox {
namespace {

constexpr std::size_t kMostValues = 100;  // between the brackets of one function

struct Function {
    std::string_view name;
    double (*value)(double);
};
constexpr std::array kFunctions = {
    Function{"sqrt", [](double x) { return std::sqrt(x); }},
    Function{"abs", [](double x) { return std::fabs(x); }},
    Function{"round", [](double x) { return std::round(x); }},
    Function{"floor", [](double x) { return std::floor(x); }},
    Function{"ceil", [](double x) { return std::ceil(x); }},
    Function{"exp", [](double x) { return std::exp(x); }},
    Function{"ln", [](double x) { return std::log(x); }},
    Function{"log", [](double x) { return std::log10(x); }},
    Function{"log2", [](double x) { return std::log2(x); }},
    Function{"sin", [](double x) { return std::sin(x); }},
    Function{"cos", [](double x) { return std::cos(x); }},
    Function{"tan", [](double x) { return std::tan(x); }},
    Function{"asin", [](double x) { return std::asin(x); }},
    Function{"acos", [](double x) { return std::acos(x); }},
    Function{"atan", [](double x) { return std::atan(x); }},
};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Reads by precedence, lowest first. The first mistake stays; the values after it mean nothing.
class ExpressionReader {
public:
    explicit ExpressionReader(std::string_view text) : text_(text) {}

    Result<double> read() {
        const double value = sum();
        if (!fault_ && at_ < text_.size()) {
            fail("\"" + std::string(1, text_[at_]) + "\" cannot stand here");
        }
        if (!fault_ && !std::isfinite(value)) {
            fault_ = "the result is no finite number";
        }
        if (fault_) {
            return Error{ErrorCode::InvalidArgument, *fault_, {}, {}};
        }
        return value;
    }

private:
    double fail(const std::string& what) {
        if (!fault_) {
            fault_ = what + " (character " + std::to_string(at_ + 1) + ")";
        }
        return 0;
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    bool take(char c) {
        skip_blanks();
        const bool is_there = !fault_ && at_ < text_.size() && text_[at_] == c;
        at_ += is_there ? 1 : 0;
        skip_blanks();
        return is_there;
    }

    double sum() {
        double value = product();
        while (!fault_) {
            if (take('+')) {
                value += product();
            } else if (take('-')) {
                value -= product();
            } else {
                break;
            }
        }
        return value;
    }

    double product() {
        double value = signed_power();
        while (!fault_) {
            if (take('*')) {
                value *= signed_power();
            } else if (take('/')) {
                value = divided(value, signed_power(), false);
            } else if (take('%')) {
                value = divided(value, signed_power(), true);
            } else {
                break;
            }
        }
        return value;
    }

    double divided(double value, double by, bool remainder) {
        if (by == 0) {
            return fail("a division by zero");
        }
        return remainder ? std::fmod(value, by) : value / by;
    }

    double signed_power() {
        bool is_negative = false;
        while (true) {
            if (take('-')) {
                is_negative = !is_negative;
            } else if (!take('+')) {
                break;
            }
        }
        const double value = power();
        return is_negative ? -value : value;
    }

    double power() {
        const double base = primary();
        if (!take('^')) {
            return base;
        }
        if (++depth_ > kMostExpressionDepth) {
            return fail("it is nested too deep");
        }
        const double exponent = signed_power();
        --depth_;
        return std::pow(base, exponent);
    }

    double primary() {
        skip_blanks();
        if (fault_ || at_ >= text_.size()) {
            return fail("a number is missing");
        }
        if (take('(')) {
            return bracket();
        }
        if (is_letter(text_[at_])) {
            return named();
        }
        return number();
    }

    double bracket() {
        if (++depth_ > kMostExpressionDepth) {
            return fail("it is nested too deep");
        }
        const double value = sum();
        if (!take(')')) {
            return fail("a closing bracket is missing");
        }
        --depth_;
        return value;
    }

    double number() {
        if (!is_digit(text_[at_]) && text_[at_] != '.') {
            return fail("\"" + std::string(1, text_[at_]) + "\" is no number");
        }
        double value = 0;
        const auto [end, wrong] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (wrong != std::errc()) {
            return fail("this number cannot be read");
        }
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    double named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
            ++at_;
        }
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name == "pi") {
            return std::numbers::pi;
        }
        if (name == "e") {
            return std::numbers::e;
        }
        if (name == "min" || name == "max") {
            return least_or_most(name == "min");
        }
        for (const Function& function : kFunctions) {
            if (function.name == name) {
                return take('(') ? function.value(bracket()) : fail("a bracket must follow");
            }
        }
        return fail("\"" + std::string(name.substr(0, 40)) + "\" is not known");
    }

    double least_or_most(bool least) {
        if (!take('(')) {
            return fail("a bracket must follow");
        }
        if (++depth_ > kMostExpressionDepth) {
            return fail("it is nested too deep");
        }
        double value = sum();
        for (std::size_t i = 1; !fault_ && take(','); ++i) {
            if (i == kMostValues) {
                return fail("too many values");
            }
            const double next = sum();
            value = least ? std::fmin(value, next) : std::fmax(value, next);
        }
        if (!take(')')) {
            return fail("a closing bracket is missing");
        }
        --depth_;
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::optional<std::string> fault_;
};

}  // namespace

Result<double> calculate(std::string_view expression) {
    if (expression.size() > kMostExpressionBytes) {
        return Error{ErrorCode::InvalidArgument, "the expression is too long", {}, {}};
    }
    return ExpressionReader(expression).read();
}

std::string number_text(double value) {
    constexpr double kMostWhole = 9007199254740992.0;  // 2^53
    std::array<char, 64> text{};
    const bool is_whole = std::fabs(value) <= kMostWhole && value == std::trunc(value);
    const auto [end, wrong] = is_whole ? std::to_chars(text.data(), text.data() + text.size(),
                                                       static_cast<long long>(value))
                                       : std::to_chars(text.data(), text.data() + text.size(),
                                                       value, std::chars_format::general, 15);
    return wrong == std::errc() ? std::string(text.data(), end) : std::string();
}

}  // namespace hearth::toolbox
