// The engine of this program, on a thread of its own. Answers of the window and of other programs
// take turns there (EngineTurns); loading and budgets come between two answers.
#pragma once

#include <QThread>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>

#include "bridge/inference_service.h"

namespace hearth::ui {

class EngineTurns;
class EngineWorker;
class PieceBuffer;
class ServedEngine;
struct Task;

class LocalInference : public InferenceService {
    Q_OBJECT

public:
    // cacheFolder keeps what the engine learns of GPUs and of models; empty: nothing is kept.
    explicit LocalInference(const QString& cacheFolder = {}, QObject* parent = nullptr);
    // Waits for the engine. Call shutdown() first to limit the wait.
    ~LocalInference() override;

    // Names the program that is started to list graphics cards and to try them (gpu_trial.h), in
    // place of this one. Call it before the first load.
    void setProgram(const QString& path) { program_ = path; }

    void loadModel(const LoadOptions& options) override;
    void unloadModel() override;
    void generate(quint64 requestId, const QList<ChatTurn>& turns,
                  const GenerationSettings& settings) override;
    void setBudget(const BudgetRequest& budget) override;
    void cancel() override;
    void watchMap(bool wanted) override;
    void forget(const QString& conversation) override;
    bool shutdown(int timeoutMs) override;
    // Sets the least time between two signals pieces(), in place of kPiecesIntervalMs.
    void setPiecesInterval(int ms) { pieceTimer_.setInterval(ms); }
    // A past is kept if it takes so long to compute: behind each answer, or, where that would write
    // more than the answer left, when nothing was asked for so long. In place of kRestMs and
    // kLeastPastSeconds.
    void setRest(int ms, double leastSeconds);
    // Sets the least time between two signals mapped(), in place of kMapIntervalMs.
    void setMapInterval(int ms);
    // For the local API, which answers other programs with this engine: its queue and its model.
    // Both live as long as this.
    EngineTurns& turns() { return *turns_; }
    ServedEngine& served() { return *served_; }

    static constexpr int kRestMs = 20'000;
    static constexpr double kLeastPastSeconds = 2;

private:
    void cancelAll();
    void takeTurn();
    void answerWindow(const QList<ChatTurn>& turns, const GenerationSettings& settings,
                      const std::shared_ptr<Task>& task,
                      const std::shared_ptr<PieceBuffer>& buffer);
    void endAnswer(const std::function<void(quint64 id)>& tell);
    void passPieces();
    void passReport(const std::optional<EngineReport>& report);
    void passMap(const std::optional<MapReport>& map);

    QString program_;
    QThread thread_;
    EngineWorker* worker_;  // lives on thread_
    std::unique_ptr<EngineTurns> turns_;
    std::unique_ptr<ServedEngine> served_;
    std::shared_ptr<Task> load_;
    std::shared_ptr<Task> generation_;
    std::shared_ptr<Task> carrying_;  // carries out a budget, between answers
    QThreadPool budgets_;             // one thread: planning for a graphics card takes a while
    std::shared_ptr<PieceBuffer> buffer_;
    quint64 requestId_ = 0;
    QTimer pieceTimer_;
    QTimer restTimer_;
    bool ended_ = false;
};

}  // namespace hearth::ui
