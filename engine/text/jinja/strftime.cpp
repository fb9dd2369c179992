#include "text/jinja/strftime.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace hearth::jinja {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

std::string padded(int number, std::size_t width, char fill) {
    std::string out = std::to_string(number);
    if (fill != '\0' && out.size() < width) {
        out.insert(0, width - out.size(), fill);
    }
    return out;
}

std::optional<std::string> directive(char letter, const std::tm& time, char fill) {
    const auto day = kDays[static_cast<std::size_t>(std::clamp(time.tm_wday, 0, 6))];
    const auto month = kMonths[static_cast<std::size_t>(std::clamp(time.tm_mon, 0, 11))];
    const int hour = time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12;
    switch (letter) {
        case 'A':
            return std::string(day);
        case 'a':
            return std::string(day.substr(0, 3));
        case 'B':
            return std::string(month);
        case 'b':
        case 'h':
            return std::string(month.substr(0, 3));
        case 'd':
            return padded(time.tm_mday, 2, fill);
        case 'e':
            return padded(time.tm_mday, 2, fill == '0' ? ' ' : fill);
        case 'm':
            return padded(time.tm_mon + 1, 2, fill);
        case 'Y':
            return std::to_string(time.tm_year + 1900);
        case 'y':
            return padded((time.tm_year + 1900) % 100, 2, fill);
        case 'H':
            return padded(time.tm_hour, 2, fill);
        case 'I':
            return padded(hour, 2, fill);
        case 'M':
            return padded(time.tm_min, 2, fill);
        case 'S':
            return padded(time.tm_sec, 2, fill);
        case 'p':
            return time.tm_hour < 12 ? "AM" : "PM";
        case 'j':
            return padded(time.tm_yday + 1, 3, fill);
        case 'w':
            return std::to_string(time.tm_wday);
        case 'u':
            return std::to_string(time.tm_wday == 0 ? 7 : time.tm_wday);
        case 'f':
            return "000000";
        case 'z':
        case 'Z':
            return "";
        case 'F':
            return strftime("%Y-%m-%d", time);
        case 'T':
            return strftime("%H:%M:%S", time);
        case 'D':
        case 'x':
            return strftime("%m/%d/%y", time);
        case 'R':
            return strftime("%H:%M", time);
        case 'X':
            return strftime("%H:%M:%S", time);
        case 'c':
            return strftime("%a %b %e %H:%M:%S %Y", time);
        case 'n':
            return "\n";
        case 't':
            return "\t";
        case '%':
            return "%";
        default:
            return std::nullopt;
    }
}

}  // namespace

std::string strftime(std::string_view format, const std::tm& time) {
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
            out += format[i];
            continue;
        }
        std::size_t letter = i + 1;
        char fill = '0';
        if ((format[letter] == '-' || format[letter] == '_') && letter + 1 < format.size()) {
            fill = format[letter] == '-' ? '\0' : ' ';
            ++letter;
        }
        if (const auto text = directive(format[letter], time, fill)) {
            out += *text;
        } else {
            out += format.substr(i, letter + 1 - i);
        }
        i = letter;
    }
    return out;
}

}  // namespace hearth::jinja
