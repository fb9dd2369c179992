#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pre_tokenizer.h"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

namespace hearth {
namespace {

// PCRE2 takes its memory where everything here does, so that a test can refuse it.
void* take_memory(PCRE2_SIZE bytes, void* /*unused*/) {
    return ::operator new(bytes, std::nothrow);
}
void give_back(void* memory, void* /*unused*/) {
    ::operator delete(memory);
}

// A null pointer is all that PCRE2 says when it got none.
template <class T>
T* had(T* made) {
    if (made == nullptr) {
        throw std::bad_alloc();
    }
    return made;
}

struct FreeGeneralContext {
    void operator()(pcre2_general_context* context) const { pcre2_general_context_free(context); }
};
struct FreeCompileContext {
    void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatchData {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeMatchContext {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
using GeneralContext = std::unique_ptr<pcre2_general_context, FreeGeneralContext>;
using CompileContext = std::unique_ptr<pcre2_compile_context, FreeCompileContext>;
using Code = std::unique_ptr<pcre2_code, FreeCode>;
using MatchData = std::unique_ptr<pcre2_match_data, FreeMatchData>;
using MatchContext = std::unique_ptr<pcre2_match_context, FreeMatchContext>;

constexpr std::uint32_t kHeapLimitKib = 64 * 1024;
// Steps one match may take. The rows' patterns take a few per byte of the match.
constexpr std::size_t kStepsPerByte = 64;
constexpr std::size_t kStepsLeast = 100000;

// \s is White_Space for the tokenizers these patterns come from. PCRE2's takes in U+180E, which
// has not been a space since Unicode 6.3.
std::string with_unicode_spaces(std::string_view pattern) {
    constexpr std::string_view kSpaces = "\\x{9}-\\x{D}\\x{85}\\p{Z}";
    std::string out;
    bool in_class = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size()) {
            const char next = pattern[i + 1];
            if (next == 's' || next == 'S') {
                // No row has \S inside a class.
                out += in_class ? "" : next == 's' ? "[" : "[^";
                out += kSpaces;
                out += in_class ? "" : "]";
            } else {
                out += pattern.substr(i, 2);
            }
            ++i;
            continue;
        }
        if (pattern[i] == '[') {
            in_class = true;
        } else if (pattern[i] == ']') {
            in_class = false;
        }
        out += pattern[i];
    }
    return out;
}

// Calls at(place) for the start of each three characters of `text`, counted from its end; the first
// may be fewer.
template <class At>
void each_three(std::string_view text, const At& at) {
    const auto is_first = [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80U; };
    auto left = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_first));
    at(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_first(text[i])) {
            if (i > 0 && left % 3 == 0) {
                at(i);
            }
            --left;
        }
    }
}

Result<Code> compile(std::string_view pattern, pcre2_general_context* memory) {
    const std::string expanded = with_unicode_spaces(pattern);
    const CompileContext context(had(pcre2_compile_context_create(memory)));
    int error = 0;
    PCRE2_SIZE offset = 0;
    Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expanded.data()), expanded.size(),
                            PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY, &error, &offset,
                            context.get()));
    if (code == nullptr && error == PCRE2_ERROR_HEAP_FAILED) {
        throw std::bad_alloc();
    }
    if (code == nullptr) {
        std::array<PCRE2_UCHAR, 256> text{};
        pcre2_get_error_message(error, text.data(), text.size());
        return Error{.code = ErrorCode::Internal,
                     .message = "pre-tokenizer pattern, byte " + std::to_string(offset) + ": " +
                                reinterpret_cast<const char*>(text.data()),
                     .path = {},
                     .field = {}};
    }
    // Systems that forbid writable code have no JIT; the interpreter then gives the same answers.
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
    return code;
}

}  // namespace

struct PreTokenizer::Impl {
    struct Step {
        Code code;
        PreTokenizerStep::Cut cut;
    };
    GeneralContext memory{had(pcre2_general_context_create(take_memory, give_back, nullptr))};
    std::vector<Step> steps;

    // Appends the pieces of each of `in`.
    void apply(const Step& step, std::span<const std::string_view> in,
               std::vector<std::string_view>& out) const {
        const MatchData data(
            had(pcre2_match_data_create_from_pattern(step.code.get(), memory.get())));
        const MatchContext context(had(pcre2_match_context_create(memory.get())));
        pcre2_set_heap_limit(context.get(), kHeapLimitKib);
        for (const std::string_view text : in) {
            pcre2_set_match_limit(context.get(),
                                  static_cast<std::uint32_t>(std::min<std::size_t>(
                                      kStepsLeast + kStepsPerByte * text.size(), UINT32_MAX)));
            split_one(step, text, data.get(), context.get(), out);
        }
    }

    static void split_one(const Step& step, std::string_view text, pcre2_match_data* data,
                          pcre2_match_context* context, std::vector<std::string_view>& out) {
        const pcre2_code* code = step.code.get();
        const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
        using Cut = PreTokenizerStep::Cut;
        std::size_t piece = 0;  // where the piece begins that is not in `out` yet
        const auto cut_at = [&](std::size_t place) {
            if (place > piece) {
                out.push_back(text.substr(piece, place - piece));
                piece = place;
            }
        };
        std::size_t done = 0;
        while (done < text.size()) {
            int found =
                pcre2_match(code, subject, text.size(), done, PCRE2_NO_UTF_CHECK, data, context);
            if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
                found = pcre2_match(code, subject, text.size(), done,
                                    PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, context);
            }
            if (found == PCRE2_ERROR_NOMEMORY) {
                throw std::bad_alloc();
            }
            if (found < 0) {
                break;  // no match, or a limit: the rest is one piece
            }
            const PCRE2_SIZE* span = pcre2_get_ovector_pointer(data);
            if (span[1] <= span[0]) {
                break;  // no row's pattern matches nothing
            }
            const std::size_t begin = span[0];
            done = span[1];
            if (step.cut == Cut::Apart) {
                cut_at(begin);
            } else {
                each_three(text.substr(begin, done - begin),
                           [&](std::size_t place) { cut_at(begin + place); });
            }
            if (step.cut != Cut::BeforeThrees) {
                cut_at(done);
            }
        }
        cut_at(text.size());
    }
};

PreTokenizer::PreTokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreTokenizer::~PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;

Result<PreTokenizer> PreTokenizer::create(const PreTokenizerRow& row) {
    auto impl = std::make_unique<Impl>();
    for (const PreTokenizerStep& step : row.steps) {
        auto code = compile(step.pattern, impl->memory.get());
        if (!code) {
            return code.error();
        }
        impl->steps.push_back({std::move(code).value(), step.cut});
    }
    return PreTokenizer(std::move(impl));
}

void PreTokenizer::split(std::string_view text, std::vector<std::string_view>& out) const {
    if (impl_->steps.size() == 1) {
        impl_->apply(impl_->steps.front(), std::span(&text, 1), out);
        return;
    }
    std::vector<std::string_view> pieces{text};
    std::vector<std::string_view> next;
    for (const Impl::Step& step : impl_->steps) {
        next.clear();
        impl_->apply(step, pieces, next);
        pieces.swap(next);
    }
    out.insert(out.end(), pieces.begin(), pieces.end());
}

}  // namespace hearth
