// The starter model: its F16 master against the reference that came with it, the shipped file
// against numbers recorded by an independent program (resources/starter-model/export.py --check).
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/covering_sample.h"

namespace {

const QString kShared = QStringLiteral(HEARTH_SHARED_DIR "/starter-model/");
const QString kMaster = kShared + "hearth-starter-f16.gguf";
const QString kData = QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/");

QString shipped_model() {
    const QDir folder(QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model"));
    const QStringList files = folder.entryList({"*.gguf"}, QDir::Files);
    return files.size() == 1 ? folder.filePath(files[0]) : QString();
}

QByteArray read_file(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::unique_ptr<hearth::Engine> load(const QString& path) {
    hearth::EngineOptions options;
    options.model_path = path.toStdString();
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

struct CpuOverride {
    explicit CpuOverride(const QByteArray& isa) { qputenv("HEARTH_CPU", isa); }
    ~CpuOverride() { qunsetenv("HEARTH_CPU"); }
};

std::vector<std::int32_t> token_list(const QJsonValue& value) {
    std::vector<std::int32_t> tokens;
    for (const QJsonValue& token : value.toArray()) {
        tokens.push_back(token.toInt());
    }
    return tokens;
}

}  // namespace

// The master is too large for the repository.
#define SKIP_WITHOUT_MASTER(path)                      \
    do {                                               \
        if (path == kMaster && !QFile::exists(path)) { \
            QSKIP("needs ../shared/starter-model");    \
        }                                              \
    } while (false)

class StarterModelTest : public QObject {
    Q_OBJECT

private slots:
    void reference_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QByteArray>("isa");
        QTest::addColumn<double>("bound");
        QTest::addColumn<bool>("exact_order");
        auto devices = hearth::tools::devices();
        QVERIFY(devices);
        for (const std::string& isa : devices->isa) {
            QTest::addRow("F16 master/%s", isa.c_str())
                << kMaster << kData + "starter_master_reference.json"
                << QByteArray::fromStdString(isa) << 2e-2 << true;
            // The reference has the shipped weights but float activations; the engine rounds
            // activations to 8 bits a block, which moves a logit by some tenths.
            QTest::addRow("shipped file/%s", isa.c_str())
                << shipped_model() << kData + "starter_reference.json"
                << QByteArray::fromStdString(isa) << 0.5 << false;
        }
    }
    void reference() {
        QFETCH(QString, model);
        QFETCH(QString, reference);
        QFETCH(QByteArray, isa);
        QFETCH(double, bound);
        QFETCH(bool, exact_order);
        SKIP_WITHOUT_MASTER(model);
        const CpuOverride use(isa);
        auto engine = load(model);
        QVERIFY(engine);
        auto vocabulary = hearth::tools::Vocabulary::open(model.toStdString());
        QVERIFY(vocabulary);
        const QJsonArray prompts =
            QJsonDocument::fromJson(read_file(reference)).object()["prompts"].toArray();
        QCOMPARE(prompts.size(), 5);
        double worst = 0;
        for (const QJsonValue& value : prompts) {
            const QJsonObject prompt = value.toObject();
            const std::vector<std::int32_t> tokens = token_list(prompt["tokens"]);
            QCOMPARE(vocabulary->tokenize(prompt["prompt"].toString().toStdString(), false, true)
                         .value(),
                     tokens);

            std::vector<float> logits;
            auto done =
                hearth::tools::logits(*engine, tokens, false,
                                      [&](int, std::span<const float> row) -> hearth::Result<void> {
                                          logits.assign(row.begin(), row.end());
                                          return {};
                                      });
            QVERIFY(done);
            std::vector<std::int32_t> order(logits.size());
            std::iota(order.begin(), order.end(), 0);
            std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](auto a, auto b) {
                return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
            });
            const QJsonArray top = prompt["top5"].toArray();
            QCOMPARE(top.size(), 5);
            for (int i = 0; i < 5; ++i) {
                const int token = top[i].toObject()["token"].toInt();
                if (exact_order) {
                    QCOMPARE(order[static_cast<std::size_t>(i)], token);
                }
                worst = std::max(
                    worst, std::fabs(static_cast<double>(logits[static_cast<std::size_t>(token)]) -
                                     top[i].toObject()["logit"].toDouble()));
            }

            if (exact_order) {
                hearth::GenerationOptions options;
                options.sampling.temperature = 0;
                options.max_tokens = 16;
                const hearth::Cancellation never;
                auto answer =
                    engine->complete(prompt["prompt"].toString().toStdString(), options, {}, never);
                QVERIFY(answer);
                QCOMPARE(answer->token_ids, token_list(prompt["greedy_16"]));
            }
        }
        qInfo("greatest logit difference %.2e, bound %.0e", worst, bound);
        QVERIFY2(worst < bound, qPrintable(QString::number(worst)));
    }

    // Windows of 1024 tokens that do not overlap. The figures are those of the two model cards; the
    // shipped file costs less than 3 % of the master's.
    // The beginning's figure was recorded with the commit that added it.
    void perplexity_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("text_bytes");
        QTest::addColumn<quint64>("tokens");
        QTest::addColumn<double>("recorded");
        QTest::newRow("shipped file, the text's beginning")
            << shipped_model() << 20'000 << quint64{5066} << 32.0018;
        if (hearth::test::all_rows()) {
            QTest::newRow("F16 master") << kMaster << 176'957 << quint64{42796} << 24.32;
            QTest::newRow("shipped file")
                << shipped_model() << 176'957 << quint64{42796} << 24.8955;
        }
    }
    void perplexity() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("86,000 tokens take too long under a sanitizer; the prompts above run the same code");
#endif
        QFETCH(QString, model);
        QFETCH(int, text_bytes);
        QFETCH(quint64, tokens);
        QFETCH(double, recorded);
        SKIP_WITHOUT_MASTER(model);
        const std::string text = read_file(kData + "heldout.txt").left(text_bytes).toStdString();
        QCOMPARE(static_cast<int>(text.size()), text_bytes);
        auto engine = load(model);
        QVERIFY(engine);
        const hearth::Cancellation never;
        auto report = hearth::tools::perplexity(*engine, text, 1024, {}, never);
        QVERIFY(report);
        QCOMPARE(quint64{report->tokens}, tokens);
        qInfo("perplexity %.4f, recorded %.4f", report->perplexity, recorded);
        QVERIFY(std::fabs(report->perplexity / recorded - 1) < 0.005);
    }

    // The same question gets the same answer, from one thread and from three.
    void greedy_answers_do_not_change() {
        std::string first;
        for (const int threads : {1, 2, 3}) {
            hearth::EngineOptions options;
            options.model_path = shipped_model().toStdString();
            options.threads = threads;
            auto engine = hearth::Engine::load(options);
            QVERIFY(engine);
            hearth::GenerationOptions greedy;
            greedy.sampling.temperature = 0;
            greedy.max_tokens = 60;
            const std::vector<hearth::ChatMessage> messages{{"user", "Why is the sky blue?"}};
            const hearth::Cancellation never;
            auto answer = (*engine)->chat(messages, greedy, {}, never);
            QVERIFY(answer);
            QVERIFY(!answer->text.empty());
            if (first.empty()) {
                first = answer->text;
            }
            QCOMPARE(answer->text, first);
        }
    }
};

QTEST_GUILESS_MAIN(StarterModelTest)
#include "starter_model_test.moc"
