// Answers questions about this computer, on a thread of its own.
#pragma once

#include <QThreadPool>
#include <atomic>
#include <memory>

#include "bridge/machine_service.h"

namespace hearth::tools {
class SpeedMemory;
}

namespace hearth::ui {

class LocalMachine : public MachineService {
    Q_OBJECT

public:
    // cacheFolder: as LocalInference has it. program: is started to list graphics cards
    // (gpu_trial.h).
    // speeds: those of another machine, so that both say the same; null: its own.
    LocalMachine(const QString& cacheFolder, const QString& program,
                 std::shared_ptr<tools::SpeedMemory> speeds = nullptr, QObject* parent = nullptr);
    // Waits for the question under way, which may take seconds.
    ~LocalMachine() override;
    // Drops waiting questions and waits for the one under way. False: it has not ended in time.
    bool shutdown(int timeoutMs);

    std::shared_ptr<tools::SpeedMemory> speeds() const { return speeds_; }

    void askFacts(bool anew) override;
    void askPlan(quint64 id, const PlanQuestion& question) override;
    void askModes(quint64 id, const LoadOptions& options) override;

private:
    const QString cacheFolder_;
    const QString program_;
    const std::shared_ptr<tools::SpeedMemory> speeds_;
    std::atomic<quint64> latestPlan_ = 0;
    std::atomic<quint64> latestModes_ = 0;
    QThreadPool pool_;  // one thread: two measurements at once would spoil each other
};

}  // namespace hearth::ui
