// Packs a model for this computer, as a background job.
//
// Every member is called from, and every signal arrives on, the GUI thread. Only shutdown() waits.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace hearth::ui {

struct PackJob {
    QString source = {};
    QString target = {};          // target.partial lies beside it until the packing is done
    QString activation = {};      // for a file that leaves it open; empty: as it says
    QString predictorInput = {};  // for a file that leaves it open; empty: as it says

    friend bool operator==(const PackJob&, const PackJob&) = default;
};

// The outcome that a packing would have.
struct PackOutlook {
    QString wrong = {};   // a sentence; empty: it can be done
    QString target = {};  // the first of the offered targets whose folder can be written
    quint64 sourceBytes = 0;
    quint64 targetBytes = 0;
    qint64 freeBytes = -1;      // on the target's disk; -1: unknown
    quint64 profileTokens = 0;  // tokens behind the knowledge which neurons the model uses most; 0:
                                // unknown
};

struct PackStep {
    quint64 writtenBytes = 0;
    quint64 checkedBytes = 0;  // read back and compared
    quint64 targetBytes = 0;
};

struct PackOutcome {
    enum class End { Done, Stopped, Failed };
    End end = End::Failed;
    QString wrong = {};  // of Failed: a sentence
};

class PackService : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // outlook() is the answer, unless another question came before its turn. targets: possible
    // targets, best first; job.target is ignored.
    virtual void askOutlook(quint64 id, const PackJob& job, const QStringList& targets) = 0;
    // One at a time: a second packing waits for the first. step() comes several times a second,
    // then ended() once. A stopped or failed packing leaves nothing; one that a crash interrupted
    // is continued.
    virtual void pack(const PackJob& job) = 0;
    virtual void stop() = 0;
    // Removes what a crash left of a packing. discarded() is the answer.
    virtual void discard(const QString& target) = 0;
    // Called before the program ends. The packing under way stops and is continued at the next
    // start. False: it has not ended in time.
    virtual bool shutdown(int timeoutMs) = 0;

signals:
    void outlook(quint64 id, const hearth::ui::PackOutlook& outlook);
    void step(const hearth::ui::PackStep& step);
    void ended(const hearth::ui::PackOutcome& outcome);
    void discarded(const QString& wrong);  // empty: it is removed
};

}  // namespace hearth::ui
