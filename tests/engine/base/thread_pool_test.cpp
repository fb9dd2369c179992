#include "base/thread_pool.h"

#include <QtTest>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

class ThreadPoolTest : public QObject {
    Q_OBJECT

private slots:
    void every_task_runs_once_data() {
        QTest::addColumn<int>("n_threads");
        for (const int n : {1, 2, 3, 8}) {
            QTest::addRow("%d", n) << n;
        }
    }
    void every_task_runs_once() {
        QFETCH(int, n_threads);
        hearth::ThreadPool pool(n_threads);
        QCOMPARE(pool.n_threads(), n_threads);
        for (int round = 0; round < 3000; ++round) {
            const int n_tasks = round % 37;
            std::vector<int> runs(static_cast<std::size_t>(n_tasks), 0);
            std::atomic<int> bad_worker{0};
            // Not atomic on purpose: a task taken twice, or a write not visible, shows.
            pool.run(n_tasks, [&](int task, int worker) {
                ++runs[static_cast<std::size_t>(task)];
                bad_worker += worker < 0 || worker >= n_threads ? 1 : 0;
            });
            QCOMPARE(std::count(runs.begin(), runs.end(), 1), n_tasks);
            QCOMPARE(bad_worker.load(), 0);
        }
    }

    // Workers that went to sleep come back.
    void wakes_after_a_pause() {
        hearth::ThreadPool pool(4);
        for (int round = 0; round < 5; ++round) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            std::atomic<int> sum{0};
            pool.run(100, [&](int task, int) { sum += task; });
            QCOMPARE(sum.load(), 4950);
        }
    }

    // Work is shared: with a task that waits for another worker, one thread alone would never end.
    void tasks_run_at_the_same_time() {
        hearth::ThreadPool pool(2);
        std::atomic<int> arrived{0};
        pool.run(2, [&](int, int) {
            ++arrived;
            while (arrived.load() < 2) {
                std::this_thread::yield();
            }
        });
        QCOMPARE(arrived.load(), 2);
    }

    // The caller sleeps while a worker keeps its last task, and is woken.
    void waits_for_a_slow_worker() {
        hearth::ThreadPool pool(2);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> arrived{0};
            int slow = 0;  // not atomic on purpose: must be visible when run() returns
            pool.run(2, [&](int, int worker) {
                ++arrived;
                while (arrived.load() < 2) {
                    std::this_thread::yield();
                }
                if (worker != 0) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    ++slow;
                }
            });
            QCOMPARE(slow, 1);
        }
    }

    // More threads than processors, steps back to back and with pauses in which workers fall
    // asleep at any point.
    void more_threads_than_processors() {
        hearth::ThreadPool pool(16);
        std::vector<int> values(64, 0);
        for (int round = 0; round < 2000; ++round) {
            pool.run(64, [&](int task, int) { ++values[static_cast<std::size_t>(task)]; });
            if (round % 100 == 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(10 * (round / 100)));
            }
        }
        QCOMPARE(std::count(values.begin(), values.end(), 2000), 64);
    }
};

QTEST_GUILESS_MAIN(ThreadPoolTest)
#include "thread_pool_test.moc"
