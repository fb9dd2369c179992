#include "memory/past_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/input_file.h"
#include "base/output_file.h"

namespace hearth {
namespace {

constexpr std::string_view kMagic = "hearth past 2\n";
constexpr std::size_t kHashDigits = 32;

// The file: kMagic; the length of the key's text and the text; then parts. A part: how many tokens
// the parts before have, and how many are there with it; those that it adds; what Past::get() gives
// of them; the hash of all before it, without the hashes between. Numbers are of 32 bits, as the
// machine has them: the file does not leave it.
class PastWriter {
public:
    using Write = std::function<Result<void>(std::span<const std::byte>)>;

    // end: where it begins.
    PastWriter(Write write, PastFile::End end) : write_(std::move(write)), end_(std::move(end)) {}

    Result<void> write(std::span<const std::byte> bytes) {
        end_.hash.add(bytes);
        end_.bytes += bytes.size();
        return write_(bytes);
    }
    Result<void> write_number(std::size_t number) {
        const auto value = static_cast<std::uint32_t>(number);
        return write(std::as_bytes(std::span(&value, 1)));
    }
    Result<void> write_part(std::span<const std::int32_t> tokens, Past& past,
                            const Cancellation& cancellation) {
        const std::size_t first = end_.tokens;
        auto done = write_number(first);
        const auto then = [&](auto&& step) { done = done ? step() : std::move(done); };
        then([&] { return write_number(tokens.size()); });
        then([&] { return write(std::as_bytes(tokens.subspan(first))); });
        then([&] {
            return past.get(
                static_cast<int>(tokens.size()),
                [&](std::span<const std::byte> bytes) {
                    return cancellation.requested() ? Error{ErrorCode::Cancelled, "cancelled"}
                                                    : write(bytes);
                },
                static_cast<int>(first));
        });
        const std::string digits = end_.hash.hex();
        then([&] { return write_(std::as_bytes(std::span(digits))); });
        end_.bytes += digits.size();
        end_.tokens = tokens.size();
        return done;
    }
    const PastFile::End& end() const { return end_; }

private:
    Write write_;
    PastFile::End end_;
};

class PastReader {
public:
    explicit PastReader(InputFile file) : file_(std::move(file)) {}

    Error bad(std::string what) const {
        return Error{ErrorCode::BadFile, file_.path() + ": " + std::move(what), file_.path(), {}};
    }
    Result<void> read(std::span<std::byte> out) {
        auto done = take(out);
        end_.hash.add(out);
        return done;
    }
    Result<std::uint32_t> read_number() {
        std::uint32_t number = 0;
        auto done = read(std::as_writable_bytes(std::span(&number, 1)));
        return done ? Result<std::uint32_t>(number) : std::move(done).error();
    }
    // Reads the key, too. False: it is another one.
    Result<bool> begin(std::string_view key) {
        std::array<char, kMagic.size()> magic;
        if (auto done = read(std::as_writable_bytes(std::span(magic))); !done) {
            return std::move(done).error();
        }
        if (std::string_view(magic.data(), magic.size()) != kMagic) {
            return false;
        }
        const auto length = read_number();
        if (!length) {
            return length.error();
        }
        if (*length != key.size()) {
            return false;
        }
        std::string text(key.size(), ' ');
        if (auto done = read(std::as_writable_bytes(std::span(text))); !done) {
            return std::move(done).error();
        }
        return text == key;
    }
    // Adds the part's tokens.
    Result<void> read_part(std::vector<std::int32_t>& tokens, int n_vocab, Past& past) {
        const auto first = read_number();
        if (!first) {
            return first.error();
        }
        const auto count = read_number();
        if (!count) {
            return count.error();
        }
        if (*first != tokens.size() || *count < *first || (*first > 0 && past.forgets())) {
            return bad("has a part of " + std::to_string(*first) + " to " + std::to_string(*count) +
                       " tokens behind " + std::to_string(tokens.size()));
        }
        if (*count > static_cast<std::uint32_t>(past.n_ctx())) {
            return bad("has " + std::to_string(*count) + " tokens, more than the context of " +
                       std::to_string(past.n_ctx()));
        }
        std::vector<std::int32_t> more(*count - *first);
        if (auto done = read(std::as_writable_bytes(std::span(more))); !done) {
            return done;
        }
        if (std::any_of(more.begin(), more.end(),
                        [&](std::int32_t token) { return token < 0 || token >= n_vocab; })) {
            return bad("has tokens that the vocabulary has not");
        }
        auto done = past.put(
            static_cast<int>(*count), [&](std::span<std::byte> bytes) { return read(bytes); },
            static_cast<int>(*first));
        if (!done) {
            return done;
        }
        const std::string wanted = end_.hash.hex();
        std::string digits(kHashDigits, ' ');
        if (done = take(std::as_writable_bytes(std::span(digits))); !done) {
            return done;
        }
        if (digits != wanted) {
            return bad("the file was changed");
        }
        tokens.insert(tokens.end(), more.begin(), more.end());
        end_.tokens = tokens.size();
        return {};
    }
    bool at_end() const { return end_.bytes == file_.size_bytes(); }
    const PastFile::End& end() const { return end_; }

private:
    Result<void> take(std::span<std::byte> out) {
        if (out.size() > file_.size_bytes() - end_.bytes) {
            return bad("the file was cut short");
        }
        auto done = file_.read_at(end_.bytes, out);
        end_.bytes += out.size();
        return done;
    }

    InputFile file_;
    PastFile::End end_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// The part behind which the file can go on: its last one that has tokens of these alone.
std::optional<std::size_t> last_common(const PastFile& file, const std::string& path,
                                       std::string_view key, std::span<const std::int32_t> tokens) {
    std::error_code none;
    const std::uintmax_t bytes = std::filesystem::file_size(native_path(path), none);
    if (file.path != path || file.key != key || none) {
        return std::nullopt;
    }
    const auto differs =
        std::mismatch(tokens.begin(), tokens.end(), file.tokens.begin(), file.tokens.end()).first;
    const auto common = static_cast<std::size_t>(differs - tokens.begin());
    for (std::size_t i = file.ends.size(); i-- > 0;) {
        if (file.ends[i].tokens <= common && file.ends[i].bytes <= bytes) {
            return i;
        }
    }
    return std::nullopt;
}

// The file ends there from now on.
bool cut(const std::string& path, std::uint64_t bytes) {
    std::error_code failed;
    std::filesystem::resize_file(native_path(path), bytes, failed);
    return !failed;
}

// last: the number of the part that stays the last one of those that are there.
Result<void> append(std::span<const std::int32_t> tokens, Past& past, PastFile& file,
                    std::size_t last, const Cancellation& cancellation) {
    const auto failed = [&file] {
        return Error{errno == ENOSPC ? ErrorCode::DiskFull : ErrorCode::WriteFailed,
                     file.path + ": " + std::strerror(errno),
                     file.path,
                     {}};
    };
    const PastFile::End from = file.ends[last];
    file.ends.resize(last + 1);
    file.tokens.resize(from.tokens);
    if (!cut(file.path, from.bytes)) {
        return failed();
    }
    if (from.tokens == tokens.size()) {
        return {};
    }
    PastWriter writer({}, from);
    Result<void> done;
    {
        std::ofstream out(native_path(file.path), std::ios::binary | std::ios::app);
        writer = PastWriter(
            [&](std::span<const std::byte> bytes) {
                out.write(reinterpret_cast<const char*>(bytes.data()),
                          static_cast<std::streamsize>(bytes.size()));
                return out ? Result<void>() : failed();
            },
            from);
        done = writer.write_part(tokens, past, cancellation);
        out.close();
        if (done && !out) {
            done = failed();
        }
    }
    if (!done) {
        cut(file.path, from.bytes);  // else a part that is not whole stays, and is not read
        return done;
    }
    file.ends.push_back(writer.end());
    file.tokens.assign(tokens.begin(), tokens.end());
    return {};
}

}  // namespace

Result<void> write_past(const std::string& path, std::string_view key,
                        std::span<const std::int32_t> tokens, Past& past, PastFile& file,
                        const Cancellation& cancellation) {
    if (const auto last = last_common(file, path, key, tokens); last && !past.forgets()) {
        return append(tokens, past, file, *last, cancellation);
    }
    auto out = OutputFile::create(path, 0);
    if (!out) {
        return std::move(out).error();
    }
    PastWriter writer([&](std::span<const std::byte> bytes) { return out->write(bytes); }, {});
    auto done = writer.write(bytes_of(kMagic));
    const auto then = [&](auto&& step) { done = done ? step() : std::move(done); };
    then([&] { return writer.write_number(key.size()); });
    then([&] { return writer.write(bytes_of(key)); });
    then([&] { return writer.write_part(tokens, past, cancellation); });
    then([&] { return out->commit(); });
    if (done) {
        file = {path, std::string(key), {tokens.begin(), tokens.end()}, {writer.end()}};
    }
    return done;
}

Result<std::vector<std::int32_t>> read_past(const std::string& path, std::string_view key,
                                            int n_vocab, Past& past, PastFile& file) {
    using Tokens = std::vector<std::int32_t>;
    std::optional<std::size_t> most;  // parts that are good; empty: not known yet
    for (;;) {
        auto input = InputFile::open(path);
        if (!input) {
            return std::move(input).error();
        }
        PastReader reader(std::move(*input));
        const auto is_this = reader.begin(key);
        if (!is_this) {
            return is_this.error();
        }
        if (!*is_this) {
            return Tokens{};
        }
        PastFile read{path, std::string(key)};
        Result<void> done;
        do {
            done = reader.read_part(read.tokens, n_vocab, past);
            if (done) {
                read.ends.push_back(reader.end());
            }
        } while (done && !reader.at_end() && (!most || read.ends.size() < *most));
        if (done) {
            file = std::move(read);
            return file.tokens;
        }
        past.forget();
        if (read.ends.empty() || most) {
            return std::move(done).error();
        }
        // The part that is not whole has written over some positions before its own.
        most = read.ends.size();
    }
}

}  // namespace hearth
