// The window uses a second Hearth: its own server, on this computer, answers the window's chats.
#include <QDirIterator>
#include <QtTest>
#include <mutex>

#include "app/desktop/app_fixture.h"
#include "app/server/fake_model.h"
#include "server/local_api.h"
#include "server/turn_queue.h"

using namespace hearth::ui;
using hearth::Cancellation;
using hearth::GenerationResult;
using hearth::PieceCallback;
using hearth::Result;
using hearth::server::AnswerRequest;
using hearth::server::LocalApi;
using hearth::test::FakeModel;
using State = CallRecord::State;

namespace {

const QString kKey = QStringLiteral("a-secret-of-the-tests");

// The other Hearth: what it was asked, and what it says in turn.
struct SecondHearth {
    SecondHearth() {
        model.say = [this](const AnswerRequest& request, const PieceCallback& onPiece,
                           const Cancellation&) -> Result<GenerationResult> {
            const std::lock_guard lock(mutex);
            asked.push_back(request);
            const auto& pieces = says.at(std::min(asked.size(), says.size()) - 1);
            return FakeModel::speak(pieces, onPiece);
        };
        hearth::server::LocalApiOptions options;
        options.token = kKey.toStdString();
        auto made = LocalApi::start(std::move(options), model, queue);
        api = made ? std::move(*made) : nullptr;
    }
    ~SecondHearth() { api.reset(); }
    AnswerRequest question(std::size_t index) {
        const std::lock_guard lock(mutex);
        return index < asked.size() ? asked.at(index) : AnswerRequest();
    }

    FakeModel model;
    hearth::server::TurnQueue queue{32, {}};
    std::mutex mutex;
    std::vector<AnswerRequest> asked;
    std::vector<std::vector<std::string>> says = {{"Rain ", "falls."}};
    std::unique_ptr<LocalApi> api;
};

}  // namespace

class SecondHearthTest : public QObject, AppFixture {
    Q_OBJECT

    RemoteServers& servers() { return *app_->remote(); }
    QVariantMap row() { return servers().list().value(0).toMap(); }
    // Adds the server as a person does, and chooses its model.
    void choose(const SecondHearth& other) {
        QVERIFY(other.api != nullptr);
        QCOMPARE(servers().add("Attic", QString::fromStdString(other.api->url()), kKey), QString());
        QTRY_VERIFY(!row().value("asking").toBool());
        QCOMPARE(row().value("wrong").toString(), QString());
        const QVariantMap entry = row().value("models").toList().value(0).toMap();
        QCOMPARE(entry.value("name").toString(), QStringLiteral("fake"));
        model().openPath(entry.value("path").toString());
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    }
    QString host() { return row().value("host").toString(); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void answersTwoTurns() {
        SecondHearth other;
        other.says = {{"<think>\nclouds\n</think>\n\n", "Rain ", "falls. 🌧"}, {"Yes."}};
        choose(other);
        QVERIFY(!fake_->isLoaded());  // its memory is free
        QCOMPARE(model().host(), host());
        QCOMPARE(model().modelName(), QStringLiteral("fake · not local"));
        QCOMPARE(model().contextTokens(), 512);
        QVERIFY(replies().send("What falls?"));
        QTRY_VERIFY(app_->consent()->asking());
        QCOMPARE(app_->consent()->host(), host());
        QVERIFY(other.question(0).messages.empty());  // nothing was sent
        app_->consent()->allow();
        waitForAnswer();
        QVERIFY2(last().state == MessageState::Complete, qPrintable(last().errorText));
        QCOMPARE(last().content, QStringLiteral("<think>\nclouds\n</think>\n\nRain falls. 🌧"));
        QCOMPARE(last().stats.model, QStringLiteral("fake · not local"));
        QCOMPARE(last().stats.device, host());
        QVERIFY(last().stats.tokenCount > 0);
        QVERIFY(replies().send("Sure?"));
        waitForAnswer();
        QCOMPARE(last().content, QStringLiteral("Yes."));
        const AnswerRequest second = other.question(1);
        QCOMPARE(second.messages.size(), std::size_t{3});
        QCOMPARE(QString::fromStdString(second.messages.at(1).content),
                 QStringLiteral("Rain falls. 🌧"));  // its reasoning stays here
        QVERIFY(second.streams && second.streams_usage);
        QCOMPARE(fake_->generateCalls(), 0);
    }
    void callsATool() {
        SecondHearth other;
        other.says = {{"Let me see. ",
                       "<tool_call>{\"name\":\"calculate\",\"arguments\":{\"expression\":\"6*7\"}}"
                       "</tool_call>"},
                      {"It is 42."}};
        choose(other);
        app_->tools()->setBuiltInOn("calculate", true);
        servers().setAlways(row().value("id").toString(), true);
        QVERIFY(replies().send("What is 6 * 7?"));
        QTRY_VERIFY(app_->rounds()->asking());
        QCOMPARE(app_->rounds()->tool(), QStringLiteral("calculate"));
        app_->rounds()->allowOnce();
        waitForAnswer();
        QVERIFY2(last().state == MessageState::Complete, qPrintable(last().errorText));
        QVERIFY2(last().content.endsWith("It is 42."), qPrintable(last().content));
        QVERIFY(last().calls.at(0).state == State::Done);
        QCOMPARE(other.question(0).tools.size(), std::size_t{1});
        const AnswerRequest second = other.question(1);
        QCOMPARE(QString::fromStdString(second.messages.back().role), QStringLiteral("tool"));
        QVERIFY(QString::fromStdString(second.messages.back().content).contains("42"));
        QCOMPARE(QString::fromStdString(second.messages.back().tool_call_id),
                 last().calls.at(0).callId);
    }
    // A wrong key, and then the right one.
    void saysThatTheKeyIsWrong() {
        SecondHearth other;
        QVERIFY(other.api != nullptr);
        QCOMPARE(servers().add("Attic", QString::fromStdString(other.api->url()), "another-secret"),
                 QString());
        QTRY_VERIFY(!row().value("asking").toBool());
        QVERIFY2(row().value("wrong").toString().startsWith(host() + " refuses the key."),
                 qPrintable(row().value("wrong").toString()));
        QCOMPARE(servers().change(row().value("id").toString(), "Attic",
                                  row().value("address").toString(), kKey),
                 QString());
        QTRY_VERIFY(!row().value("asking").toBool());
        QCOMPARE(row().value("wrong").toString(), QString());
    }
    // The next start chooses it again and asks nobody before the first question.
    void isChosenAgain() {
        SecondHearth other;
        choose(other);
        const QString path = model().path();
        start(false);
        QCOMPARE(settings_->lastModelPath(), path);
        QVERIFY(app_->remote()->knows(path));
        model().openPath(settings_->lastModelPath());
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        QCOMPARE(model().modelName(), QStringLiteral("fake · not local"));
        QCOMPARE(app_->networkControl().log().count(), 0);
        QVERIFY(!fake_->isLoaded());
        // The key was in memory alone: this test has no keychain.
        QVERIFY(replies().send("Hi"));
        QTRY_VERIFY(app_->consent()->asking());
        app_->consent()->allow();
        waitForAnswer();
        QVERIFY(last().state == MessageState::Failed);
        QVERIFY2(last().errorText.startsWith(host() + " asks for a key."),
                 qPrintable(last().errorText));
    }
    // Things of this computer's engine are hidden, explained or left alone.
    void leavesTheEnginesThingsAlone() {
        SecondHearth other;
        choose(other);
        const auto budgets = fake_->budgets().size();
        QSignalSpy loaded(&model(), &ActiveModel::loaded);
        app_->engineChange()->setRestMs(0);
        settings_->set("engine/ram", "3G");
        settings_->set("engine/threads", "4");
        for (int turn = 0; turn < 20; ++turn) {
            QTest::qWait(0);
        }
        QCOMPARE(loaded.size(), 0);  // nothing to load anew
        QCOMPARE(fake_->budgets().size(), budgets);
        QVERIFY(!app_->engineChange()->waits());
        QCOMPARE(model().host(), host());
        app_->map()->setShown(true);
        QVERIFY2(app_->map()->sentence().startsWith("This model is not local"),
                 qPrintable(app_->map()->sentence()));
        SettingListModel* rows = app_->settings()->rows();
        rows->setSection("answers");
        const auto runs = [&](const char* key) {
            return rows->data(rows->index(rows->indexOf(key)), SettingListModel::RunsRole)
                .toString();
        };
        QVERIFY(runs("sampling/top-k").startsWith("Not for the model that answers now"));
        QCOMPARE(runs("sampling/top-p"), QString());
        QVERIFY(!app_->settings()->preview()->known());
        servers().setAlways(row().value("id").toString(), true);
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        QVERIFY(!replies().continueAnswer(last().id));
        QVERIFY(notices().text().startsWith("A model that is not local cannot go on"));
    }
    // The local model comes back, and a chat goes on with it; a removed server says so.
    void comesHome() {
        SecondHearth other;
        choose(other);
        servers().setAlways(row().value("id").toString(), true);
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        model().openPath("/models/fake.gguf");
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        QCOMPARE(model().host(), QString());
        QVERIFY(replies().send("And here?"));
        waitForAnswer();
        QCOMPARE(fake_->generateCalls(), 1);
        QCOMPARE(last().stats.model, QStringLiteral("Fake model"));
        model().openPath(servers().recent().value(0).toMap().value("path").toString());
        QTRY_COMPARE(model().host(), host());
        servers().remove(row().value("id").toString());
        QTRY_COMPARE(model().state(), QStringLiteral("failed"));
        QVERIFY(model().errorText().startsWith("The server of this model is no longer"));
    }
    // Nothing that was typed as a key lies in a file of the data folder.
    void keepsNoKeyInAFile() {
        SecondHearth other;
        choose(other);
        servers().setAlways(row().value("id").toString(), true);
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        end();
        settings_->flush();
        QDirIterator files(folder_->path(), QDir::Files | QDir::Hidden,
                           QDirIterator::Subdirectories);
        int read = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(!file.readAll().contains(kKey.toUtf8()), qPrintable(file.fileName()));
            ++read;
        }
        QVERIFY(read >= 2);
    }
};

QTEST_MAIN(SecondHearthTest)
#include "second_hearth_test.moc"
