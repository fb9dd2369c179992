#include "system/log_file.h"

#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

using namespace hearth::ui;

class LogFileTest : public QObject {
    Q_OBJECT

private slots:
    void writesLines();
    void staysBounded();
    void cutsLongLines();
    void appendsToTheLastRun();
    void takesOverQtMessages();
    void survivesThreads();
    void worksWithoutAFile();

private:
    static QByteArray read(const QString& name) {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QTemporaryDir folder_;
    QString name(const char* stem) const { return folder_.filePath(QLatin1String(stem)); }
};

void LogFileTest::writesLines() {
    LogFile log(name("sub/a.log"));
    log.write(QtWarningMsg, "hearth.x", QStringLiteral("one\ntwo"));
    QVERIFY2(read(name("sub/a.log")).endsWith(" warning hearth.x: one two\n"),
             read(name("sub/a.log")).constData());
}

void LogFileTest::staysBounded() {
    constexpr qint64 kBound = 10'000;
    LogFile log(name("b.log"), kBound);
    for (int i = 0; i < 2000; ++i) {
        log.write(QtInfoMsg, "c", QStringLiteral("line %1").arg(i));
        QVERIFY(QFileInfo(name("b.log")).size() <= kBound);
    }
    QVERIFY(QFileInfo(name("b.log.1")).size() <= kBound);
    QVERIFY(QFileInfo(name("b.log.1")).size() > kBound / 2);
    QCOMPARE(QDir(folder_.path()).entryList({QStringLiteral("b.log*")}).size(), 2);
    QVERIFY(read(name("b.log")).contains("line 1999"));
    // Nothing is missing between the two.
    const QByteArray both = read(name("b.log.1")) + read(name("b.log"));
    const QList<QByteArray> lines = both.trimmed().split('\n');
    QCOMPARE(lines.first().mid(lines.first().lastIndexOf(' ') + 1).toInt(),
             2000 - static_cast<int>(lines.size()));
}

void LogFileTest::cutsLongLines() {
    LogFile log(name("c.log"), 10'000);
    log.write(QtInfoMsg, "c", QString(1'000'000, QLatin1Char('x')));
    QVERIFY(QFileInfo(name("c.log")).size() < 3'000);
}

void LogFileTest::appendsToTheLastRun() {
    { LogFile(name("d.log")).write(QtInfoMsg, "c", QStringLiteral("first")); }
    { LogFile(name("d.log")).write(QtInfoMsg, "c", QStringLiteral("second")); }
    QCOMPARE(read(name("d.log")).count('\n'), 2);
}

void LogFileTest::takesOverQtMessages() {
    {
        LogFile log(name("e.log"));
        log.install();
        qInfo("to the file");
        qDebug("of all kinds");
        qCritical("of all kinds");
    }
    qInfo("no longer");
    QVERIFY(read(name("e.log")).contains("info default: to the file"));
    QVERIFY(read(name("e.log")).contains("debug default: of all kinds"));
    QVERIFY(read(name("e.log")).contains("error default: of all kinds"));
    QVERIFY(!read(name("e.log")).contains("no longer"));
    {
        LogFile again(name("e.log"));
        again.install();
        qInfo("once more");
    }
    QVERIFY(read(name("e.log")).contains("info default: once more"));
}

void LogFileTest::survivesThreads() {
    LogFile log(name("f.log"), 50'000);
    QList<QThread*> threads;
    for (int t = 0; t < 4; ++t) {
        threads << QThread::create([&log] {
            for (int i = 0; i < 500; ++i) {
                log.write(QtInfoMsg, "thread", QStringLiteral("a whole line"));
            }
        });
        threads.last()->start();
    }
    for (QThread* thread : threads) {
        thread->wait();
        delete thread;
    }
    for (const QByteArray& line : read(name("f.log")).trimmed().split('\n')) {
        QVERIFY2(line.endsWith("info thread: a whole line"), line.constData());
    }
}

void LogFileTest::worksWithoutAFile() {
    LogFile log(folder_.path());  // a folder
    log.write(QtInfoMsg, "c", QStringLiteral("goes nowhere"));
}

QTEST_GUILESS_MAIN(LogFileTest)
#include "log_file_test.moc"
