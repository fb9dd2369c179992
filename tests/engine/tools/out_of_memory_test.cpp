// Every allocation of every call through the door refused, one after the other: each time an Error
// that says so, nothing leaked, and the next try works.
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "base/thread_pool.h"
#include "support/allocation_faults.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::AllocationFault;
using test::live_allocations;
using test::Refuse;

Q_DECLARE_METATYPE(Refuse)

namespace {

// -1 where the system does not tell.
std::ptrdiff_t open_files() {
#ifdef __linux__
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
#else
    return -1;
#endif
}

struct Tries {
    int refused = 0;  // ended in OutOfMemory
    int spared = 0;   // went on without: fewer threads, a slower way to sort
    QString complaint;
};

// Calls `work` with its first allocation refused, then its second, until it makes fewer.
//   after  what must hold after every try, no allocation refused any more
template <class T>
Tries try_all(
    Refuse refuse, const std::function<Result<T>()>& work,
    const std::function<bool()>& after = [] { return true; }) {
    Tries tries;
    for (std::int64_t number = 1;; ++number) {
        const std::int64_t live = live_allocations();
        const std::ptrdiff_t files = open_files();
        bool happened = false;
        bool fine = false;
        ErrorCode code = ErrorCode::OutOfMemory;
        {
            Result<T> result = [&] {
                const AllocationFault fault(number, refuse);
                Result<T> made = work();
                happened = fault.happened();
                return made;
            }();
            fine = result.has_value();
            if (!fine) {
                code = result.error().code;
                if (code != ErrorCode::OutOfMemory || result.error().message.empty()) {
                    tries.complaint = QString("allocation %1: %2")
                                          .arg(number)
                                          .arg(result.error().message.c_str());
                }
            }
        }
        if (!happened) {
            if (!fine) {
                tries.complaint = "failed without a reason";
            }
            return tries;
        }
        (fine ? tries.spared : tries.refused) += 1;
        if (tries.complaint.isEmpty() && live_allocations() != live) {
            tries.complaint = QString("allocation %1: %2 pieces of memory are left behind")
                                  .arg(number)
                                  .arg(live_allocations() - live);
        }
        if (tries.complaint.isEmpty() && open_files() != files) {
            tries.complaint = QString("allocation %1: an open file is left behind").arg(number);
        }
        if (tries.complaint.isEmpty() && !after()) {
            tries.complaint = QString("allocation %1: afterwards it does not work").arg(number);
        }
        if (!tries.complaint.isEmpty()) {
            return tries;
        }
    }
}

GenerationOptions greedy(int max_tokens) {
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = max_tokens;
    return options;
}

// Results are compared, not kept: what is in them was allocated while memory ran out.
template <class T, class Check>
Result<void> checked(const Result<T>& result, Check&& check) {
    if (!result) {
        return result.error();
    }
    if (!check(*result)) {
        return Error{ErrorCode::Internal, "wrong result", {}, {}};
    }
    return {};
}

}  // namespace

#define COMPARE_TRIES(tries)                                              \
    do {                                                                  \
        const Tries tried = (tries);                                      \
        QVERIFY2(tried.complaint.isEmpty(), qPrintable(tried.complaint)); \
        QVERIFY(tried.refused > 0);                                       \
    } while (false)

class OutOfMemoryTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(test::TinyModel({.n_layer = 1, .n_ff = 64, .n_ctx = 64}).write(path_));
        // What is made once in a process, and the answers everything is compared with.
        options_.model_path = path_;
        options_.threads = 2;
        auto engine = Engine::load(options_);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        auto answer = (*engine)->chat(chat_, greedy(4), {}, never_);
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        QCOMPARE(answer->token_ids.size(), std::size_t{4});
        tokens_ = answer->token_ids;
        QVERIFY(tools::inspect(path_));
    }

    void inspect_data() { modes(); }
    void inspect() {
        QFETCH(Refuse, refuse);
        COMPARE_TRIES(try_all<tools::FileReport>(refuse, [&] { return tools::inspect(path_); }));
    }

    void vocabulary_data() { modes(); }
    void vocabulary() {
        QFETCH(Refuse, refuse);
        COMPARE_TRIES(try_all<void>(refuse, [&]() -> Result<void> {
            const auto words = tools::Vocabulary::open(path_);
            return words ? Result<void>() : words.error();
        }));
        const auto words = tools::Vocabulary::open(path_);
        QVERIFY(words);
        const auto ids = words->tokenize("Hello <|im_end|> there", true, true);
        QVERIFY(ids);
        COMPARE_TRIES(try_all<void>(refuse, [&] {
            return checked(words->tokenize("Hello <|im_end|> there", true, true),
                           [&](const auto& again) { return again == *ids; });
        }));
        COMPARE_TRIES(try_all<std::string>(refuse, [&] { return words->detokenize(*ids); }));
        const std::vector<std::int32_t> bad{99999};
        COMPARE_TRIES(try_all<void>(refuse, [&]() -> Result<void> {
            const auto text = words->detokenize(bad);
            const bool said = !text && text.error().code == ErrorCode::InvalidArgument;
            return said ? Result<void>() : text.error();
        }));
        COMPARE_TRIES(try_all<tools::Prompt>(refuse, [&] { return words->apply_template(chat_); }));
    }

    void load_data() { modes(); }
    void load() {
        QFETCH(Refuse, refuse);
        const Tries tries =
            try_all<std::unique_ptr<Engine>>(refuse, [&] { return Engine::load(options_); });
        QVERIFY2(tries.complaint.isEmpty(), qPrintable(tries.complaint));
        QVERIFY(tries.refused > 500);  // 259 words alone make as many
    }

    // The first turn and one that finds the first in the cache.
    void chat_data() { modes(); }
    void chat() {
        QFETCH(Refuse, refuse);
        auto engine = Engine::load(options_);
        QVERIFY(engine);
        const auto same = [&](const GenerationResult& result) {
            return result.token_ids == tokens_;
        };
        const GenerationOptions options = greedy(4);  // holds texts: made while nothing is refused
        COMPARE_TRIES(try_all<void>(
            refuse, [&] { return checked((*engine)->chat(chat_, options, {}, never_), same); },
            [&] {
                return checked((*engine)->chat(chat_, options, {}, never_), same).has_value();
            }));
    }

    void complete_data() { modes(); }
    void complete() {
        QFETCH(Refuse, refuse);
        auto engine = Engine::load(options_);
        QVERIFY(engine);
        auto first = (*engine)->complete("Hello", greedy(4), {}, never_);
        QVERIFY(first);
        const auto same = [&](const GenerationResult& result) {
            return result.token_ids == first->token_ids;
        };
        GenerationOptions options = greedy(4);
        options.stop = {"a stop string that never comes"};
        std::string text;
        COMPARE_TRIES(try_all<void>(
            refuse,
            [&] {
                text.clear();
                return checked(
                    (*engine)->complete(
                        "Hello", options, [&](std::string_view piece) { text += piece; }, never_),
                    same);
            },
            [&] {
                return checked((*engine)->complete("Hello", options, {}, never_), same).has_value();
            }));
    }

    void measuring_data() { modes(); }
    void measuring() {
        QFETCH(Refuse, refuse);
        auto engine = Engine::load(options_);
        QVERIFY(engine);
        const std::vector<std::int32_t> tokens{1, 2, 3};
        const std::vector<std::int32_t> outside{1, 99999};
        const std::function<Result<void>(int, std::span<const float>)> row =
            [](int, std::span<const float>) { return Result<void>(); };
        COMPARE_TRIES(try_all<void>(refuse, [&]() -> Result<void> {
            auto done = tools::logits(**engine, outside, true, row);
            const bool said = !done && done.error().code == ErrorCode::InvalidArgument;
            return said ? Result<void>() : std::move(done);
        }));
        QVERIFY(tools::logits(**engine, tokens, true, row));
        COMPARE_TRIES(try_all<void>(refuse, [&] {
            return checked(tools::perplexity(**engine, "some text to be read", 8, {}, never_),
                           [](const auto& report) { return report.windows == 3; });
        }));
        tools::BenchOptions options;
        options.prefill_tokens = 4;
        options.decode_tokens = 2;
        options.repetitions = 1;
        COMPARE_TRIES(try_all<void>(refuse, [&] {
            return checked(tools::bench(**engine, options, never_),
                           [](const auto& report) { return report.latency_ms.size() == 2; });
        }));
    }

    void quantize_data() { modes(); }
    void quantize() {
        QFETCH(Refuse, refuse);
        const std::string out = dir_.file("out.gguf");
        const tools::QuantizeOptions options{
            .type = "Q8_0,attn_v=F16", .embedding_type = "F16", .output_path = out};
        COMPARE_TRIES(try_all<tools::QuantizeReport>(
            refuse, [&] { return tools::quantize(path_, options, {}, never_); },
            [&] {  // whole or not there, and nothing beside it
                const bool whole = std::filesystem::exists(out);
                const auto entries = std::distance(std::filesystem::directory_iterator(dir_.path()),
                                                   std::filesystem::directory_iterator());
                const bool fine = entries == (whole ? 2 : 1) && (!whole || tools::inspect(out));
                std::filesystem::remove(out);
                return fine;
            }));
        QVERIFY(std::filesystem::exists(out));  // of the last try, which got through
        std::filesystem::remove(out);
    }

    // A pool that cannot have all its threads does the same work with those it has.
    void threads() {
        int fewer = 0;
        for (std::int64_t number = 1; number < 20; ++number) {
            const std::int64_t live = live_allocations();
            try {
                auto pool = [&] {
                    const AllocationFault fault(number, Refuse::Once);
                    return std::make_unique<ThreadPool>(4);
                }();
                fewer += pool->n_threads() < 4 ? 1 : 0;
                std::atomic<int> sum{0};
                pool->run(100, [&](int task, int) { sum += task; });
                QCOMPARE(sum.load(), 4950);
            } catch (const std::bad_alloc&) {
                // No thread was started yet.
            }
            QCOMPARE(live_allocations(), live);
        }
        QVERIFY(fewer > 0);
    }

    // What a callback throws ends the call, and the engine lives on.
    void callbacks_that_throw() {
        auto engine = Engine::load(options_);
        QVERIFY(engine);
        const auto no_memory = (*engine)->chat(
            chat_, greedy(4), [](std::string_view) { throw std::bad_alloc(); }, never_);
        QVERIFY(!no_memory);
        QVERIFY(no_memory.error().code == ErrorCode::OutOfMemory);
        const auto other = (*engine)->complete(
            "Hello", greedy(4), [](std::string_view) { throw std::runtime_error("a bug"); },
            never_);
        QVERIFY(!other);
        QVERIFY(other.error().code == ErrorCode::Internal);
        QCOMPARE(other.error().message, std::string("a bug"));
        const auto again = (*engine)->chat(chat_, greedy(4), {}, never_);
        QVERIFY(again);
        QCOMPARE(again->token_ids, tokens_);
        const auto loaded = Engine::load(options_, [](double) { throw std::bad_alloc(); });
        QVERIFY(!loaded);
        QVERIFY(loaded.error().code == ErrorCode::OutOfMemory);
        QCOMPARE(loaded.error().path, path_);
    }

private:
    static void modes() {
        QTest::addColumn<Refuse>("refuse");
        QTest::newRow("one refused") << Refuse::Once;
        QTest::newRow("all refused from there on") << Refuse::FromThere;
    }

    test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    EngineOptions options_;
    const std::vector<ChatMessage> chat_{{"user", "Hello"}};
    std::vector<std::int32_t> tokens_;
    const Cancellation never_{};
};

QTEST_GUILESS_MAIN(OutOfMemoryTest)
#include "out_of_memory_test.moc"
