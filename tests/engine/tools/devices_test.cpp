// The disks that a report of this machine names, and their order.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "flash/disk_probe.h"
#include "flash/disk_probe_file.h"

using namespace hearth;

class DevicesTest : public QObject {
    Q_OBJECT

private slots:
    // The disk that is asked about comes first, whatever was measured before and after it.
    void theAskedDiskIsFirst() {
        const QTemporaryDir folder;
        const std::string cache = folder.path().toStdString();
        const QString path = folder.filePath("file");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(16 << 20));
        const std::string here = disk_of(path.toStdString());
        if (here.empty()) {
            QSKIP("this file system has no name");
        }
        for (const std::string& disk : {std::string("disk-one"), here, std::string("disk-two")}) {
            DiskProbe probe;
            probe.disk = disk;
            probe.path = "/somewhere/on/" + disk;
            probe.direct = true;
            probe.alignment = 512;
            probe.sequential_bytes_per_s = 1e9;
            probe.random = {{4096, 32, 1e5}};
            probe.depth = 32;
            probe.largest_read_bytes = 1 << 20;
            probe.merge_gap_bytes = 4096;
            QVERIFY(keep_disk_probe(cache, version(), probe));
        }
        const auto paths = [&](const std::string& asked) {
            const auto report = tools::devices({.disk_file = asked, .cache_folder = cache});
            QStringList all;
            for (const tools::DiskReport& disk :
                 report ? report->disks : std::vector<tools::DiskReport>{}) {
                all << QString::fromStdString(disk.path);
            }
            return all;
        };
        const QStringList kept = paths({});
        QCOMPARE(kept.size(), 3);
        const QString own = QString::fromStdString("/somewhere/on/" + here);
        QVERIFY(kept.first() != own);
        QStringList wanted = kept;
        wanted.move(wanted.indexOf(own), 0);
        QCOMPARE(paths(path.toStdString()), wanted);
        QCOMPARE(paths({}), kept);  // asking changes nothing that is kept
    }
};

QTEST_APPLESS_MAIN(DevicesTest)
#include "devices_test.moc"
