// Nobody outside this computer is asked for anything: not by the program, and not by the tests of
// the desktop, which run here where there is no network but lo. strace watches every process for
// addresses of IPv4 and IPv6.
//
// HEARTH_ALL_ROWS=1 runs all tests of the desktop so, else those that make requests.
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "system/app_paths.h"

using namespace hearth::ui;

namespace {

// The addresses outside lo in what strace wrote.
QStringList outside(const QString& trace) {
    static const QRegularExpression kCall(QStringLiteral(
        "sa_family=AF_INET6?,[^}]*inet_(?:addr|pton)\\((?:AF_INET6, )?\"([^\"]*)\""));
    QFile file(trace);
    QStringList found;
    if (!file.open(QIODevice::ReadOnly)) {
        return {QStringLiteral("no trace")};
    }
    while (!file.atEnd()) {
        const QString line = QString::fromUtf8(file.readLine());
        const QRegularExpressionMatch match = kCall.match(line);
        const QString address = match.captured(1);
        const bool here = address.startsWith(QLatin1String("127.")) ||
                          address == QLatin1String("::1") ||
                          address == QLatin1String("::ffff:127.0.0.1");
        if (match.hasMatch() && !here) {
            found << line.trimmed();
        }
    }
    return found;
}

QStringList traced(const QString& trace, const QStringList& command) {
    return QStringList{QStringLiteral("-f"),
                       QStringLiteral("-qq"),
                       QStringLiteral("--seccomp-bpf"),
                       QStringLiteral("-e"),
                       QStringLiteral("trace=connect,sendto,sendmsg,sendmmsg"),
                       QStringLiteral("-o"),
                       trace} +
           command;
}

bool strace(const QString& trace, const QStringList& command, QByteArray* output = nullptr) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("strace"), traced(trace, command));
    const bool ended = process.waitForStarted() && process.waitForFinished(-1);
    if (output != nullptr) {
        *output = process.readAll();
    }
    return ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

}  // namespace

class OfflineTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void seesARequest();
    void theProgramAsksNobody();
    void theTestsNeedNoNetwork_data();
    void theTestsNeedNoNetwork();

private:
    QTemporaryDir folder_;
    QString trace() const { return folder_.filePath(QStringLiteral("trace")); }
};

void OfflineTest::initTestCase() {
#ifndef Q_OS_LINUX
    QSKIP("strace is Linux's");
#endif
    // A program that is watched already cannot be searched for leaks.
    qputenv("ASAN_OPTIONS", qgetenv("ASAN_OPTIONS") + ":detect_leaks=0");
    if (!strace(trace(), {QStringLiteral("true")})) {
        QSKIP("strace may not watch here");
    }
}

// Else none of the others could fail. 192.0.2.0/24 is nobody's.
void OfflineTest::seesARequest() {
    strace(trace(), {QStringLiteral("bash"), QStringLiteral("-c"),
                     QStringLiteral("exec 3>/dev/udp/192.0.2.1/9")});
    QCOMPARE(outside(trace()).size(), 1);
    strace(trace(), {QStringLiteral("bash"), QStringLiteral("-c"),
                     QStringLiteral("exec 3>/dev/udp/127.0.0.1/9")});
    QCOMPARE(outside(trace()), QStringList());
}

// From its start through an answer to its end. Where there is a network, so that it could.
void OfflineTest::theProgramAsksNobody() {
    if (starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path()).isEmpty()) {
        QSKIP("no starter model");
    }
    const QTemporaryDir data;
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    // -D: the program is our child and strace its grandchild; -q: the trace says when it ended.
    QStringList command =
        traced(trace(), {QStringLiteral(HEARTH_PROGRAM), QStringLiteral("--data-dir"), data.path(),
                         QStringLiteral("--say"), QStringLiteral("Hello")});
    command.replace(command.indexOf(QStringLiteral("-qq")), QStringLiteral("-q"));
    program.start(QStringLiteral("strace"), QStringList(QStringLiteral("-D")) + command);
    QVERIFY(program.waitForStarted());
    const auto log = [&] {
        QFile file(data.filePath(QStringLiteral("hearth.log")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QTRY_VERIFY_WITH_TIMEOUT(log().contains("answered: message"), 100'000);
    // strace pads numbers with spaces.
    const QRegularExpression end(
        QStringLiteral("^%1 +\\+\\+\\+ exited with 0").arg(program.processId()),
        QRegularExpression::MultilineOption);
    program.terminate();
    QVERIFY(program.waitForFinished(30'000));
    const auto traceText = [&] {
        QFile file(trace());
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    QTRY_VERIFY(traceText().contains(end));
    const QStringList found = outside(trace());
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
}

void OfflineTest::theTestsNeedNoNetwork_data() {
    QTest::addColumn<QString>("tests");
    QTest::addRow("those that make requests")
        << QStringLiteral("^app/(desktop/(network|downloads)/|ui/downloads)");
    if (qEnvironmentVariableIntValue("HEARTH_ALL_ROWS") == 1) {
        QTest::addRow("all of the desktop") << QStringLiteral("^app/(desktop|ui)/");
    }
}

void OfflineTest::theTestsNeedNoNetwork() {
#if defined(__SANITIZE_ADDRESS__)
    QSKIP("a test that is watched cannot be searched for leaks");
#endif
    QFETCH(QString, tests);
    const QString run = QStringLiteral(
                            "ip link set lo up && exec ctest --test-dir '%1' -R '%2' "
                            "-E '^app/desktop/(kill|offline|download_kill)' "
                            "--output-on-failure")
                            .arg(QStringLiteral(HEARTH_BINARY_DIR), tests);
    // As root without a namespace of users, where root could not become somebody else.
    const QString spaces = QProcess::execute(QStringLiteral("unshare"),
                                             {QStringLiteral("-n"), QStringLiteral("true")}) == 0
                               ? QStringLiteral("-n")
                               : QStringLiteral("-rn");
    if (QProcess::execute(QStringLiteral("unshare"),
                          {spaces, QStringLiteral("sh"), QStringLiteral("-c"),
                           QStringLiteral("ip link set lo up")}) != 0) {
        QSKIP("no network namespace: the kernel allows none, or ip is not here");
    }
    QByteArray output;
    const bool passed =
        strace(trace(),
               {QStringLiteral("unshare"), spaces, QStringLiteral("sh"), QStringLiteral("-c"), run},
               &output);
    // QtTest cuts what a failed check says after a thousand characters, and a test that fails says
    // why somewhere in the middle.
    if (!passed || !output.contains("100% tests passed")) {
        qWarning("%s", output.right(100'000).constData());
    }
    QVERIFY2(passed, "a test failed; it is named above");
    QVERIFY2(output.contains("100% tests passed"), "no test was run");
    const QStringList found = outside(trace());
    QVERIFY2(found.isEmpty(), qPrintable(found.mid(0, 10).join(QLatin1Char('\n'))));
}

QTEST_GUILESS_MAIN(OfflineTest)
#include "offline_test.moc"
