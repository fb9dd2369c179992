#include "hardware/memory_info.h"

#include <QtTest>
#include <vector>

class MemoryInfoTest : public QObject {
    Q_OBJECT

private slots:
    void thisMachine() {
        const hearth::MemoryInfo info = hearth::read_memory_info();
        QVERIFY(info.total_bytes > (std::uint64_t{64} << 20));
        QVERIFY(info.available_bytes > 0);
        QVERIFY(info.available_bytes <= info.total_bytes);
        if (info.limit_bytes) {
            QVERIFY(*info.limit_bytes < info.total_bytes);
            QVERIFY(info.available_bytes <= *info.limit_bytes);
        }
    }

    void peakGrowsAndStays() {
        constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
        const std::uint64_t before = hearth::peak_rss_bytes();
        QVERIFY(before > 0);
        {
            std::vector<char> block(kBytes, 1);
            // A compiler may leave out a block that nobody sees.
            volatile const char* const seen = block.data();
            QVERIFY(seen[kBytes / 2] == 1);
        }
        const std::uint64_t after = hearth::peak_rss_bytes();
        QVERIFY2(after >= before + kBytes / 2,
                 qPrintable(QString("%1 then %2").arg(before).arg(after)));
    }
};

QTEST_GUILESS_MAIN(MemoryInfoTest)
#include "memory_info_test.moc"
