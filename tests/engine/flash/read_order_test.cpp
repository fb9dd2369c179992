#include "flash/read_order.h"

#include <QtTest>
#include <array>

using namespace hearth;

class ReadOrderTest : public QObject {
    Q_OBJECT

private slots:
    // A piece that lies within another one shortens no read.
    void a_piece_within_another() {
        std::array<std::byte, 10'000> large{};
        std::array<std::byte, 100> small{};
        ReadOrder order(4096, 1 << 20, 0);
        order.reserve(2);
        order.push({.offset = 0, .to = large, .request = 1});
        order.push({.offset = 1000, .to = small, .request = 2});
        PlannedRead read;
        read.parts.reserve(PlannedRead::kMostParts);
        QVERIFY(!order.next(read));
        QVERIFY(order.empty());
        QCOMPARE(read.parts.size(), std::size_t{2});
        QCOMPARE(read.begin, std::uint64_t{0});
        QCOMPARE(read.end, std::uint64_t{12'288});
    }
};

QTEST_APPLESS_MAIN(ReadOrderTest)
#include "read_order_test.moc"
