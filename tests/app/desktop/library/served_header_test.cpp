#include "served_header.h"

#include <hearth/tools.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>
#include <memory>

#include "app/desktop/network/test_server.h"
#include "network_control.h"
#include "network_door.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using test::ServerAnswer;
using test::ServerRequest;
using test::TestServer;

class ServedHeaderTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        first_ = qint64{1} << 20;
        most_ = HeaderFetch::kHeaderBytesMost;
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        control_ = std::make_unique<NetworkControl>();
        door_ = std::make_unique<NetworkDoor>(*control_);
        answer_ = [this](const ServerRequest& request) { return ranged(request); };
        server_ = std::make_unique<TestServer>(
            [this](const ServerRequest& request) { return answer_(request); });
        QVERIFY(server_->start());
    }
    void cleanup() {
        server_.reset();
        door_.reset();
        control_.reset();
        folder_.reset();
    }

    // Must show 8: the plan of a header that was served is that of the whole file, byte by byte.
    void thePlanIsThatOfTheWholeFile_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("sparse");
        QTest::newRow("llama") << "llama" << false;
        QTest::newRow("qwen2") << "qwen2" << false;
        QTest::newRow("gemma") << "gemma" << false;
        QTest::newRow("falcon") << "falcon" << false;
        QTest::newRow("bamboo, PowerInfer's") << "bamboo" << true;
    }
    void thePlanIsThatOfTheWholeFile() {
        QFETCH(const QString, arch);
        QFETCH(const bool, sparse);
        load(TinyModel({.arch = arch.toStdString(),
                        .type = DType::Q8_0,
                        .by_neuron = sparse,
                        .pwri = sparse,
                        .predictor_width = sparse ? 32 : 0})
                 .file());
        const QString whole = folder_->filePath(QStringLiteral("whole.gguf"));
        QFile file(whole);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(model_), model_.size());
        file.close();
        const ServedHeader served = fetch();
        QCOMPARE(served.wrong, QString());
        QCOMPARE(served.bytes, model_.size());
        QCOMPARE(QFileInfo(served.path).size(), model_.size());
        QVERIFY(served.fetched < model_.size());
        for (const bool tight : {false, true}) {
            const auto real = planOf(whole, tight);
            const auto forecast = planOf(served.path, tight);
            QVERIFY2(real.has_value(), real ? "" : real.error().message.c_str());
            QVERIFY2(forecast.has_value(), forecast ? "" : forecast.error().message.c_str());
            QCOMPARE(numbers(*forecast), numbers(*real));
        }
    }

    // No more is fetched than its header takes, whatever the model weighs.
    void onlyTheHeaderComes() {
        load(TinyModel({.arch = "llama", .n_embd = 256, .n_ff = 1024}).file());
        first_ = 4096;
        const ServedHeader served = fetch();
        QCOMPARE(served.wrong, QString());
        QVERIFY(server_->requests().size() > 1);
        for (const ServerRequest& request : server_->requests()) {
            QVERIFY(request.range());
        }
        QVERIFY(server_->bodyBytesInAll() < served.fetched * 5);
        QVERIFY(server_->bodyBytesInAll() < model_.size() / 4);
        QFile file(served.path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.read(served.fetched), model_.left(served.fetched));
        QCOMPARE(file.read(64), QByteArray(64, '\0'));
    }

    void theHubSaysTheHash() {
        load(TinyModel({.arch = "llama"}).file());
        answer_ = [this](const ServerRequest& request) {
            ServerAnswer answer = ranged(request);
            answer.headers.append(
                qMakePair(QByteArray("X-Linked-Etag"), '"' + QByteArray(64, 'a') + '"'));
            return answer;
        };
        QCOMPARE(fetch().sha256, QByteArray(32, '\xaa'));
    }

    void aServerWithoutRanges() {
        load(TinyModel({.arch = "llama"}).file());
        answer_ = [this](const ServerRequest&) { return ServerAnswer{.body = model_}; };
        QCOMPARE(fetch().wrong, QString());  // it is small
        first_ = 4096;
        QVERIFY(fetch().wrong.contains(QLatin1String("sends all of the file")));
    }

    void hostile_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("wrong");
        QTest::newRow("a page") << QByteArray("<html>sign in first, please</html>")
                                << "is no model";
        QTest::newRow("nothing but the magic") << QByteArray("GGUF") << "is cut off";
        QTest::newRow("version 9") << head(9, 1, 1) << "is no model";
        QTest::newRow("a million million keys") << head(3, 1, quint64{1} << 40) << "is cut off";
        QTest::newRow("a text without end")
            << head(3, 1, 1) + number(~quint64{0}) + QByteArray(100, 'x') << "is cut off";
        QTest::newRow("no such type")
            << head(3, 0, 1) + number(1) + "k" + QByteArray("\x63\0\0\0", 4) << "is no model";
        QTest::newRow("arrays in arrays")
            << head(3, 0, 1) + number(1) + "k" + QByteArray("\x09\0\0\0", 4) + nested(40)
            << "is no model";
        QTest::newRow("an array without end")
            << head(3, 0, 1) + number(1) + "k" + QByteArray("\x09\0\0\0\x0a\0\0\0", 8) +
                   number(~quint64{0})
            << "is cut off";
    }
    void hostile() {
        QFETCH(const QByteArray, body);
        QFETCH(const QString, wrong);
        model_ = body;
        const QString said = fetch().wrong;
        QVERIFY2(said.contains(wrong), qPrintable(said));
        QVERIFY(QDir(folder_->filePath(QStringLiteral("headers"))).isEmpty());
    }

    void lies_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::newRow("another part") << QByteArray("bytes 5-4100/100000");
        QTest::newRow("no total") << QByteArray("bytes 0-4095/*");
        QTest::newRow("more than there is") << QByteArray("bytes 0-4095/10");
        QTest::newRow("nonsense") << QByteArray("bytes x");
        QTest::newRow("none") << QByteArray();
    }
    void lies() {
        QFETCH(const QByteArray, field);
        first_ = 4096;
        answer_ = [field](const ServerRequest&) {
            ServerAnswer answer{.status = 206, .body = QByteArray(4096, 'G')};
            if (!field.isEmpty()) {
                answer.headers = {{"Content-Range", field}};
            }
            return answer;
        };
        QVERIFY(fetch().wrong.contains(QLatin1String("which part of the file")));
    }

    void aFileThatChanges() {
        load(TinyModel({.arch = "llama"}).file());
        first_ = 1024;
        answer_ = [this](const ServerRequest& request) {
            if (server_->requests().size() > 1) {
                model_ += "more";
            }
            return ranged(request);
        };
        QVERIFY(fetch().wrong.contains(QLatin1String("changed on the server")));
    }

    // A length that no disk has must not be written.
    void anImpossibleLength() {
        load(TinyModel({.arch = "llama"}).file());
        first_ = 4096;
        answer_ = [this](const ServerRequest&) {
            return ServerAnswer{.status = 206,
                                .headers = {{"Content-Range", "bytes 0-4095/9000000000000000"}},
                                .body = model_.left(4096)};
        };
        QVERIFY(fetch().wrong.contains(QLatin1String("which cannot be")));
    }

    void aHugeHeader() {
        // One key, an array of texts that goes on and on.
        model_ = head(3, 0, 1) + number(1) + "k" + QByteArray("\x09\0\0\0\x04\0\0\0", 8) +
                 number(quint64{1} << 30) + QByteArray(1 << 20, 'x');
        first_ = 10'000;
        most_ = 300'000;
        QVERIFY(fetch().wrong.contains(QLatin1String("which no model needs")));
        QVERIFY(server_->bodyBytesInAll() <= most_);
    }

    void refusals() {
        answer_ = [](const ServerRequest&) { return ServerAnswer{.status = 404}; };
        QVERIFY(!fetch().wrong.isEmpty());
        control_->setRules({.forbidAll = true});
        QVERIFY(!fetch().wrong.isEmpty());
    }

private:
    static QByteArray number(quint64 value) {
        QByteArray bytes(8, '\0');
        qToLittleEndian(value, bytes.data());
        return bytes;
    }
    static QByteArray head(char version, quint64 tensors, quint64 keys) {
        return QByteArray("GGUF") + version + QByteArray(3, '\0') + number(tensors) + number(keys);
    }
    static QByteArray nested(int depth) {
        QByteArray bytes;
        for (int i = 0; i < depth; ++i) {
            bytes += QByteArray("\x09\0\0\0", 4) + number(1);
        }
        return bytes;
    }
    void load(const GgufBuilder& file) {
        const hearth::test::Bytes bytes = file.bytes();
        model_ = QByteArray(reinterpret_cast<const char*>(bytes.data()),
                            static_cast<qsizetype>(bytes.size()));
    }
    ServerAnswer ranged(const ServerRequest& request) const {
        const auto range = request.range();
        if (!range) {
            return {.body = model_};
        }
        const qint64 end = std::min<qint64>(range->second, model_.size());
        return {.status = 206,
                .headers = {{"Content-Range", "bytes " + QByteArray::number(range->first) + '-' +
                                                  QByteArray::number(end - 1) + '/' +
                                                  QByteArray::number(model_.size())}},
                .body = model_.mid(range->first, end - range->first)};
    }
    ServedHeader fetch() {
        HeaderFetch fetch(*door_, folder_->filePath(QStringLiteral("headers")));
        fetch.setLimits(first_, most_);
        std::optional<ServedHeader> result;
        connect(&fetch, &HeaderFetch::done, this,
                [&result](const ServedHeader& header) { result = header; });
        fetch.start(QUrl(server_->base() + QStringLiteral("/model.gguf")), QStringLiteral("model"));
        if (!QTest::qWaitFor([&result] { return result.has_value(); }, 20'000)) {
            return {.wrong = QStringLiteral("no answer")};
        }
        return *result;
    }
    // Speeds are given, so that both are planned for the same machine.
    static Result<tools::PlanReport> planOf(const QString& path, bool tight) {
        tools::PlanOptions options;
        options.model_path = path.toStdString();
        options.gpu = "none";
        options.threads = 2;
        options.ram_bytes = tight ? (std::uint64_t{17} << 20) : (std::uint64_t{1} << 30);
        options.speeds = MachineSpeeds{.ram_read_gb_per_s = 20, .cpu_gflop_per_s = 100};
        return tools::plan(options);
    }
    static QList<quint64> numbers(const tools::PlanReport& plan) {
        return {plan.ram.weights,
                plan.ram.predictors,
                plan.ram.kv,
                plan.ram.scratch,
                plan.vram.total(),
                plan.flash_weights_bytes,
                plan.ram_budget_bytes,
                plan.peak_ram_bytes.value_or(0),
                static_cast<quint64>(plan.n_ctx),
                static_cast<quint64>(plan.layers.size()),
                static_cast<quint64>(plan.fits == "no")};
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<NetworkControl> control_;
    std::unique_ptr<NetworkDoor> door_;
    std::function<ServerAnswer(const ServerRequest&)> answer_;
    std::unique_ptr<TestServer> server_;
    QByteArray model_;
    qint64 first_ = 0;
    qint64 most_ = 0;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ServedHeaderTest)
#include "served_header_test.moc"
