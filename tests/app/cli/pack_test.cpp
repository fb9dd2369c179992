// hearth-cli pack, killed and interrupted: the old state stays, and the next attempt goes on.
#include <QtTest>

#include "cli_process.h"
#include "support/tiny_model.h"

#ifndef Q_OS_WIN
#include <csignal>
#endif

using hearth::test::cli_path;
using hearth::test::CliResult;
using hearth::test::run_cli;
using hearth::test::starter_model;
using hearth::test::TinyModel;

namespace {

QByteArray bytes_of(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QJsonObject sparse(const CliResult& inspect) {
    return inspect.json()["sparse"].toObject();
}

}  // namespace

class PackTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString tiny_, out_, partial_;
    QByteArray undisturbed_;

    QStringList arguments(const QString& model, const QString& output) const {
        // A checkpoint after every tensor, so that little goes missing.
        return {"pack", "-m", model, "-o", output, "--checkpoint", "1", "--json"};
    }

    // Starts to pack the shipped model and sends the signal once `bytes` of the output are there.
    // False if the program was done before.
    bool disturb(qint64 bytes, int signal, int* status = nullptr) {
        QProcess process;
        process.start(cli_path(), arguments(starter_model(), out_));
        if (!process.waitForStarted()) {
            return false;
        }
        while (QFileInfo(partial_).size() < bytes && process.state() == QProcess::Running) {
            process.waitForFinished(1);
        }
        const bool running = process.state() == QProcess::Running &&
                             ::kill(static_cast<pid_t>(process.processId()), signal) == 0;
        process.waitForFinished(60'000);
        if (status != nullptr) {
            *status = process.exitCode();
        }
        return running && (signal != SIGKILL || process.exitStatus() == QProcess::CrashExit);
    }

private slots:
    void initTestCase() {
        // Profiles that models counted in earlier tests are kept away: packing would use them.
        qputenv("XDG_CACHE_HOME", dir_.filePath("cache").toUtf8());
        tiny_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel().write(tiny_.toStdString()));
        out_ = dir_.filePath("out.gguf");
        partial_ = out_ + ".partial";
        if (!starter_model().isEmpty()) {
            const QString other = dir_.filePath("undisturbed.gguf");
            const CliResult result = run_cli(arguments(starter_model(), other));
            QVERIFY2(result.status == 0, result.text());
            undisturbed_ = bytes_of(other);
            QFile::remove(other);
            QVERIFY(!undisturbed_.isEmpty());
        }
    }
    void cleanup() {
        for (const char* end : {"", ".partial", ".partial.journal"}) {
            QFile::remove(out_ + end);
        }
    }

    void reports() {
        const CliResult result = run_cli(arguments(tiny_, out_));
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(hearth::test::has_keys(
                     object, "pack",
                     {"path", "model_hash", "input_bytes", "output_bytes", "resumed_bytes",
                      "verified_bytes", "by_hotness", "profile_tokens", "predictor_layers",
                      "down_types", "gate_matrix_bytes"},
                     why),
                 qPrintable(why));
        QCOMPARE(object["output_bytes"].toInteger(), QFileInfo(out_).size());
        QCOMPARE(object["by_hotness"].toBool(), false);
        QVERIFY(object["profile_tokens"].isNull());
        QCOMPARE(object["down_types"].toArray().size(), 2);
        const CliResult inspect = run_cli({"inspect", out_, "--json"});
        QVERIFY2(inspect.status == 0, inspect.text());
        QCOMPARE(sparse(inspect)["packed"].toBool(), true);
        QCOMPARE(sparse(inspect)["profile"].toBool(), false);
        // As many parameters as in the file it was made from, of the same types.
        const QJsonObject source = run_cli({"inspect", tiny_, "--json"}).json();
        QCOMPARE(inspect.json()["params"], source["params"]);
        const QJsonObject types = inspect.json()["types"].toObject();
        QVERIFY2(!types.contains("I8"), inspect.text());
        const QJsonObject all = types["F32"].toObject();
        const QJsonObject of_source = source["types"].toObject()["F32"].toObject();
        const qint64 gates = object["gate_matrix_bytes"].toInteger();  // are there twice
        QCOMPARE(gates, 2 * 96 * 64 * 4);
        QCOMPARE(all["bytes"].toInteger(), of_source["bytes"].toInteger() + gates);
        QCOMPARE(all["tensors"].toInt(), of_source["tensors"].toInt() + 2);
        for (const QString& path : {tiny_, out_}) {
            const CliResult bench =
                run_cli({"bench", "-m", path, "-p", "0", "-n", "1", "-r", "1", "--json"});
            QVERIFY2(bench.status == 0, bench.text());
            QCOMPARE(bench.json()["model"].toObject()["type"].toString(), QString("F32"));
        }
    }

    void without_gate_matrices() {
        QStringList with = arguments(tiny_, out_);
        with.removeAll("--json");
        const CliResult packed = run_cli(with);
        QVERIFY2(packed.status == 0, packed.text());
        QVERIFY2(packed.out.contains("gates also as matrices: 48.0 KiB\n"), packed.text());
        const CliResult result = run_cli(arguments(tiny_, out_) << "--no-gate-matrices");
        QVERIFY2(result.status == 0, result.text());
        QCOMPARE(result.json()["gate_matrix_bytes"].toInteger(), 0);
        const CliResult inspect = run_cli({"inspect", out_, "--json"});
        const QJsonObject source = run_cli({"inspect", tiny_, "--json"}).json();
        QCOMPARE(inspect.json()["types"].toObject()["F32"], source["types"].toObject()["F32"]);
    }

    void with_a_profile() {
        const QString profile = dir_.filePath("profile.gguf");
        const CliResult made =
            run_cli({"profile", "-m", tiny_, "-f", "-", "-o", profile, "--ctx", "32"},
                    "Any text will do, as long as it is one.");
        QVERIFY2(made.status == 0, made.text());
        const CliResult result = run_cli({"pack", "-m", tiny_, "-o", out_, "--profile", profile});
        QVERIFY2(result.status == 0, result.text());
        QVERIFY2(result.out.contains("neurons by hotness, as 39 tokens showed it"), result.text());
        const CliResult inspect = run_cli({"inspect", out_, "--json"});
        QCOMPARE(sparse(inspect)["profile"].toBool(), true);
        const CliResult plain = run_cli({"inspect", out_});
        QVERIFY2(
            plain.out.contains("packed: one record a neuron (format 2: rows ready to compute), "
                               "gates also as matrices\n") &&
                plain.out.contains("activation profile of 39 tokens"),
            plain.text());
    }

    void the_older_format() {
        const CliResult result = run_cli({"pack", "-m", tiny_, "-o", out_, "--format", "1"});
        QVERIFY2(result.status == 0, result.text());
        const CliResult plain = run_cli({"inspect", out_});
        QVERIFY2(plain.out.contains("packed: one record a neuron (format 1: "), plain.text());
        QCOMPARE(run_cli({"pack", "-m", tiny_, "-o", out_, "--format", "3"}).status, 2);
    }

    void says_what_is_wrong() {
        const CliResult result =
            run_cli({"pack", "-m", tiny_, "-o", out_, "--profile", tiny_, "--json"});
        QCOMPARE(result.status, 1);
        QCOMPARE(result.error()["code"].toString(), QString("bad_file"));
        QCOMPARE(result.error()["path"].toString(), tiny_);
        QVERIFY(!QFile::exists(out_) && !QFile::exists(partial_));
    }

#ifndef Q_OS_WIN
    // Killed at many moments of one packing, each attempt going on from the last.
    void killed_again_and_again_data() {
        QTest::addColumn<QByteArray>("old");
        QTest::newRow("nothing there") << QByteArray();
        QTest::newRow("something there") << QByteArray("the old state");
    }
    void killed_again_and_again() {
        QFETCH(QByteArray, old);
        if (starter_model().isEmpty()) {
            QSKIP("no starter model is there");
        }
        if (!old.isEmpty()) {
            QFile file(out_);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(old);
        }
        int kills = 0;
        const qint64 size = undisturbed_.size();
        for (const qint64 bytes :
             {qint64{0}, qint64{1}, size / 20, size / 5, size / 2, size * 9 / 10, size}) {
            kills += disturb(bytes, SIGKILL) ? 1 : 0;
            if (kills > 0 && QFile::exists(partial_)) {
                QCOMPARE(bytes_of(out_), old);
                QCOMPARE(QFile::exists(out_), !old.isEmpty());
            }
        }
        QVERIFY2(kills >= 4, qPrintable(QString("%1 kills hit").arg(kills)));
        const CliResult result = run_cli(arguments(starter_model(), out_));
        QVERIFY2(result.status == 0, result.text());
        QVERIFY2(result.json()["resumed_bytes"].toInteger() > size / 4, result.text());
        QVERIFY(bytes_of(out_) == undisturbed_);
        QVERIFY(QDir(dir_.path()).entryList({"out.gguf.*"}).isEmpty());
    }

    void interrupted() {
        if (starter_model().isEmpty()) {
            QSKIP("no starter model is there");
        }
        int status = 0;
        QVERIFY(disturb(undisturbed_.size() / 3, SIGINT, &status));
        QCOMPARE(status, 130);
        QVERIFY(!QFile::exists(out_));
        const CliResult result = run_cli(arguments(starter_model(), out_));
        QVERIFY2(result.status == 0, result.text());
        QVERIFY2(result.json()["resumed_bytes"].toInteger() > undisturbed_.size() / 8,
                 result.text());
        QVERIFY(bytes_of(out_) == undisturbed_);
    }
#endif
};

QTEST_GUILESS_MAIN(PackTest)
#include "pack_test.moc"
