// hearth-cli inspect: the content of a file, from its header alone.
#include <CLI/CLI.hpp>
#include <algorithm>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"

namespace hearth::cli {
namespace {

struct Options {
    std::string path;
    bool all = false;
};

constexpr std::uint64_t kArrayItemsMax = 16;

Json value_json(const tools::InspectedValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::shared_ptr<tools::ArrayValue>>) {
                if (v == nullptr) {
                    return nullptr;
                }
                if (v->count > kArrayItemsMax || v->values.size() != v->count) {
                    return {{"count", v->count}, {"type", v->type}};
                }
                Json items = Json::array();
                for (const tools::InspectedValue& item : v->values) {
                    items.push_back(value_json(item));
                }
                return items;
            } else {
                return v;
            }
        },
        value);
}

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json report_json(const tools::FileReport& report) {
    Json types = Json::object();
    for (const tools::TypeSummary& type : report.types) {
        types[type.type] = {{"tensors", type.tensors}, {"bytes", type.bytes}};
    }
    Json tensors = Json::array();
    for (const tools::TensorSummary& tensor : report.tensors) {
        tensors.push_back({{"name", tensor.name},
                           {"shape", tensor.shape},
                           {"type", tensor.type},
                           {"offset", tensor.offset},
                           {"bytes", tensor.bytes}});
    }
    Json metadata = Json::object();
    for (const auto& [key, value] : report.metadata) {
        metadata[key] = value_json(value);
    }
    Json object;
    object["path"] = report.path;
    object["file_bytes"] = report.file_bytes;
    object["container"] = report.container;
    object["format_version"] = report.format_version;
    object["arch"] = or_null(report.arch);
    object["supported"] = report.supported;
    object["reason"] = or_null(report.reason);
    object["params"] = report.params;
    object["n_layer"] = or_null(report.n_layer);
    object["n_embd"] = or_null(report.n_embd);
    object["n_head"] = or_null(report.n_head);
    object["n_head_kv"] = or_null(report.n_head_kv);
    object["head_dim"] = or_null(report.head_dim);
    object["n_ff"] = or_null(report.n_ff);
    object["n_vocab"] = or_null(report.n_vocab);
    object["n_ctx"] = or_null(report.n_ctx);
    object["experts"] = {{"count", or_null(report.expert_count)},
                         {"used", or_null(report.expert_used)}};
    object["types"] = std::move(types);
    object["tokenizer"] = {{"model", or_null(report.tokenizer_model)},
                           {"pre", or_null(report.tokenizer_pre)}};
    object["chat_template"] = report.chat_template;
    object["chat"] = {{"default_system", or_null(report.chat.default_system)},
                      {"thinking_switch", report.chat.has_thinking_switch},
                      {"reasoning_effort", report.chat.has_reasoning_effort},
                      {"fallback", or_null(report.chat.fallback)}};
    object["sparse"] = {{"activation", or_null(report.activation)},
                        {"predictor_layers", report.predictor_layers},
                        {"threshold", or_null(report.sparse_threshold)},
                        {"profile", report.profile_tokens.has_value()},
                        {"packed", report.packed}};
    object["tensors"] = std::move(tensors);
    object["metadata"] = std::move(metadata);
    return object;
}

std::string number(const std::optional<std::uint64_t>& value) {
    return value ? std::to_string(*value) : "?";
}

// "8", or of layers that differ "0 to 8".
std::string number(const std::optional<std::uint64_t>& value,
                   const std::optional<tools::LayerNumbers>& of_layers) {
    if (value || !of_layers) {
        return number(value);
    }
    const std::string least = std::to_string(of_layers->least);
    return of_layers->least == of_layers->most ? least
                                               : least + " to " + std::to_string(of_layers->most);
}

void print(Program& program, const tools::FileReport& report, bool all) {
    program.write(format("%s\n", printable(report.path, 4096).c_str()));
    program.write(format("  %s version %u, %s, architecture %s%s\n",
                         printable(report.container, 32).c_str(), report.format_version,
                         format_size(report.file_bytes).c_str(),
                         report.arch.empty() ? "unknown" : printable(report.arch, 64).c_str(),
                         report.supported ? "" : ", not supported"));
    if (!report.reason.empty()) {
        program.write(format("  %s\n", printable(report.reason, 400).c_str()));
    }
    program.write(
        format("  %.2f M parameters, %s layers, width %s, %s heads (%s for keys and "
               "values) of %s\n",
               static_cast<double>(report.params) / 1e6, number(report.n_layer).c_str(),
               number(report.n_embd).c_str(), number(report.n_head, report.heads_of_layers).c_str(),
               number(report.n_head_kv, report.heads_kv_of_layers).c_str(),
               number(report.head_dim).c_str()));
    program.write(format("  feed-forward %s%s%s, vocabulary %s, context %s\n",
                         number(report.n_ff, report.ff_of_layers).c_str(),
                         report.activation.empty() ? "" : " ",
                         printable(report.activation, 32).c_str(), number(report.n_vocab).c_str(),
                         number(report.n_ctx).c_str()));
    if (report.expert_count) {
        program.write(format("  %s experts, %s used\n", number(report.expert_count).c_str(),
                             number(report.expert_used).c_str()));
    }
    program.write(format(
        "  tokenizer %s, %s chat template\n",
        report.tokenizer_model.empty() ? "none" : printable(report.tokenizer_model, 64).c_str(),
        report.chat_template ? "has a" : "no"));
    if (report.packed) {
        program.write(format("  packed: one record a neuron%s%s\n",
                             report.packed_format == 0   ? ""
                             : report.packed_format == 1 ? " (format 1: rows as in a model's file)"
                                                         : " (format 2: rows ready to compute)",
                             report.gate_matrices ? ", gates also as matrices" : ""));
    }
    if (report.profile_tokens) {
        program.write(format("  activation profile of %llu tokens\n",
                             static_cast<unsigned long long>(*report.profile_tokens)));
    }
    if (!report.predictor_layers.empty()) {
        program.write(format("  predictors of %zu layers\n", report.predictor_layers.size()));
    }
    for (const tools::TypeSummary& type : report.types) {
        program.write(format("  %-8s %6llu tensors  %s\n", printable(type.type, 32).c_str(),
                             static_cast<unsigned long long>(type.tensors),
                             format_size(type.bytes).c_str()));
    }
    if (!all) {
        program.write("  --all lists metadata and tensors\n");
        return;
    }
    program.write("metadata\n");
    for (const auto& [key, value] : report.metadata) {
        program.write(format("  %-40s %s\n", printable(key, 200).c_str(),
                             printable(to_text(value_json(value)), 200).c_str()));
    }
    program.write("tensors\n");
    for (const tools::TensorSummary& tensor : report.tensors) {
        std::string shape;
        for (const std::uint64_t n : tensor.shape) {
            shape += (shape.empty() ? "" : ", ") + std::to_string(n);
        }
        program.write(format("  %-32s %-6s [%s]  %s\n", printable(tensor.name, 200).c_str(),
                             printable(tensor.type, 32).c_str(), shape.c_str(),
                             format_size(tensor.bytes).c_str()));
    }
}

int run(Program& program, const Options& options) {
    const Result<tools::FileReport> report = tools::inspect(options.path);
    if (!report) {
        return program.fail(report.error());
    }
    program.warn(tokenizer_warning(report->tokenizer_pre, report->tokenizer_fallback));
    if (program.json) {
        return program.finish(report_json(*report));
    }
    print(program, *report, options.all);
    return program.finish();
}

}  // namespace

void add_inspect(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("inspect", "what a model file holds");
    command->add_option("model,-m,--model", options->path, "model file")
        ->required()
        ->check(not_empty());
    command->add_flag("--all", options->all, "list metadata and tensors");
    add_json_option(*command, program);
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
