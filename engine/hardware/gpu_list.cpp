#include "hardware/gpu_list.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

#include "base/cache_file.h"

namespace hearth {
namespace {

constexpr std::string_view kFirstLine = "hearth gpu list 1\n";
constexpr std::size_t kTextBytes = 300;
constexpr std::size_t kPathsBytes = 16384;
constexpr std::size_t kDevices = 64;
constexpr std::size_t kHeaps = 64;
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string one_line(std::string_view text, std::size_t most = kTextBytes) {
    std::string line(text.substr(0, most));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line;
}

std::string hex_of(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kHexDigits[byte >> 4];
        text += kHexDigits[byte & 0xF];
    }
    return text;
}

// The lines of a list: a word, a blank, the value.
class Lines {
public:
    explicit Lines(std::string_view text) : text_(text) { next(); }

    bool good() const { return good_; }
    bool is(std::string_view word) const { return good_ && word_ == word; }
    // The value of this line, which must have that word; goes on to the next.
    std::string text(std::string_view word, std::size_t most = kTextBytes) {
        good_ = good_ && word_ == word;
        std::string value = one_line(value_, most);
        next();
        return value;
    }
    template <class Number>
    Number number(std::string_view word, Number most) {
        good_ = good_ && word_ == word;
        Number value{};
        const char* end = value_.data() + value_.size();
        const auto [rest, error] = std::from_chars(value_.data(), end, value);
        good_ = good_ && error == std::errc{} && rest == end && value >= 0 && value <= most;
        next();
        return value;
    }
    bool flag(std::string_view word) { return number<int>(word, 1) == 1; }

private:
    void next() {
        const std::size_t length = text_.find('\n');
        good_ = good_ && length != std::string_view::npos;
        if (!good_) {
            return;
        }
        const std::string_view line = text_.substr(0, length);
        text_.remove_prefix(length + 1);
        const std::size_t blank = std::min(line.find(' '), line.size());
        word_ = line.substr(0, blank);
        value_ = line.substr(std::min(blank + 1, line.size()));
        if (word_ == "end") {
            text_ = "\n";  // nothing after it is looked at
        }
    }

    std::string_view text_, word_, value_;
    bool good_ = true;
};

bool parse_uuid(std::string_view text, std::array<std::uint8_t, 16>& uuid) {
    if (text.size() != 2 * uuid.size() ||
        text.find_first_not_of(kHexDigits) != std::string_view::npos) {
        return false;
    }
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, uuid[i], 16);
    }
    return true;
}

bool parse_kind(std::string_view text, GpuKind& kind) {
    for (const GpuKind one :
         {GpuKind::Discrete, GpuKind::Integrated, GpuKind::Virtual, GpuKind::Cpu, GpuKind::Other}) {
        if (text == to_string(one)) {
            kind = one;
            return true;
        }
    }
    return false;
}

constexpr int kSubgroupMost = 4096;
constexpr std::uint32_t kAnyId = 0xFFFFFFFF;
constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

bool parse_gpu(Lines& lines, GpuInfo& gpu) {
    gpu.index = lines.number<int>("gpu", 1 << 20);
    gpu.name = lines.text("name");
    const bool known_kind = parse_kind(lines.text("kind"), gpu.kind);
    gpu.driver = lines.text("driver");
    gpu.vulkan_version = lines.text("vulkan");
    gpu.vendor_id = lines.number<std::uint32_t>("vendor", kAnyId);
    gpu.device_id = lines.number<std::uint32_t>("device", kAnyId);
    const bool has_uuid = parse_uuid(lines.text("uuid"), gpu.uuid);
    gpu.shares_ram = lines.flag("shares_ram");
    gpu.integer_dot = lines.flag("integer_dot");
    gpu.cooperative_matrix = lines.flag("cooperative_matrix");
    gpu.subgroup_size = lines.number<int>("subgroup_size", kSubgroupMost);
    gpu.subgroup_size_min = lines.number<int>("subgroup_size_min", kSubgroupMost);
    gpu.subgroup_size_max = lines.number<int>("subgroup_size_max", kSubgroupMost);
    gpu.storage_range_bytes_max = lines.number<std::uint64_t>("storage_range", kAnyBytes);
    gpu.unusable = lines.text("unusable");
    while (lines.is("heap") && gpu.heaps.size() < kHeaps) {
        GpuHeap heap;
        heap.bytes = lines.number<std::uint64_t>("heap", kAnyBytes);
        heap.available_bytes = lines.number<std::uint64_t>("available", kAnyBytes);
        heap.device_local = lines.flag("device_local");
        gpu.heaps.push_back(heap);
    }
    return lines.good() && known_kind && has_uuid;
}

constexpr std::string_view kName = "gpu_list.txt";

// Tells whose list follows.
std::string heading(std::string_view version, std::string_view state) {
    return std::string(version).append(" ").append(state).append("\n");
}

}  // namespace

std::string format_gpu_list(const GpuList& list) {
    std::string text(kFirstLine);
    const auto line = [&](std::string_view word, std::string_view value) {
        text.append(word).append(" ").append(one_line(value)).append("\n");
    };
    const auto number = [&](std::string_view word, auto value) {
        line(word, std::to_string(value));
    };
    if (!list.drivers.empty()) {
        text.append("drivers ").append(one_line(list.drivers, kPathsBytes)).append("\n");
        line("left_out", list.left_out);
    }
    if (list.gpus.empty()) {
        line("none", list.none);
    }
    if (list.gpus.empty() || !list.drivers.empty()) {
        number("failures", list.failures);
    }
    for (const GpuInfo& gpu : list.gpus) {
        number("gpu", gpu.index);
        line("name", gpu.name);
        line("kind", to_string(gpu.kind));
        line("driver", gpu.driver);
        line("vulkan", gpu.vulkan_version);
        number("vendor", gpu.vendor_id);
        number("device", gpu.device_id);
        line("uuid", hex_of(gpu.uuid));
        number("shares_ram", gpu.shares_ram ? 1 : 0);
        number("integer_dot", gpu.integer_dot ? 1 : 0);
        number("cooperative_matrix", gpu.cooperative_matrix ? 1 : 0);
        number("subgroup_size", gpu.subgroup_size);
        number("subgroup_size_min", gpu.subgroup_size_min);
        number("subgroup_size_max", gpu.subgroup_size_max);
        number("storage_range", gpu.storage_range_bytes_max);
        line("unusable", gpu.unusable);
        for (const GpuHeap& heap : gpu.heaps) {
            number("heap", heap.bytes);
            number("available", heap.available_bytes);
            number("device_local", heap.device_local ? 1 : 0);
        }
    }
    return text + "end\n";
}

std::optional<GpuList> parse_gpu_list(std::string_view text) {
    const std::size_t begin = text.rfind(kFirstLine);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    Lines lines(text.substr(begin + kFirstLine.size()));
    GpuList list;
    if (lines.is("drivers")) {
        list.drivers = lines.text("drivers", kPathsBytes);
        list.left_out = lines.text("left_out");
    }
    if (lines.is("none")) {
        list.none = lines.text("none");
    }
    if (lines.is("failures")) {
        list.failures = lines.number<int>("failures", 1000);
    }
    while (lines.is("gpu") && list.none.empty() && list.gpus.size() < kDevices) {
        if (!parse_gpu(lines, list.gpus.emplace_back())) {
            return std::nullopt;
        }
    }
    const bool whole = lines.is("end") && list.gpus.empty() != list.none.empty() &&
                       list.drivers.empty() == list.left_out.empty();
    return whole ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<GpuList> read_gpu_list(const std::string& cache_folder, std::string_view version,
                                     std::string_view state) {
    const std::string text = read_cache_file(cache_folder, kName);
    if (state.empty() || !text.starts_with(heading(version, state))) {
        return std::nullopt;
    }
    return parse_gpu_list(text);
}

void keep_gpu_list(const std::string& cache_folder, std::string_view version,
                   std::string_view state, const GpuList& list) {
    if (cache_folder.empty() || state.empty()) {
        return;
    }
    [[maybe_unused]] const auto kept =
        write_cache_file(cache_folder, kName, heading(version, state) + format_gpu_list(list));
}

}  // namespace hearth
