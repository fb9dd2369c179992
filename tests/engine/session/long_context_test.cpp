// Decoding far into a context, where a token's attention is cut into parts, against plain
// arithmetic in double precision.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::test::TinyModel;

namespace {

constexpr int kTokens = 2600;  // three parts, the last not full

std::vector<hearth::TokenId> sample_tokens() {
    std::vector<hearth::TokenId> tokens;
    for (int i = 0; i < kTokens; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 37 + 11) % 256);
    }
    return tokens;
}

// The last token's logits, every token decoded alone.
std::vector<float> decode_last(const std::string& path, const std::vector<hearth::TokenId>& tokens,
                               int threads) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = threads;
    options.n_ctx = kTokens + 10;
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return {};
    }
    hearth::Session& session = *(*engine)->impl().session;
    const hearth::Cancellation cancellation;
    for (const hearth::TokenId token : tokens) {
        if (auto done = session.decode_one(token, cancellation); !done) {
            qWarning("%s", done.error().message.c_str());
            return {};
        }
    }
    const std::span<float> logits = *session.last_logits(cancellation);
    return {logits.begin(), logits.end()};
}

}  // namespace

class LongContextTest : public QObject {
    Q_OBJECT

private slots:
    void parts_join_to_the_whole_data() {
        QTest::addColumn<QByteArray>("isa");
        for (const char* isa : {"generic", ""}) {
            QTest::newRow(*isa == 0 ? "fastest" : isa) << QByteArray(isa);
        }
    }
    void parts_join_to_the_whole() {
        QFETCH(QByteArray, isa);
        if (isa.isEmpty()) {
            qunsetenv("HEARTH_CPU");
        } else {
            qputenv("HEARTH_CPU", isa);
        }
        hearth::test::TempDir dir;
        const std::string path = dir.file("tiny.gguf");
        const TinyModel model({.n_ctx = kTokens + 10});
        QVERIFY(model.write(path));
        const std::vector<hearth::TokenId> tokens = sample_tokens();
        const std::vector<float> got = decode_last(path, tokens, 1);
        const std::vector<double> all = model.logits(tokens);
        QCOMPARE(got.size(), std::size_t{TinyModel::kVocab});
        const double* wanted = &all[all.size() - got.size()];
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - wanted[i]));
        }
        qInfo("greatest difference %.2g", worst);
        QVERIFY2(worst < 5e-4, "the cache's F16 costs this much, not more");

        for (const int threads : {2, 3}) {
            const std::vector<float> again = decode_last(path, tokens, threads);
            QCOMPARE(again.size(), got.size());
            QVERIFY2(std::memcmp(again.data(), got.data(), got.size() * sizeof(float)) == 0,
                     "the number of threads changes nothing");
        }
        qunsetenv("HEARTH_CPU");
    }
};

QTEST_GUILESS_MAIN(LongContextTest)
#include "long_context_test.moc"
