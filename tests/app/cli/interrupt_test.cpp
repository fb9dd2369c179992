// SIGINT where nothing can be cancelled: the contract's error object all the same, and no files
// left behind.
#include <QtTest>

#include "cli_process.h"
#include "support/tiny_model.h"

#ifndef Q_OS_WIN
#include <csignal>
#endif

using hearth::test::cli_path;
using hearth::test::TinyModel;

class InterruptTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;

private slots:
    void initTestCase() { QVERIFY(TinyModel().write(dir_.filePath("tiny.gguf").toStdString())); }

#ifndef Q_OS_WIN
    void whileItReads_data() {
        QTest::addColumn<QStringList>("arguments");
        const QString model = dir_.filePath("tiny.gguf");
        const QString output = dir_.filePath("output");
        QTest::newRow("run") << QStringList{"run", "-m", model};
        QTest::newRow("tokenize") << QStringList{"tokenize", "-m", model};
        QTest::newRow("detokenize") << QStringList{"detokenize", "-m", model};
        QTest::newRow("template") << QStringList{"template", "-m", model, "--messages", "-"};
        QTest::newRow("perplexity") << QStringList{"perplexity", "-m", model, "-f", "-"};
        QTest::newRow("logits") << QStringList{"logits", "-m", model, "--tokens",
                                               "-",      "-o", output};
        // Messages that never come: the file is a pipe nobody writes to.
        const QString pipe = dir_.filePath("pipe");
        if (QProcess::execute("mkfifo", {pipe}) == 0) {
            QTest::newRow("messages") << QStringList{"template", "-m", model, "--messages", pipe};
        }
    }
    void whileItReads() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer holds signals back while a program waits in a read");
#endif
        QFETCH(QStringList, arguments);
        QProcess process;
        process.start(cli_path(), arguments + QStringList{"--json"});
        QVERIFY(process.waitForStarted());
        // Standard input stays open and empty: it waits there. Before main() has set its handler a
        // signal would end it as any program.
        QTest::qWait(700);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        hearth::test::CliResult result;
        result.out = process.readAllStandardOutput();
        const QJsonObject object = result.json();
        QCOMPARE(object["schema"].toInt(), 1);
        QCOMPARE(object["command"].toString(), arguments[0]);
        QCOMPARE(result.error().keys(), (QStringList{"code", "field", "message", "path"}));
        QCOMPARE(result.error()["code"].toString(), "cancelled");
        QVERIFY(QDir(dir_.path()).entryList({"output*"}).isEmpty());
    }

    // People see nothing on standard output.
    void withoutJson() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer holds signals back while a program waits in a read");
#endif
        QProcess process;
        process.start(cli_path(), {"tokenize", "-m", dir_.filePath("tiny.gguf")});
        QVERIFY(process.waitForStarted());
        QTest::qWait(700);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(process.readAllStandardOutput(), QByteArray());
    }
#endif
};

QTEST_GUILESS_MAIN(InterruptTest)
#include "interrupt_test.moc"
