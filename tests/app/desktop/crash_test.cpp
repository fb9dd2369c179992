// A crash leaves a report that says where, and no word of a chat; the process ends as it would
// have; the next start offers the report, once.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#ifdef Q_OS_UNIX
#include <csignal>
#endif

#include "settings/crash_reports.h"
#include "system/app_paths.h"

using namespace hearth::ui;

namespace {

const QString kMarker = QStringLiteral("Zanzibar-4711");
constexpr int kPatienceMs = 60'000;

QByteArray read(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// True where the program's main thread used no processor time for a tenth of a second and waits.
bool sleeps(qint64 id) {
#ifdef Q_OS_LINUX
    const auto state = [&] {
        const QByteArray stat = read(QStringLiteral("/proc/%1/task/%1/stat").arg(id));
        // After the name: state, ten numbers, and the ticks in the program and in the system.
        const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        return QList{fields.value(0), fields.value(11), fields.value(12)};
    };
    const QList<QByteArray> before = state();
    QTest::qWait(100);
    return before.first() == "S" && state() == before;
#else
    Q_UNUSED(id)
    return true;
#endif
}

// A system that writes a core into the working folder writes it into none of ours. A sanitizer in
// the program leaves signals to the program.
void startAside(QProcess& process) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const auto options = QStringLiteral("ASAN_OPTIONS");
    environment.insert(options,
                       environment.value(options) +
                           QStringLiteral(":handle_segv=0:handle_sigbus=0:handle_sigfpe=0"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(QDir::tempPath());
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
}

}  // namespace

class CrashTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void writesFromWithin_data();
    void writesFromWithin();
    void theProgramTellsNoChat_data();
    void theProgramTellsNoChat();
    void offersTheLatestOnce();
    void keepsAFew();
    void deletes();
};

void CrashTest::initTestCase() {
#ifndef Q_OS_UNIX
    QSKIP("signals: Unix only");
#endif
}

void CrashTest::writesFromWithin_data() {
    QTest::addColumn<QByteArray>("signal");
    QTest::newRow("null") << QByteArray("SIGSEGV at address 0x0\n");
    QTest::newRow("terminate") << QByteArray("SIGABRT\n");
    QTest::newRow("overflow") << QByteArray("SIGSEGV at address 0x");
    QTest::newRow("thread") << QByteArray("SIGSEGV at address 0x0\n");
}

void CrashTest::writesFromWithin() {
    QFETCH(const QByteArray, signal);
#if defined(__SANITIZE_ADDRESS__)
    if (signal == "SIGSEGV at address 0x0\n") {
        QSKIP("a sanitizer ends the program before it stores to nowhere");
    }
#endif
    const QTemporaryDir folder;
    const QString report = folder.filePath(QStringLiteral("report.txt"));
    QProcess child;
    startAside(child);
    child.start(QStringLiteral(HEARTH_CRASH_CHILD),
                {report, QString::fromLatin1(QTest::currentDataTag())});
    QVERIFY(child.waitForFinished(kPatienceMs));
    QVERIFY(child.exitStatus() == QProcess::CrashExit);
    QCOMPARE(child.exitCode(), signal.startsWith("SIGABRT") ? SIGABRT : SIGSEGV);
    const QByteArray text = read(report);
    QVERIFY2(text.startsWith("head of the report\nmodel: llama, 12 layers\nsignal: " + signal),
             text.constData());
    // The place of the crash, as far as modules go: names and offsets, no path.
    QVERIFY2(text.contains("\n  hearth+0x"), text.constData());
    QVERIFY(!text.contains('/'));
}

void CrashTest::theProgramTellsNoChat_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGSEGV") << SIGSEGV;
    QTest::newRow("SIGABRT") << SIGABRT;
    QTest::newRow("SIGBUS") << SIGBUS;
    QTest::newRow("SIGFPE") << SIGFPE;
    QTest::newRow("SIGILL") << SIGILL;
}

// `hearth` itself, with a chat on the screen.
void CrashTest::theProgramTellsNoChat() {
    QFETCH(const int, signal);
    const QString model = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    if (model.isEmpty()) {
        if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP") == 1) {
            QFAIL("no starter model");
        }
        QSKIP("no starter model");
    }
    const QTemporaryDir folder;
    const QDir crashes(folder.filePath(QStringLiteral("crashes")));
    const auto start = [&](QProcess& program, const QStringList& more) {
        startAside(program);
        program.start(QStringLiteral(HEARTH_PROGRAM),
                      QStringList({QStringLiteral("--data-dir"), folder.path()}) + more);
    };
    const auto logHas = [&](const char* line) {
        return read(folder.filePath(QStringLiteral("hearth.log"))).contains(line);
    };
    QProcess program;
    start(program, {model, QStringLiteral("--say"), kMarker});
    QTRY_VERIFY_WITH_TIMEOUT(logHas("answered: message"), kPatienceMs);
    // Its main thread waits in Qt's loop then. Compiled QML, which it may run before, ends a
    // backtrace.
    QVERIFY(QTest::qWaitFor([&] { return sleeps(program.processId()); }, kPatienceMs));
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), signal), 0);
    QVERIFY(program.waitForFinished(kPatienceMs));
    QVERIFY(program.exitStatus() == QProcess::CrashExit);
    QCOMPARE(program.exitCode(), signal);

    const QStringList left = crashes.entryList({QStringLiteral("new-*.txt")}, QDir::Files);
    QCOMPARE(left.size(), 1);
    const QByteArray text = read(crashes.filePath(left.first()));
    QVERIFY2(text.startsWith("Hearth "), text.constData());
    QVERIFY2(text.contains("\nsignal: " + QByteArray(QTest::currentDataTag()) +
                           ", sent by another process\n"),
             text.constData());
    for (const char* wanted : {", commit ", "\nsystem: ", "\nmodel: ", " layers, ",
                               "\ngraphics card: ", "\n  hearth+0x", "\n  libQt6Core.so.6+0x"}) {
        QVERIFY2(text.contains(wanted), wanted);
    }
    // Neither what was said nor what it was said to.
    QVERIFY(!text.contains("Zanzibar"));
    QVERIFY(!text.contains(".gguf"));
    QVERIFY(!text.contains(QFile::encodeName(folder.path())));

    // The next start has it in its window, and the one after that says nothing.
    for (const bool told : {true, false}) {
        QProcess next;
        start(next, {QStringLiteral("/nowhere/x.gguf")});
        QTRY_VERIFY_WITH_TIMEOUT(
            read(folder.filePath(QStringLiteral("hearth.log"))).count("model failed") ==
                (told ? 1 : 2),
            kPatienceMs);
        next.terminate();
        QVERIFY(next.waitForFinished(kPatienceMs));
        QCOMPARE(next.exitCode(), 0);
        QCOMPARE(read(folder.filePath(QStringLiteral("hearth.log"))).count("offers"), 1);
    }
    QVERIFY(crashes.entryList({QStringLiteral("new-*")}, QDir::Files).isEmpty());
    QCOMPARE(crashes.entryList({QStringLiteral("crash-*")}, QDir::Files).size(), 1);
}

void CrashTest::offersTheLatestOnce() {
    const QTemporaryDir folder;
    for (const char* name : {"new-20260101-000000-000-1.txt", "new-20260102-000000-000-1.txt"}) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(name);
    }
    CrashReports reports;
    QVERIFY(reports.look(folder.path()));
    QCOMPARE(reports.text(), QStringLiteral("new-20260102-000000-000-1.txt"));
    QVERIFY(reports.file().endsWith(QStringLiteral("crash-20260102-000000-000-1.txt")));
    CrashReports again;
    QVERIFY(!again.look(folder.path()));
    QVERIFY(again.file().isEmpty());
    // A folder that is not there, or none.
    QVERIFY(!again.look(folder.filePath(QStringLiteral("nowhere"))));
    QVERIFY(!again.look(QStringLiteral("/dev/null")));
}

void CrashTest::keepsAFew() {
    const QTemporaryDir folder;
    for (int i = 0; i < 30; ++i) {
        QFile file(folder.filePath(QStringLiteral("new-%1.txt").arg(i, 3, 10, QLatin1Char('0'))));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(1'000'000, 'x'));
    }
    CrashReports reports;
    QVERIFY(reports.look(folder.path()));
    QVERIFY(reports.text().size() <= 65'536);
    const QStringList left = QDir(folder.path()).entryList(QDir::Files, QDir::Name);
    QCOMPARE(left.size(), CrashReports::kMostKept);
    QCOMPARE(left.last(), QStringLiteral("crash-029.txt"));
}

void CrashTest::deletes() {
    const QTemporaryDir folder;
    QFile file(CrashReports::prepare(folder.filePath(QStringLiteral("crashes"))));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    CrashReports reports;
    QVERIFY(reports.look(folder.filePath(QStringLiteral("crashes"))));
    QSignalSpy removed(&reports, &CrashReports::removed);
    reports.remove();
    reports.remove();
    QTRY_COMPARE(removed.size(), 1);
    QVERIFY(removed.first().first().toBool());
    QVERIFY(reports.file().isEmpty());
    QVERIFY(QDir(folder.filePath(QStringLiteral("crashes"))).isEmpty());
    reports.remove();
    QCOMPARE(removed.size(), 1);
}

QTEST_GUILESS_MAIN(CrashTest)
#include "crash_test.moc"
