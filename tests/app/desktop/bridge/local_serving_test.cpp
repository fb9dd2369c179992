// The window's engine behind the local API, over real sockets: other programs and the window take
// turns, and every request ends, whatever becomes of the model.
#include "bridge/local_serving.h"

#include <QMutex>
#include <QSet>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>
#include <memory>
#include <vector>

#include "app/desktop/endless_model.h"
#include "app/server/raw_client.h"
#include "bridge/engine_turns.h"
#include "bridge/served_engine.h"
#include "server/local_api.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::test::RawAnswer;
using hearth::test::RawClient;

namespace {

const QByteArray kSecret = "a-secret-of-the-tests";
const QByteArray kChat = "/v1/chat/completions";
const QString kQuestion = QStringLiteral("What is rain?");

QByteArray bearer(const QByteArray& token = kSecret) {
    return "Authorization: Bearer " + token + "\r\n";
}

QByteArray question(const QByteArray& more = {}) {
    return R"({"messages":[{"role":"user","content":"What is rain?"}],"temperature":0)" + more +
           "}";
}

// Whoever holds it keeps the engine's thread from its next task.
QMutex& gate() {
    static QMutex mutex;
    return mutex;
}

// Qt calls it before every event of every thread.
bool waitAtTheGate(void** /*data*/) {
    if (QThread::currentThread()->objectName() == QLatin1String("engine")) {
        const QMutexLocker passes(&gate());
    }
    return false;  // the event is still to be handled
}

// A window's engine that serves.
struct Window {
    explicit Window(const QString& model, int contextTokens = 0) {
        inference = std::make_unique<LocalInference>();
        serving = std::make_unique<LocalServing>(*inference);
        QObject::connect(serving.get(), &ServingService::turnsChanged, serving.get(),
                         [this](const ServingTurns& now) { turns = now; });
        QObject::connect(serving.get(), &ServingService::requestsChanged, serving.get(),
                         [this](const QList<ServedRequest>& some) {
                             for (const ServedRequest& one : some) {
                                 requests[one.number] = one;
                             }
                         });
        QObject::connect(inference.get(), &InferenceService::reported, inference.get(),
                         [this](const EngineReport& now) { report = now; });
        QObject::connect(inference.get(), &InferenceService::finished, inference.get(),
                         [this](quint64, const GenerationSummary& one) { ends << one; });
        if (!model.isEmpty()) {
            load(model, contextTokens);
        }
        QSignalSpy started(serving.get(), &ServingService::started);
        serving->start(0, kSecret);
        works = (started.size() == 1 || started.wait(60'000)) && (model.isEmpty() || works);
        port = works ? static_cast<quint16>(started.first().first().toUInt()) : 0;
    }
    void load(const QString& model, int contextTokens = 0) {
        QSignalSpy loaded(inference.get(), &InferenceService::loaded);
        LoadOptions options{model, 1, contextTokens};
        options.gpu = QStringLiteral("none");
        options.heedsMemoryPressure = false;
        inference->loadModel(options);
        works = loaded.wait(60'000);
    }
    void ask(int maxTokens = 4, const QString& text = kQuestion) {
        GenerationSettings best;
        best.temperature = 0;
        best.maxTokens = maxTokens;
        inference->generate(++id, {{QStringLiteral("user"), text}}, best);
    }
    RawAnswer post(const QByteArray& body, const QByteArray& headers = bearer(),
                   const QByteArray& path = kChat) const {
        return RawClient(port).ask("POST", path, body, headers);
    }
    // A stream whose first words have come.
    std::unique_ptr<RawClient> stream() const {
        auto client = std::make_unique<RawClient>(port);
        client->send(RawClient::request("POST", kChat, question(R"(,"stream":true)"),
                                        bearer() + "User-Agent: streamer\r\n", port));
        return client->wait_for("data: ") ? std::move(client) : nullptr;
    }
    std::unique_ptr<RawClient> sent(const QByteArray& body, const QByteArray& agent) const {
        auto client = std::make_unique<RawClient>(port);
        client->send(RawClient::request("POST", kChat, body,
                                        bearer() + "User-Agent: " + agent + "\r\n", port));
        return client;
    }
    std::size_t waiting() const { return inference->turns().state().waiting; }

    std::unique_ptr<LocalInference> inference;
    std::unique_ptr<LocalServing> serving;  // after the engine, so it ends before
    bool works = true;
    quint16 port = 0;
    quint64 id = 0;
    ServingTurns turns;
    QMap<quint64, ServedRequest> requests;
    EngineReport report;
    QList<GenerationSummary> ends;  // of the window's answers
};

QString errorOf(const RawAnswer& answer) {
    return answer.body.contains("data: ") ? answer.events().last()["error"]["message"].toString()
                                          : answer.json()["error"]["message"].toString();
}

}  // namespace

class LocalServingTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void itAnswers();
    void strangersAreRefused_data();
    void strangersAreRefused();
    void withoutAModel();
    void whileLoading();
    void aFailedLoad();
    void anEarlierLoadServesNothing();
    void loadingEndsWhatIsAsked();
    void unloadingEndsWhatIsAsked();
    void aQuestionWaitsForAnotherProgram();
    void aWaitingQuestionIsStopped();
    void theWindowStopsAnAnswer();
    void whoLeavesFreesTheModel();
    void aBudgetMeanwhile();
    void switchedOffDuringAStream();
    void aTakenPort();
    void anotherToken();
    void itEndsWhileAnswering();
    void eightClientsAndTheWindow();
    void conversationsTakeTurns();
    void nothingOfOthersIsKeptOnDisk();

private:
    QTemporaryDir folder_;
    QString endless_;
    QString starter_;
};

void LocalServingTest::initTestCase() {
    endless_ = test::endlessModel(folder_.path(), kQuestion);
    QVERIFY(!endless_.isEmpty());
    starter_ = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));
    QVERIFY(!starter_.isEmpty());
    QInternal::registerCallback(QInternal::EventNotifyCallback, waitAtTheGate);
}

void LocalServingTest::itAnswers() {
    Window window(starter_);
    QVERIFY(window.works);
    for (int i = 0; i < 2; ++i) {
        const RawAnswer answer =
            window.post(question(R"(,"max_tokens":12)"), bearer() + "User-Agent: curl/8.0\r\n");
        QVERIFY2(answer.status == 200, answer.text());
        QVERIFY(answer.json()["choices"][0]["message"]["content"].toString().contains("Water"));
    }
    const RawAnswer models = RawClient(window.port).ask("GET", "/v1/models", {}, bearer());
    QCOMPARE(models.json()["data"].toArray().size(), 1);
    QTRY_COMPARE(window.requests.size(), 3);
    const ServedRequest first = window.requests.first();
    QCOMPARE(first.client, QString("curl/8.0"));
    QCOMPARE(first.path, QString(kChat));
    QTRY_COMPARE(int(window.requests.first().state), int(ServedRequest::State::Ended));
    QCOMPARE(window.requests.first().status, 200);
    QCOMPARE(window.requests.first().answerTokens, 12);
    QTRY_VERIFY(!window.turns.answers);
}

void LocalServingTest::strangersAreRefused_data() {
    QTest::addColumn<QByteArray>("headers");
    QTest::addColumn<int>("status");
    QTest::newRow("another host") << bearer() + "Host: evil.example\r\n" << 403;
    QTest::newRow("a page elsewhere") << bearer() + "Origin: https://evil.example\r\n" << 403;
    QTest::newRow("no token") << QByteArray() << 401;
    QTest::newRow("a wrong token") << bearer("a-secret-of-the-test5") << 401;
}

void LocalServingTest::strangersAreRefused() {
    QFETCH(QByteArray, headers);
    QFETCH(int, status);
    Window window(endless_);
    QVERIFY(window.works);
    const RawAnswer answer = window.post(question(), headers);
    QCOMPARE(answer.status, status);
    QVERIFY(!answer.head.toLower().contains("access-control"));
    QTRY_COMPARE(window.requests.size(), 1);
    QCOMPARE(window.requests.first().status, status);
}

void LocalServingTest::withoutAModel() {
    Window window({});
    QVERIFY(window.works);
    const RawAnswer none = window.post(question(R"(,"max_tokens":2)"));
    QVERIFY2(none.status == 503, none.text());
    QVERIFY(errorOf(none).contains("no model"));
    const RawAnswer anthropic =
        window.post(R"({"max_tokens":2,"messages":[{"role":"user","content":"Hi"}]})", bearer(),
                    "/v1/messages");
    QCOMPARE(anthropic.status, 503);
    QCOMPARE(anthropic.json()["type"].toString(), QString("error"));
    window.load(endless_);
    QVERIFY(window.works);
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
    window.inference->unloadModel();
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 503);
}

void LocalServingTest::whileLoading() {
    Window window({});
    QVERIFY(window.works);
    QSignalSpy loaded(window.inference.get(), &InferenceService::loaded);
    {
        const QMutexLocker held(&gate());
        window.inference->loadModel({endless_, 1, 0});
        const RawAnswer soon = window.post(question());
        QCOMPARE(soon.status, 503);
        QVERIFY(errorOf(soon).contains("loads"));
        QVERIFY(soon.has_header("retry-after: 2"));
        const RawAnswer list = RawClient(window.port).ask("GET", "/v1/models", {}, bearer());
        QVERIFY(list.json()["data"].toArray().isEmpty());
    }
    QVERIFY(loaded.size() == 1 || loaded.wait(60'000));
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
}

void LocalServingTest::aFailedLoad() {
    Window window(endless_);
    QVERIFY(window.works);
    QSignalSpy failed(window.inference.get(), &InferenceService::loadFailed);
    window.inference->loadModel({QStringLiteral("/nowhere/a.gguf"), 1, 0});
    QVERIFY(failed.wait(60'000));
    const RawAnswer none = window.post(question());
    QCOMPARE(none.status, 503);
    QVERIFY2(errorOf(none).contains("could not load"), none.text());
    window.load(endless_);
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
}

// A model whose load ends after another one began.
void LocalServingTest::anEarlierLoadServesNothing() {
    LocalInference inference;
    ServedEngine& served = inference.served();
    const std::uint64_t first = served.refuse("the first", true);
    const std::uint64_t second = served.refuse("the second", true);
    served.serve(first, {.id = "first"});
    QVERIFY(!served.served().answers());
    served.serve(second, {.id = "second"});
    QVERIFY(served.served().answers());
    QVERIFY(served.served().id == "second");
}

// The answer under way, and one that waits.
void LocalServingTest::loadingEndsWhatIsAsked() {
    Window window(endless_);
    QVERIFY(window.works);
    for (int i = 0; i < 2; ++i) {
        const auto streaming = window.stream();
        QVERIFY(streaming != nullptr);
        const auto waiting = window.sent(question(), "waiter");
        QTRY_COMPARE(window.waiting(), std::size_t{1});
        window.load(endless_);
        QVERIFY(window.works);
        const RawAnswer cut = streaming->read();
        QVERIFY2(cut.is_whole && errorOf(cut).contains("loads a model"), cut.text());
        const RawAnswer refused = waiting->read();
        QVERIFY2(refused.status == 503, refused.text());
        QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
    }
}

void LocalServingTest::unloadingEndsWhatIsAsked() {
    Window window(endless_);
    QVERIFY(window.works);
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    const auto waiting = window.sent(question(), "waiter");
    QTRY_COMPARE(window.waiting(), std::size_t{1});
    window.inference->unloadModel();
    QVERIFY(errorOf(streaming->read()).contains("no model"));
    QCOMPARE(waiting->read().status, 503);
}

void LocalServingTest::aQuestionWaitsForAnotherProgram() {
    Window window(endless_);
    QVERIFY(window.works);
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    QTRY_VERIFY(window.turns.answers);
    QCOMPARE(window.turns.client, QString("streamer"));
    QVERIFY(!window.turns.windowWaits);
    const auto other = window.sent(question(R"(,"max_tokens":2)"), "other");
    QTRY_COMPARE(window.turns.waiting, 1);
    window.ask();
    QTRY_VERIFY(window.turns.windowWaits);
    QVERIFY(window.ends.isEmpty());
    streaming->leave();
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 1, 60'000);
    QVERIFY(window.ends.first().finish == GenerationSummary::Finish::Length);
    QCOMPARE(other->read().status, 200);
    QTRY_VERIFY(!window.turns.answers && !window.turns.windowWaits && window.turns.waiting == 0);
}

// It waits for nobody then.
void LocalServingTest::aWaitingQuestionIsStopped() {
    Window window(endless_);
    QVERIFY(window.works);
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    for (int i = 1; i <= 2; ++i) {
        window.ask();
        QTRY_VERIFY(window.turns.windowWaits);
        window.inference->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), i, 60'000);
        QVERIFY(window.ends.last().finish == GenerationSummary::Finish::Cancelled);
        QTRY_VERIFY(!window.turns.windowWaits);
        QVERIFY(window.turns.answers);
    }
    window.ask();
    streaming->leave();
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 3, 60'000);
    QVERIFY(window.ends.last().finish == GenerationSummary::Finish::Length);
}

void LocalServingTest::theWindowStopsAnAnswer() {
    Window window(endless_);
    QVERIFY(window.works);
    window.serving->stopAnswer();  // there is none
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    window.ask();
    window.serving->stopAnswer();
    const RawAnswer cut = streaming->read();
    QVERIFY2(errorOf(cut).contains("stopped"), cut.text());
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 1, 60'000);
    QVERIFY(window.ends.first().finish == GenerationSummary::Finish::Length);
    // One that has written nothing so far has a status of its own.
    const auto whole = window.sent(question(), "whole");
    QTRY_VERIFY(window.turns.answers);
    window.serving->stopAnswer();
    const RawAnswer refused = whole->read();
    QCOMPARE(refused.status, 503);
    QVERIFY(refused.has_header("x-should-retry: false"));
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
}

void LocalServingTest::whoLeavesFreesTheModel() {
    Window window(endless_);
    QVERIFY(window.works);
    for (int i = 1; i <= 2; ++i) {
        const auto streaming = window.stream();
        QVERIFY(streaming != nullptr);
        streaming->leave();
        window.ask();
        QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), i, 60'000);
        QTRY_COMPARE(window.requests.last().status, 0);
    }
}

void LocalServingTest::aBudgetMeanwhile() {
    Window window(endless_);
    QVERIFY(window.works);
    QSignalSpy set(window.inference.get(), &InferenceService::budgetSet);
    QSignalSpy refused(window.inference.get(), &InferenceService::budgetRefused);
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    QTRY_VERIFY(window.report.ramPlanned > 0);
    const quint64 budget = window.report.ramPlanned * 2;
    window.inference->setBudget({.id = 1, .ramBytes = budget});
    QTRY_COMPARE(set.size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(window.report.ramBudget, budget, 60'000);  // during the answer
    QVERIFY(window.turns.answers);
    window.inference->setBudget({.id = 2, .ramBytes = 1});
    QTRY_COMPARE(refused.size(), 1);
    streaming->leave();
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
}

void LocalServingTest::switchedOffDuringAStream() {
    Window window(endless_);
    QVERIFY(window.works);
    const auto streaming = window.stream();
    QVERIFY(streaming != nullptr);
    const auto waiting = window.sent(question(), "waiter");
    QTRY_COMPARE(window.waiting(), std::size_t{1});
    window.ask();
    QSignalSpy stopped(window.serving.get(), &ServingService::stopped);
    window.serving->stop();
    QVERIFY2(errorOf(streaming->read()).contains("the server stops"), "the stream");
    QCOMPARE(waiting->read().status, 503);
    QVERIFY(stopped.size() == 1 || stopped.wait(60'000));
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 1, 60'000);  // the window's goes on
    // On again, at the same port, with off and on again before it is there.
    QSignalSpy started(window.serving.get(), &ServingService::started);
    window.serving->start(window.port, kSecret);
    window.serving->stop();
    window.serving->start(window.port, kSecret);
    QVERIFY(started.wait(60'000));
    QCOMPARE(started.size(), 1);
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 200);
}

void LocalServingTest::aTakenPort() {
    Window first(endless_);
    Window second({});
    QVERIFY(first.works && second.works);
    QSignalSpy failed(second.serving.get(), &ServingService::failed);
    second.serving->start(first.port, kSecret);
    QVERIFY(failed.wait(60'000));
    const QString sentence = failed.first().first().toString();
    QVERIFY2(sentence.contains(QString::number(first.port)) && sentence.contains("another program"),
             qPrintable(sentence));
    QCOMPARE(first.post(question(R"(,"max_tokens":2)")).status, 200);
    // Free again, it is taken.
    QSignalSpy stopped(first.serving.get(), &ServingService::stopped);
    first.serving->stop();
    QVERIFY(stopped.wait(60'000));
    QSignalSpy started(second.serving.get(), &ServingService::started);
    second.serving->start(first.port, kSecret);
    QVERIFY(started.wait(60'000));
    QCOMPARE(started.first().first().toUInt(), uint{first.port});
}

void LocalServingTest::anotherToken() {
    Window window(endless_);
    QVERIFY(window.works);
    const QByteArray token = window.serving->newToken();
    QVERIFY(token.size() >= 32 && token != window.serving->newToken());
    window.serving->setToken(token);
    QCOMPARE(window.post(question(R"(,"max_tokens":2)")).status, 401);
    QCOMPARE(window.post(question(R"(,"max_tokens":2)"), bearer(token)).status, 200);
}

void LocalServingTest::itEndsWhileAnswering() {
    for (const bool loads : {false, true}) {
        Window window(endless_);
        QVERIFY(window.works);
        const auto streaming = window.stream();
        QVERIFY(streaming != nullptr);
        const auto waiting = window.sent(question(), "waiter");
        QTRY_COMPARE(window.waiting(), std::size_t{1});
        window.ask(-1);
        if (loads) {
            window.inference->loadModel({endless_, 1, 0});
        }
        window.inference->cancel();
        QVERIFY(window.serving->shutdown(60'000));
        QVERIFY(window.inference->shutdown(60'000));
        QVERIFY(!errorOf(streaming->read()).isEmpty());
        QCOMPARE(waiting->read().status, 503);
    }
}

// Eight programs with two requests each, one of them with four, and the window: the order of
// answers is counted on the engine's thread.
void LocalServingTest::eightClientsAndTheWindow() {
    Window window(starter_);
    QVERIFY(window.works);
    QStringList order;
    window.inference->turns().watch([&](const EngineTurns::State& state) {
        if (QThread::currentThread()->objectName() == QLatin1String("engine")) {
            if (state.windowIsAnswered) {
                order << QStringLiteral("window");
            } else if (!state.client.empty()) {
                order << QString::fromStdString(hearth::server::client_name(state.client));
            }
        }
    });
    std::vector<std::unique_ptr<RawClient>> clients;
    {
        const QMutexLocker held(&gate());
        const auto ask = [&](int who) {
            clients.push_back(
                window.sent(question(R"(,"max_tokens":3)"), "p" + QByteArray::number(who)));
            QTRY_COMPARE(window.waiting(), clients.size());
        };
        for (int who = 1; who <= 8; ++who) {
            ask(who);
            ask(who);
        }
        ask(1);
        ask(1);
        window.ask();
    }
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 1, 60'000);
    window.ask();
    for (const auto& client : clients) {
        const RawAnswer answer = client->read();
        QVERIFY2(answer.status == 200, answer.text());
        QCOMPARE(answer.json()["usage"]["completion_tokens"].toInt(), 3);
    }
    QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), 2, 60'000);
    window.inference->turns().watch(nullptr);
    QCOMPARE(order.size(), 20);
    QCOMPARE(order.first(), QString("window"));
    const qsizetype second = order.lastIndexOf("window");
    const QStringList between = order.mid(1, second - 1);
    QVERIFY2(QSet<QString>(between.begin(), between.end()).size() == 8,
             qPrintable(order.join(' ')));
    order.removeAll("window");
    QCOMPARE(order.join(' '), QString("p1 p2 p3 p4 p5 p6 p7 p8 p1 p2 p3 p4 p5 p6 p7 p8 p1 p1"));
}

// A chat of the window and one of another program by turns: neither is read anew, and memory holds
// what is planned.
void LocalServingTest::conversationsTakeTurns() {
    Window window(starter_);
    QVERIFY(window.works);
    const QString mine = QStringLiteral("Rain falls. ").repeated(100) + kQuestion;
    const QByteArray theirs =
        R"({"temperature":0,"max_tokens":4,"messages":[{"role":"user","content":")" +
        QByteArray("Snow is cold. ").repeated(100) + R"(What is snow?"}]})";
    int cached = 0;
    for (int i = 0; i < 2; ++i) {
        window.ask(4, mine);
        QTRY_COMPARE_WITH_TIMEOUT(window.ends.size(), i + 1, 60'000);
        const RawAnswer answer = window.post(theirs);
        QVERIFY2(answer.status == 200, answer.text());
        cached = answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"].toInt();
    }
    const GenerationSummary& again = window.ends.last();
    QVERIFY(again.promptTokens > 256);
    QVERIFY2(again.cachedTokens >= again.promptTokens - 64,
             qPrintable(QString("%1 of %2").arg(again.cachedTokens).arg(again.promptTokens)));
    QVERIFY2(cached > 256, qPrintable(QString::number(cached)));
    QTRY_VERIFY(window.report.keptPasts > 0);
    QVERIFY(window.report.keptPastsBytes > 0);
    QVERIFY(window.report.keptPastsBytes <= window.report.keptPastsMost);
    QCOMPARE(window.report.ramUsed, window.report.ramPlanned);
    QVERIFY(window.report.ramUsed + window.report.keptPastsBytes <= window.report.ramBudget);
}

// A chat's past is kept in a file, another program's never.
void LocalServingTest::nothingOfOthersIsKeptOnDisk() {
    const QTemporaryDir folder;
    LocalInference inference(folder.path());
    inference.setRest(1, 0);
    LocalServing serving(inference);
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({endless_, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QSignalSpy started(&serving, &ServingService::started);
    serving.start(0, kSecret);
    QVERIFY(started.wait(60'000));
    const auto port = static_cast<quint16>(started.first().first().toUInt());
    const QDir pasts(folder.filePath(QStringLiteral("pasts")));
    QSignalSpy finished(&inference, &InferenceService::finished);
    GenerationSettings few;
    few.maxTokens = 2;
    few.temperature = 0;
    few.conversation = QStringLiteral("1");
    std::unique_ptr<RawClient> client;
    {
        const QMutexLocker held(&gate());
        inference.generate(1, {{QStringLiteral("user"), kQuestion}}, few);
        client = std::make_unique<RawClient>(port);
        client->send(
            RawClient::request("POST", kChat, question(R"(,"max_tokens":2)"), bearer(), port));
        QTRY_COMPARE(inference.turns().state().waiting, std::size_t{1});
    }
    QCOMPARE(client->read().status, 200);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60'000);
    QTest::qWait(20);  // the timer of the rest, which takes 1 ms, comes before
    inference.unloadModel();
    inference.generate(2, {{QStringLiteral("user"), kQuestion}}, few);
    QSignalSpy failed(&inference, &InferenceService::failed);
    QVERIFY(failed.wait(60'000));
    // It is the window's, as the window's answer left it.
    QCOMPARE(pasts.entryList({QStringLiteral("*.past")}, QDir::Files),
             QStringList{QStringLiteral("1.past")});
    QFile kept(pasts.filePath(QStringLiteral("1.past")));
    const qint64 bytes = kept.size();
    QVERIFY(bytes > 0 && kept.remove());
    QSignalSpy again(&inference, &InferenceService::loaded);
    inference.loadModel({endless_, 1, 0});
    QVERIFY(again.wait(60'000));
    inference.generate(3, {{QStringLiteral("user"), kQuestion}}, few);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, 60'000);
    inference.unloadModel();
    inference.generate(4, {{QStringLiteral("user"), kQuestion}}, few);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 2, 60'000);
    QCOMPARE(kept.size(), bytes);
}

QTEST_GUILESS_MAIN(LocalServingTest)
#include "local_serving_test.moc"
