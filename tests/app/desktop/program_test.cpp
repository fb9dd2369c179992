// `hearth` from outside: its help, where there is no display, how a signal ends it.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "app_paths.h"
#include "conversation_store.h"

using namespace hearth::ui;

class ProgramTest : public QObject {
    Q_OBJECT

private slots:
    void namesItsFolders();
    void saysThatThereIsNoDisplay();
    void triesAGpu();
    void endsOnASignal_data();
    void endsOnASignal();
};

void ProgramTest::namesItsFolders() {
    const QTemporaryDir folder;
    QProcess program;
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("--data-dir"), folder.path(), QStringLiteral("--help")});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 0);
    const QString text = QString::fromLocal8Bit(program.readAllStandardOutput());
    QVERIFY2(text.contains(QLatin1String("--data-dir")), qPrintable(text));
    const AppPaths paths = AppPaths::find({}, folder.path());
    for (const QString& path : {paths.dataFolder, paths.settingsFile, paths.logFile}) {
        QVERIFY2(text.contains(QDir::toNativeSeparators(path) + QLatin1Char('\n')),
                 qPrintable(text));
    }
    QVERIFY(text.endsWith(QDir::toNativeSeparators(paths.logFile) + QLatin1Char('\n')));
}

void ProgramTest::saysThatThereIsNoDisplay() {
#if !defined(Q_OS_UNIX) || defined(Q_OS_DARWIN)
    QSKIP("there is always a display");
#endif
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    const QTemporaryDir folder;
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM), {QStringLiteral("--data-dir"), folder.path()});
    QVERIFY(program.waitForFinished());
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 1);
    QCOMPARE(program.readAllStandardError(),
             QByteArray("There is no display here; chat in the terminal with hearth-cli run "
                        "--chat\n"));
}

// Whether there is one or not; hearth-cli's tests read what it says.
void ProgramTest::triesAGpu() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_PROGRAM),
                  {QStringLiteral("probe-gpu"), QStringLiteral("9999")});
    QVERIFY(program.waitForFinished());
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    const QByteArray text = program.readAllStandardOutput();
    QVERIFY2(
        text.contains("hearth gpus 2\n") && text.contains(" failed ") && text.endsWith("\nend\n"),
        text.constData());
}

void ProgramTest::endsOnASignal_data() {
    QTest::addColumn<int>("number");
    QTest::addRow("SIGINT") << SIGINT;
    QTest::addRow("SIGTERM") << SIGTERM;
}

// In the middle of an answer: all of it that was shown is on disk, as an answer that was stopped.
void ProgramTest::endsOnASignal() {
#ifndef Q_OS_UNIX
    QSKIP("no such signals");
#else
    QFETCH(int, number);
    if (starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path()).isEmpty()) {
        if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP") == 1) {
            QFAIL("no starter model");
        }
        QSKIP("no starter model");
    }
    const QTemporaryDir folder;
    QStringList arguments({QStringLiteral("--data-dir"), folder.path()});
    for (int i = 0; i < 200; ++i) {
        arguments << QStringLiteral("--say") << QStringLiteral("Tell me a story.");
    }
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(QStringLiteral(HEARTH_PROGRAM), arguments);
    QVERIFY(program.waitForStarted());
    QByteArray bytes;
    QVERIFY(QTest::qWaitFor(
        [&] {
            bytes += program.readAllStandardOutput();
            return bytes.size() > 40;
        },
        30'000));
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), number), 0);
    QVERIFY(program.waitForFinished());
    bytes += program.readAllStandardOutput();
    QVERIFY(program.exitStatus() == QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);

    ConversationStore store;
    const ConversationStore::OpenReport report = store.open(folder.path());
    QVERIFY(report.mode == ConversationStore::Mode::ReadWrite);
    QCOMPARE(report.interrupted, 0);
    QCOMPARE(store.conversations().size(), 1);
    QByteArray stored;
    for (const Message& message : store.activePath(store.conversations().first().id)) {
        if (message.role == Role::Assistant) {
            QVERIFY(message.state == MessageState::Complete ||
                    message.state == MessageState::Stopped);
            stored += message.content.toUtf8() + '\n';
        }
    }
    QVERIFY2(stored.startsWith(bytes) || bytes.startsWith(stored), "not all that was shown");
    QVERIFY(stored.size() >= bytes.size() - 1);
    QFile log(folder.filePath(QStringLiteral("hearth.log")));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QVERIFY(log.readAll().contains("Hearth ends"));
#endif
}

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
