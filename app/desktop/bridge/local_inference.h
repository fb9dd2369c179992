// The engine of this program, on a thread of its own.
#pragma once

#include <QThread>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "inference_service.h"

namespace hearth::ui {

class EngineWorker;
class PieceBuffer;
struct Task;

class LocalInference : public InferenceService {
    Q_OBJECT

public:
    // cacheFolder: for what the engine learns of GPUs and of models; empty: it keeps nothing.
    explicit LocalInference(const QString& cacheFolder = {}, QObject* parent = nullptr);
    // Waits for the engine; call shutdown() first if that must have an end.
    ~LocalInference() override;

    // The program that is started to ask for graphics cards and to try them (gpu_trial.h): this one
    // unless another is named. Before the first load.
    void setProgram(const QString& path) { program_ = path; }

    void loadModel(const LoadOptions& options) override;
    void unloadModel() override;
    void generate(quint64 requestId, const QList<ChatTurn>& turns,
                  const GenerationSettings& settings) override;
    void setBudget(const BudgetRequest& budget) override;
    void cancel() override;
    bool shutdown(int timeoutMs) override;
    // From here on pieces() comes no oftener than this, instead of each kPiecesIntervalMs.
    void setPiecesInterval(int ms) { pieceTimer_.setInterval(ms); }

private:
    void cancelAll();
    void passPieces();
    void passReport(const std::optional<EngineReport>& report);

    QString program_;
    QThread thread_;
    EngineWorker* worker_;  // lives on thread_
    std::shared_ptr<Task> load_;
    std::shared_ptr<Task> generation_;
    std::shared_ptr<Task> carrying_;  // out a budget, between answers
    QThreadPool budgets_;             // one thread: planning for a graphics card takes a while
    std::shared_ptr<PieceBuffer> buffer_;
    quint64 requestId_ = 0;
    QTimer pieceTimer_;
    bool ended_ = false;
};

}  // namespace hearth::ui
