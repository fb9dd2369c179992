#include "demo_models.h"

#include <QDir>

#include "support/tiny_model.h"

namespace hearth::ui::demo {

bool writeModels(const QString& folder) {
    using hearth::test::TinyModel;
    const auto path = [&folder](const char* name) {
        return QDir(folder).filePath(QString::fromLatin1(name)).toStdString();
    };
    const auto named = [](const TinyModel& model, const char* name) {
        test::GgufBuilder file = model.file();
        file.without("general.name").key("general.name", name);
        return file;
    };
    test::GgufBuilder chat =
        named(TinyModel({.arch = "llama", .type = DType::Q8_0}), "Llama 3.2 1B Instruct");
    chat.key("general.license", "apache-2.0").key("tokenizer.chat_template", "{{ messages }}");
    test::GgufBuilder other;
    other.key("general.architecture", "mamba").tensor_f32("a", {1, 1}, {1});
    test::GgufBuilder sees;
    sees.key("general.architecture", "clip").tensor_f32("a", {1, 1}, {1});
    return chat.write(path("Llama-3.2-1B-Instruct-Q8_0.gguf")) &&
           named(TinyModel({.arch = "bamboo", .type = DType::Q4_0}), "Bamboo 7B DPO v0.1")
               .write(path("bamboo-7b-dpo-v0.1.Q4_0.gguf")) &&
           named(TinyModel({.arch = "llama"}), "ProSparse LLaMA 2 7B")
               .write(path("prosparse-llama-2-7b.gguf")) &&
           other.write(path("mamba-2.8b.gguf")) && sees.write(path("mmproj-llava.gguf"));
}

}  // namespace hearth::ui::demo
