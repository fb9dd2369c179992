#include <algorithm>

#include "text/jinja/filter_rows.h"

namespace hearth::jinja {

const FilterRow* find_filter(std::string_view name) {
    for (const std::span<const FilterRow> rows :
         {text_filters(), list_filters(), number_filters()}) {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const FilterRow& r) { return r.name == name; });
        if (row != rows.end()) {
            return &*row;
        }
    }
    return nullptr;
}

}  // namespace hearth::jinja
