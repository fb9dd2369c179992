// A processor gets the fastest table of kernels that it runs, or the one that was named.
#include <QtTest>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cpu/kernels/kernels.h"
#include "hardware/cpu_flags.h"

namespace flags = hearth::cpu_flags;
namespace kernels = hearth::kernels;
using kernels::KernelTable;

namespace {

constexpr std::uint32_t kEverything = (1U << 6) - 1;

std::vector<const KernelTable*> tables_for(std::uint32_t cpu_flags) {
    std::array<const KernelTable*, kernels::kMostTables> tables{};
    const int count = kernels::available(cpu_flags, tables.data());
    return {tables.begin(), tables.begin() + count};
}

}  // namespace

class SelectTest : public QObject {
    Q_OBJECT

private slots:
    void theFastestThatRuns_data() {
        QTest::addColumn<std::uint32_t>("flags");
        QTest::addColumn<std::string>("table");
        const auto row = [](const char* name, std::uint32_t has, const char* table) {
            QTest::newRow(name) << has << std::string(table);
        };
        row("nothing", 0, "generic");
#if defined(__x86_64__) || defined(_M_X64)
        row("AVX2", flags::kAvx2, "avx2");
        row("AVX-VNNI without AVX2", flags::kAvxVnni, "generic");
        row("AVX-VNNI", flags::kAvx2 | flags::kAvxVnni, "avxvnni");
        row("AVX-512 without VNNI", flags::kAvx2 | flags::kAvx512, "avx2");
        row("AVX-512 without VNNI, with AVX-VNNI", flags::kAvx2 | flags::kAvxVnni | flags::kAvx512,
            "avxvnni");
        row("AVX-512", flags::kAvx2 | flags::kAvx512 | flags::kAvx512Vnni, "avx512");
        row("everything", kEverything, "avx512");
#elif defined(__aarch64__) || defined(_M_ARM64)
        row("everything", kEverything, "neon");
#endif
    }
    void theFastestThatRuns() {
        QFETCH(const std::uint32_t, flags);
        QFETCH(const std::string, table);
        for (const char* unnamed : {static_cast<const char*>(nullptr), ""}) {
            const KernelTable* chosen = kernels::select(flags, unnamed);
            QVERIFY(chosen != nullptr);
            QCOMPARE(std::string(chosen->name), table);
        }
    }

    // Tables stand in the order of their speed: the last one of those that run is taken.
    void ofAnyProcessor() {
        const std::vector<const KernelTable*> all = tables_for(kEverything);
        for (std::uint32_t has = 0; has <= kEverything; ++has) {
            const std::vector<const KernelTable*> run = tables_for(has);
            QVERIFY(!run.empty() && run.front()->needs == 0);
            QCOMPARE(kernels::select(has, ""), run.back());
            for (const KernelTable* table : all) {
                const bool runs = std::find(run.begin(), run.end(), table) != run.end();
                QCOMPARE(runs, (table->needs & has) == table->needs);
                QCOMPARE(kernels::select(has, table->name), runs ? table : nullptr);
            }
            QCOMPARE(kernels::select(has, "none of them"), nullptr);
        }
    }
};

QTEST_GUILESS_MAIN(SelectTest)
#include "select_test.moc"
