// A disk of 16 MB: a download that does not fit, and one that nobody knew would not.
#include <QProcess>
#include <QtTest>

#include "download_bench.h"

using namespace hearth::ui;
using namespace hearth::ui::test;
using Reason = FileDownload::Reason;

namespace {

class SmallDisk {
public:
    explicit SmallDisk(const QString& folder) : folder_(folder) {
        QDir().mkpath(folder);
        mounted_ = mount(QStringLiteral("size=16m"));
    }
    ~SmallDisk() {
        if (mounted_) {
            QProcess::execute(QStringLiteral("umount"), {QStringLiteral("-l"), folder_});
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool mounted() const { return mounted_; }
    bool grow() { return mount(QStringLiteral("remount,size=64m")); }

private:
    bool mount(const QString& options) {
        QProcess process;
        process.start(QStringLiteral("mount"),
                      {QStringLiteral("-t"), QStringLiteral("tmpfs"), QStringLiteral("-o"), options,
                       QStringLiteral("tmpfs"), folder_});
        return process.waitForStarted() && process.waitForFinished() && process.exitCode() == 0;
    }
    QString folder_;
    bool mounted_ = false;
};

}  // namespace

class FullDiskTest : public QObject {
    Q_OBJECT

private slots:
    void stopsAndGoesOn_data() {
        QTest::addColumn<bool>("sizeKnown");
        QTest::addRow("size known") << true;
        QTest::addRow("size not known") << false;
    }
    void stopsAndGoesOn();
};

void FullDiskTest::stopsAndGoesOn() {
    QFETCH(bool, sizeKnown);
    const QByteArray whole = randomBytes(24 << 20, 5);
    DownloadBench bench([&](const ServerRequest& r) {
        ServerAnswer answer = serve(r, whole, "\"one\"");
        answer.chunked = !sizeKnown;
        return answer;
    });
    SmallDisk disk(bench.folder.filePath(QStringLiteral("disk")));
    if (!disk.mounted()) {
        QSKIP("no small file system: mounting one needs root and Linux");
    }
    const QString target = bench.folder.filePath(QStringLiteral("disk/model.gguf"));
    bench.make({.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                .target = target,
                .sha256 = sha256(whole),
                .purpose = QStringLiteral("Test")});
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == FileDownload::State::Stopped);
    QVERIFY(bench.file->reason() == Reason::Disk);
    QCOMPARE(bench.file->text(),
             QStringLiteral("The disk is full. Make room on it, then go on; nothing is lost."));
    QVERIFY(!QFile::exists(target));
    if (sizeKnown) {
        QVERIFY(bench.bytesReceived() <= 256 * 1024);  // it was known before the first one
        QCOMPARE(QFileInfo(target + QStringLiteral(".part")).size(), 0);
    }
    QVERIFY(disk.grow());
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == FileDownload::State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(target), whole);
}

QTEST_GUILESS_MAIN(FullDiskTest)
#include "full_disk_test.moc"
