// Packing a model for this computer: asked aside, answered later.
//
// Called from, and signals arrive on, the GUI thread. No call waits but shutdown().
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace hearth::ui {

struct PackJob {
    QString source = {};
    QString target = {};          // beside it lies, until it is done, target.partial
    QString activation = {};      // what the file leaves open; empty: as it says
    QString predictorInput = {};  // likewise

    friend bool operator==(const PackJob&, const PackJob&) = default;
};

// What would come of it.
struct PackOutlook {
    QString wrong = {};   // a sentence; empty: it can be done
    QString target = {};  // the first of those offered whose folder may be written
    quint64 sourceBytes = 0;
    quint64 targetBytes = 0;
    qint64 freeBytes = -1;      // on that disk; -1: not known
    quint64 profileTokens = 0;  // that showed which neurons the model uses most; 0: not known
};

struct PackStep {
    quint64 writtenBytes = 0;
    quint64 checkedBytes = 0;  // read back and compared
    quint64 targetBytes = 0;
};

struct PackOutcome {
    enum class End { Done, Stopped, Failed };
    End end = End::Failed;
    QString wrong = {};  // a sentence, of Failed
};

class PackService : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // Answered by outlook(), unless another question came before its turn. targets: where it may
    // go, best first; job.target is not looked at.
    virtual void askOutlook(quint64 id, const PackJob& job, const QStringList& targets) = 0;
    // One at a time: waits for what is under way. step() comes several times a second, then ended()
    // once. What was stopped or failed leaves nothing; what a crash left is gone on with.
    virtual void pack(const PackJob& job) = 0;
    virtual void stop() = 0;
    // Removes what a crash left of it. Answered by discarded().
    virtual void discard(const QString& target) = 0;
    // Before the program ends: what is under way is put down, to be gone on with at the next start.
    // False: it has not ended in that time.
    virtual bool shutdown(int timeoutMs) = 0;

signals:
    void outlook(quint64 id, const hearth::ui::PackOutlook& outlook);
    void step(const hearth::ui::PackStep& step);
    void ended(const hearth::ui::PackOutcome& outcome);
    void discarded(const QString& wrong);  // empty: it is gone
};

}  // namespace hearth::ui
