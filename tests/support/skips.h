// Skipped rows are seen: each is judged by tests/allowed_skips.txt, printed and reported. A row
// that the list does not allow to be skipped fails its test. QtTest programs judge theirs by
// themselves (support/test_program.h); programs without Qt call judge_skips().
//
// Environment:
//   HEARTH_NO_SKIP=1      no skip is allowed
//   HEARTH_SKIP_REPORT    a file to which each skipped row is added: "cause<TAB>name<TAB>reason"
//   HEARTH_ALLOWED_SKIPS  another list, for the tests of all this
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::test {

struct Skip {
    std::string name;    // "engine/gguf/reader::both_versions(GGUF v3)"; a check's name likewise
    std::string reason;  // as QSKIP was given it
};

// One line of the list: "cause | name | reason". Name and reason may hold *, which stands for any
// characters.
struct AllowedSkip {
    std::string cause;
    std::string name;
    std::string reason;
};

// The lines of a list; # begins a comment. `odd` gets each line that is no entry: not three parts,
// an empty one, or a cause that is none of
//   processor  an instruction set that this processor lacks
//   driver     there is no driver, no GPU, or the GPU lacks a feature
//   rights     root is needed, or must not be; the kernel refuses
//   system     this operating system lacks it (another than Linux, mostly)
//   shared     a large file of ../shared, which a clone does not have
//   sanitizer  the program was built with a sanitizer that cannot run it
std::vector<AllowedSkip> parse_allowed_skips(std::string_view text, std::vector<std::string>& odd);

// The first entry that allows it; null if none does.
const AllowedSkip* allowed_by(std::span<const AllowedSkip> list, const Skip& skip);

// Prints a line a skip on standard output, reports them, and returns how many are not allowed. A
// list that cannot be read, or has odd lines, allows nothing.
int judge_skips(std::span<const Skip> skips);

}  // namespace hearth::test
