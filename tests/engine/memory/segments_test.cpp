// Segments shrink, grow and go by themselves: whatever happens to one of them, the others keep
// their bytes at their places.
#include "memory/segments.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <random>
#include <vector>

using hearth::Segments;

namespace {

constexpr std::uint64_t kLine = hearth::AlignedBuffer::kAlignment;

void fill(const Segments& segments, std::size_t segment, unsigned value) {
    std::fill_n(segments.data(segment), segments.bytes(segment), static_cast<std::byte>(value));
}

bool is_filled(const Segments& segments, std::size_t segment, unsigned value) {
    return std::all_of(segments.data(segment), segments.data(segment) + segments.bytes(segment),
                       [value](std::byte byte) { return byte == static_cast<std::byte>(value); });
}

}  // namespace

class SegmentsTest : public QObject {
    Q_OBJECT

private slots:
    void oneBehindTheOther() {
        const std::array<std::uint64_t, 3> bytes{2 * kLine, 0, 5 * kLine};
        auto made = Segments::create(bytes, 100, "a test's segments", false);
        QVERIFY(made);
        QCOMPARE(made->count(), std::size_t{3});
        QCOMPARE(made->data(2), made->data(0) + 2 * kLine);
        QCOMPARE(made->tail().data(), made->data(0) + 7 * kLine);
        QCOMPARE(made->tail().size(), std::size_t{100});
        QCOMPARE(made->bytes(1), std::uint64_t{0});
    }

    // Many changes in a random order, of segments that are smaller and larger than pages, and of
    // the tail.
    void theOthersStay_data() {
        QTest::addColumn<bool>("apart");
        QTest::newRow("in one buffer") << false;
        QTest::newRow("apart") << true;
    }
    void theOthersStay() {
        QFETCH(const bool, apart);
        constexpr std::size_t kSegments = 5;
        std::mt19937 random(3);
        const auto some = [&] { return kLine * (random() % 700); };
        std::array<std::uint64_t, kSegments> bytes{};
        std::generate(bytes.begin(), bytes.end(), some);
        auto made = Segments::create(bytes, 5000, "a test's segments", apart);
        QVERIFY(made);
        for (std::size_t s = 0; s < kSegments; ++s) {
            fill(*made, s, static_cast<unsigned>(s));
        }
        for (int round = 0; round < 200; ++round) {
            const std::size_t changed = random() % kSegments;
            const std::byte* const place = made->data(changed);
            if (round % 3 == 0) {
                made->shrink(changed, made->bytes(changed) / kLine / 2 * kLine);
                QVERIFY(apart || made->data(changed) == place);
            } else {
                const std::uint64_t before = made->bytes(changed);
                const std::uint64_t now = some();
                QVERIFY(made->replace(changed, now, "another segment",
                                      [&](const std::byte* from, std::byte* to) {
                                          QCOMPARE(from, place);
                                          std::copy_n(from, std::min(before, now), to);
                                      }));
                QCOMPARE(made->bytes(changed), now);
                for (std::uint64_t i = before; i < now; ++i) {
                    made->data(changed)[i] = static_cast<std::byte>(changed);
                }
            }
            if (round % 7 == 0) {
                made->drop_tail();
                QVERIFY(made->tail().empty());
                QVERIFY(made->make_tail(4096 + random() % 10'000, "another tail"));
                std::fill(made->tail().begin(), made->tail().end(), std::byte{0xff});
            }
            for (std::size_t s = 0; s < kSegments; ++s) {
                QVERIFY(is_filled(*made, s, static_cast<unsigned>(s)));
            }
        }
    }

    void aRefusalChangesNothing() {
        const std::array<std::uint64_t, 2> bytes{kLine, 64 * kLine};
        auto made = Segments::create(bytes, 0, "a test's segments", false);
        QVERIFY(made);
        fill(*made, 1, 7);
        const auto refused = made->replace(1, std::uint64_t{1} << 62, "too large a segment",
                                           [](const std::byte*, std::byte*) {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, hearth::ErrorCode::OutOfMemory);
        QCOMPARE(made->bytes(1), 64 * kLine);
        QVERIFY(is_filled(*made, 1, 7));
    }
};

QTEST_GUILESS_MAIN(SegmentsTest)
#include "segments_test.moc"
