// A file that reads as a test says: held back, released in any order, short or failing. Qt-free.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flash/file_reads.h"

namespace hearth::test {

// What a test and its FakeReads share. Every member function from any thread.
class ReadScript {
public:
    struct Seen {
        std::uint64_t offset, bytes;
        bool operator==(const Seen&) const = default;
    };

    explicit ReadScript(std::vector<std::byte> content) : content_(std::move(content)) {
        facts.path = "fake.bin";
        facts.size_bytes = content_.size();
    }

    // Before the queue is opened.
    FileFacts facts{};
    // Called for each read before its bytes are copied; an outcome stands instead of them.
    std::function<std::optional<ReadOutcome>(std::uint64_t offset, std::uint64_t bytes)> instead{};
    std::string change{};

    // From now on reads wait until they are released.
    void hold() {
        const std::lock_guard lock(mutex_);
        holding_ = true;
    }
    void release_all() {
        const std::lock_guard lock(mutex_);
        holding_ = false;
        changed_.notify_all();
    }
    // Lets the held read that begins at `offset` go on.
    void release(std::uint64_t offset) {
        const std::lock_guard lock(mutex_);
        released_.push_back(offset);
        changed_.notify_all();
    }
    // Sleeps until `count` reads have begun.
    void await_begun(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return seen_.size() >= count; });
    }
    // Every read, in the order in which they began.
    std::vector<Seen> seen() const {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    friend class FakeReads;
    ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) {
        std::unique_lock lock(mutex_);
        seen_.push_back({offset, to.size()});
        changed_.notify_all();
        changed_.wait(lock, [&] {
            const auto named = std::find(released_.begin(), released_.end(), offset);
            if (holding_ && named == released_.end()) {
                return false;
            }
            if (named != released_.end()) {
                released_.erase(named);
            }
            return true;
        });
        if (instead) {
            if (const auto outcome = instead(offset, to.size())) {
                if (outcome->bytes > 0) {
                    std::memcpy(to.data(), content_.data() + offset,
                                static_cast<std::size_t>(outcome->bytes));
                }
                return *outcome;
            }
        }
        if (offset >= content_.size()) {
            return {};
        }
        const auto bytes = std::min<std::uint64_t>(to.size(), content_.size() - offset);
        std::memcpy(to.data(), content_.data() + offset, static_cast<std::size_t>(bytes));
        return {bytes, 0};
    }

    const std::vector<std::byte> content_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool holding_ = false;
    std::vector<std::uint64_t> released_{};
    std::vector<Seen> seen_{};
};

class FakeReads final : public FileReads {
public:
    explicit FakeReads(std::shared_ptr<ReadScript> script) : script_(std::move(script)) {}

    const FileFacts& facts() const noexcept override { return script_->facts; }
    ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) noexcept override {
        return script_->read(offset, to);
    }
    std::string change() const override { return script_->change; }
    std::string change_of_name() const override { return {}; }

private:
    std::shared_ptr<ReadScript> script_;
};

}  // namespace hearth::test
