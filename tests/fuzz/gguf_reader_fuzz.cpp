// Any bytes as a GGUF file, and what the engine reads from its header before it reads weights.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "gguf/reader.h"
#include "model/weights.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace {

using namespace hearth;

// Every byte a tensor claims is there, aligned, and no other tensor's.
void check_tensors(const GgufFile& file, std::size_t size) {
    std::vector<bool> taken(size, false);
    for (const TensorInfo& tensor : file.tensors().entries()) {
        FUZZ_CHECK(tensor.bytes == 0 ||  // then it lies nowhere, whatever its offset says
                   (tensor.bytes <= size && tensor.offset <= size - tensor.bytes &&
                    tensor.offset % file.alignment() == 0));
        const auto data = file.data(tensor);
        FUZZ_CHECK(data.size() == tensor.bytes);
        for (std::size_t i = 0; i < data.size(); ++i) {
            const std::size_t at = static_cast<std::size_t>(tensor.offset) + i;
            FUZZ_CHECK(!taken[at]);
            taken[at] = true;
        }
        FUZZ_CHECK(file.tensors().find(tensor.name) == &tensor);
    }
}

void check_error(const Error& error) {
    FUZZ_CHECK(fuzz::is_fit_message(error.message));
    FUZZ_CHECK(error.code == ErrorCode::BadFile || error.code == ErrorCode::Unsupported);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto file = GgufFile::parse(bytes, "input.gguf");
    if (!file) {
        check_error(file.error());
        FUZZ_CHECK(file.error().path == "input.gguf");
        return 0;
    }
    check_tensors(*file, size);
    for (const auto& [key, value] : file->metadata().entries()) {
        FUZZ_CHECK(file->metadata().find(key) == &value);
    }
    if (const auto spec = read_model_spec(*file); !spec) {
        check_error(spec.error());
    } else if (const auto tensors = bind_tensors(*file, *spec); !tensors) {
        check_error(tensors.error());
    } else {
        FUZZ_CHECK(tensors->layers.size() == static_cast<std::size_t>(spec->n_layer()));
    }
    if (const auto tokenizer = Tokenizer::create(file->metadata()); !tokenizer) {
        check_error(tokenizer.error());
    } else {
        for (const TokenId token : (*tokenizer)->tokenize("Hello <|im_end|> 12", true, true)) {
            FUZZ_CHECK(token >= 0 && token < (*tokenizer)->n_vocab());
        }
    }
    if (const auto chat = ChatTemplate::create(file->metadata()); !chat) {
        check_error(chat.error());
    }
    return 0;
}
