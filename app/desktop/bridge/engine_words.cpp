#include "bridge/engine_words.h"

#include "bridge/load_fields.h"

namespace hearth::ui {

namespace {

// "NVIDIA H200 40 %": the card and its share of the model's weights; empty without a card.
QString deviceText(const EngineSettings& settings) {
    if (settings.gpu == "none") {
        return {};
    }
    return QStringLiteral("%1 %2 %")
        .arg(QString::fromStdString(settings.gpu))
        .arg(qRound(100 * settings.gpu_share));
}

// A kind of effort means that the model reasons.
void setReasoning(const QString& word, GenerationOptions& options) {
    if (word == QLatin1String("auto")) {
        return;
    }
    options.thinking = word != QLatin1String("off");
    if (*options.thinking && word != QLatin1String("on")) {
        options.reasoning_effort = word.toStdString();
    }
}

}  // namespace

EngineOptions engineOptionsOf(const LoadOptions& options) {
    EngineOptions engineOptions;
    setLoadFields(options, &engineOptions);
    engineOptions.heeds_memory_pressure = options.heedsMemoryPressure;
    engineOptions.keeps_profile = options.keepsProfile;
    return engineOptions;
}

ModelSummary modelSummaryOf(const Engine& engine, const QString& path) {
    const ModelInfo& info = engine.model();
    ModelSummary model;
    model.path = path;
    model.name = QString::fromStdString(info.name);
    model.type = QString::fromStdString(info.type);
    model.architecture = QString::fromStdString(info.arch);
    model.parameters = info.n_params;
    model.layers = info.n_layer;
    model.isa = QString::fromStdString(engine.settings().isa);
    model.gpu = deviceText(engine.settings());
    model.fileBytes = static_cast<qint64>(info.file_bytes);
    model.contextTokens = info.n_ctx;
    model.threads = engine.settings().threads;
    model.tokenizerFallback = QString::fromStdString(info.tokenizer_fallback);
    return model;
}

EngineReport engineReportOf(const Engine& engine) {
    const EngineSettings& settings = engine.settings();
    const MemoryReport memory = engine.memory();
    EngineReport report;
    report.modelPath = QString::fromStdString(engine.model().path);
    report.threads = settings.threads;
    report.contextTokens = engine.model().n_ctx;
    report.mode = QString::fromStdString(settings.mode);
    report.modeChosen = settings.paths_chosen;
    report.gpu = settings.gpu == "none" ? QString() : QString::fromStdString(settings.gpu);
    report.gpuNote = QString::fromStdString(settings.gpu_note);
    report.gpuShare = settings.gpu_share;
    report.ramBudget = memory.ram_budget_bytes;
    report.ramPlanned = memory.planned_bytes();
    report.ramUsed = memory.used_bytes();
    report.keptPastsMost = memory.kept_pasts.planned_bytes;
    report.keptPastsBytes = memory.kept_pasts.actual_bytes;
    report.keptPasts = memory.n_kept_pasts;
    report.vramBudget = memory.vram_budget_bytes;
    report.vramUsed = memory.vram_bytes;
    report.diskPerToken = engine.flash().bytes_per_token;
    report.budgetWaits = memory.budget_waits;
    const ChatTraits& chat = engine.model().chat;
    report.defaultSystem = QString::fromStdString(chat.default_system);
    report.hasThinkingSwitch = chat.has_thinking_switch;
    report.hasReasoningEffort = chat.has_reasoning_effort;
    return report;
}

GenerationOptions generationOptionsOf(const GenerationSettings& settings) {
    GenerationOptions options;
    options.sampling.temperature = static_cast<float>(settings.temperature);
    options.sampling.top_k = settings.topK;
    options.sampling.top_p = static_cast<float>(settings.topP);
    options.sampling.min_p = static_cast<float>(settings.minP);
    options.sampling.typical_p = static_cast<float>(settings.typicalP);
    options.sampling.xtc_probability = static_cast<float>(settings.xtcProbability);
    options.sampling.xtc_threshold = static_cast<float>(settings.xtcThreshold);
    options.sampling.repeat_penalty = static_cast<float>(settings.repeatPenalty);
    options.sampling.presence_penalty = static_cast<float>(settings.presencePenalty);
    options.sampling.frequency_penalty = static_cast<float>(settings.frequencyPenalty);
    options.sampling.repeat_last_n = settings.repeatLastN;
    options.sampling.dry_multiplier = static_cast<float>(settings.dryMultiplier);
    options.sampling.dry_base = static_cast<float>(settings.dryBase);
    options.sampling.dry_allowed_length = settings.dryAllowedLength;
    options.sampling.seed = settings.seed;
    options.max_tokens = settings.maxTokens;
    setReasoning(settings.reasoning, options);
    options.continues_last_message = settings.continuesLast;
    return options;
}

GenerationSummary generationSummaryOf(const GenerationResult& result, const Engine& engine) {
    GenerationSummary summary;
    switch (result.finish) {
        case FinishReason::Stop:
            summary.finish = GenerationSummary::Finish::Stop;
            break;
        case FinishReason::Length:
        case FinishReason::Grammar:  // the window sets no grammar
            summary.finish = GenerationSummary::Finish::Length;
            break;
        case FinishReason::Cancelled:
            summary.finish = GenerationSummary::Finish::Cancelled;
            break;
    }
    summary.promptTokens = result.prompt_tokens;
    summary.cachedTokens = result.cached_tokens;
    summary.tokenCount = static_cast<int>(result.token_ids.size());
    summary.droppedMessages = result.dropped_messages;
    summary.firstTokenMs = result.ttft_ms;
    summary.tokensPerSecond = result.decode_per_s;
    summary.device = deviceText(engine.settings());
    summary.experts = {result.experts.vram, result.experts.ram, result.experts.disk};
    summary.notice = QString::fromStdString(result.notice);
    return summary;
}

}  // namespace hearth::ui
