// Owns all that a rendering creates, counts it, and keeps the first failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/failure.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

struct Limits {
    // An expression evaluated, an item visited or 64 bytes looked at. Ten million take about a
    // third of a second.
    std::uint64_t steps = 10'000'000;
    // All strings and containers that are created count, also those no longer used; but of loops
    // and blocks that have ended, what nothing can reach.
    std::uint64_t bytes = 256ULL << 20;
    std::uint64_t output_bytes = 64ULL << 20;
    int depth = 600;        // of expressions and statements inside each other, calls included
    int value_depth = 100;  // of containers inside each other
};

// After a failure every operation may go on with any value: nothing of it is shown. Long loops
// look at failed().
class Heap {
public:
    explicit Heap(const Limits& limits);
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    const Limits& limits() const { return limits_; }

    // The first failure stays. line: 0 where it is not known; see at_line().
    void fail(Failure::ValueKind kind, std::string message);
    void fail(std::string message) { fail(Failure::ValueKind::Runtime, std::move(message)); }
    bool failed() const { return failure_.has_value(); }
    const std::optional<Failure>& failure() const { return failure_; }
    // Lines of failures that follow.
    void at_line(int line) { line_ = line; }
    int line() const { return line_; }

    // False, and a failure, if that is too much.
    bool take_steps(std::uint64_t steps);
    bool take_bytes(std::uint64_t bytes);
    // These bytes were taken and are freed.
    void give_back(std::uint64_t bytes) { bytes_ -= std::min(bytes_, bytes); }
    // While it lives, evaluation is a level deeper; a failure if that is too deep.
    class Level {
    public:
        explicit Level(Heap& heap) : heap_(heap) { heap_.enter(); }
        ~Level() { --heap_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Heap& heap_;
    };
    // For work on that many bytes of text.
    bool look_at(std::uint64_t bytes) { return take_steps(1 + bytes / 64); }

    Value text(MarkedText&& text, bool is_safe = false);
    Value text(std::string_view bytes, bool markup) { return text(MarkedText(bytes, markup)); }
    Value list(std::vector<Value>&& items, Sequence::Flavour flavour = Sequence::Flavour::List);
    Value iterator(std::vector<Value>&& items) {
        return list(std::move(items), Sequence::Flavour::Iterator);
    }
    Value dict(ValueKind kind = ValueKind::Dict);
    // Replaces what stands under an equal key. Fails for a key that Python cannot hash.
    void set(Dict& dict, const Value& key, const Value& value);
    // The items of the sequence that was created last, which ends here. Precondition: nothing else
    // refers to it. They still count.
    std::vector<Value> items_of_last();
    Value slice(const Value& start, const Value& stop, const Value& step);
    Callable* callable();
    Loop* loop();
    // A name that undefined values may point to.
    const std::string* keep(std::string name);

private:
    void enter();

    Limits limits_;
    std::uint64_t steps_ = 0;
    std::uint64_t bytes_ = 0;
    int line_ = 0;
    int depth_ = 0;
    std::optional<Failure> failure_;
    std::deque<String> strings_;
    std::deque<Sequence> sequences_;
    std::deque<Dict> dicts_;
    std::deque<Slice> slices_;
    std::deque<std::string> names_;
    std::vector<std::unique_ptr<Callable>> callables_;
    std::vector<std::unique_ptr<Loop>> loops_;
};

// Puts a string together and counts its bytes while it grows.
class StringBuilder {
public:
    explicit StringBuilder(Heap& heap) : heap_(heap) {}
    void append(std::string_view bytes, bool markup) {
        if (heap_.take_bytes(bytes.size())) {
            text_.append(bytes, markup);
        }
    }
    void append(const MarkedText& text) { append(text, 0, text.size()); }
    void append(const MarkedText& text, std::size_t begin, std::size_t end) {
        if (heap_.take_bytes(end - begin)) {
            text_.append(text, begin, end);
        }
    }
    const MarkedText& text() const { return text_; }
    MarkedText take() { return std::move(text_); }
    Value value(bool is_safe = false) { return heap_.text(std::move(text_), is_safe); }
    Heap& heap() { return heap_; }

private:
    Heap& heap_;
    MarkedText text_;
};

}  // namespace hearth::jinja
