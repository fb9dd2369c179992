// The window's queue before its engine, with a thread that stands for the engine's.
#include "bridge/engine_turns.h"

#include <QtTest>
#include <future>
#include <semaphore>
#include <thread>
#include <vector>

#include "app/server/fake_model.h"
#include "app/server/raw_client.h"
#include "server/local_api.h"

using namespace hearth::ui;
using hearth::test::RawClient;

namespace {

// Does the turns on a thread of its own, once it may.
class FakeEngineThread {
public:
    FakeEngineThread() : turns([this] { wakes_.release(); }) {
        thread_ = std::thread([this] {
            begins_.get_future().wait();
            while (true) {
                wakes_.acquire();
                if (ends_) {
                    return;
                }
                turns.takeTurn();
            }
        });
    }
    ~FakeEngineThread() {
        begin();
        ends_ = true;
        wakes_.release();
        thread_.join();
    }
    void begin() {
        if (!std::exchange(begun_, true)) {
            begins_.set_value();
        }
    }

private:
    std::counting_semaphore<> wakes_{0};
    std::promise<void> begins_;
    bool begun_ = false;
    std::atomic<bool> ends_ = false;

public:
    EngineTurns turns;

private:
    std::thread thread_;
};

const QByteArray kSecret = "a-secret-of-the-tests";

}  // namespace

class EngineTurnsTest : public QObject {
    Q_OBJECT

private slots:
    void eachJobIsDoneOnce();
    void whatWaitsIsForgotten();
    void aJobEndsARest();
    void theStateIsTold();
    void eightClientsAndTheWindow();
};

void EngineTurnsTest::eachJobIsDoneOnce() {
    int wakes = 0;
    EngineTurns turns([&] { ++wakes; });
    QStringList done;
    QVERIFY(turns.add("a", 1, [&] { done << "a1"; }));
    QVERIFY(turns.add("a", 2, [&] { done << "a2"; }));
    turns.addWindow([&] { done << "window"; });
    QVERIFY(turns.add("b", 3, [&] { done << "b"; }));
    QCOMPARE(wakes, 4);
    while (wakes-- > 0) {
        QVERIFY(turns.takeTurn());
    }
    QVERIFY(!turns.takeTurn());
    QCOMPARE(done.join(' '), QString("window a1 b a2"));
}

void EngineTurnsTest::whatWaitsIsForgotten() {
    EngineTurns turns([] {});
    for (std::uint64_t id = 0; id < EngineTurns::kWaitingMost; ++id) {
        QVERIFY(turns.add("a", id, [] {}));
    }
    QVERIFY(!turns.add("b", 99, [] {}));
    turns.addWindow([] {});
    QVERIFY(turns.forget(0));
    QVERIFY(!turns.forget(0));
    QVERIFY(turns.add("b", 99, [] {}));
    int done = 0;
    while (turns.takeTurn()) {
        ++done;
    }
    QCOMPARE(done, int(EngineTurns::kWaitingMost) + 1);
}

void EngineTurnsTest::aJobEndsARest() {
    EngineTurns turns([] {});
    for (int i = 0; i < 2; ++i) {
        const auto rest = turns.rest();
        QVERIFY(!rest->requested());
        QCOMPARE(turns.rest(), rest);  // two works that rest alike
        if (i == 0) {
            QVERIFY(turns.add("a", 1, [] {}));
        } else {
            turns.addWindow([] {});
        }
        QVERIFY(rest->requested());
        QVERIFY(turns.rest()->requested());  // somebody waits still
        QVERIFY(turns.takeTurn());
    }
    const auto rest = turns.rest();
    QVERIFY(!rest->requested());
    turns.endRest();
    QVERIFY(rest->requested());
    QVERIFY(!turns.rest()->requested());
}

void EngineTurnsTest::theStateIsTold() {
    EngineTurns turns([] {});
    QStringList told;
    turns.watch([&](const EngineTurns::State& state) {
        told << QString("%1%2%3%4")
                    .arg(QString::fromStdString(state.client))
                    .arg(state.windowIsAnswered ? "W" : "")
                    .arg(state.windowWaits ? "w" : "")
                    .arg(state.waiting);
    });
    turns.add("a", 1, [] {});
    turns.add("b", 2, [&] { turns.addWindow([] {}); });
    while (turns.takeTurn()) {}
    QCOMPARE(told.join(' '), QString("1 2 a1 1 b0 bw0 w0 W0 0"));
    turns.watch(nullptr);
    turns.add("a", 1, [] {});
    QCOMPARE(told.size(), 9);
}

// Eight programs, one of them with five requests at once, and the window with three questions, of
// which each follows the one before: the order of answers is counted.
void EngineTurnsTest::eightClientsAndTheWindow() {
    hearth::test::FakeModel model;
    FakeEngineThread engine;
    QStringList order;  // the engine's thread writes it, alone
    engine.turns.watch([&](const EngineTurns::State& state) {
        if (state.windowIsAnswered && !state.windowWaits) {
            order << "window";
        } else if (!state.client.empty()) {
            order << QString::fromStdString(hearth::server::client_name(state.client));
        }
    });
    hearth::server::LocalApiOptions options;
    options.token = kSecret.toStdString();
    auto api = hearth::server::LocalApi::start(std::move(options), model, engine.turns);
    QVERIFY(api);
    const quint16 port = (*api)->port();
    std::vector<std::unique_ptr<RawClient>> clients;
    const auto ask = [&](int who) {
        clients.push_back(std::make_unique<RawClient>(port));
        clients.back()->send(RawClient::request(
            "POST", "/v1/chat/completions", R"({"messages":[{"role":"user","content":"Hi"}]})",
            "Authorization: Bearer " + kSecret + "\r\nUser-Agent: p" + QByteArray::number(who) +
                "\r\n",
            port));
        QTRY_COMPARE(engine.turns.state().waiting, clients.size());
    };
    for (int i = 0; i < 3; ++i) {
        ask(1);
    }
    for (int who = 2; who <= 8; ++who) {
        ask(who);
        ask(who);
    }
    ask(1);
    ask(1);
    std::promise<void> answered;
    // The next question is there before the next turn is taken.
    engine.turns.addWindow([&] {
        engine.turns.addWindow([&] { engine.turns.addWindow([&] { answered.set_value(); }); });
    });
    const std::size_t asked = clients.size();
    QCOMPARE(asked, std::size_t{19});
    engine.begin();
    for (const auto& client : clients) {
        QCOMPARE(client->read().status, 200);
    }
    answered.get_future().wait();
    (*api)->stop();
    engine.turns.watch(nullptr);
    QCOMPARE(order.join(' '),
             QString("window p1 p2 p3 p4 p5 p6 p7 p8 window p1 p2 p3 p4 p5 p6 p7 p8 window "
                     "p1 p1 p1"));
}

QTEST_GUILESS_MAIN(EngineTurnsTest)
#include "engine_turns_test.moc"
