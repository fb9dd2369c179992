#include "memory/past_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hash128.h"
#include "base/input_file.h"
#include "base/output_file.h"

namespace hearth {
namespace {

constexpr std::string_view kMagic = "hearth past 1\n";
constexpr std::size_t kHashDigits = 32;

// The file: kMagic; the length of the key's text and the text; the number of tokens and the tokens;
// what Past::get() gives; the hash of all of it. Numbers are of 32 bits, as the machine has them:
// the file does not leave it.
class PastWriter {
public:
    explicit PastWriter(OutputFile file) : file_(std::move(file)) {}

    Result<void> write(std::span<const std::byte> bytes) {
        hash_.add(bytes);
        return file_.write(bytes);
    }
    Result<void> write_number(std::size_t number) {
        const auto value = static_cast<std::uint32_t>(number);
        return write(std::as_bytes(std::span(&value, 1)));
    }
    Result<void> finish() {
        const std::string digits = hash_.hex();
        auto done = file_.write(std::as_bytes(std::span(digits)));
        return done ? file_.commit() : done;
    }

private:
    OutputFile file_;
    Hash128 hash_;
};

class PastReader {
public:
    explicit PastReader(InputFile file) : file_(std::move(file)) {}

    Error bad(std::string what) const {
        return Error{ErrorCode::BadFile, file_.path() + ": " + std::move(what), file_.path(), {}};
    }
    Result<void> read(std::span<std::byte> out) {
        if (out.size() > file_.size_bytes() - at_) {
            return bad("the file was cut short");
        }
        auto done = file_.read_at(at_, out);
        at_ += out.size();
        hash_.add(out);
        return done;
    }
    Result<std::uint32_t> read_number() {
        std::uint32_t number = 0;
        auto done = read(std::as_writable_bytes(std::span(&number, 1)));
        return done ? Result<std::uint32_t>(number) : std::move(done).error();
    }
    std::uint64_t left() const { return file_.size_bytes() - at_; }
    Result<void> finish() {
        const std::string wanted = hash_.hex();
        std::string digits(kHashDigits, ' ');
        if (auto done = read(std::as_writable_bytes(std::span(digits))); !done) {
            return done;
        }
        return digits == wanted && left() == 0 ? Result<void>() : bad("the file was changed");
    }

private:
    InputFile file_;
    std::uint64_t at_ = 0;
    Hash128 hash_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Result<void> write_past(const std::string& path, std::string_view key,
                        std::span<const std::int32_t> tokens, Past& past,
                        const Cancellation& cancellation) {
    auto file = OutputFile::create(path, 0);
    if (!file) {
        return std::move(file).error();
    }
    PastWriter writer(std::move(*file));
    auto done = writer.write(bytes_of(kMagic));
    const auto then = [&](auto&& step) { done = done ? step() : std::move(done); };
    then([&] { return writer.write_number(key.size()); });
    then([&] { return writer.write(bytes_of(key)); });
    then([&] { return writer.write_number(tokens.size()); });
    then([&] { return writer.write(std::as_bytes(tokens)); });
    then([&] {
        return past.get(static_cast<int>(tokens.size()), [&](std::span<const std::byte> bytes) {
            return cancellation.requested() ? Error{ErrorCode::Cancelled, "cancelled"}
                                            : writer.write(bytes);
        });
    });
    then([&] { return writer.finish(); });
    return done;
}

Result<std::vector<std::int32_t>> read_past(const std::string& path, std::string_view key,
                                            int n_vocab, Past& past) {
    using Tokens = std::vector<std::int32_t>;
    auto file = InputFile::open(path);
    if (!file) {
        return std::move(file).error();
    }
    PastReader reader(std::move(*file));
    std::array<char, kMagic.size()> magic;
    if (auto done = reader.read(std::as_writable_bytes(std::span(magic))); !done) {
        return std::move(done).error();
    }
    const auto length = std::string_view(magic.data(), magic.size()) == kMagic
                            ? reader.read_number()
                            : Result<std::uint32_t>(0U);
    if (!length) {
        return length.error();
    }
    if (*length != key.size()) {
        return Tokens{};
    }
    std::string text(key.size(), ' ');
    if (auto done = reader.read(std::as_writable_bytes(std::span(text))); !done) {
        return std::move(done).error();
    }
    if (text != key) {
        return Tokens{};
    }
    const auto count = reader.read_number();
    if (!count) {
        return count.error();
    }
    if (*count > static_cast<std::uint32_t>(past.n_ctx())) {
        return reader.bad("has " + std::to_string(*count) + " tokens, more than the context of " +
                          std::to_string(past.n_ctx()));
    }
    Tokens tokens(*count);
    if (auto done = reader.read(std::as_writable_bytes(std::span(tokens))); !done) {
        return std::move(done).error();
    }
    if (std::any_of(tokens.begin(), tokens.end(),
                    [&](std::int32_t token) { return token < 0 || token >= n_vocab; })) {
        return reader.bad("has tokens that the vocabulary has not");
    }
    auto done = past.put(static_cast<int>(tokens.size()),
                         [&](std::span<std::byte> bytes) { return reader.read(bytes); });
    if (done) {
        done = reader.finish();
        if (!done) {
            past.forget();
        }
    }
    return done ? Result<Tokens>(std::move(tokens)) : std::move(done).error();
}

}  // namespace hearth
