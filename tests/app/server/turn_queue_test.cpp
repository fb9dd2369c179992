// The queue before the engine: clients take turns.
#include <QtTest>
#include <future>

#include "server/turn_queue.h"

using hearth::server::TurnQueue;

namespace {

// Holds the queue's thread until it is let go.
struct Gate {
    std::promise<void> entered, opened;
    TurnQueue::Job job() {
        return [this] {
            entered.set_value();
            opened.get_future().wait();
        };
    }
};

}  // namespace

class TurnQueueTest : public QObject {
    Q_OBJECT

private slots:
    void clientsTakeTurns() {
        std::vector<std::string> done;
        Gate gate;
        {
            TurnQueue queue(100, {});
            QVERIFY(queue.add("a", 0, gate.job()));
            gate.entered.get_future().wait();
            std::uint64_t id = 1;
            const auto add = [&](const char* client, const char* name) {
                QVERIFY(queue.add(client, id++, [&done, name] { done.emplace_back(name); }));
            };
            for (const char* name : {"a1", "a2", "a3", "a4"}) {
                add("a", name);
            }
            add("b", "b1");
            add("b", "b2");
            add("c", "c1");
            QCOMPARE(queue.waiting(), std::size_t{7});
            gate.opened.set_value();
        }
        const std::vector<std::string> wanted{"a1", "b1", "c1", "a2", "b2", "a3", "a4"};
        QVERIFY(done == wanted);
    }

    void whatWaitsCanBeForgotten() {
        std::vector<int> done;
        Gate gate;
        {
            TurnQueue queue(100, {});
            queue.add("a", 0, gate.job());
            gate.entered.get_future().wait();
            for (int i = 1; i <= 3; ++i) {
                queue.add(i == 2 ? "b" : "a", static_cast<std::uint64_t>(i),
                          [&done, i] { done.push_back(i); });
            }
            QVERIFY(queue.forget(2));
            QVERIFY(!queue.forget(2));
            QVERIFY(!queue.forget(0));  // it is being done
            QVERIFY(queue.forget(1));
            gate.opened.set_value();
        }
        QVERIFY(done == std::vector<int>{3});
    }

    void aFullQueueRefuses() {
        Gate gate;
        TurnQueue queue(2, {});
        queue.add("a", 0, gate.job());
        gate.entered.get_future().wait();
        QVERIFY(queue.add("a", 1, [] {}));
        QVERIFY(queue.add("b", 2, [] {}));
        QVERIFY(!queue.add("c", 3, [] {}));
        QVERIFY(queue.forget(1));
        QVERIFY(queue.add("c", 3, [] {}));
        gate.opened.set_value();
        queue.stop();
        QVERIFY(!queue.add("a", 4, [] {}));
    }

    void itRestsBetweenJobs() {
        std::promise<void> rested;
        int jobs = 0;
        TurnQueue queue(10, [&](const hearth::Cancellation& ends) {
            if (jobs == 2 && !ends.requested()) {
                rested.set_value();
            }
        });
        Gate gate;
        queue.add("a", 0, gate.job());
        queue.add("a", 1, [&] { ++jobs; });
        queue.add("a", 2, [&] { ++jobs; });
        gate.opened.set_value();
        rested.get_future().wait();  // after the second, not between them
    }

    // Nobody waits for the end of a rest, not the second time either.
    void aJobEndsTheRest() {
        std::promise<void> resting[2];
        int rests = 0;
        std::vector<int> done;
        {
            TurnQueue queue(10, [&](const hearth::Cancellation& ends) {
                if (rests < 2) {
                    resting[rests++].set_value();
                    while (!ends.requested()) {
                        std::this_thread::yield();
                    }
                }
            });
            for (int i = 0; i < 2; ++i) {
                queue.add("a", static_cast<std::uint64_t>(i), [&done, i] { done.push_back(i); });
                resting[i].get_future().wait();
            }
            queue.add("a", 2, [&done] { done.push_back(2); });
        }
        QVERIFY((done == std::vector<int>{0, 1, 2}));
    }
};

QTEST_APPLESS_MAIN(TurnQueueTest)
#include "turn_queue_test.moc"
