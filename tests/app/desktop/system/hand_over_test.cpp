#include "system/hand_over.h"

#include <QDir>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

using namespace hearth::ui;

class HandOverTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qRegisterMetaType<StartRequest>(); }
    void pathsAreAbsolute();
    void linesGoBack();
    void refusesOtherLines_data();
    void refusesOtherLines();
    void findsNobody();
    void handsOver_data();
    void handsOver();
    void replacesWhatWasLeftBehind();
    void waitsForNoAnswer();
    void refusesHostileStarts();
    void isForTheSameUserAlone();

private:
    // As another process does: blocking, beside the event loop.
    static HandOver fromOutside(const QString& folder, const StartRequest& request,
                                int timeoutMs = 20'000) {
        HandOver outcome = HandOver::NobodyThere;
        const std::unique_ptr<QThread> thread(
            QThread::create([&] { outcome = handOver(folder, request, timeoutMs); }));
        thread->start();
        [[maybe_unused]] const bool ended =
            QTest::qWaitFor([&] { return thread->isFinished(); }, 60'000);
        thread->wait();
        return outcome;
    }
};

void HandOverTest::pathsAreAbsolute() {
    const QString here = QDir::currentPath();
    QCOMPARE(modelPath(QStringLiteral("a model.gguf")), here + QStringLiteral("/a model.gguf"));
    QCOMPARE(modelPath(QStringLiteral("/m/100%25.gguf")), QStringLiteral("/m/100%25.gguf"));
    QCOMPARE(modelPath(QStringLiteral("file:///m/a%20%C3%BC.gguf")), QStringLiteral("/m/a ü.gguf"));
    // No file of this computer: said to be missing, not another one opened.
    QVERIFY(!QFile::exists(modelPath(QStringLiteral("file://other.example/m.gguf"))));
    QVERIFY(!QFile::exists(modelPath(QStringLiteral("https://other.example/m.gguf"))));
}

void HandOverTest::linesGoBack() {
    for (const StartRequest& request :
         {StartRequest{},
          StartRequest{QStringLiteral("/m \n\"x\".gguf"),
                       {QStringLiteral("a\nb"), QString(), QStringLiteral("\U0001F525")},
                       QStringLiteral("token")}}) {
        const QByteArray line = toLine(request);
        QCOMPARE(line.count('\n'), 1);
        QVERIFY(requestFrom(line) == request);
    }
}

void HandOverTest::refusesOtherLines_data() {
    QTest::addColumn<QByteArray>("line");
    for (const char* line : {"", "\n", "hello\n", "[]\n", "{}\n", "{\"model\":1,\"say\":[]}\n",
                             "{\"model\":\"\",\"say\":\"x\"}\n",
                             "{\"model\":\"\",\"say\":[\"x\",1]}\n", "{\"model\":\"\"}\n"}) {
        QTest::newRow(line) << QByteArray(line);
    }
}

void HandOverTest::refusesOtherLines() {
    QFETCH(QByteArray, line);
    QVERIFY(!requestFrom(line));
}

void HandOverTest::findsNobody() {
    const QTemporaryDir folder;
    QVERIFY(handOver(folder.path(), {}, 3000) == HandOver::NobodyThere);
    QVERIFY(QDir(folder.path()).isEmpty());
}

void HandOverTest::handsOver_data() {
    QTest::addColumn<QString>("below");
    QTest::addRow("short") << QString();
    QTest::addRow("a path longer than a socket's may be")
        << QStringLiteral("/") + QString(150, QLatin1Char('x'));
}

void HandOverTest::handsOver() {
    QFETCH(QString, below);
    const QTemporaryDir runtime;
    qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
    const QTemporaryDir temporary;
    const QString folder = temporary.path() + below;
    QVERIFY(QDir().mkpath(folder));
    StartServer server;
    QVERIFY(server.listen(folder));
    QSignalSpy asked(&server, &StartServer::asked);
    // Much more than a socket holds at once.
    const StartRequest request{QStringLiteral("/models/x.gguf"),
                               {QStringLiteral("Hello"), QString(3'000'000, QLatin1Char('x'))},
                               {}};
    for (int i = 1; i <= 3; ++i) {
        QVERIFY(fromOutside(folder, request) == HandOver::Taken);
        QTRY_COMPARE(asked.size(), i);
        QVERIFY(asked.last().first().value<StartRequest>() == request);
    }
    // Another folder is another program.
    const QTemporaryDir other;
    QVERIFY(handOver(other.path(), {}, 3000) == HandOver::NobodyThere);
}

void HandOverTest::replacesWhatWasLeftBehind() {
    const QTemporaryDir folder;
    {
        StartServer killed;
        QVERIFY(killed.listen(folder.path()));
    }
    QFile file(folder.filePath(QStringLiteral("hearth.socket")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QVERIFY(handOver(folder.path(), {}, 3000) == HandOver::NobodyThere);
    StartServer server;
    QVERIFY(server.listen(folder.path()));
    QVERIFY(fromOutside(folder.path(), {}) == HandOver::Taken);
}

// A program that hangs: it has a socket and does not look.
void HandOverTest::waitsForNoAnswer() {
    const QTemporaryDir folder;
    StartServer server;
    QVERIFY(server.listen(folder.path()));
    QVERIFY(handOver(folder.path(), {}, 100) == HandOver::NoAnswer);  // no event loop turns here
}

void HandOverTest::refusesHostileStarts() {
#ifndef Q_OS_UNIX
    QSKIP("the name of the pipe is the program's own");
#else
    const QTemporaryDir folder;
    StartServer server;
    QVERIFY(server.listen(folder.path()));
    QSignalSpy asked(&server, &StartServer::asked);
    const QString name = folder.filePath(QStringLiteral("hearth.socket"));
    QLocalSocket silent;
    silent.connectToServer(name);
    QLocalSocket garbage;
    garbage.connectToServer(name);
    garbage.write("{\"model\":[]}\nmore\n");
    QTRY_COMPARE(garbage.state(), QLocalSocket::UnconnectedState);
    QCOMPARE(garbage.readAll(), QByteArray("refused\n"));
    QLocalSocket endless;
    endless.connectToServer(name);
    const QByteArray much(1024 * 1024, 'x');
    for (int i = 0; i < 40 && endless.state() == QLocalSocket::ConnectedState; ++i) {
        endless.write(much);
        QTRY_VERIFY(endless.bytesToWrite() == 0 || endless.state() != QLocalSocket::ConnectedState);
    }
    QTRY_COMPARE(endless.state(), QLocalSocket::UnconnectedState);
    QVERIFY(asked.isEmpty());
    QVERIFY(fromOutside(folder.path(), {}) == HandOver::Taken);
#endif
}

void HandOverTest::isForTheSameUserAlone() {
#ifndef Q_OS_UNIX
    QSKIP("Windows gives the pipe to its user");
#else
    const QTemporaryDir folder;
    StartServer server;
    QVERIFY(server.listen(folder.path()));
    const QFile::Permissions permissions =
        QFile::permissions(folder.filePath(QStringLiteral("hearth.socket")));
    QVERIFY(!(permissions &
              (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther)));
#endif
}

QTEST_GUILESS_MAIN(HandOverTest)
#include "hand_over_test.moc"
