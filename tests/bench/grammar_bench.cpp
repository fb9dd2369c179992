// How long the masks of a grammar take, on the vocabulary of a GGUF file.
//
//   grammar_bench VOCABULARY.gguf
//
// Draws answers from random logits, each twice with the same seed: the first time most states are
// fresh, the second time their masks are known. Every answer is checked: it is text of its schema's
// grammar.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "grammar/grammar_constraint.h"
#include "grammar/json_schema.h"
#include "session/sampler.h"
#include "text/tokenizer.h"

namespace {

using Clock = std::chrono::steady_clock;
using hearth::TokenId;

double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Schema {
    const char* name;
    const char* text;
};
const Schema kSchemas[] = {
    {"any JSON", "{}"},
    {"a list of people",
     "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
     "\"string\"},\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150},\"tags\":{\"type\":"
     "\"array\",\"items\":{\"enum\":[\"red\",\"green\",\"blue\"]}}},\"required\":[\"name\","
     "\"age\"]}}"},
    {"short strings",
     "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\",\"maxLength\":200}}"},
};

struct Times {
    std::vector<double> mask_ms;
    std::vector<double> draw_ms;
};

void print(const char* name, std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    std::printf("  %-22s %6zu, median %8.3f ms, 99 %% below %8.3f ms, most %8.3f ms\n", name,
                ms.size(), ms[ms.size() / 2], ms[ms.size() * 99 / 100], ms.back());
}

// False: an answer broke the grammar.
bool draw_answer(hearth::GrammarConstraint& constraint, const hearth::Tokenizer& tokenizer,
                 std::uint64_t seed, Times& times) {
    constexpr int kMostTokens = 150;
    const auto n_vocab = static_cast<std::size_t>(tokenizer.n_vocab());
    std::mt19937_64 random(seed);
    std::vector<float> base(n_vocab);
    std::normal_distribution<float> normal(0, 3);
    for (float& logit : base) {
        logit = normal(random);
    }
    hearth::Sampler sampler({.seed = seed}, tokenizer.n_vocab());
    std::vector<float> logits;
    std::string piece;
    constraint.restart();
    for (int i = 0; i < kMostTokens; ++i) {
        auto start = Clock::now();
        const auto allowed = constraint.allowed();
        times.mask_ms.push_back(ms_since(start));
        if (!allowed) {
            return false;
        }
        if (!allowed->any_text) {
            return allowed->may_end;
        }
        // Another token is the likeliest each time.
        std::rotate(base.begin(), base.begin() + 17, base.end());
        logits = base;
        start = Clock::now();
        const auto token = sampler.sample(logits, {}, allowed->tokens);
        times.draw_ms.push_back(ms_since(start));
        if (!token || !hearth::may_come(allowed->tokens, *token)) {
            return false;
        }
        if (tokenizer.is_end_of_turn(*token)) {
            return true;
        }
        piece.clear();
        tokenizer.append_piece(*token, false, piece);
        constraint.accept(piece);
    }
    return true;
}

int fail(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: grammar_bench VOCABULARY.gguf\n");
        return 2;
    }
    const auto file = hearth::GgufFile::open(argv[1]);
    if (!file) {
        return fail(file.error().message);
    }
    const auto tokenizer = hearth::Tokenizer::create(file->metadata());
    if (!tokenizer) {
        return fail(tokenizer.error().message);
    }
    auto start = Clock::now();
    const hearth::TokenTrie trie(**tokenizer);
    std::printf("%d tokens, a tree of %zu nodes in %.1f ms\n", (*tokenizer)->n_vocab(), trie.size(),
                ms_since(start));
    for (const Schema& schema : kSchemas) {
        start = Clock::now();
        const auto grammar = hearth::parse_json_schema(schema.text);
        if (!grammar) {
            return fail(grammar.error().message);
        }
        auto automaton = hearth::Automaton::compile(*grammar, "json_schema");
        if (!automaton) {
            return fail(automaton.error().message);
        }
        std::printf("%s: compiled in %.2f ms\n", schema.name, ms_since(start));
        hearth::GrammarConstraint constraint(std::move(*automaton), trie);
        for (const char* round : {"masks, fresh", "masks, known"}) {
            Times times;
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                if (!draw_answer(constraint, **tokenizer, seed, times)) {
                    return fail("an answer broke its grammar");
                }
            }
            print(round, times.mask_ms);
            print("draws", times.draw_ms);
        }
    }
    return 0;
}
