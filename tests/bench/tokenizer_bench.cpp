// How fast a text becomes tokens, on one thread, in the processor's time.
//     tokenizer_bench VOCABULARY.gguf TEXT [REPEATS]      (5)
// For a byte-level vocabulary: once for each row of pre-tokenizers, with that vocabulary's merges.
// A run that does not give the text back is an error (but for rows that compose characters).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gguf/reader.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

using namespace hearth;

namespace {

constexpr std::string_view kPre = "tokenizer.ggml.pre";

double seconds_of(const Tokenizer& tokenizer, const std::string& text,
                  std::vector<TokenId>& tokens) {
    const std::clock_t start = std::clock();
    tokens = tokenizer.tokenize(text, false, false);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

bool measure(const std::string& name, const Metadata& metadata, const std::string& text,
             int repeats, bool composes) {
    const auto tokenizer = Tokenizer::create(metadata);
    if (!tokenizer) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), tokenizer.error().message.c_str());
        return false;
    }
    std::vector<TokenId> tokens;
    double best = seconds_of(**tokenizer, text, tokens);
    if (!composes && (*tokenizer)->detokenize(tokens) != text) {
        std::fprintf(stderr, "%s: the text does not come back\n", name.c_str());
        return false;
    }
    for (int i = 1; i < repeats; ++i) {
        best = std::min(best, seconds_of(**tokenizer, text, tokens));
    }
    const auto bytes = static_cast<double>(text.size());
    std::printf("%-18s %7.1f MB/s  %.2f bytes a token\n", name.c_str(), bytes / best / 1e6,
                bytes / static_cast<double>(tokens.size()));
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "tokenizer_bench VOCABULARY.gguf TEXT [REPEATS]\n");
        return 2;
    }
    const auto file = GgufFile::open(argv[1]);
    if (!file) {
        std::fprintf(stderr, "%s\n", file.error().message.c_str());
        return 1;
    }
    std::ifstream stream(argv[2], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const int repeats = argc > 3 ? std::max(1, std::atoi(argv[3])) : 5;
    const auto model = file->metadata().string("tokenizer.ggml.model");
    if (!model || *model != kByteLevelBpeName) {
        return measure(model ? *model : "?", file->metadata(), text, repeats, false) ? 0 : 1;
    }
    bool good = true;
    for (const PreTokenizerRow& row : pre_tokenizers()) {
        Metadata metadata;
        metadata.add(std::string(kPre), {MetadataType::String, std::string(row.name)});
        for (const auto& [key, value] : file->metadata().entries()) {
            metadata.add(key, value);  // a key that is there stays as it is
        }
        good = measure(std::string(row.name), metadata, text, repeats,
                       row.has(PreTokenizerRow::kNfc)) &&
               good;
    }
    return good ? 0 : 1;
}
