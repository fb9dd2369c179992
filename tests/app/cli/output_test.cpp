// Readers that leave, full disks, folders that are not there.
#include <QtTest>

#include "cli_process.h"
#include "support/tiny_model.h"

using hearth::test::cli_path;
using hearth::test::CliResult;
using hearth::test::run_cli;
using hearth::test::TinyModel;

class OutputTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

private slots:
    void initTestCase() {
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel().write(model_.toStdString()));
    }

    void unwritableFile_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("code");
        QTest::newRow("no such folder") << dir_.filePath("no/such/file") << "not_found";
        QTest::newRow("a folder") << dir_.path() << "not_a_file";
    }
    void unwritableFile() {
        QFETCH(QString, path);
        QFETCH(QString, code);
        const QList<QStringList> commands{
            {"logits", "-m", model_, "--tokens", "1", "-o", path, "--json"},
            {"quantize", "-m", model_, "--type", "F16", "-o", path, "--json"}};
        for (const QStringList& arguments : commands) {
            const CliResult result = run_cli(arguments);
            QVERIFY2(result.status == 1, result.text());
            QVERIFY2(result.error()["message"].toString().contains(path), result.text());
            if (arguments[0] == "logits") {
                QCOMPARE(result.error()["code"].toString(), code);
            }
        }
    }

    // An output that failed leaves the file that was there before.
    void keepsTheOldFile() {
        const QString path = dir_.filePath("kept");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("old") == 3);
        file.close();
        const CliResult result =
            run_cli({"logits", "-m", model_, "--tokens", "99999", "-o", path, "--json"});
        QVERIFY2(result.status == 1, result.text());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("old"));
    }

    // An unfinished file has a name of its own, whatever else the folder holds.
    void keepsItsNeighbours() {
        const QString path = dir_.filePath("neighbour.f32");
        QFile file(path + ".partial");
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("old") == 3);
        file.close();
        const CliResult result =
            run_cli({"logits", "-m", model_, "--tokens", "1", "-o", path, "--json"});
        QVERIFY2(result.status == 0, result.text());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("old"));
        QCOMPARE(QDir(dir_.path()).entryList({"neighbour*"}),
                 (QStringList{"neighbour.f32", "neighbour.f32.partial"}));
    }

#ifdef Q_OS_LINUX
    void fullDisk() {
        if (!QFile::exists("/dev/full")) {
            QSKIP("no /dev/full here");
        }
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        process.start(cli_path(), {"inspect", model_, "--json"});
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("standard output"));

        // A device is written as it is, never replaced by a file.
        const CliResult result =
            run_cli({"logits", "-m", model_, "--tokens", "1", "-o", "/dev/full", "--json"});
        QVERIFY2(result.status == 1, result.text());
        QCOMPARE(result.error()["code"].toString(), "disk_full");
        QVERIFY(
            !QFileInfo("/dev/full").isFile() &&
            QDir("/dev").entryList({"full.partial*"}, QDir::AllEntries | QDir::System).isEmpty());
    }

    // A limit on the size of files is an error like a full disk, not the end by a signal.
    void sizeLimit_data() {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("logits") << "logits --tokens 1,2,3,4,5,6,7,8 --all";
        QTest::newRow("quantize") << "quantize --type F32";
    }
    void sizeLimit() {
        QFETCH(QString, arguments);
        const QString path = dir_.filePath("limited");
        QProcess process;
        process.start("/bin/bash",
                      {"-c", "ulimit -f 2; \"$0\" " + arguments + " -m \"$1\" -o \"$2\" --json",
                       cli_path(), model_, path});
        QVERIFY(process.waitForFinished(30'000));
        CliResult result;
        result.out = process.readAllStandardOutput();
        result.err = process.readAllStandardError();
        QCOMPARE(process.exitCode(), 1);
        QCOMPARE(result.error()["code"].toString(), "disk_full");
        QVERIFY2(result.error()["path"].toString().startsWith(path), result.text());
        QVERIFY(QDir(dir_.path()).entryList({"limited*"}).isEmpty());
    }

    // "| head": status 1, no message, no signal.
    void readerLeaves() {
        QProcess process;
        process.start("/bin/bash",
                      {"-c",
                       "\"$0\" template -m \"$1\" --messages - | head -c 1 >/dev/null; "
                       "echo ${PIPESTATUS[0]}",
                       cli_path(), model_});
        QVERIFY(process.waitForStarted());
        // Far more than a pipe holds.
        process.write("[{\"role\":\"user\",\"content\":\"" + QByteArray(4'000'000, 'x') + "\"}]");
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.readAllStandardOutput(), QByteArray("1\n"));
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }

    // Output that cannot be written is an error, as on a full disk, whatever the command.
    void closedOutput_data() {
        QTest::addColumn<QString>("arguments");
        for (const char* arguments :
             {"run -p x -n 2", "run -p x -n 2 --json", "bench -p 1 -n 1 -r 1", "inspect",
              "tokenize", "plan", "devices", "perplexity -f - --ctx 32", "--help", "--version"}) {
            QTest::newRow(arguments) << arguments;
        }
    }
    void closedOutput() {
        QFETCH(QString, arguments);
        const bool has_model = !arguments.startsWith("--") && arguments != "devices";
        QProcess process;
        process.start(
            "/bin/bash",
            {"-c", "echo words | \"$0\" " + arguments + (has_model ? " -m \"$1\" >&-" : " >&-"),
             cli_path(), model_});
        QVERIFY(process.waitForFinished(60'000));
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 1, errors);
        QVERIFY2(errors.contains("cannot write to standard output"), errors);
    }

    // With standard output closed no file of ours may take its number.
    void closedOutputIsNoFile() {
        const QString path = dir_.filePath("closed.f32");
        QProcess process;
        process.start("/bin/bash", {"-c", "\"$0\" logits -m \"$1\" --tokens 1 -o \"$2\" >&-",
                                    cli_path(), model_, path});
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 1);  // its summary could not be written
        QCOMPARE(QFileInfo(path).size(), TinyModel::kVocab * 4);
    }

    // An answer whose reader leaves is stopped: status 1, nothing on the error stream but what a
    // whole answer leaves there too.
    void answerWithoutReader() {
        QProcess process;
        process.start("/bin/bash", {"-c",
                                    "\"$0\" run -m \"$1\" --raw -p x -n 100 --temp 0 | true; "
                                    "echo ${PIPESTATUS[0]}",
                                    cli_path(), model_});
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.readAllStandardOutput(), QByteArray("1\n"));
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(!errors.contains("cannot write"), errors);
    }
#endif
};

QTEST_GUILESS_MAIN(OutputTest)
#include "output_test.moc"
