// Packing by the engine of this program, on a thread of its own.
#pragma once

#include <QThreadPool>
#include <atomic>
#include <memory>

#include "bridge/pack_service.h"

namespace hearth {
class Cancellation;
}

namespace hearth::ui {

class LocalPacking : public PackService {
    Q_OBJECT

public:
    // cacheFolder: holds the profiles that models made of themselves; empty: there are none.
    explicit LocalPacking(const QString& cacheFolder = {}, QObject* parent = nullptr);
    ~LocalPacking() override;

    void askOutlook(quint64 id, const PackJob& job, const QStringList& targets) override;
    void pack(const PackJob& job) override;
    void stop() override;
    void discard(const QString& target) override;
    bool shutdown(int timeoutMs) override;

private:
    PackOutlook look(const PackJob& job, const QStringList& targets) const;
    PackOutcome run(const PackJob& job);

    const QString cacheFolder_;
    std::atomic<quint64> latest_ = 0;
    std::atomic<bool> keeps_ = false;  // a stopped packing stays, to continue at the next start
    std::unique_ptr<Cancellation> cancellation_;
    QThreadPool pool_;  // one thread
};

}  // namespace hearth::ui
