#include "bridge/local_inference.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLoggingCategory>
#include <QMutex>
#include <QRandomGenerator>
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hearth/engine.h>

#include "bridge/engine_map.h"
#include "bridge/error_text.h"
#include "bridge/past_files.h"
#include "bridge/tool_answer.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcEngine, "hearth.engine")

// One load or generation, shared by both threads. Each task has a flag of its own, so that a stop
// can never hit the task after the one it was meant for.
struct Task {
    Cancellation cancellation;
};

// Carries text from the engine's thread to the window's.
class PieceBuffer {
public:
    void add(std::string_view piece) {
        const QMutexLocker locker(&mutex_);
        text_.append(piece);
    }
    QString take() {
        std::string text;
        {
            const QMutexLocker locker(&mutex_);
            text.swap(text_);
        }
        return QString::fromStdString(text);
    }

private:
    QMutex mutex_;
    std::string text_;  // whole characters only, as the engine promises
};

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

// Nine letters and digits: some templates take no other.
QString newCallId() {
    constexpr char kSigns[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    QString id;
    for (int i = 0; i < 9; ++i) {
        id += QLatin1Char(kSigns[QRandomGenerator::global()->bounded(36)]);
    }
    return id;
}

// Runs on the engine's thread. It answers with functors posted to the LocalInference, in order.
class EngineWorker : public QObject {
public:
    explicit EngineWorker(const QString& cacheFolder)
        : cacheFolder_(QDir::toNativeSeparators(cacheFolder).toStdString()),
          pastFiles_(cacheFolder.isEmpty() ? QString() : cacheFolder + QStringLiteral("/pasts")) {}

    void load(const LoadOptions& options, const QString& program, const std::shared_ptr<Task>& task,
              const std::function<void(double)>& progress,
              const std::function<void(Result<ModelSummary>)>& done) {
        unload();  // frees the old model's memory first
        EngineOptions engineOptions;
        engineOptions.model_path = options.path.toStdString();
        engineOptions.threads = options.threads;
        engineOptions.n_ctx = options.contextTokens;
        engineOptions.ram_bytes = options.ramBytes;
        engineOptions.vram_bytes = options.vramBytes;
        engineOptions.gpu = options.gpu.toStdString();
        engineOptions.mode = options.mode.toStdString();
        engineOptions.kv = options.kv.toStdString();
        engineOptions.activation = options.activation.toStdString();
        engineOptions.predictor_input = options.predictorInput.toStdString();
        engineOptions.predictors_path = options.predictorsPath.toStdString();
        engineOptions.thresholds_path = options.thresholdsPath.toStdString();
        engineOptions.heeds_memory_pressure = options.heedsMemoryPressure;
        engineOptions.keeps_profile = options.keepsProfile;
        engineOptions.program_path = program.toStdString();
        engineOptions.profile_folder = engineOptions.cache_folder = cacheFolder_;
        auto engine = Engine::load(engineOptions, progress, &task->cancellation);
        if (!engine) {
            done(engine.error());
            return;
        }
        {
            const QMutexLocker locker(&engineMutex_);
            engine_ = std::move(engine).value();
        }
        const ModelInfo& info = engine_->model();
        ModelSummary model;
        model.path = options.path;
        model.name = QString::fromStdString(info.name);
        model.type = QString::fromStdString(info.type);
        model.architecture = QString::fromStdString(info.arch);
        model.parameters = info.n_params;
        model.layers = info.n_layer;
        model.isa = QString::fromStdString(engine_->settings().isa);
        model.gpu = deviceText(engine_->settings());
        model.fileBytes = static_cast<qint64>(info.file_bytes);
        model.contextTokens = info.n_ctx;
        model.threads = engine_->settings().threads;
        model.tokenizerFallback = QString::fromStdString(info.tokenizer_fallback);
        keepsPasts_ = options.keepsPasts;
        if (!keepsPasts_) {
            pastFiles_.trim(0);
        }
        done(model);
    }

    void unload() {
        keepProfile(1);
        past_ = {};
        std::unique_ptr<Engine> old;
        {
            const QMutexLocker locker(&engineMutex_);
            old.swap(engine_);
        }
    }

    // The only member that any thread may call.
    Result<void> setBudget(const BudgetRequest& budget) {
        const QMutexLocker locker(&engineMutex_);
        if (!engine_) {
            return Error{ErrorCode::InvalidArgument, "no model is loaded", {}, {}};
        }
        auto done = engine_->set_budget({budget.ramBytes, budget.vramBytes});
        if (done) {
            reportDue_ = true;
        }
        return done;
    }

    // Runs between answers: carries out now what would wait for the next token, and gives memory
    // back.
    Result<void> carryOutBudget(const std::shared_ptr<Task>& task) {
        return engine_ ? engine_->carry_out_budget({}, &task->cancellation) : Result<void>();
    }

    std::optional<EngineReport> report() {
        reportDue_ = false;
        if (!engine_) {
            return std::nullopt;
        }
        const EngineSettings& settings = engine_->settings();
        const MemoryReport memory = engine_->memory();
        EngineReport report;
        report.modelPath = QString::fromStdString(engine_->model().path);
        report.threads = settings.threads;
        report.contextTokens = engine_->model().n_ctx;
        report.mode = QString::fromStdString(settings.mode);
        report.modeChosen = settings.paths_chosen;
        report.gpu = settings.gpu == "none" ? QString() : QString::fromStdString(settings.gpu);
        report.gpuNote = QString::fromStdString(settings.gpu_note);
        report.gpuShare = settings.gpu_share;
        report.ramBudget = memory.ram_budget_bytes;
        report.ramPlanned = memory.planned_bytes();
        report.ramUsed = memory.used_bytes();
        report.vramBudget = memory.vram_budget_bytes;
        report.vramUsed = memory.vram_bytes;
        report.diskPerToken = engine_->flash().bytes_per_token;
        report.budgetWaits = memory.budget_waits;
        const ChatTraits& chat = engine_->model().chat;
        report.defaultSystem = QString::fromStdString(chat.default_system);
        report.hasThinkingSwitch = chat.has_thinking_switch;
        report.hasReasoningEffort = chat.has_reasoning_effort;
        return report;
    }

    void watchMap(bool wanted) { mapWanted_ = wanted; }  // any thread
    void setMapInterval(int ms) { mapIntervalMs_ = ms; }
    // Between answers, or between two of an answer's tokens. None: nobody wants it, or there is
    // none.
    std::optional<MapReport> mapIfWanted(bool answering) {
        if (!engine_ || !mapWanted_) {
            return std::nullopt;
        }
        if (auto report = mapOf(*engine_)) {
            report->answering = answering;
            mapTaken_.start();
            return report;
        }
        return std::nullopt;
    }

    // Runs between two answers: nobody waits for the engine now, until the task is cancelled.
    void idle(const std::shared_ptr<Task>& task) {
        if (engine_) {
            if (const auto moved = engine_->adapt(task->cancellation); !moved) {
                // The next answer loads the model again, or fails with what is wrong.
                qCWarning(lcEngine).noquote() << "experts:" << logLineFor(moved.error());
            }
        }
        keepProfile(kTokensWorthSaving);
    }

    Result<GenerationSummary> generate(const QList<ChatTurn>& turns,
                                       const GenerationSettings& settings,
                                       const std::shared_ptr<Task>& task,
                                       const std::shared_ptr<PieceBuffer>& buffer,
                                       const std::function<void(const EngineReport&)>& reported,
                                       const std::function<void(const MapReport&)>& mapped) {
        if (!engine_) {
            return Error{ErrorCode::InvalidArgument, "no model is loaded", {}, {}};
        }
        std::vector<ChatMessage> messages;
        messages.reserve(static_cast<std::size_t>(turns.size()));
        for (const ChatTurn& turn : turns) {
            messages.push_back({turn.role.toStdString(), turn.content.toStdString()});
        }
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
        bringPast(settings.conversation);
        const auto mapIfDue = [&](bool always) {
            if (always || !mapTaken_.isValid() || mapTaken_.elapsed() >= mapIntervalMs_) {
                if (const auto map = mapIfWanted(true)) {
                    mapped(*map);
                }
            }
        };
        mapIfDue(true);
        const auto reportIfDue = [&] {
            if (reportDue_) {
                const EngineReport now = *report();
                reportDue_ = now.budgetWaits;  // it takes effect after the next token
                reported(now);
            }
        };
        const auto ask = [&](const std::vector<ChatMessage>& asked, const GenerationOptions& how,
                             const PieceCallback& onPiece) {
            return engine_->chat(
                std::span<const ChatMessage>(asked), how,
                [&](std::string_view piece) {
                    onPiece(piece);
                    reportIfDue();
                    mapIfDue(false);
                },
                task->cancellation);
        };
        const auto onPiece = [&](std::string_view piece) { buffer->add(piece); };
        std::vector<server::ToolCall> calls;
        auto result = [&]() -> Result<GenerationResult> {
            if (!usesTools(turns, settings)) {
                return ask(messages, options, onPiece);
            }
            auto request = requestWithTools(turns, settings.tools);
            if (!request) {
                return std::move(request).error();
            }
            request->options = options;
            auto answer = answerWithTools(*request, engine_->model().chat, ask, onPiece);
            if (!answer) {
                return std::move(answer).error();
            }
            calls = std::move(answer->calls);
            return std::move(answer->result);
        }();
        if (!result) {
            return result.error();
        }
        notePast(*result);
        GenerationSummary summary;
        switch (result->finish) {
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
        summary.promptTokens = result->prompt_tokens;
        summary.cachedTokens = result->cached_tokens;
        summary.tokenCount = static_cast<int>(result->token_ids.size());
        unsavedTokens_ += summary.tokenCount;
        summary.droppedMessages = result->dropped_messages;
        summary.firstTokenMs = result->ttft_ms;
        summary.tokensPerSecond = result->decode_per_s;
        summary.device = deviceText(engine_->settings());
        summary.experts = {result->experts.vram, result->experts.ram, result->experts.disk};
        summary.notice = QString::fromStdString(result->notice);
        for (const server::ToolCall& call : calls) {
            summary.calls.append({newCallId(), QString::fromStdString(call.name),
                                  QByteArray::fromStdString(call.arguments)});
        }
        return summary;
    }

    // Runs when nobody has asked for a while.
    void keepPast(const std::shared_ptr<Task>& task) {
        const qint64 bytes = engine_ ? pastBytes() : 0;
        if (!past_.unsaved || past_.seconds < leastPastSeconds_ || bytes > kMostPastBytes) {
            return;
        }
        pastFiles_.trim(kMostPastsBytes - bytes);
        const auto saved = engine_->save_past(nativePath(past_.conversation), task->cancellation);
        past_.unsaved = !saved;
        if (!saved && saved.error().code != ErrorCode::Cancelled) {
            qCWarning(lcEngine).noquote() << "past:" << logLineFor(saved.error());
        }
    }
    void forget(const QString& conversation) {
        pastFiles_.remove(conversation);
        if (conversation == past_.conversation) {
            past_ = {};
        }
    }
    void setLeastPastSeconds(double seconds) { leastPastSeconds_ = seconds; }

private:
    static constexpr qint64 kMostPastBytes = qint64{1} << 30;
    static constexpr qint64 kMostPastsBytes = qint64{2} << 30;

    // The conversation that the engine remembers.
    struct RememberedPast {
        QString conversation = {};
        bool unsaved = false;
        int tokens = 0;
        double seconds = 0;  // that reading its tokens takes; 0: not known
    };

    std::string nativePath(const QString& conversation) const {
        return QDir::toNativeSeparators(pastFiles_.pathOf(conversation)).toStdString();
    }

    void bringPast(const QString& conversation) {
        const QString name = keepsPasts_ ? conversation : QString();
        const QString path = pastFiles_.pathOf(name);
        if (path.isEmpty()) {
            past_ = {};
            return;
        }
        if (name == past_.conversation) {
            return;
        }
        past_ = {.conversation = name};
        if (!QFile::exists(path)) {
            return;
        }
        if (const auto restored = engine_->restore_past(nativePath(name)); !restored) {
            qCWarning(lcEngine).noquote() << "past:" << logLineFor(restored.error());
            pastFiles_.remove(name);
        }
    }

    void notePast(const GenerationResult& result) {
        constexpr int kLeastRead = 16;  // tokens that say how fast prompts are read
        const int read = result.prompt_tokens - result.cached_tokens;
        if (read >= kLeastRead && result.prefill_per_s > 0) {
            readPerSecond_ = result.prefill_per_s;
        }
        past_.unsaved = !past_.conversation.isEmpty();
        past_.tokens = result.prompt_tokens + static_cast<int>(result.token_ids.size());
        past_.seconds = readPerSecond_ > 0 ? past_.tokens / readPerSecond_ : 0;
    }

    // About as many as its file will have.
    qint64 pastBytes() const {
        const MemoryReport memory = engine_->memory();
        const double all = static_cast<double>(memory.kv.actual_bytes) +
                           static_cast<double>(memory.vram_kv.actual_bytes);
        return static_cast<qint64>(all * past_.tokens / std::max(1, engine_->model().n_ctx));
    }

    // A few answers' worth: writing a profile of a 7B model means 8 MB.
    static constexpr int kTokensWorthSaving = 1000;

    // A profile that cannot be saved costs the user nothing now: the counts stay for the next time.
    void keepProfile(int fromTokens) {
        if (engine_ && unsavedTokens_ >= fromTokens && engine_->save_profile()) {
            unsavedTokens_ = 0;
        }
    }

    const std::string cacheFolder_;
    QMutex engineMutex_;  // held to change engine_, and by threads other than the engine's
    std::unique_ptr<Engine> engine_;
    std::atomic<bool> reportDue_ = false;
    std::atomic<bool> mapWanted_ = false;
    std::atomic<int> mapIntervalMs_ = InferenceService::kMapIntervalMs;
    QElapsedTimer mapTaken_;
    int unsavedTokens_ = 0;
    const PastFiles pastFiles_;
    bool keepsPasts_ = false;
    double leastPastSeconds_ = LocalInference::kLeastPastSeconds;
    double readPerSecond_ = 0;  // tokens of prompts; 0: not known
    RememberedPast past_;
};

LocalInference::LocalInference(const QString& cacheFolder, QObject* parent)
    : InferenceService(parent),
      program_(QCoreApplication::applicationFilePath()),
      worker_(new EngineWorker(cacheFolder)) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("engine"));
    thread_.start();
    budgets_.setMaxThreadCount(1);
    // The engine may produce a thousand pieces a second; the window takes one update a frame.
    pieceTimer_.setInterval(kPiecesIntervalMs);
    pieceTimer_.setTimerType(Qt::PreciseTimer);
    connect(&pieceTimer_, &QTimer::timeout, this, &LocalInference::passPieces);
    restTimer_.setSingleShot(true);
    restTimer_.setInterval(kRestMs);
    connect(&restTimer_, &QTimer::timeout, this, [this] {
        QMetaObject::invokeMethod(worker_,
                                  [worker = worker_, task = resting_] { worker->keepPast(task); });
    });
}

void LocalInference::setRest(int ms, double leastSeconds) {
    restTimer_.setInterval(ms);
    QMetaObject::invokeMethod(
        worker_, [worker = worker_, leastSeconds] { worker->setLeastPastSeconds(leastSeconds); });
}

void LocalInference::forget(const QString& conversation) {
    QMetaObject::invokeMethod(worker_,
                              [worker = worker_, conversation] { worker->forget(conversation); });
}

LocalInference::~LocalInference() {
    cancelAll();
    budgets_.waitForDone();
    thread_.quit();
    thread_.wait();
}

bool LocalInference::shutdown(int timeoutMs) {
    ended_ = true;
    cancelAll();
    const QDeadlineTimer deadline(timeoutMs);
    const bool planned = budgets_.waitForDone(timeoutMs);
    thread_.quit();
    return thread_.wait(deadline) && planned;
}

void LocalInference::cancelAll() {
    for (const auto& task : {load_, generation_, carrying_, resting_}) {
        if (task) {
            task->cancellation.request();
        }
    }
    pieceTimer_.stop();
    restTimer_.stop();
}

void LocalInference::loadModel(const LoadOptions& options) {
    if (load_) {
        load_->cancellation.request();
    }
    for (const auto& task : {carrying_, resting_}) {
        if (task) {
            task->cancellation.request();
        }
    }
    cancel();
    load_ = std::make_shared<Task>();
    const std::shared_ptr<Task> task = load_;
    const auto progress = [this, task](double fraction) {
        QMetaObject::invokeMethod(this, [this, task, fraction] {
            if (task == load_ && !ended_) {
                emit loadProgress(fraction);
            }
        });
    };
    const auto done = [this, task](const Result<ModelSummary>& result) {
        QMetaObject::invokeMethod(this, [this, task, result] {
            if (task != load_ || ended_) {
                return;  // another load replaced it
            }
            load_.reset();
            if (result) {
                emit loaded(result.value());
            } else {
                qCWarning(lcEngine).noquote() << "load:" << logLineFor(result.error());
                emit loadFailed(sentenceFor(result.error()));
            }
        });
    };
    QMetaObject::invokeMethod(worker_, [=, this, worker = worker_, program = program_] {
        worker->load(options, program, task, progress, done);
        passReport(worker->report());
        passMap(worker->mapIfWanted(false));
    });
}

// Any thread calls this.
void LocalInference::passReport(const std::optional<EngineReport>& report) {
    if (report) {
        QMetaObject::invokeMethod(this, [this, report] {
            if (!ended_) {
                emit reported(*report);
            }
        });
    }
}

// Any thread calls this.
void LocalInference::passMap(const std::optional<MapReport>& map) {
    if (map) {
        QMetaObject::invokeMethod(this, [this, map] {
            if (!ended_) {
                emit mapped(*map);
            }
        });
    }
}

void LocalInference::watchMap(bool wanted) {
    worker_->watchMap(wanted);
    if (wanted) {
        QMetaObject::invokeMethod(
            worker_, [this, worker = worker_] { passMap(worker->mapIfWanted(false)); });
    }
}

void LocalInference::setMapInterval(int ms) {
    worker_->setMapInterval(ms);
}

void LocalInference::setBudget(const BudgetRequest& budget) {
    if (resting_) {
        resting_->cancellation.request();
    }
    const auto carried = std::make_shared<Task>();
    carrying_ = carried;
    const auto answer = [this, id = budget.id](const Result<void>& result) {
        QMetaObject::invokeMethod(this, [this, id, result] {
            if (ended_) {
                return;
            }
            if (result) {
                emit budgetSet(id);
            } else {
                qCWarning(lcEngine).noquote() << "budget:" << logLineFor(result.error());
                emit budgetRefused(id, sentenceForBudget(result.error()));
            }
        });
    };
    budgets_.start([this, worker = worker_, budget, carried, answer] {
        const Result<void> result = worker->setBudget(budget);
        answer(result);
        if (!result) {
            return;
        }
        // Queued behind a running answer, which carries the budget out itself.
        QMetaObject::invokeMethod(worker, [this, worker, carried, answer] {
            const Result<void> done = worker->carryOutBudget(carried);
            if (!done && done.error().code != ErrorCode::Cancelled) {
                answer(done);
            }
            passReport(worker->report());
            passMap(worker->mapIfWanted(false));
        });
    });
}

void LocalInference::unloadModel() {
    cancelAll();
    load_.reset();
    QMetaObject::invokeMethod(worker_, [worker = worker_] { worker->unload(); });
}

void LocalInference::generate(quint64 requestId, const QList<ChatTurn>& turns,
                              const GenerationSettings& settings) {
    Q_ASSERT(!generation_);
    if (resting_) {
        resting_->cancellation.request();
    }
    generation_ = std::make_shared<Task>();
    resting_ = std::make_shared<Task>();
    buffer_ = std::make_shared<PieceBuffer>();
    requestId_ = requestId;
    restTimer_.stop();
    pieceTimer_.start();
    QMetaObject::invokeMethod(worker_, [this, worker = worker_, turns, settings, task = generation_,
                                        buffer = buffer_, resting = resting_] {
        const auto result = worker->generate(
            turns, settings, task, buffer,
            [this](const EngineReport& report) { passReport(report); },
            [this](const MapReport& map) { passMap(map); });
        passReport(worker->report());
        passMap(worker->mapIfWanted(false));
        QMetaObject::invokeMethod(this, [this, result] {
            if (ended_) {
                return;
            }
            passPieces();
            pieceTimer_.stop();
            generation_.reset();
            buffer_.reset();
            restTimer_.start();
            const quint64 id = requestId_;
            if (result) {
                emit finished(id, result.value());
            } else {
                qCWarning(lcEngine).noquote() << "chat:" << logLineFor(result.error());
                emit failed(id, sentenceFor(result.error()));
            }
        });
        worker->idle(resting);
        passMap(worker->mapIfWanted(false));  // experts may have moved
    });
}

void LocalInference::cancel() {
    if (generation_) {
        generation_->cancellation.request();
    }
}

void LocalInference::passPieces() {
    if (!buffer_) {
        return;
    }
    const QString text = buffer_->take();
    if (!text.isEmpty()) {
        emit pieces(requestId_, text);
    }
}

}  // namespace hearth::ui
