// Two engines behind one: the loaded model's path says which of them is asked.
#include "remote/inference_choice.h"

#include <QSignalSpy>
#include <QtTest>

#include "bridge/remote_path.h"
#include "support/fake_inference.h"

using namespace hearth::ui;

class InferenceChoiceTest : public QObject {
    Q_OBJECT

    static LoadOptions at(const QString& path) {
        LoadOptions options;
        options.path = path;
        return options;
    }
    const QString here_ = QStringLiteral("/models/a.gguf");
    const QString there_ = remotePath({QStringLiteral("00000001"), QStringLiteral("m")});

private slots:
    void asksTheOneThatIsLoaded() {
        FakeInference local;
        FakeInference remote;
        InferenceChoice choice(local, remote);
        QSignalSpy loaded(&choice, &InferenceService::loaded);
        QSignalSpy finished(&choice, &InferenceService::finished);
        choice.loadModel(at(here_));
        QTRY_COMPARE(loaded.size(), 1);
        choice.generate(1, {{"user", "Hi"}}, {});
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(local.generateCalls(), 1);
        choice.loadModel(at(there_));
        QTRY_COMPARE(loaded.size(), 2);
        QVERIFY(!local.isLoaded() && remote.isLoaded());  // the memory is free
        choice.generate(2, {{"user", "Hi"}}, {});
        QTRY_COMPARE(finished.size(), 2);
        QCOMPARE(local.generateCalls(), 1);
        QCOMPARE(remote.generateCalls(), 1);
        choice.loadModel(at(here_));
        QTRY_COMPARE(loaded.size(), 3);
        QVERIFY(local.isLoaded() && !remote.isLoaded());
    }
    // An answer under way ends, and what was being loaded is no model any more.
    void leavesTheOtherOne() {
        FakeInference local;
        FakeInference remote;
        InferenceChoice choice(local, remote);
        QSignalSpy loaded(&choice, &InferenceService::loaded);
        QSignalSpy finished(&choice, &InferenceService::finished);
        choice.loadModel(at(here_));
        QTRY_COMPARE(loaded.size(), 1);
        local.pauseAfter(1);
        choice.generate(1, {{"user", "Hi"}}, {});
        choice.loadModel(at(there_));
        QTRY_COMPARE(loaded.size(), 2);
        QTRY_COMPARE(finished.size(), 1);
        QVERIFY(finished.first().at(1).value<GenerationSummary>().finish ==
                GenerationSummary::Finish::Cancelled);
        local.setLoadDelayMs(50);
        choice.loadModel(at(here_));
        choice.loadModel(at(there_));
        QTRY_COMPARE(loaded.size(), 3);
        QCOMPARE(loaded.last().first().value<ModelSummary>().path, there_);
    }
    // The map, the budgets and the reports are those of the one that answers.
    void passesWhatBelongsToIt() {
        FakeInference local;
        FakeInference remote;
        InferenceChoice choice(local, remote);
        QSignalSpy reported(&choice, &InferenceService::reported);
        QSignalSpy set(&choice, &InferenceService::budgetSet);
        choice.loadModel(at(there_));
        QTRY_COMPARE(reported.size(), 1);
        emit local.reported({});
        QCOMPARE(reported.size(), 1);
        choice.setBudget({.id = 7});
        QTRY_COMPARE(set.size(), 1);
        QCOMPARE(remote.budgets().size(), 1);
        QVERIFY(local.budgets().isEmpty());
        choice.watchMap(true);
        QVERIFY(local.mapWanted() && remote.mapWanted());
        QVERIFY(choice.shutdown(1000));
    }
};

QTEST_GUILESS_MAIN(InferenceChoiceTest)
#include "inference_choice_test.moc"
