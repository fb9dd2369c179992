// A machine that says what it is told to: for tests of the settings and hearth-demo.
#pragma once

#include <QList>
#include <QTimer>

#include "bridge/machine_service.h"

namespace hearth::ui {

class FakeMachine : public MachineService {
    Q_OBJECT

public:
    explicit FakeMachine(QObject* parent = nullptr) : MachineService(parent) {
        facts_.cores = 8;
        facts_.threads = 8;
        facts_.mostThreads = 16;
        facts_.ramBytes = quint64{32} << 30;
        facts_.ramFreeBytes = quint64{20} << 30;
        facts_.cards = {{.index = 0,
                         .name = QStringLiteral("Aurora RX 900"),
                         .memoryBytes = quint64{12} << 30,
                         .gbPerSecond = 432,
                         .status = QStringLiteral("ok"),
                         .chosen = true},
                        {.index = 1,
                         .name = QStringLiteral("llvmpipe"),
                         .memoryBytes = quint64{2} << 30,
                         .sharesRam = true,
                         .status = QStringLiteral("unprobed"),
                         .reason = QStringLiteral("it is the processor once more")}};
        plan_.gpu = QStringLiteral("Aurora RX 900");
        plan_.ramBytes = quint64{1200} << 20;
        plan_.vramBytes = quint64{2600} << 20;
        plan_.diskBytes = quint64{400} << 20;
        plan_.tokensLow = 14;
        plan_.tokensHigh = 21;
        plan_.contextTokens = 4096;
        plan_.threads = 8;
        plan_.mode = QStringLiteral("exact");
    }

    void askModes(quint64 id, const LoadOptions& options) override {
        modesAsked_ << options;
        QTimer::singleShot(0, this, [this, id] { emit modes(id, refused_); });
    }
    void setRefused(const QHash<QString, QString>& refused) { refused_ = refused; }
    QList<LoadOptions> modesAsked() const { return modesAsked_; }

    // What is answered from now on.
    void setPlan(const PlanAnswer& plan) { plan_ = plan; }
    const PlanAnswer& plan() const { return plan_; }
    // False: questions wait until answer() is called.
    void setAnswers(bool answers) { answers_ = answers; }
    void answer(quint64 id) { emit planned(id, plan_); }

    int factsAsked() const { return factsAsked_; }
    bool anewAsked() const { return anew_; }
    QList<LoadOptions> plansAsked() const { return plansAsked_; }
    QList<PlanQuestion> questions() const { return questions_; }
    quint64 latestPlan() const { return latestPlan_; }

    void askFacts(bool anew) override {
        ++factsAsked_;
        anew_ = anew;
        QTimer::singleShot(0, this, [this] { emit facts(facts_); });
    }
    void askPlan(quint64 id, const PlanQuestion& question) override {
        plansAsked_ << question.options;
        questions_ << question;
        latestPlan_ = id;
        if (answers_) {
            QTimer::singleShot(0, this, [this, id] { answer(id); });
        }
    }

private:
    MachineFacts facts_;
    PlanAnswer plan_;
    bool answers_ = true;
    int factsAsked_ = 0;
    bool anew_ = false;
    QList<LoadOptions> plansAsked_;
    QList<PlanQuestion> questions_;
    QList<LoadOptions> modesAsked_;
    QHash<QString, QString> refused_;
    quint64 latestPlan_ = 0;
};

}  // namespace hearth::ui
