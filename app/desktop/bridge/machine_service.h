// Questions about this computer and about a model on it. Background jobs find the answers.
//
// Every member is called from, and every signal arrives on, the GUI thread. No call waits.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include "bridge/expert_shares.h"
#include "bridge/load_options.h"

namespace hearth::ui {

struct GraphicsCard {
    int index = 0;
    QString name = {};
    quint64 memoryBytes = 0;
    bool sharesRam = false;
    double gbPerSecond = 0;  // reads from its own memory; 0: not known
    QString status = {};     // "ok", "failed", "skipped", "unprobed"
    bool chosen = false;     // "auto" takes it, as far as is known
    QString reason = {};     // why "auto" does not take it
};

struct MachineFacts {
    int cores = 0;
    int threads = 0;  // the default for a large model
    int mostThreads = 0;
    quint64 ramBytes = 0;
    quint64 ramFreeBytes = 0;
    QList<GraphicsCard> cards = {};
    QString noCards = {};  // why there are none
};

// A question about a plan.
struct PlanQuestion {
    LoadOptions options = {};
    // The folder that the file will lie in, if options.path is only its header; empty: options.path
    // is the model.
    QString folder = {};
    // Memory that this program holds now and gives back before it loads the model.
    quint64 ramFreed = 0, vramFreed = 0;
};

// The plan for a model with these options.
struct PlanAnswer {
    QString sentence = {};  // why there is no plan, or why the model does not fit; empty: it fits
    QString gpu = {};       // empty: none takes part
    // Bytes by place.
    quint64 ramBytes = 0;
    quint64 vramBytes = 0;
    quint64 diskBytes = 0;
    ExpertShares experts = {};  // bytes of a mixture's experts
    int contextTokens = 0;
    int threads = 0;
    QString mode = {};
    double tokensLow = 0, tokensHigh = 0;  // a second; 0: not known
    double firstTokenMs = 0;               // of a prompt of 256 tokens; 0: not known
    // Other work took the processor while speeds were measured: it may be faster than that.
    bool busy = false;
};

class MachineService : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // anew: tries every graphics card again, which takes seconds. facts() is the answer.
    virtual void askFacts(bool anew) = 0;
    // planned() is the answer, unless another question came before its turn.
    virtual void askPlan(quint64 id, const PlanQuestion& question) = 0;
    // Asks which modes loading would refuse, with the other options as they are. modes() is the
    // answer, unless another question came before its turn.
    virtual void askModes(quint64 id, const LoadOptions& options) = 0;

signals:
    void facts(const hearth::ui::MachineFacts& facts);
    void planned(quint64 id, const hearth::ui::PlanAnswer& answer);
    // By mode, as in LoadOptions: the sentence with which loading would refuse it. Empty: the model
    // runs in every mode, or in none.
    void modes(quint64 id, const QHash<QString, QString>& refused);
};

}  // namespace hearth::ui
