#include "settings/plan_preview.h"

#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "settings/app_settings.h"
#include "support/fake_machine.h"

using namespace hearth::ui;

class PlanPreviewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("s.ini")));
        machine_ = std::make_unique<FakeMachine>();
        preview_ = std::make_unique<PlanPreview>(*settings_, machine_.get());
        preview_->setRestMs(0);
        preview_->setModel(QStringLiteral("/m/a.gguf"));
    }
    void cleanup() {
        preview_.reset();
        machine_.reset();
        settings_.reset();
    }

    void asksWhileWatched();
    void dropsStaleAnswers();
    void plansWithWhatTheModelHolds();
    void forgetsALimitThatWasTakenOff();
    void saysWhereAndHowFast();
    void saysWhatIsWrong();
    void doesWithoutAMachine();

private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<PlanPreview> preview_;
};

void PlanPreviewTest::asksWhileWatched() {
    settings_->set("engine/threads", QStringLiteral("2"));
    QTest::qWait(10);
    QVERIFY(machine_->plansAsked().isEmpty());
    preview_->setWatched(true);
    QTRY_VERIFY(preview_->known() && !preview_->busy());
    QCOMPARE(machine_->plansAsked().size(), 1);
    QCOMPARE(machine_->plansAsked().first(), settings_->loadOptions(QStringLiteral("/m/a.gguf")));
    // A slider passes many values: one question when it rests.
    for (const char* text : {"3G", "2G", "1G"}) {
        settings_->set("engine/ram", QString::fromLatin1(text));
    }
    settings_->set("window/theme", QStringLiteral("dark"));
    QTRY_COMPARE(machine_->plansAsked().size(), 2);
    QCOMPARE(machine_->plansAsked().last().ramBytes, std::optional<quint64>(1 << 30));
    preview_->setWatched(false);
    settings_->set("engine/ram", QStringLiteral("2G"));
    QTest::qWait(10);
    QCOMPARE(machine_->plansAsked().size(), 2);
}

void PlanPreviewTest::dropsStaleAnswers() {
    machine_->setAnswers(false);
    preview_->setWatched(true);
    QTRY_COMPARE(machine_->plansAsked().size(), 1);
    const quint64 first = machine_->latestPlan();
    settings_->set("engine/ram", QStringLiteral("1G"));
    QTRY_COMPARE(machine_->plansAsked().size(), 2);
    machine_->answer(first);
    QVERIFY(!preview_->known() && preview_->busy());
    machine_->answer(machine_->latestPlan());
    QVERIFY(preview_->known() && !preview_->busy());
}

// What is free is without what the model holds: with it, the plan would be of a smaller machine.
void PlanPreviewTest::plansWithWhatTheModelHolds() {
    EngineReport report;
    report.modelPath = QStringLiteral("/m/a.gguf");
    report.ramBudget = quint64{9} << 30;
    report.ramUsed = quint64{4} << 30;
    report.vramUsed = quint64{3} << 30;
    preview_->setRunning(settings_->loadOptions(report.modelPath), report);
    preview_->setWatched(true);
    QTRY_COMPARE(machine_->plansAsked().size(), 1);
    QCOMPARE(machine_->plansAsked().last().ramBytes, std::optional<quint64>(quint64{9} << 30));
    settings_->set("engine/ram", QStringLiteral("1G"));
    QTRY_COMPARE(machine_->plansAsked().size(), 2);
    QCOMPARE(machine_->plansAsked().last().ramBytes, std::optional<quint64>(quint64{1} << 30));
    QCOMPARE(machine_->questions().last().ramFreed, report.ramUsed);
    QCOMPARE(machine_->questions().last().vramFreed, report.vramUsed);
    // Another model's budget says nothing of this one's; it gives its memory back all the same.
    settings_->reset("engine/ram");
    QTRY_COMPARE(machine_->plansAsked().size(), 3);
    preview_->setModel(QStringLiteral("/m/b.gguf"));
    QTRY_COMPARE(machine_->plansAsked().size(), 4);
    QCOMPARE(machine_->plansAsked().last().path, QStringLiteral("/m/b.gguf"));
    QVERIFY(!machine_->plansAsked().last().ramBytes.has_value());
    QCOMPARE(machine_->questions().last().ramFreed, report.ramUsed);
}

// The running model's budget stands for the machine's own choice only where that choice made it.
void PlanPreviewTest::forgetsALimitThatWasTakenOff() {
    EngineReport report;
    report.modelPath = QStringLiteral("/m/a.gguf");
    report.ramBudget = report.ramUsed = quint64{1} << 30;
    settings_->set("engine/ram", QStringLiteral("1G"));
    preview_->setRunning(settings_->loadOptions(report.modelPath), report);
    preview_->setWatched(true);
    QTRY_COMPARE(machine_->plansAsked().size(), 1);
    QCOMPARE(machine_->plansAsked().last().ramBytes, std::optional<quint64>(quint64{1} << 30));
    settings_->reset("engine/ram");
    QTRY_COMPARE(machine_->plansAsked().size(), 2);
    QVERIFY(!machine_->plansAsked().last().ramBytes.has_value());
}

void PlanPreviewTest::saysWhereAndHowFast() {
    MachineFacts facts;
    facts.ramBytes = quint64{8} << 30;
    facts.ramFreeBytes = quint64{6} << 30;
    preview_->setFacts(facts);
    PlanAnswer plan;
    plan.vramBytes = quint64{1} << 29;
    plan.ramBytes = quint64{2} << 30;
    plan.diskBytes = quint64{3} << 29;
    plan.tokensLow = 3.14;
    plan.tokensHigh = 12.6;
    machine_->setPlan(plan);
    preview_->setWatched(true);
    QTRY_VERIFY(preview_->known());
    QCOMPARE(preview_->cardShare() + preview_->memoryShare() + preview_->diskShare(), 1.0);
    QCOMPARE(preview_->memoryShare(), 0.5);
    QCOMPARE(preview_->cardShare(), 0.125);
    QCOMPARE(preview_->diskShare(), 0.375);
    QCOMPARE(preview_->speedText(), QStringLiteral("3.1 to 13 tokens/s"));
    QCOMPARE(preview_->freeText(),
             QStringLiteral("4.3 GB of 8.6 GB memory stay free for other programs."));
    for (const char* part : {"tokens/s", "536.9 MB on the graphics card", "2.1 GB in memory",
                             "1.6 GB stay on the disk", "stay free"}) {
        QVERIFY2(preview_->summary().contains(QLatin1String(part)), part);
    }
    // All that is free, a busy computer, and what is not known.
    plan.ramBytes = quint64{6} << 30;
    plan.busy = true;
    machine_->setPlan(plan);
    settings_->set("engine/threads", QStringLiteral("2"));
    QTRY_COMPARE(preview_->speedText(),
                 QStringLiteral("3.1 to 13 tokens/s, or faster: the computer was busy"));
    QCOMPARE(preview_->freeText(),
             QStringLiteral("Other programs are left with hardly any memory."));
    plan.ramBytes -= quint64{1} << 30;
    plan.tokensLow = plan.tokensHigh = 0;
    machine_->setPlan(plan);
    settings_->set("engine/threads", QStringLiteral("3"));
    QTRY_COMPARE(preview_->speedText(), QStringLiteral("How fast is not known"));
    QCOMPARE(preview_->freeText(),
             QStringLiteral("1.1 GB of 8.6 GB memory stay free for other programs."));
    // The running model's memory, which it gives back, is free too.
    EngineReport report;
    report.ramUsed = quint64{1} << 30;
    preview_->setRunning({}, report);
    QTRY_COMPARE(preview_->freeText(),
                 QStringLiteral("2.1 GB of 8.6 GB memory stay free for other programs."));
}

void PlanPreviewTest::saysWhatIsWrong() {
    PlanAnswer plan;
    plan.sentence = QStringLiteral("It needs 3 GB.");
    machine_->setPlan(plan);
    preview_->setWatched(true);
    QTRY_COMPARE(preview_->problem(), QStringLiteral("It needs 3 GB."));
    QCOMPARE(preview_->summary(), QStringLiteral("It needs 3 GB."));
    preview_->setModel(QStringLiteral("/m/b.gguf"));  // nothing is known of it yet
    QVERIFY(!preview_->known());
    QTRY_VERIFY(preview_->known());
}

void PlanPreviewTest::doesWithoutAMachine() {
    PlanPreview alone(*settings_, nullptr);
    alone.setModel(QStringLiteral("/m/a.gguf"));
    alone.setWatched(true);
    settings_->set("engine/ram", QStringLiteral("1G"));
    QTest::qWait(10);
    QVERIFY(!alone.known() && !alone.busy());
}

QTEST_GUILESS_MAIN(PlanPreviewTest)
#include "plan_preview_test.moc"
