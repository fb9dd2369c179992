// Threads that sleep and wake each other, without Qt: also run on Windows. A wake-up that is lost
// shows as a thread that sleeps for good, so whoever runs these sets a time limit.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/sleep_word.h"
#include "base/thread_pool.h"
#include "support/plain_checks.h"

namespace hearth::test {
namespace {

std::string expect(std::uint64_t seen, std::uint64_t expected, const char* what) {
    return seen == expected ? std::string()
                            : std::string(what) + ": " + std::to_string(seen) + " instead of " +
                                  std::to_string(expected);
}

// A baton goes round: each thread sleeps until it has it, so each pass is a wake-up of one thread
// that is just going to sleep, sleeps, or is still awake.
HEARTH_PLAIN_CHECK(a_baton_goes_round) {
    constexpr std::uint32_t kThreads = 8, kRounds = 4000;
    std::vector<std::unique_ptr<SleepWord>> words;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        words.push_back(std::make_unique<SleepWord>());
    }
    std::uint64_t passes = 0;  // not atomic on purpose: the baton guards it
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            for (std::uint32_t round = 0; round < kRounds; ++round) {
                words[i]->sleep_while(round);
                ++passes;
                SleepWord& next = *words[(i + 1) % kThreads];
                next.add(1);
                next.wake_one();
            }
        });
    }
    words[0]->add(1);
    words[0]->wake_one();
    for (std::thread& thread : threads) {
        thread.join();
    }
    return expect(passes, std::uint64_t{kThreads} * kRounds, "passes");
}

// All sleep on one number, and all must hear each change of it; the last to hear makes the next.
HEARTH_PLAIN_CHECK(all_hear_each_change) {
    constexpr std::uint32_t kThreads = 8, kRounds = 4000;
    SleepWord turn;
    std::atomic<std::uint32_t> heard{0};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (std::uint32_t round = 0; round < kRounds; ++round) {
                if (heard.fetch_add(1) + 1 == kThreads * (round + 1)) {
                    turn.add(1);
                    turn.wake_all();
                }
                turn.sleep_while(round);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return expect(turn.get(), kRounds, "turns");
}

// Two threads, each after the other and nothing between: the shortest way from awake to asleep.
HEARTH_PLAIN_CHECK(two_threads_answer_each_other) {
    constexpr std::uint32_t kRounds = 50000;
    SleepWord word;  // even: the first thread's turn
    const auto play = [&](std::uint32_t mine) {
        for (std::uint32_t turn = mine; turn < 2 * kRounds; turn += 2) {
            while (word.get() != turn) {
                word.sleep_while(turn - 1);
            }
            word.add(1);
            word.wake_one();
        }
    };
    std::thread other([&] { play(1); });
    play(0);
    other.join();
    return expect(word.get(), 2 * kRounds, "turns");
}

// Waking without a change lets nobody go.
HEARTH_PLAIN_CHECK(only_a_change_ends_sleep) {
    SleepWord word(7);
    std::atomic<bool> awake{false};
    std::thread sleeper([&] {
        word.sleep_while(7);
        awake.store(true);
    });
    bool early = false;
    for (int i = 0; i < 2000; ++i) {
        word.wake_all();
        word.wake_one();
        std::this_thread::yield();
        early = early || awake.load();
    }
    word.set(8);
    word.wake_all();
    sleeper.join();
    return early ? "woken by nothing" : "";
}

// Pools made, used and ended at once: workers that have not slept yet, sleep, or just woke.
HEARTH_PLAIN_CHECK(pools_come_and_go) {
    std::uint64_t sum = 0;
    constexpr int kPools = 400, kSteps = 20;
    for (int i = 0; i < kPools; ++i) {
        ThreadPool pool(2 + i % 3);
        for (int step = 0; step < kSteps; ++step) {
            std::atomic<int> tasks{0};
            pool.run(7, [&](int, int) { ++tasks; });
            sum += static_cast<std::uint64_t>(tasks.load());
            if (step % 5 == 4) {
                std::this_thread::sleep_for(std::chrono::microseconds(20 * (i % 11)));
            }
        }
    }
    return expect(sum, std::uint64_t{7} * kPools * kSteps, "tasks");
}

// Ended while the workers, awake from the last step, look whether there is more to do.
HEARTH_PLAIN_CHECK(pools_end_right_after_their_work) {
    constexpr int kPools = 10000;
    std::atomic<int> tasks{0};
    for (int i = 0; i < kPools; ++i) {
        ThreadPool pool(2 + i % 3);
        std::this_thread::sleep_for(std::chrono::microseconds(150));  // they are there by now
        for (int step = 0; step < 3; ++step) {
            pool.run(7, [&](int, int) { ++tasks; });
        }
    }
    return expect(static_cast<std::uint64_t>(tasks.load()), std::uint64_t{21} * kPools, "tasks");
}

}  // namespace
}  // namespace hearth::test
