#include "support/small_engine.h"

#include <cstdio>
#include <utility>

namespace hearth::test {

std::vector<TokenId> words(int count, int step) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * step + 5) % 256);
    }
    return tokens;
}

EngineOptions small_engine(const std::string& path, std::uint64_t ram_bytes) {
    EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.gpu = "none";
    if (ram_bytes > 0) {
        options.ram_bytes = ram_bytes;
    }
    return options;
}

std::unique_ptr<Engine> load_or_say(const EngineOptions& options) {
    auto engine = Engine::load(options);
    if (!engine) {
        std::fprintf(stderr, "%s\n", engine.error().message.c_str());
    }
    return engine ? std::move(*engine) : nullptr;
}

}  // namespace hearth::test
