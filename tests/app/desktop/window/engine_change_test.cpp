// Engine settings that change while a model runs, on a scripted engine; the real one is in
// bridge/local_inference_test.cpp and bridge/engine_settings_test.cpp.
#include "window/engine_change.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class EngineChangeTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void init() {
        begin();
        change().setRestMs(0);
        QCOMPARE(fake_->loadCalls(), 1);
    }
    void cleanup() { end(); }

    void loadsAnew();
    void waitsForTheAnswer();
    void loadsNowIfAsked();
    void waitsNoMoreForWhatWasTakenBack();
    void waitsNoMoreForAnotherModel();
    void appliesWhatChangedWhileItLoads();
    void movesABudgetDuringAnAnswer();
    void movesTheBudgetOfTheCardAlone();
    void asksForOneBudgetAtATime();
    void leavesABudgetToTheMachineByLoading();
    void goesBackWhenABudgetIsRefused();
    void keepsABudgetWhenAnEarlierOneIsRefused();
    void aRefusedBudgetCostsNoOtherChange();
    void goesBackWhenLoadingFails();
    void goesBackForOneModel();
    void heedsItsOwnModelOnly();
    void triesAFailedModelAgain();

private:
    EngineChange& change() { return *app_->engineChange(); }
    void set(const char* key, const char* text, const QString& model = {}) {
        QCOMPARE(settings_->set(key, QString::fromLatin1(text), model), QString());
    }
    void ready() { QTRY_COMPARE(model().state(), QStringLiteral("ready")); }
};

void EngineChangeTest::loadsAnew() {
    set("engine/threads", "3");
    set("engine/ctx", "512");
    set("window/zoom", "1.2");            // nothing to load for
    QTRY_COMPARE(fake_->loadCalls(), 2);  // once for both
    ready();
    QCOMPARE(fake_->lastLoad().threads, 3);
    QCOMPARE(model().report().threads, 3);
    QCOMPARE(model().report().contextTokens, 512);
    set("engine/threads", "4");
    set("engine/threads", "3");  // and back: nothing has changed
    QTest::qWait(20);
    QCOMPARE(fake_->loadCalls(), 2);
}

void EngineChangeTest::waitsForTheAnswer() {
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("A long question, please")));
    set("engine/threads", "3");
    QTRY_VERIFY(change().waits());
    QCOMPARE(fake_->loadCalls(), 1);
    QVERIFY(replies().generating());
    fake_->pauseAfter(-1);
    waitForAnswer();
    QTRY_COMPARE(fake_->loadCalls(), 2);
    ready();
    QVERIFY(!change().waits());
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(last().content, QStringLiteral("You said: A long question, please"));
}

void EngineChangeTest::loadsNowIfAsked() {
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    change().applyNow();  // nothing waits
    QCOMPARE(fake_->loadCalls(), 1);
    set("engine/mode", "exact");
    QTRY_VERIFY(change().waits());
    change().applyNow();
    QCOMPARE(fake_->loadCalls(), 2);
    waitForAnswer();
    QVERIFY(last().state == MessageState::Stopped);
    ready();
    QCOMPARE(model().report().mode, QStringLiteral("exact"));
}

// Set and set back during an answer; and a change of budgets alone has nothing to wait for.
void EngineChangeTest::waitsNoMoreForWhatWasTakenBack() {
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    for (const char* ram : {"", "2G"}) {
        set("engine/threads", "3");
        QTRY_VERIFY(change().waits());
        settings_->reset("engine/threads");
        if (*ram != '\0') {
            set("engine/ram", ram);
        }
        QTRY_VERIFY(!change().waits());
    }
    QTRY_COMPARE(model().report().ramBudget, quint64{2} << 30);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QTest::qWait(20);
    QCOMPARE(fake_->loadCalls(), 1);
}

// Another model takes the changed settings with it.
void EngineChangeTest::waitsNoMoreForAnotherModel() {
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    set("engine/threads", "3");
    QTRY_VERIFY(change().waits());
    model().openPath(QStringLiteral("/models/other.gguf"));
    ready();
    QVERIFY(!change().waits());
    QCOMPARE(fake_->lastLoad().threads, 3);
    QTest::qWait(20);
    QCOMPARE(fake_->loadCalls(), 2);
}

void EngineChangeTest::appliesWhatChangedWhileItLoads() {
    fake_->setLoadDelayMs(300);
    model().openPath(QStringLiteral("/models/other.gguf"));
    set("engine/threads", "3");
    QCoreApplication::processEvents();  // it rests no longer
    QCOMPARE(fake_->loadCalls(), 2);
    QTRY_COMPARE(fake_->loadCalls(), 3);
    ready();
    QCOMPARE(fake_->lastLoad().threads, 3);
    QCOMPARE(fake_->lastLoad().path, QStringLiteral("/models/other.gguf"));
}

void EngineChangeTest::movesABudgetDuringAnAnswer() {
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    set("engine/ram", "2200M");
    QTRY_COMPARE(model().report().ramBudget, quint64{2200} << 20);
    QVERIFY(replies().generating() && !change().waits());
    QCOMPARE(fake_->loadCalls(), 1);
    QCOMPARE(fake_->budgets().size(), 1);
    QVERIFY(!fake_->budgets().first().vramBytes.has_value());
    QCOMPARE(model().running().ramBytes, std::optional<quint64>(quint64{2200} << 20));
    fake_->pauseAfter(-1);
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

void EngineChangeTest::movesTheBudgetOfTheCardAlone() {
    set("engine/vram", "1G");
    QTRY_COMPARE(model().report().vramBudget, quint64{1} << 30);
    QCOMPARE(fake_->budgets().size(), 1);
    QVERIFY(!fake_->budgets().first().ramBytes.has_value());
    QCOMPARE(fake_->budgets().first().vramBytes, std::optional<quint64>(quint64{1} << 30));
    QCOMPARE(model().running().vramBytes, std::optional<quint64>(quint64{1} << 30));
    QVERIFY(!model().running().ramBytes.has_value());
    set("engine/ram", "2G");
    QTRY_COMPARE(fake_->budgets().size(), 2);
    QVERIFY(!fake_->budgets().last().vramBytes.has_value());  // that one is set already
    QTRY_COMPARE(model().running().ramBytes, std::optional<quint64>(quint64{2} << 30));
    QCOMPARE(fake_->loadCalls(), 1);
    // It is refused, and only it goes back.
    fake_->setBudgetError(QStringLiteral("Too little."));
    set("engine/vram", "0");
    QTRY_COMPARE(change().refusal(), QStringLiteral("Too little."));
    QCOMPARE(settings_->text("engine/vram"), QStringLiteral("1G"));
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("2G"));
}

void EngineChangeTest::asksForOneBudgetAtATime() {
    QSignalSpy answered(fake_.get(), &InferenceService::budgetSet);
    set("engine/ram", "3G");
    QTRY_COMPARE(fake_->budgets().size(), 1);
    set("engine/ram", "2G");
    QTRY_COMPARE(answered.size(), 2);
    QCOMPARE(model().report().ramBudget, quint64{2} << 30);
    QCOMPARE(model().running().ramBytes, std::optional<quint64>(quint64{2} << 30));
}

// A budget can be moved to a number only.
void EngineChangeTest::leavesABudgetToTheMachineByLoading() {
    set("engine/ram", "3G");
    QTRY_COMPARE(model().report().ramBudget, quint64{3} << 30);
    settings_->reset("engine/ram");
    QTRY_COMPARE(fake_->loadCalls(), 2);
    QVERIFY(!fake_->lastLoad().ramBytes.has_value());
}

void EngineChangeTest::goesBackWhenABudgetIsRefused() {
    set("engine/ram", "3G");
    QTRY_COMPARE(model().running().ramBytes, std::optional<quint64>(quint64{3} << 30));
    fake_->setBudgetError(QStringLiteral("Too little."));
    set("engine/ram", "16M");
    QTRY_COMPARE(change().refusal(), QStringLiteral("Too little."));
    QCOMPARE(notices().text(), QStringLiteral("Too little."));
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("3G"));
    QCOMPARE(model().report().ramBudget, quint64{3} << 30);
    QCOMPARE(fake_->loadCalls(), 1);
    fake_->setBudgetError({});
    set("engine/ram", "2G");  // the next change says nothing of it any more
    QTRY_COMPARE(model().report().ramBudget, quint64{2} << 30);
    QVERIFY(change().refusal().isEmpty());
}

// A refusal may come when the budget should have been carried out, and another one holds by then.
void EngineChangeTest::keepsABudgetWhenAnEarlierOneIsRefused() {
    set("engine/ram", "3G");
    QTRY_COMPARE(model().running().ramBytes, std::optional<quint64>(quint64{3} << 30));
    set("engine/ram", "2G");
    QTRY_COMPARE(model().running().ramBytes, std::optional<quint64>(quint64{2} << 30));
    QCOMPARE(fake_->budgets().size(), 2);
    emit fake_->budgetRefused(fake_->budgets().at(0).id, QStringLiteral("Too late."));
    QCOMPARE(change().refusal(), QString());
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("2G"));
    QCOMPARE(model().running().ramBytes, std::optional<quint64>(quint64{2} << 30));
    // Its own late refusal takes it back.
    emit fake_->budgetRefused(fake_->budgets().at(1).id, QStringLiteral("Too little."));
    QCOMPARE(change().refusal(), QStringLiteral("Too little."));
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("3G"));
    QCOMPARE(model().running().ramBytes, std::optional<quint64>(quint64{3} << 30));
}

// Changed while the budget was asked for: it is applied once that is answered.
void EngineChangeTest::aRefusedBudgetCostsNoOtherChange() {
    for (const bool refused : {true, false}) {
        const int loads = fake_->loadCalls();
        fake_->setAnswersBudgets(false);
        set("engine/ram", refused ? "16M" : "3G");
        QTRY_COMPARE(fake_->budgets().size(), refused ? 1 : 2);
        set("engine/threads", refused ? "3" : "4");
        QTest::qWait(20);  // it rests no longer
        QCOMPARE(fake_->loadCalls(), loads);
        const quint64 id = fake_->budgets().last().id;
        fake_->setAnswersBudgets(true);
        if (refused) {
            emit fake_->budgetRefused(id, QStringLiteral("Too little."));
            QCOMPARE(settings_->text("engine/ram"), QStringLiteral("auto"));
        } else {
            emit fake_->budgetSet(id);
        }
        QCOMPARE(fake_->loadCalls(), loads + 1);
        ready();
        QCOMPARE(settings_->text("engine/threads"), QString::fromLatin1(refused ? "3" : "4"));
        QCOMPARE(fake_->lastLoad().threads, refused ? 3 : 4);
    }
}

void EngineChangeTest::goesBackWhenLoadingFails() {
    fake_->setLoadError(QStringLiteral("No such card."));
    QSignalSpy refused(&change(), &EngineChange::refusalChanged);
    connect(&change(), &EngineChange::refusalChanged, this, [this] { fake_->setLoadError({}); });
    set("engine/gpu", "warp");
    QTRY_COMPARE(change().refusal(), QStringLiteral("No such card."));
    ready();
    QCOMPARE(settings_->text("engine/gpu"), QStringLiteral("auto"));
    QCOMPARE(fake_->lastLoad().gpu, QStringLiteral("auto"));
    QCOMPARE(fake_->loadCalls(), 3);
    QVERIFY(replies().send(QStringLiteral("still there?")));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

void EngineChangeTest::goesBackForOneModel() {
    const QString path = model().path();
    set("engine/threads", "3");
    QTRY_COMPARE(model().report().threads, 3);
    ready();
    connect(&change(), &EngineChange::refusalChanged, this, [this] { fake_->setLoadError({}); });
    fake_->setLoadError(QStringLiteral("no"));
    set("engine/threads", "4", path);
    QTRY_COMPARE(change().refusal(), QStringLiteral("no"));
    ready();
    QVERIFY(!settings_->isSet("engine/threads", path));
    QCOMPARE(settings_->text("engine/threads"), QStringLiteral("3"));
}

void EngineChangeTest::heedsItsOwnModelOnly() {
    set("engine/threads", "3", QStringLiteral("/models/other.gguf"));
    QTest::qWait(20);
    QCOMPARE(fake_->loadCalls(), 1);
    set("engine/threads", "2", model().path());
    QTRY_COMPARE(fake_->loadCalls(), 2);
    ready();
    model().openPath(QStringLiteral("/models/other.gguf"));
    ready();
    QCOMPARE(fake_->lastLoad().threads, 3);
}

void EngineChangeTest::triesAFailedModelAgain() {
    start(false);
    change().setRestMs(0);
    fake_->setLoadError(QStringLiteral("too large"));
    model().openPath(QStringLiteral("/models/large.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("failed"));
    fake_->setLoadError({});
    set("engine/ram", "4G");
    ready();
    QCOMPARE(fake_->lastLoad().ramBytes, std::optional<quint64>(quint64{4} << 30));
}

QTEST_MAIN(EngineChangeTest)
#include "engine_change_test.moc"
