// Questions about plans, one after another, to a planner that answers when a test says so.
#include "library/plan_queue.h"

#include <QtTest>
#include <memory>

#include "support/fake_machine.h"

namespace hearth::ui {

class PlanQueueTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        answered_.clear();
        machine_ = std::make_unique<FakeMachine>();
        machine_->setAnswers(false);
        plans_ = std::make_unique<PlanQueue>(machine_.get());
    }

    void asksOneAfterAnother() {
        QVERIFY(plans_->works());
        QVERIFY(!PlanQueue(nullptr).works());
        ask("a");
        ask("b");
        ask("c");
        ask("soon", this, true);  // somebody looks on
        QCOMPARE(asked(), QStringList({"a"}));
        answer();
        QCOMPARE(asked(), QStringList({"a", "soon"}));
        answer();
        answer();
        QCOMPARE(asked(), QStringList({"a", "soon", "b", "c"}));
        answer();
        QCOMPARE(answered_, QStringList({"a", "soon", "b", "c"}));
        ask("d");  // after all were answered
        answer();
        QCOMPARE(answered_.last(), QStringLiteral("d"));
    }

    // Whoever has gone is not called, and costs no question where it was not asked yet.
    void forgetsWhoIsGone() {
        auto gone = std::make_unique<QObject>();
        ask("a", gone.get());
        ask("b", gone.get());
        ask("c");
        gone.reset();
        answer();
        QCOMPARE(asked(), QStringList({"a", "c"}));
        answer();
        QCOMPARE(answered_, QStringList({"c"}));
    }

    // An answer to somebody else's question, or a second one to the same, is nobody's.
    void takesTheAnswersToItsQuestions() {
        ask("a");
        ask("b");
        machine_->answer(machine_->latestPlan() + 7);
        QVERIFY(answered_.isEmpty());
        const quint64 first = machine_->latestPlan();
        answer();
        machine_->answer(first);
        QCOMPARE(answered_, QStringList({"a"}));
        answer();
        machine_->answer(machine_->latestPlan());
        QCOMPARE(answered_, QStringList({"a", "b"}));
    }

    // As much as the open model holds at the moment of the question.
    void knowsWhatIsGivenBack() {
        plans_->setHeld(7, 9);
        ask("a");
        QCOMPARE(machine_->questions().last().ramFreed, quint64{7});
        QCOMPARE(machine_->questions().last().vramFreed, quint64{9});
        ask("b");
        plans_->setHeld(1, 2);
        answer();
        QCOMPARE(machine_->questions().last().ramFreed, quint64{1});
        QCOMPARE(machine_->questions().last().vramFreed, quint64{2});
    }

private:
    void ask(const char* path, QObject* context = nullptr, bool soon = false) {
        PlanQuestion question;
        question.options.path = QString::fromLatin1(path);
        plans_->ask(
            question, context != nullptr ? context : this,
            [this, name = question.options.path](const PlanAnswer&) { answered_ << name; }, soon);
    }
    void answer() { machine_->answer(machine_->latestPlan()); }
    QStringList asked() const {
        QStringList all;
        for (const LoadOptions& options : machine_->plansAsked()) {
            all << options.path;
        }
        return all;
    }

    QStringList answered_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<PlanQueue> plans_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::PlanQueueTest)
#include "plan_queue_test.moc"
