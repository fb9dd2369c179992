// A packer that does as a test tells it, and writes nothing.
#pragma once

#include <QList>
#include <QTimer>

#include "bridge/pack_service.h"

namespace hearth::ui {

class FakePacking : public PackService {
    Q_OBJECT

public:
    using PackService::PackService;

    // What is answered from now on; its target is the first that is offered, where it has none.
    void setOutlook(const PackOutlook& outlook) { outlook_ = outlook; }
    void setDiscardWrong(const QString& wrong) { discardWrong_ = wrong; }

    const QList<PackJob>& packed() const { return packed_; }
    const QStringList& targets() const { return targets_; }
    const QStringList& discards() const { return discards_; }
    bool stopped() const { return stopped_; }

    // What packing brings, as its test wants it.
    void tell(quint64 written, quint64 checked, quint64 target) {
        emit step({written, checked, target});
    }
    void end(PackOutcome::End how, const QString& wrong = {}) { emit ended({how, wrong}); }

    void askOutlook(quint64 id, const PackJob&, const QStringList& targets) override {
        targets_ = targets;
        QTimer::singleShot(0, this, [this, id, target = targets.value(0)] {
            PackOutlook found = outlook_;
            if (found.target.isEmpty()) {
                found.target = target;
            }
            emit outlook(id, found);
        });
    }
    void pack(const PackJob& job) override {
        packed_ << job;
        stopped_ = false;
    }
    void stop() override { stopped_ = true; }
    void discard(const QString& target) override {
        discards_ << target;
        QTimer::singleShot(0, this, [this] { emit discarded(discardWrong_); });
    }
    bool shutdown(int) override { return true; }

private:
    PackOutlook outlook_{.sourceBytes = 3'900'000'000,
                         .targetBytes = 5'100'000'000,
                         .freeBytes = 212'000'000'000,
                         .profileTokens = 4210};
    QString discardWrong_;
    QList<PackJob> packed_;
    QStringList targets_;
    QStringList discards_;
    bool stopped_ = false;
};

}  // namespace hearth::ui
