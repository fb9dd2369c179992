// The switch of the local API, with a server and a keychain that do as they are told.
#include "serving/model_serving.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "fake_secrets.h"
#include "settings/app_settings.h"
#include "status/notices.h"
#include "support/fake_serving.h"

using namespace hearth::ui;
using hearth::ui::test::FakeStore;
using hearth::ui::test::Secrets;

namespace {

struct Program {
    explicit Program(const QString& folder, bool serves = true) : settings(folder + "/a.ini") {
        serving = std::make_unique<ModelServing>(settings, notices, serves ? &service : nullptr,
                                                 std::make_unique<FakeStore>(secrets));
    }
    Secrets secrets;
    AppSettings settings;
    Notices notices;
    FakeServing service;
    std::unique_ptr<ModelServing> serving;
};

const QString kOn = QStringLiteral("true");
const QString kOff = QStringLiteral("false");

}  // namespace

class ModelServingTest : public QObject {
    Q_OBJECT

private slots:
    void isOffAtFirst() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.serving->begin();
        QCOMPARE(program.serving->state(), QString("off"));
        QVERIFY(program.service.calls().isEmpty());
        QCOMPARE(program.secrets.reads, 0);
        QVERIFY(program.serving->address().isEmpty());
    }

    void goesOnAndOff() {
        const QTemporaryDir folder;
        Program program(folder.path());
        for (int i = 0; i < 2; ++i) {
            program.settings.set("api/on", kOn);
            QCOMPARE(program.serving->state(), QString("starting"));
            QTRY_COMPARE(program.serving->state(), QString("on"));
            QCOMPARE(program.serving->address(), QString("http://127.0.0.1:8080/v1"));
            QCOMPARE(program.serving->token(), QString("token-of-a-test-number-1"));
            program.settings.set("api/on", kOff);
            QCOMPARE(program.serving->state(), QString("off"));
            QVERIFY(program.serving->address().isEmpty());
        }
        QCOMPARE(program.service.calls().join(", "),
                 QString("start 8080 token-of-a-test-number-1, stop, "
                         "start 8080 token-of-a-test-number-1, stop"));
        program.settings.flush();
        QFile file(folder.filePath("a.ini"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains("token-of-a-test"));
    }

    void beginsWithTheProgram() {
        const QTemporaryDir folder;
        {
            Program program(folder.path());
            program.settings.set("api/on", kOn);
            program.settings.set("api/port", "9000");
            program.settings.flush();
        }
        Program program(folder.path());
        QCOMPARE(program.serving->state(), QString("off"));
        program.serving->begin();
        QTRY_COMPARE(program.serving->address(), QString("http://127.0.0.1:9000/v1"));
    }

    void anotherPort() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.settings.set("api/port", "9000");  // off: nothing listens
        QVERIFY(program.service.calls().isEmpty());
        program.settings.set("api/on", kOn);
        QTRY_COMPARE(program.serving->state(), QString("on"));
        program.settings.set("api/port", "9001");
        QTRY_COMPARE(program.serving->address(), QString("http://127.0.0.1:9001/v1"));
        QCOMPARE(program.service.calls().size(), 2);
        for (const char* wrong : {"0", "65536", "http", "-1", ""}) {
            QVERIFY2(!program.settings.set("api/port", wrong).isEmpty(), wrong);
        }
        QCOMPARE(program.service.calls().size(), 2);
    }

    // It stays off, and says why until the next try.
    void aTakenPort() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.service.setStartError("Port 8080 is used.");
        for (int i = 0; i < 2; ++i) {
            program.settings.set("api/on", kOn);
            QVERIFY(program.serving->problem().isEmpty());
            QTRY_COMPARE(program.serving->problem(), QString("Port 8080 is used."));
            QCOMPARE(program.serving->state(), QString("off"));
            QCOMPARE(program.settings.text("api/on"), kOff);
            QVERIFY(program.notices.text().isEmpty());  // who switched it sees it
        }
        program.service.setStartError({});
        program.settings.set("api/on", kOn);
        QTRY_COMPARE(program.serving->state(), QString("on"));
        QVERIFY(program.serving->problem().isEmpty());
    }

    // Nobody looks: a notice says it, and the setting stays for the next start.
    void aTakenPortAtTheStart() {
        const QTemporaryDir folder;
        Program program(folder.path());
        QVERIFY(program.settings.setForNow("api/on=true").isEmpty());
        program.service.setStartError("Port 8080 is used.");
        program.serving->begin();
        QTRY_COMPARE(program.serving->state(), QString("failed"));
        QCOMPARE(program.settings.text("api/on"), kOn);
        QVERIFY(program.notices.text().contains("Port 8080 is used."));
        program.notices.dismiss();
        program.serving->tryAgain();
        QTRY_COMPARE(program.serving->state(), QString("failed"));
        QCOMPARE(program.settings.text("api/on"), kOn);
        QVERIFY(program.notices.text().isEmpty());
        program.service.setStartError({});
        program.serving->tryAgain();
        QTRY_COMPARE(program.serving->state(), QString("on"));
        QVERIFY(program.serving->problem().isEmpty());
        const QStringList calls = program.service.calls();
        program.serving->tryAgain();  // it runs
        QCOMPARE(program.service.calls(), calls);
    }

    void offWhileTheKeychainIsAsked() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.secrets.hangs = true;
        program.settings.set("api/on", kOn);
        program.settings.set("api/on", kOff);
        program.secrets.held.takeFirst()(QStringLiteral("the-token-of-before"));
        QCOMPARE(program.serving->state(), QString("off"));
        QCOMPARE(program.service.calls(), QStringList("stop"));
    }

    void anotherToken() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.settings.set("api/on", kOn);
        QTRY_COMPARE(program.serving->state(), QString("on"));
        QSignalSpy changed(program.serving.get(), &ModelServing::changed);
        program.serving->renewToken();
        QCOMPARE(program.serving->token(), QString("token-of-a-test-number-2"));
        QCOMPARE(program.service.calls().last(), QString("token token-of-a-test-number-2"));
        QVERIFY(!changed.isEmpty());
        QVERIFY(program.serving->tokenPlace().contains("keychain"));
        program.service.setHasRandom(false);
        const QStringList calls = program.service.calls();
        program.serving->renewToken();
        QCOMPARE(program.service.calls(), calls);
    }

    void noRandomNumbers() {
        const QTemporaryDir folder;
        Program program(folder.path());
        program.service.setHasRandom(false);
        program.settings.set("api/on", kOn);
        QCOMPARE(program.serving->state(), QString("off"));
        QVERIFY(program.serving->problem().contains("random"));
        QVERIFY(program.service.calls().isEmpty() ||
                !program.service.calls().first().startsWith("start"));
    }

    void othersAreAnswered() {
        const QTemporaryDir folder;
        Program program(folder.path());
        ModelServing& serving = *program.serving;
        QSignalSpy turns(&serving, &ModelServing::turnsChanged);
        emit program.service.turnsChanged({.answers = true, .client = "curl/8", .waiting = 2});
        QCOMPARE(serving.answering(), QString("Answers another program: curl/8"));
        QVERIFY(!serving.questionWaits());
        QCOMPARE(serving.waiting(), 2);
        emit program.service.turnsChanged({.answers = true, .client = "", .windowWaits = true});
        QVERIFY(serving.questionWaits());
        QVERIFY(serving.answering().contains("without a name"));
        serving.stopAnswer();
        QCOMPARE(program.service.calls().last(), QString("stopAnswer"));
        // The window's own question waits for nobody else then.
        emit program.service.turnsChanged({.windowWaits = true});
        QVERIFY(!serving.questionWaits() && serving.answering().isEmpty());
        QCOMPARE(turns.size(), 3);
        emit program.service.requestsChanged({{.number = 1, .client = "curl/8", .status = 200}});
        QCOMPARE(serving.requests()->count(), 1);
    }

    void theMemoryIsTold() {
        const QTemporaryDir folder;
        Program program(folder.path());
        QVERIFY(program.serving->memory().isEmpty());
        EngineReport report;
        report.modelPath = "a.gguf";
        report.keptPastsMost = 2'000'000'000;
        report.keptPastsBytes = 300'000'000;
        program.serving->setReport(report);
        QVERIFY2(program.serving->memory().contains("300"), qPrintable(program.serving->memory()));
        report.keptPastsMost = 0;
        program.serving->setReport(report);
        QVERIFY(program.serving->memory().contains("anew"));
    }

    void aWindowThatServesNobody() {
        const QTemporaryDir folder;
        Program program(folder.path(), false);
        QVERIFY(!program.serving->available());
        program.settings.set("api/on", kOn);
        program.serving->begin();
        program.serving->renewToken();
        program.serving->stopAnswer();
        program.serving->tryAgain();
        QCOMPARE(program.serving->state(), QString("off"));
        QCOMPARE(program.secrets.reads, 0);
    }
};

QTEST_GUILESS_MAIN(ModelServingTest)
#include "model_serving_test.moc"
