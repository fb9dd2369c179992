#include "flash/joined_file.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "flash/direct_file.h"

namespace hearth {
namespace {

struct JoinedPart {
    std::unique_ptr<FileReads> file;
    std::uint64_t begin = 0;  // in the whole: a multiple of what any disk aligns reads to
};

class JoinedFile final : public FileReads {
public:
    explicit JoinedFile(std::vector<JoinedPart> parts) : parts_(std::move(parts)) {
        facts_ = parts_.front().file->facts();
        for (const JoinedPart& part : parts_) {
            const FileFacts& facts = part.file->facts();
            facts_.size_bytes = part.begin + facts.size_bytes;
            facts_.alignment = std::max(facts_.alignment, facts.alignment);
            facts_.memory_alignment = std::max(facts_.memory_alignment, facts.memory_alignment);
            facts_.direct = facts_.direct && facts.direct;
            if (facts_.why_not_direct.empty()) {
                facts_.why_not_direct = facts.why_not_direct;
            }
        }
    }

    const FileFacts& facts() const noexcept override { return facts_; }

    // No read reaches over the gap between parts (InputFile::kPartAlignment), but the last one of a
    // part may reach into it: who reads rounds up to what the disk aligns to. The gap is zeros.
    ReadOutcome read(std::uint64_t offset, std::span<std::byte> to) noexcept override {
        const auto behind = std::upper_bound(
            parts_.begin(), parts_.end(), offset,
            [](std::uint64_t at, const JoinedPart& part) { return at < part.begin; });
        const JoinedPart& part = *std::prev(behind);
        const std::uint64_t local = offset - part.begin;
        ReadOutcome outcome = part.file->read(local, to);
        const bool ends = local + outcome.bytes == part.file->facts().size_bytes;
        if (outcome.error == 0 && ends && behind != parts_.end()) {
            std::fill(to.begin() + static_cast<std::ptrdiff_t>(outcome.bytes), to.end(),
                      std::byte{});
            outcome.bytes = to.size();
        }
        return outcome;
    }

    std::string change() const override { return first(&FileReads::change); }
    std::string change_of_name() const override { return first(&FileReads::change_of_name); }

private:
    std::string first(std::string (FileReads::*what)() const) const {
        for (const JoinedPart& part : parts_) {
            if (std::string change = ((*part.file).*what)(); !change.empty()) {
                return change;
            }
        }
        return {};
    }

    std::vector<JoinedPart> parts_;
    FileFacts facts_;
};

}  // namespace

Result<std::unique_ptr<FileReads>> open_direct_parts(const InputFile& file, bool direct) {
    if (file.parts().empty()) {
        return open_direct_file(file.path(), direct);
    }
    std::vector<JoinedPart> parts;
    for (const InputFile& part : file.parts()) {
        auto opened = open_direct_file(part.path(), direct);
        if (!opened) {
            return std::move(opened).error();
        }
        if ((*opened)->facts().size_bytes != part.size_bytes()) {
            return Error{ErrorCode::ReadFailed,
                         part.path() + " was changed while it was being opened",
                         part.path(),
                         {}};
        }
        parts.push_back({*std::move(opened), file.begin_of(parts.size())});
    }
    return std::unique_ptr<FileReads>(std::make_unique<JoinedFile>(std::move(parts)));
}

}  // namespace hearth
