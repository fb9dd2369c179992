#include "bridge/model_facts.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLoggingCategory>
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include <hearth/tools.h>

#include "bridge/error_text.h"

namespace hearth::ui {

namespace {

Q_LOGGING_CATEGORY(lcFacts, "hearth.facts")

constexpr qsizetype kTextMost = 200;  // of a name: anybody may have written the file

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelFacts)
};

QString shortText(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))
        .simplified()
        .left(kTextMost);
}

const tools::InspectedValue* find(const tools::FileReport& report, std::string_view key) {
    for (const auto& [name, value] : report.metadata) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

QString textOf(const tools::FileReport& report, std::string_view key) {
    const tools::InspectedValue* value = find(report, key);
    const auto* text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
    return text != nullptr ? shortText(*text) : QString();
}

ModelFacts::Use useOf(const tools::FileReport& report, const QString& kind) {
    using Use = ModelFacts::Use;
    if (report.arch == "generic.gpu_index") {
        return Use::GpuIndex;
    }
    if (report.arch == "clip" || kind == QLatin1String("mmproj")) {
        return Use::Vision;
    }
    if (kind == QLatin1String("adapter")) {
        return Use::Adapter;
    }
    if (report.arch.starts_with("hearth-")) {
        return Use::SideFile;
    }
    if (report.tensors.empty()) {
        return report.tokenizer_model.empty() ? Use::Unknown : Use::Vocabulary;
    }
    // A file of Hearth's predictors needs no architecture: it holds nothing but predictors.
    const bool onlyPredictors =
        !report.predictor_layers.empty() &&
        std::none_of(report.tensors.begin(), report.tensors.end(),
                     [](const tools::TensorSummary& tensor) {
                         return tensor.name.find(".fc") == std::string::npos;
                     });
    return onlyPredictors ? Use::SideFile : report.arch.empty() ? Use::Unknown : Use::Model;
}

QString whyNoModel(ModelFacts::Use use) {
    using Use = ModelFacts::Use;
    switch (use) {
        case Use::Model:
            return {};
        case Use::Vocabulary:
            return Words::tr("This file holds a vocabulary and no weights. It cannot answer.");
        case Use::Vision:
            return Words::tr(
                "This file is the part of another model that looks at pictures, which Hearth "
                "cannot use yet.");
        case Use::GpuIndex:
            return Words::tr(
                "This file lists neurons for PowerInfer. Hearth works that out by itself and "
                "does not need it.");
        case Use::SideFile:
            return Words::tr("This file goes with a model, and is no model itself.");
        case Use::Adapter:
            return Words::tr("This file changes another model, which Hearth cannot do yet.");
        case Use::Unknown:
            return Words::tr("Hearth does not know this kind of file.");
    }
    return {};
}

// A llama made sparse is stored like any llama: only its name tells.
bool soundsSparse(const QString& names) {
    for (const char* word : {"relu", "prosparse", "turbosparse", "sparse"}) {
        if (names.contains(QLatin1String(word), Qt::CaseInsensitive)) {
            return true;
        }
    }
    return false;
}

// Asks about the predictors that the mode “predicted” would use.
bool leavesInputOpen(const tools::FileReport& model, const QString& predictors) {
    if (predictors.isEmpty()) {
        return !model.predictor_layers.empty() && model.predictor_input.empty();
    }
    // An error in that file is reported where the file is used.
    const auto report = tools::inspect(predictors.toStdString());
    return report && !report->predictor_layers.empty() && report->predictor_input.empty();
}

}  // namespace

QString tokenizerGuess(const QString& fallback) {
    return fallback.isEmpty() ? QString()
                              : Words::tr(
                                    "This version does not know how the model's tokenizer cuts "
                                    "text into words. It "
                                    "is taken for “%1”, and answers may suffer.")
                                    .arg(fallback);
}

bool neuronsRest(const QString& activation) {
    for (const char* name : {"reglu", "drelu", "relu", "relu2"}) {
        if (activation == QLatin1String(name)) {
            return true;
        }
    }
    return false;
}

ModelFacts readModelFacts(const QString& path, const QString& predictors) {
    ModelFacts facts;
    const auto report = tools::inspect(path.toStdString());
    if (!report) {
        qCInfo(lcFacts).noquote() << logLineFor(report.error());
        facts.whyNot = sentenceFor(report.error());
        return facts;
    }
    facts.use = useOf(*report, textOf(*report, "general.type"));
    facts.name = textOf(*report, "general.name");
    facts.architecture = shortText(report->arch);
    facts.type = report->types.empty() ? QString() : shortText(report->types.front().type);
    facts.licence = textOf(*report, "general.license");
    facts.activation = shortText(report->activation);
    facts.bytes = report->file_bytes;
    facts.parameters = report->params;
    facts.contextTokens = report->n_ctx.value_or(0);
    facts.layers = static_cast<int>(std::min<std::uint64_t>(report->n_layer.value_or(0), 1 << 20));
    facts.experts = report->expert_count.value_or(0);
    facts.expertsUsed = report->expert_used.value_or(0);
    facts.predictorLayers = static_cast<int>(report->predictor_layers.size());
    facts.chatTemplate = report->chat_template;
    facts.packed = report->packed;
    facts.runs = facts.use == ModelFacts::Use::Model && report->supported;
    if (facts.use != ModelFacts::Use::Model) {
        facts.whyNot = whyNoModel(facts.use);
    } else if (!facts.runs) {
        facts.whyNot = Words::tr("This version cannot run it: %1.").arg(shortText(report->reason));
    }
    if (facts.runs && !report->no_chat.empty()) {
        facts.noChat =
            facts.chatTemplate
                ? Words::tr("It does not chat here: this version cannot run its chat template.")
                : Words::tr("It does not chat: it has no chat template and continues text.");
    }
    if (facts.runs) {
        facts.guess = tokenizerGuess(shortText(report->tokenizer_fallback));
    }
    facts.asksPredictorInput = facts.runs && leavesInputOpen(*report, predictors);
    facts.asksActivation = facts.runs && report->container == "GGUF" &&
                           report->activation == "silu" &&
                           find(*report, "hearth.activation") == nullptr &&
                           soundsSparse(QFileInfo(path).fileName() + QLatin1Char(' ') + facts.name);
    return facts;
}

}  // namespace hearth::ui
