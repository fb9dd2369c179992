#include "flash/disk_probe_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/cache_file.h"

namespace hearth {
namespace {

constexpr std::string_view kName = "disks.txt";

constexpr std::size_t kKept = 16;
constexpr std::size_t kSizesMost = 16;

std::string heading(std::string_view version) {
    return "hearth disks 2 " + std::string(version) + "\n";
}

// "word value" lines, one after the other; the first that is not as expected spoils all.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool is(std::string_view word) const {
        return rest_.starts_with(word) && rest_.size() > word.size() &&
               (rest_[word.size()] == ' ' || rest_[word.size()] == '\n');
    }
    std::string_view text(std::string_view word) {
        if (!is(word)) {
            good_ = false;
            return {};
        }
        const std::size_t end = rest_.find('\n');
        good_ = good_ && end != std::string_view::npos;
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
        return line.substr(std::min(line.size(), word.size() + 1));
    }
    // The next of some numbers that a line holds; not negative.
    template <class T>
    T number(std::string_view& line, T most) {
        T value{};
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        good_ = good_ && error == std::errc() && value >= T{} && value <= most;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
        line.remove_prefix(std::min<std::size_t>(line.size(), line.starts_with(' ') ? 1 : 0));
        return value;
    }
    template <class T>
    T number_line(std::string_view word, T most) {
        std::string_view line = text(word);
        const T value = number(line, most);
        good_ = good_ && line.empty();
        return value;
    }
    void spoil() { good_ = false; }
    bool good() const { return good_; }
    bool over() const { return rest_.empty(); }

private:
    std::string_view rest_;
    bool good_ = true;
};

constexpr double kMostRate = 1e15;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr int kMostDepth = 1024;

DiskProbe parse_disk(Lines& lines) {
    DiskProbe probe;
    probe.disk = lines.text("disk");
    probe.path = lines.text("path");
    probe.why_not_direct = lines.text("indirect");
    probe.direct = probe.why_not_direct.empty();
    probe.alignment = lines.number_line("alignment", kMostBytes);
    probe.sequential_bytes_per_s = lines.number_line("sequential", kMostRate);
    while (lines.good() && lines.is("random") && probe.random.size() < kSizesMost) {
        std::string_view line = lines.text("random");
        RandomReads& reads = probe.random.emplace_back();
        reads.bytes = lines.number(line, kMostBytes);
        reads.depth = lines.number(line, kMostDepth);
        reads.per_s = lines.number(line, kMostRate);
        if (!line.empty()) {
            lines.spoil();
        }
    }
    probe.depth = lines.number_line("depth", kMostDepth);
    probe.largest_read_bytes = lines.number_line("largest_read", kMostBytes);
    probe.merge_gap_bytes = lines.number_line("merge_gap", kMostBytes);
    return probe;
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    return text;
}

}  // namespace

std::string format_disk_probes(std::span<const DiskProbe> probes, std::string_view version) {
    std::string text = heading(version);
    const auto line = [&](std::string_view word, const std::string& value) {
        text.append(word).append(" ").append(value).append("\n");
    };
    // Whole numbers are exact enough and read alike in every locale.
    const auto whole = [](double value) { return std::to_string(std::llround(value)); };
    for (const DiskProbe& probe : probes) {
        line("disk", one_line(probe.disk));
        line("path", one_line(probe.path));
        line("indirect", one_line(probe.why_not_direct));
        line("alignment", std::to_string(probe.alignment));
        line("sequential", whole(probe.sequential_bytes_per_s));
        for (const RandomReads& reads : probe.random) {
            line("random", std::to_string(reads.bytes) + " " + std::to_string(reads.depth) + " " +
                               whole(reads.per_s));
        }
        line("depth", std::to_string(probe.depth));
        line("largest_read", std::to_string(probe.largest_read_bytes));
        line("merge_gap", std::to_string(probe.merge_gap_bytes));
    }
    return text + "end\n";
}

std::vector<DiskProbe> parse_disk_probes(std::string_view text, std::string_view version) {
    const std::string first = heading(version);
    if (!text.starts_with(first)) {
        return {};
    }
    Lines lines(text.substr(first.size()));
    std::vector<DiskProbe> probes;
    while (lines.good() && lines.is("disk") && probes.size() < kKept) {
        probes.push_back(parse_disk(lines));
    }
    lines.text("end");
    return lines.good() && lines.over() ? probes : std::vector<DiskProbe>();
}

std::vector<DiskProbe> read_disk_probes(const std::string& cache_folder, std::string_view version) {
    return parse_disk_probes(read_cache_file(cache_folder, kName), version);
}

std::optional<DiskProbe> read_disk_probe(const std::string& cache_folder, std::string_view version,
                                         const std::string& path) {
    const std::string disk = disk_of(path);
    for (const DiskProbe& probe : read_disk_probes(cache_folder, version)) {
        if (!disk.empty() && probe.disk == disk) {
            return probe;
        }
    }
    return std::nullopt;
}

Result<void> keep_disk_probe(const std::string& cache_folder, std::string_view version,
                             const DiskProbe& probe) {
    if (cache_folder.empty()) {
        return Error{ErrorCode::NotFound, "there is no cache folder to keep a probe in"};
    }
    if (probe.disk.empty()) {
        return Error{ErrorCode::InvalidArgument, probe.path + ": its disk has no name"};
    }
    std::vector<DiskProbe> probes = read_disk_probes(cache_folder, version);
    std::erase_if(probes, [&](const DiskProbe& one) { return one.disk == probe.disk; });
    probes.insert(probes.begin(), probe);
    probes.resize(std::min(probes.size(), kKept));
    return write_cache_file(cache_folder, kName, format_disk_probes(probes, version));
}

}  // namespace hearth
