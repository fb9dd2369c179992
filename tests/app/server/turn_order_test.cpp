// Whose turn is next, without threads.
#include <QtTest>
#include <map>
#include <random>
#include <set>

#include "server/turn_order.h"

using hearth::server::TurnOrder;

namespace {

constexpr const char* kPerson = "person";

class Waiting {
public:
    explicit Waiting(std::size_t most = 100) : order_(most) {}

    bool ask(const std::string& client, std::uint64_t id = 0) {
        return order_.add({.client = client, .id = id, .job = {}, .is_person = client == kPerson});
    }
    // Who had their turns, in order, until nobody waits.
    QStringList rest(int most = 1000) {
        QStringList names;
        while (most-- > 0) {
            const auto turn = order_.take();
            if (!turn) {
                break;
            }
            names << QString::fromStdString(turn->is_person ? kPerson : turn->client);
        }
        return names;
    }
    TurnOrder& order() { return order_; }

private:
    TurnOrder order_;
};

}  // namespace

class TurnOrderTest : public QObject {
    Q_OBJECT

private slots:
    void clientsTakeTurns() {
        Waiting waiting;
        for (const char* client : {"a", "a", "a", "b", "b", "c"}) {
            QVERIFY(waiting.ask(client));
        }
        QCOMPARE(waiting.rest().join(' '), QString("a b c a b a"));
    }

    void aPersonComesNext() {
        Waiting waiting;
        for (const char* client : {"a", "b", "c", "a", kPerson}) {
            QVERIFY(waiting.ask(client));
        }
        QVERIFY(waiting.order().person_waits());
        QCOMPARE(waiting.rest(2).join(' '), QString("person a"));
        QVERIFY(!waiting.order().person_waits());
        // The second time, clients that waited through the person's first turn go before; those
        // that had an answer since do not.
        QVERIFY(waiting.ask(kPerson));
        QCOMPARE(waiting.rest().join(' '), QString("b c person a"));
        for (const char* client : {"b", "c", kPerson}) {
            QVERIFY(waiting.ask(client));
        }
        QCOMPARE(waiting.rest().join(' '), QString("b c person"));
    }

    // Clients that go on asking keep nobody at the window waiting.
    void aPersonComesNextAgain() {
        Waiting waiting;
        waiting.ask(kPerson);
        for (const char* client : {"a", "b", "c"}) {
            waiting.ask(client);
        }
        QCOMPARE(waiting.rest().join(' '), QString("person a b c"));
        for (const char* client : {"a", "b", "c", kPerson}) {
            waiting.ask(client);
        }
        QCOMPARE(waiting.rest().join(' '), QString("person a b c"));
    }

    void aPersonTakesTurnsToo() {
        Waiting waiting;
        for (const char* client : {kPerson, kPerson, kPerson, "a", "b"}) {
            QVERIFY(waiting.ask(client));
        }
        QCOMPARE(waiting.rest().join(' '), QString("person a b person person"));
    }

    void onlyProgramsAreTooMany() {
        Waiting waiting(2);
        QVERIFY(waiting.ask("a", 1));
        QVERIFY(waiting.ask(kPerson, 1));
        QVERIFY(waiting.ask("b", 2));
        QVERIFY(!waiting.ask("c", 3));
        QVERIFY(waiting.ask(kPerson, 1));
        QCOMPARE(waiting.order().waiting(), std::size_t{2});
        QVERIFY(waiting.order().forget(1));  // the program's, not the person's
        QVERIFY(!waiting.order().forget(1));
        QVERIFY(waiting.ask("c", 3));
        QCOMPARE(waiting.rest().join(' '), QString("person b c person"));
        QCOMPARE(waiting.order().waiting(), std::size_t{0});
    }

    void aPersonLeaves() {
        Waiting waiting;
        QVERIFY(!waiting.order().forget_person());
        for (const char* client : {"a", kPerson, "b", kPerson}) {
            waiting.ask(client);
        }
        QVERIFY(waiting.order().forget_person());
        QVERIFY(!waiting.order().person_waits() && !waiting.order().forget_person());
        waiting.ask(kPerson);
        QCOMPARE(waiting.rest().join(' '), QString("person a b"));
    }

    // Whoever asks and whenever: between two answers of one client every other client that waited
    // all the time has had one. Names that are new each time change nothing.
    void nobodyIsPassedOver_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 8; ++seed) {
            QTest::addRow("%d", seed) << seed;
        }
    }
    void nobodyIsPassedOver() {
        QFETCH(int, seed);
        std::mt19937 random(static_cast<unsigned>(seed));
        Waiting waiting(1000);
        std::map<std::string, int> waits;                     // jobs of each client
        std::map<std::string, std::set<std::string>> passed;  // since each client's latest turn:
                                                              // those that waited all the time
        int turns = 0;
        for (int step = 0; step < 1500; ++step) {
            if (random() % 2 == 0) {
                const unsigned who = static_cast<unsigned>(random() % 10);
                const std::string name = who == 0   ? kPerson
                                         : who == 1 ? "new " + std::to_string(step)
                                                    : "client " + std::to_string(who);
                if (waiting.ask(name)) {
                    ++waits[name];
                }
                continue;
            }
            const QStringList next = waiting.rest(1);
            if (next.isEmpty()) {
                continue;
            }
            ++turns;
            const std::string name = next.first().toStdString();
            QVERIFY2(passed[name].empty(),
                     qPrintable(next.first() + " had a second turn before " +
                                QString::fromStdString(*passed[name].begin())));
            for (auto& [client, others] : passed) {
                others.erase(name);
            }
            if (--waits[name] == 0) {
                waits.erase(name);
            }
            passed[name].clear();
            for (const auto& [client, count] : waits) {
                if (client != name) {
                    passed[name].insert(client);
                }
            }
        }
        QVERIFY(turns > 500);
    }
};

QTEST_APPLESS_MAIN(TurnOrderTest)
#include "turn_order_test.moc"
