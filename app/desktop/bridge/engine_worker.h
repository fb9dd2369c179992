// The engine on its thread: it loads, answers, and does what is due between two answers. It knows
// Qt's words and the engine's; LocalInference hands it tasks and passes on what comes of them.
#pragma once

#include <QElapsedTimer>
#include <QMutex>
#include <QObject>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <hearth/engine.h>

#include "bridge/inference_service.h"
#include "bridge/past_files.h"
#include "server/answer_model.h"

namespace hearth::ui {

// One load or generation, shared by both threads. Each task has a flag of its own, so that a stop
// can never hit the task after the one it was meant for.
struct Task {
    Cancellation cancellation;
};

// Carries text from the engine's thread to the window's.
class PieceBuffer {
public:
    void add(std::string_view piece);
    QString take();

private:
    QMutex mutex_;
    std::string text_;  // whole characters only, as the engine promises
};

// Belongs to the engine's thread, which calls every member that says nothing else.
class EngineWorker : public QObject {
public:
    // A past is kept if it takes so long to compute.
    static constexpr double kLeastPastSeconds = 2;

    // These go to the window during an answer.
    struct Reports {
        std::function<void(const EngineReport&)> reported;
        std::function<void(const MapReport&)> mapped;
    };

    EngineWorker(const QString& cacheFolder, Reports reports);

    // After an error no model is loaded.
    Result<ModelSummary> load(const LoadOptions& options, const QString& program,
                              const std::shared_ptr<Task>& task,
                              const std::function<void(double)>& progress);
    // The names of the loaded model for the local API. Precondition: there is one.
    server::ServedModel served() const { return server::served_model(engine_->model()); }
    void unload();

    // Any thread.
    Result<void> setBudget(const BudgetRequest& budget);
    // Runs between answers: carries out now what would wait for the next token, and gives memory
    // back.
    Result<void> carryOutBudget(const std::shared_ptr<Task>& task);

    std::optional<EngineReport> report();

    void watchMap(bool wanted) { mapWanted_ = wanted; }  // any thread
    void setMapInterval(int ms) { mapIntervalMs_ = ms; }
    // Between answers, or between two of an answer's tokens. None: nobody wants it, or there is
    // none.
    std::optional<MapReport> mapIfWanted(bool answering);

    // Runs between two answers: nobody waits for the engine now, until the cancellation.
    void idle(const Cancellation& cancellation);
    // Runs behind an answer: saves the profile where that is worth it.
    void keepCounts();

    Result<GenerationSummary> generate(const QList<ChatTurn>& turns,
                                       const GenerationSettings& settings,
                                       const std::shared_ptr<Task>& task,
                                       const std::shared_ptr<PieceBuffer>& buffer);
    // An answer for another program. As Engine::chat() and Engine::complete().
    Result<GenerationResult> answer(server::AnswerRequest request, const PieceCallback& onPiece,
                                    const Cancellation& cancellation);

    // Runs behind an answer: what it left is on the disk before the next one begins, where that
    // writes no more than that.
    void keepPastOfAnswer();
    // Runs when nobody has asked for a while.
    void keepPast(const Cancellation& cancellation);
    // Ends keepPastOfAnswer(), until the next load. Any thread.
    void endKeeping() { closing_.request(); }
    void forget(const QString& conversation);
    void setLeastPastSeconds(double seconds) { leastPastSeconds_ = seconds; }

private:
    // The conversation that the window asked about last.
    struct RememberedPast {
        QString conversation = {};
        bool unsaved = false;  // and the engine remembers it
        int tokens = 0;
        double seconds = 0;  // that reading its tokens takes; 0: not known
    };

    std::string nativePath(const QString& conversation) const;
    void showProgress(bool begins);
    void bringPast(const QString& conversation);
    void notePast(const GenerationResult& result);
    qint64 pastBytes() const;
    void keepProfile(int fromTokens);

    const Reports reports_;
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
    double leastPastSeconds_ = kLeastPastSeconds;
    double readPerSecond_ = 0;  // tokens of prompts; 0: not known
    RememberedPast past_;
    Cancellation closing_;
};

}  // namespace hearth::ui
