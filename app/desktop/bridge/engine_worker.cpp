#include "bridge/engine_worker.h"

#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QRandomGenerator>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bridge/engine_map.h"
#include "bridge/engine_words.h"
#include "bridge/error_text.h"
#include "bridge/tool_answer.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcWorker, "hearth.engine")

namespace {

constexpr qint64 kMostPastBytes = qint64{1} << 30;
constexpr qint64 kMostPastsBytes = qint64{2} << 30;
// A few answers' worth: writing a profile of a 7B model means 8 MB.
constexpr int kTokensWorthSaving = 1000;

// Nine letters and digits: some templates take no other.
QString newCallId() {
    constexpr char kSigns[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    QString id;
    for (int i = 0; i < 9; ++i) {
        id += QLatin1Char(kSigns[QRandomGenerator::global()->bounded(36)]);
    }
    return id;
}

}  // namespace

void PieceBuffer::add(std::string_view piece) {
    const QMutexLocker locker(&mutex_);
    text_.append(piece);
}

QString PieceBuffer::take() {
    std::string text;
    {
        const QMutexLocker locker(&mutex_);
        text.swap(text_);
    }
    return QString::fromStdString(text);
}

EngineWorker::EngineWorker(const QString& cacheFolder, Reports reports)
    : reports_(std::move(reports)),
      cacheFolder_(QDir::toNativeSeparators(cacheFolder).toStdString()),
      pastFiles_(cacheFolder.isEmpty() ? QString() : cacheFolder + QStringLiteral("/pasts")) {}

Result<ModelSummary> EngineWorker::load(const LoadOptions& options, const QString& program,
                                        const std::shared_ptr<Task>& task,
                                        const std::function<void(double)>& progress) {
    unload();  // frees the old model's memory first
    closing_.reset();
    EngineOptions engineOptions = engineOptionsOf(options);
    engineOptions.program_path = program.toStdString();
    engineOptions.profile_folder = engineOptions.cache_folder = cacheFolder_;
    auto engine = Engine::load(engineOptions, progress, &task->cancellation);
    if (!engine) {
        return engine.error();
    }
    {
        const QMutexLocker locker(&engineMutex_);
        engine_ = std::move(engine).value();
    }
    keepsPasts_ = options.keepsPasts;
    if (!keepsPasts_) {
        pastFiles_.trim(0);
    }
    return modelSummaryOf(*engine_, options.path);
}

void EngineWorker::unload() {
    keepProfile(1);
    past_ = {};
    std::unique_ptr<Engine> old;
    {
        const QMutexLocker locker(&engineMutex_);
        old.swap(engine_);
    }
}

Result<void> EngineWorker::setBudget(const BudgetRequest& budget) {
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

Result<void> EngineWorker::carryOutBudget(const std::shared_ptr<Task>& task) {
    return engine_ ? engine_->carry_out_budget({}, &task->cancellation) : Result<void>();
}

std::optional<EngineReport> EngineWorker::report() {
    reportDue_ = false;
    if (!engine_) {
        return std::nullopt;
    }
    return engineReportOf(*engine_);
}

std::optional<MapReport> EngineWorker::mapIfWanted(bool answering) {
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

void EngineWorker::idle(const Cancellation& cancellation) {
    if (engine_) {
        if (const auto moved = engine_->adapt(cancellation); !moved) {
            // The next answer loads the model again, or fails with what is wrong.
            qCWarning(lcWorker).noquote() << "experts:" << logLineFor(moved.error());
        }
    }
}

void EngineWorker::keepCounts() {
    keepProfile(kTokensWorthSaving);
}

// Comes between two tokens of an answer, and before the first.
void EngineWorker::showProgress(bool begins) {
    if (reportDue_ && !begins) {
        const EngineReport now = *report();
        reportDue_ = now.budgetWaits;  // it takes effect after the next token
        reports_.reported(now);
    }
    if (begins || !mapTaken_.isValid() || mapTaken_.elapsed() >= mapIntervalMs_) {
        if (const auto map = mapIfWanted(true)) {
            reports_.mapped(*map);
        }
    }
}

Result<GenerationResult> EngineWorker::answer(server::AnswerRequest request,
                                              const PieceCallback& onPiece,
                                              const Cancellation& cancellation) {
    if (!engine_) {
        return Error{ErrorCode::InvalidArgument, "no model is loaded", {}, {}};
    }
    showProgress(true);
    // The window's conversation gives way to this one. The engine may keep a copy of it in memory;
    // what lies in a file stays as it is, and nothing of this conversation comes to the disk.
    past_.unsaved = false;
    auto result = server::answer_with(
        *engine_, std::move(request),
        [&](std::string_view piece) {
            onPiece(piece);
            showProgress(false);
        },
        cancellation);
    if (result) {
        unsavedTokens_ += static_cast<int>(result->token_ids.size());
    }
    reports_.reported(*report());
    if (const auto map = mapIfWanted(false)) {
        reports_.mapped(*map);
    }
    return result;
}

Result<GenerationSummary> EngineWorker::generate(const QList<ChatTurn>& turns,
                                                 const GenerationSettings& settings,
                                                 const std::shared_ptr<Task>& task,
                                                 const std::shared_ptr<PieceBuffer>& buffer) {
    if (!engine_) {
        return Error{ErrorCode::InvalidArgument, "no model is loaded", {}, {}};
    }
    std::vector<ChatMessage> messages;
    messages.reserve(static_cast<std::size_t>(turns.size()));
    for (const ChatTurn& turn : turns) {
        messages.push_back({turn.role.toStdString(), turn.content.toStdString()});
    }
    const GenerationOptions options = generationOptionsOf(settings);
    bringPast(settings.conversation);
    showProgress(true);
    const auto ask = [&](const std::vector<ChatMessage>& asked, const GenerationOptions& how,
                         const PieceCallback& onPiece) {
        return engine_->chat(
            std::span<const ChatMessage>(asked), how,
            [&](std::string_view piece) {
                onPiece(piece);
                showProgress(false);
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
    qCInfo(lcWorker) << "prompt:" << result->prompt_tokens << "tokens, of them remembered"
                     << result->cached_tokens;
    GenerationSummary summary = generationSummaryOf(*result, *engine_);
    unsavedTokens_ += summary.tokenCount;
    for (const server::ToolCall& call : calls) {
        summary.calls.append({newCallId(), QString::fromStdString(call.name),
                              QByteArray::fromStdString(call.arguments)});
    }
    return summary;
}

// A model with windows or states writes all of them each time, which waits for a rest.
void EngineWorker::keepPastOfAnswer() {
    if (engine_ && engine_->saves_in_parts()) {
        keepPast(closing_);
    }
}

void EngineWorker::keepPast(const Cancellation& cancellation) {
    const qint64 bytes = engine_ ? pastBytes() : 0;
    if (!past_.unsaved || past_.seconds < leastPastSeconds_ || bytes > kMostPastBytes) {
        return;
    }
    pastFiles_.trim(kMostPastsBytes - bytes);
    const auto saved = engine_->save_past(nativePath(past_.conversation), cancellation);
    past_.unsaved = !saved;
    if (saved) {
        qCInfo(lcWorker) << "past:" << *saved << "tokens kept";
    } else if (saved.error().code != ErrorCode::Cancelled) {
        qCWarning(lcWorker).noquote() << "past:" << logLineFor(saved.error());
    }
}

void EngineWorker::forget(const QString& conversation) {
    pastFiles_.remove(conversation);
    if (conversation == past_.conversation) {
        past_ = {};
    }
}

std::string EngineWorker::nativePath(const QString& conversation) const {
    return QDir::toNativeSeparators(pastFiles_.pathOf(conversation)).toStdString();
}

void EngineWorker::bringPast(const QString& conversation) {
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
        qCWarning(lcWorker).noquote() << "past:" << logLineFor(restored.error());
        pastFiles_.remove(name);
    }
}

void EngineWorker::notePast(const GenerationResult& result) {
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
qint64 EngineWorker::pastBytes() const {
    const MemoryReport memory = engine_->memory();
    const double all = static_cast<double>(memory.kv.actual_bytes) +
                       static_cast<double>(memory.vram_kv.actual_bytes);
    return static_cast<qint64>(all * past_.tokens / std::max(1, engine_->model().n_ctx));
}

// A profile that cannot be saved costs the user nothing now: the counts stay for the next time.
void EngineWorker::keepProfile(int fromTokens) {
    if (engine_ && unsavedTokens_ >= fromTokens && engine_->save_profile()) {
        unsavedTokens_ = 0;
    }
}

}  // namespace hearth::ui
