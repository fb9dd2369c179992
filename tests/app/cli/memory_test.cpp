// A model of some hundred megabytes takes its file's size, its KV cache and little more, at the
// worst moment of loading and answering too: a second copy of the weights would show.
#include <QtTest>

#include "cli_process.h"
#include "large_model.h"

using hearth::DType;
using hearth::test::CliResult;
using hearth::test::large_model;
using hearth::test::run_cli;

namespace {

constexpr qint64 kAllowance = 150'000'000;

}  // namespace

class MemoryTest : public QObject {
    Q_OBJECT

private slots:
    void peak_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<std::uint32_t>("n_layer");
        QTest::newRow("Q4_0") << static_cast<int>(DType::Q4_0) << std::uint32_t{8};
        QTest::newRow("Q8_0") << static_cast<int>(DType::Q8_0) << std::uint32_t{4};
    }
    void peak() {
        QFETCH(int, type);
        QFETCH(std::uint32_t, n_layer);
        const QTemporaryDir dir;
        const QString model = dir.filePath("model.gguf");
        QVERIFY(large_model(static_cast<DType>(type), n_layer).write(model.toStdString()));
        const qint64 file_bytes = QFileInfo(model).size();
        QVERIFY(file_bytes > 2 * kAllowance);  // else a second copy would pass

        const CliResult result =
            run_cli({"bench", "-m", model, "-p", "512", "-n", "4", "-r", "1", "-t", "2", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject memory = result.json()["memory"].toObject();
        if (memory["rss_peak_bytes"].isNull()) {
            QSKIP("this system does not say how much memory a process held");
        }
        const qint64 peak = memory["rss_peak_bytes"].toInteger();
        const qint64 kv_bytes = memory["kv_bytes"].toInteger();
        // The weights are really there, so the figure means something.
        QVERIFY2(peak > file_bytes, qPrintable(QString::number(peak)));
        QVERIFY2(peak <= file_bytes + kv_bytes + kAllowance,
                 qPrintable(QString("held %1 bytes, file %2, KV cache %3")
                                .arg(peak)
                                .arg(file_bytes)
                                .arg(kv_bytes)));
    }
};

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
