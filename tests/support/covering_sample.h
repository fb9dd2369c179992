// Large tables of checks run a sample of their rows in ./test.sh and all rows in ./test.sh --all,
// which sets HEARTH_ALL_ROWS=1.
//
// The sample covers: each row states its features (a kernel or shader, a type, a form, a size that
// is odd, or a pair of these that once went wrong together), and a row is taken if one of its
// features is in no row taken before it. So each feature of the whole table is in the sample, the
// choice depends on the table alone, and a row with a new feature is taken without anybody choosing
// it. What must always run is a feature of its own.
#pragma once

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::test {

inline bool all_rows() {
    const char* value = std::getenv("HEARTH_ALL_ROWS");
    return value != nullptr && std::string_view(value) == "1";
}

class CoveringSample {
public:
    explicit CoveringSample(bool all = all_rows()) : all_(all) {}

    // Whether the row with these features is run. Call it once for each row, in the table's order.
    bool takes(const std::vector<std::string>& features) {
        bool is_new = false;
        for (const std::string& feature : features) {
            is_new = seen_.insert(feature).second || is_new;
        }
        return is_new || all_;
    }

private:
    bool all_;
    std::set<std::string> seen_;
};

}  // namespace hearth::test
