#include "library/served_header.h"

#include <QtEndian>
#include <QtTest>
#include <memory>

#include "app/desktop/library/header_bench.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using hearth::test::TinyModel;
using test::HeaderBench;
using test::ServerAnswer;
using test::ServerRequest;

class ServedHeaderTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        bench_ = std::make_unique<HeaderBench>();
        bench_->fetcher.setLimits(qint64{1} << 20, HeaderFetch::kHeaderBytesMost);
    }
    void cleanup() { bench_.reset(); }

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
        bench_->load(TinyModel({.arch = arch.toStdString(),
                                .type = DType::Q8_0,
                                .by_neuron = sparse,
                                .pwri = sparse,
                                .predictor_width = sparse ? 32 : 0})
                         .file()
                         .bytes());
        const QString whole = bench_->whole();
        QVERIFY(!whole.isEmpty());
        const ServedHeader served = bench_->fetch();
        QCOMPARE(served.wrong, QString());
        QCOMPARE(served.bytes, bench_->model.size());
        QCOMPARE(QFileInfo(served.path).size(), bench_->model.size());
        QCOMPARE(served.fetched, served.header);
        QVERIFY(served.fetched < bench_->model.size());
        for (const int megabytes : {17, 1024}) {
            const auto real = HeaderBench::planOf(whole, std::uint64_t(megabytes) << 20);
            QVERIFY2(real.has_value(), real ? "" : real.error().message.c_str());
            QCOMPARE(
                HeaderBench::said(HeaderBench::planOf(served.path, std::uint64_t(megabytes) << 20)),
                HeaderBench::said(real));
        }
    }

    // No more is fetched than its header takes, whatever the model weighs.
    void onlyTheHeaderComes() {
        bench_->load(TinyModel({.arch = "llama", .n_embd = 256, .n_ff = 1024}).file().bytes());
        bench_->fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost);
        const ServedHeader served = bench_->fetch();
        QCOMPARE(served.wrong, QString());
        QVERIFY(bench_->server.requests().size() > 1);
        for (const ServerRequest& request : bench_->server.requests()) {
            QVERIFY(request.range());
        }
        QVERIFY(bench_->server.bodyBytesInAll() < served.fetched * 5);
        QVERIFY(bench_->server.bodyBytesInAll() < bench_->model.size() / 4);
        QFile file(served.path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.read(served.fetched), bench_->model.left(served.fetched));
        QCOMPARE(file.read(64), QByteArray(64, '\0'));
    }

    void theHubSaysTheHash() {
        bench_->load(TinyModel({.arch = "llama"}).file().bytes());
        bench_->answer = [this](const ServerRequest& request) {
            ServerAnswer answer = bench_->ranged(request);
            answer.headers.append(
                qMakePair(QByteArray("X-Linked-Etag"), '"' + QByteArray(64, 'a') + '"'));
            return answer;
        };
        QCOMPARE(bench_->fetch().sha256, QByteArray(32, '\xaa'));
    }

    void aServerWithoutRanges() {
        bench_->load(TinyModel({.arch = "llama"}).file().bytes());
        bench_->answer = [this](const ServerRequest&) {
            return ServerAnswer{.body = bench_->model};
        };
        QCOMPARE(bench_->fetch().wrong, QString());  // it is small
        bench_->fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost);
        QVERIFY(bench_->fetch().wrong.contains(QLatin1String("sends the whole file")));
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
        bench_->model = body;
        const QString said = bench_->fetch().wrong;
        QVERIFY2(said.contains(wrong), qPrintable(said));
        QVERIFY(QDir(bench_->headers()).isEmpty());
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
        bench_->fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost);
        bench_->answer = [field](const ServerRequest&) {
            ServerAnswer answer{.status = 206, .body = QByteArray(4096, 'G')};
            if (!field.isEmpty()) {
                answer.headers = {{"Content-Range", field}};
            }
            return answer;
        };
        QVERIFY(bench_->fetch().wrong.contains(QLatin1String("which part of the file")));
    }

    void aFileThatChanges() {
        bench_->load(TinyModel({.arch = "llama"}).file().bytes());
        bench_->fetcher.setLimits(1024, HeaderFetch::kHeaderBytesMost);
        bench_->answer = [this](const ServerRequest& request) {
            if (bench_->server.requests().size() > 1) {
                bench_->model += "more";
            }
            return bench_->ranged(request);
        };
        QVERIFY(bench_->fetch().wrong.contains(QLatin1String("changed on the server")));
    }

    // The size is the same: the tag tells, or else the date.
    void aFileThatIsReplaced_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QList<QByteArray>>("values");  // of one answer after another
        QTest::addColumn<bool>("changed");
        QTest::newRow("a tag") << QByteArray("ETag") << QList<QByteArray>{"\"1\"", "\"2\""} << true;
        QTest::newRow("a date") << QByteArray("Last-Modified") << QList<QByteArray>{"Mon", "Tue"}
                                << true;
        QTest::newRow("the third")
            << QByteArray("ETag") << QList<QByteArray>{"\"1\"", "\"1\"", "\"2\""} << true;
        QTest::newRow("the same") << QByteArray("ETag") << QList<QByteArray>{"\"1\"", "\"1\""}
                                  << false;
        QTest::newRow("said once") << QByteArray("ETag") << QList<QByteArray>{"\"1\"", ""} << false;
    }
    void aFileThatIsReplaced() {
        QFETCH(const QByteArray, field);
        QFETCH(const QList<QByteArray>, values);
        QFETCH(const bool, changed);
        bench_->load(TinyModel({.arch = "llama", .n_embd = 256, .n_ff = 1024}).file().bytes());
        bench_->fetcher.setLimits(512, HeaderFetch::kHeaderBytesMost);
        bench_->answer = [&](const ServerRequest& request) {
            ServerAnswer answer = bench_->ranged(request);
            const QByteArray value =
                values.value(bench_->server.requests().size() - 1, values.last());
            if (!value.isEmpty()) {
                answer.headers.append({field, value});
            }
            return answer;
        };
        const QString wrong = bench_->fetch().wrong;
        QVERIFY(bench_->server.requests().size() >= values.size());
        QCOMPARE(wrong.contains(QLatin1String("changed on the server")), changed);
        QCOMPARE(wrong.isEmpty(), !changed);
        // The next file is another one, whatever was said of this one.
        bench_->load(TinyModel({.arch = "bamboo"}).file().bytes());
        bench_->answer = [&](const ServerRequest& request) {
            ServerAnswer answer = bench_->ranged(request);
            answer.headers.append({field, "\"other\""});
            return answer;
        };
        const ServedHeader next = bench_->fetch();
        QCOMPARE(next.wrong, QString());
        QCOMPARE(next.bytes, bench_->model.size());
    }

    // A length that no disk has must not be written.
    void anImpossibleLength() {
        bench_->load(TinyModel({.arch = "llama"}).file().bytes());
        bench_->fetcher.setLimits(4096, HeaderFetch::kHeaderBytesMost);
        bench_->answer = [this](const ServerRequest&) {
            return ServerAnswer{.status = 206,
                                .headers = {{"Content-Range", "bytes 0-4095/9000000000000000"}},
                                .body = bench_->model.left(4096)};
        };
        QVERIFY(bench_->fetch().wrong.contains(QLatin1String("impossible size")));
    }

    void aHugeHeader() {
        // One key, an array of texts that goes on and on.
        bench_->model = head(3, 0, 1) + number(1) + "k" + QByteArray("\x09\0\0\0\x04\0\0\0", 8) +
                        number(quint64{1} << 30) + QByteArray(1 << 20, 'x');
        bench_->fetcher.setLimits(10'000, 300'000);
        QVERIFY(bench_->fetch().wrong.contains(QLatin1String("which no model needs")));
        QVERIFY(bench_->server.bodyBytesInAll() <= 300'000);
    }

    void refusals() {
        bench_->answer = [](const ServerRequest&) { return ServerAnswer{.status = 404}; };
        QVERIFY(!bench_->fetch().wrong.isEmpty());
        bench_->control.setRules({.forbidAll = true});
        QVERIFY(!bench_->fetch().wrong.isEmpty());
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

    std::unique_ptr<HeaderBench> bench_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ServedHeaderTest)
#include "served_header_test.moc"
