// The measurement behind `hearth-cli bench`: what it does, not how fast.
#include <hearth/tools.h>

#include <QtTest>

#include "engine_impl.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;

class BenchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(test::TinyModel().write(path_));
        EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        auto loaded = Engine::load(options);
        QVERIFY(loaded);
        engine_ = std::move(*loaded);
    }

    void measures_what_is_asked_for_data() {
        QTest::addColumn<int>("prefill");
        QTest::addColumn<int>("decode");
        QTest::addColumn<int>("depth");
        QTest::newRow("both") << 20 << 9 << 0;
        QTest::newRow("prefill") << 20 << 0 << 0;
        QTest::newRow("decode") << 0 << 9 << 0;
        QTest::newRow("both at a depth") << 20 << 9 << 70;
        QTest::newRow("to the last position") << 0 << 27 << 100;
    }
    void measures_what_is_asked_for() {
        QFETCH(int, prefill);
        QFETCH(int, decode);
        QFETCH(int, depth);
        tools::BenchOptions options;
        options.prefill_tokens = prefill;
        options.decode_tokens = decode;
        options.depth_tokens = depth;
        options.repetitions = 3;
        const auto report = tools::bench(*engine_, options, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->depth_tokens, depth);
        QCOMPARE(report->prefill.runs_per_s.size(), prefill > 0 ? 3U : 0U);
        QCOMPARE(report->decode.runs_per_s.size(), decode > 0 ? 3U : 0U);
        QCOMPARE(report->latency_ms.size(), static_cast<std::size_t>(3 * decode));
        const Session& session = *engine_->impl().session;
        QVERIFY(session.cached_tokens().empty());
        const std::uint64_t weights = engine_->impl().executor->decode_weight_bytes();
        const std::uint64_t kv = decode > 0 ? session.cache().read_bytes(depth + decode / 2) : 0;
        QCOMPARE(report->decode_bytes_per_token, weights + kv);
    }

    void needs_a_context_that_holds_it() {
        tools::BenchOptions options;
        options.prefill_tokens = 20;
        options.decode_tokens = 27;
        options.depth_tokens = 100;
        QCOMPARE(tools::bench_context(options), 128);
        QVERIFY(tools::bench(*engine_, options, {}));
        options.depth_tokens = 101;
        const auto refused = tools::bench(*engine_, options, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
        QVERIFY(QString::fromStdString(refused.error().message).contains("129"));
        options.depth_tokens = std::numeric_limits<int>::max();
        QCOMPARE(tools::bench_context(options), std::numeric_limits<int>::max());
        QVERIFY(!tools::bench(*engine_, options, {}));
        options.depth_tokens = -1;
        QVERIFY(!tools::bench(*engine_, options, {}));
    }

    // A truncated context is as good as one that never held more.
    void going_back_leaves_no_trace() {
        Session& session = *engine_->impl().session;
        const std::vector<TokenId> first(40, 7);
        const std::vector<TokenId> other(50, 9);
        const std::vector<TokenId> second{11, 12, 13};
        const auto logits_after_second = [&] {
            const auto done = session.append(second, {});
            const std::span<const float> logits = *session.last_logits({});
            return done ? std::vector<float>(logits.begin(), logits.end()) : std::vector<float>{};
        };
        session.clear();
        QVERIFY(session.append(first, {}));
        const std::vector<float> wanted = logits_after_second();
        QVERIFY(!wanted.empty());

        session.clear();
        QVERIFY(session.append(first, {}));
        QVERIFY(session.append(other, {}));
        QVERIFY(logits_after_second() != wanted);
        session.truncate(first.size());
        QCOMPARE(session.cached_tokens().size(), first.size());
        QVERIFY(logits_after_second() == wanted);
        session.truncate(1000);  // more than there are: nothing to forget
        QCOMPARE(session.cached_tokens().size(), first.size() + second.size());
        session.clear();
    }

private:
    test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::unique_ptr<Engine> engine_;
};

QTEST_GUILESS_MAIN(BenchTest)
#include "bench_test.moc"
