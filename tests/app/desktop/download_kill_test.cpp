// kill -9 at random moments while a file is downloaded. Afterwards the list is whole, every chunk
// that the journal names is right, the next run goes on exactly behind them, and the file that
// takes its name is the right one. HEARTH_KILLS says how often (10).
#include <QElapsedTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/network/test_server.h"
#include "downloads/part_file.h"
#include "downloads/queue_file.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

namespace {

constexpr qint64 kBytes = 20'000'000;
constexpr qint64 kChunkBytes = 256 * 1024;  // of the child

QByteArray randomBytes() {
    QByteArray all(kBytes, Qt::Uninitialized);
    QRandomGenerator random(3);
    random.fillRange(reinterpret_cast<quint32*>(all.data()), all.size() / 4);
    return all;
}

}  // namespace

class DownloadKillTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
#ifndef Q_OS_UNIX
        QSKIP("kill -9: Unix only");
#endif
    }
    void goesOn();
};

void DownloadKillTest::goesOn() {
    bool ok = false;
    const int asked = qEnvironmentVariableIntValue("HEARTH_KILLS", &ok);
    const int kills = ok ? asked : 10;
    const QByteArray whole = randomBytes();
    const QByteArray hash = QCryptographicHash::hash(whole, QCryptographicHash::Sha256);
    TestServer server([&](const ServerRequest& request) {
        ServerAnswer answer{.headers = {{"ETag", "\"1\""}}, .body = whole};
        if (const auto range = request.range()) {
            const qint64 end = range->second < 0 ? kBytes : range->second;
            answer.status = 206;
            answer.body = whole.mid(range->first, end - range->first);
            answer.headers.append(
                qMakePair(QByteArray("Content-Range"), "bytes " + QByteArray::number(range->first) +
                                                           '-' + QByteArray::number(end - 1) + '/' +
                                                           QByteArray::number(kBytes)));
        }
        return answer;
    });
    QVERIFY(server.start());
    QRandomGenerator random = QRandomGenerator::securelySeeded();
    auto folder = std::make_unique<QTemporaryDir>();
    const auto at = [&](const char* name) { return folder->filePath(QString::fromLatin1(name)); };
    qint64 had = 0;  // in whole chunks and the tail, as the kill before left it
    int inTheMiddle = 0;
    int files = 0;
    // Kills come at random moments: a few more where none has hit the middle of a file yet.
    for (int killed = 0; killed < kills || (inTheMiddle == 0 && killed < 20 * kills);) {
        const qsizetype requestsBefore = server.requests().size();
        QProcess child;
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child.start(QStringLiteral(HEARTH_DOWNLOAD_CHILD),
                    {folder->path(), server.base() + QStringLiteral("/file"),
                     QString::fromLatin1(hash.toHex()), QString::number(kBytes)});
        QVERIFY(child.waitForStarted());
        QElapsedTimer since;
        since.start();
        for (const int ms = random.bounded(0, 1200);
             since.elapsed() < ms && child.state() == QProcess::Running;) {
            QTest::qWait(2);
        }
        if (child.state() == QProcess::Running) {
            child.kill();
            ++killed;
        }
        QVERIFY(child.state() == QProcess::NotRunning || child.waitForFinished());
        if (server.requests().size() > requestsBefore && had > 0) {
            const auto range = server.requests().at(requestsBefore).range();
            QVERIFY2(range && range->first == had, "what was there is asked for again");
        }
        if (QFile::exists(at("file"))) {
            QFile file(at("file"));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(file.readAll() == whole, "a wrong file took the name");
            ++files;
            had = 0;
            folder = std::make_unique<QTemporaryDir>();
            continue;
        }
        QVERIFY2(child.exitStatus() == QProcess::CrashExit, "it ended without a file");
        const QueueFileContent list = readQueueFile(at("list.json"));
        QCOMPARE(list.problem, QString());
        if (list.downloads.isEmpty()) {
            continue;  // it was killed before it had begun
        }
        QCOMPARE(list.downloads.size(), 1);
        PartFile part(at("file"), kChunkBytes);
        QVERIFY(!part.open());
        while (part.checkNext()) {}
        QCOMPARE(part.badBytes(), 0);
        QVERIFY2(part.haveBytes() >= had, "a chunk was lost");
        had = part.haveBytes();
        inTheMiddle += had > 0 && had < kBytes ? 1 : 0;
        QFile bytes(at("file.part"));
        QVERIFY(bytes.open(QIODevice::ReadOnly));
        QVERIFY(bytes.read(had) == whole.left(had));
    }
    QVERIFY2(inTheMiddle > 0, "no kill hit the middle of a file");
    qInfo().noquote() << kills << "kills," << inTheMiddle << "in the middle;" << files
                      << "files came whole";
}

QTEST_GUILESS_MAIN(DownloadKillTest)
#include "download_kill_test.moc"
