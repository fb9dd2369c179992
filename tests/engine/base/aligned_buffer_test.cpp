#include "base/aligned_buffer.h"

#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using namespace hearth;

class AlignedBufferTest : public QObject {
    Q_OBJECT

private slots:
    // The bytes around the pages stay.
    void whole_pages_go_back() {
        auto buffer = AlignedBuffer::create(1 << 20, "test");
        QVERIFY(buffer);
        const std::span<std::byte> all(buffer->data(), 1 << 20);
        std::fill(all.begin(), all.end(), std::byte{7});
        const auto given = all.subspan(100, (1 << 20) - 300);
        const std::uint64_t taken = give_back_pages(given);
#ifdef __linux__
        QVERIFY(taken >= given.size() - (std::size_t{2} << 16) && taken <= given.size());
        QCOMPARE(all[1 << 19], std::byte{0});
#else
        QCOMPARE(taken, std::uint64_t{0});
#endif
        for (std::size_t i = 0; i < all.size(); ++i) {
            QVERIFY((i >= 100 && i < all.size() - 200) || all[i] == std::byte{7});
        }
        std::fill(all.begin(), all.end(), std::byte{9});
        QVERIFY(std::all_of(all.begin(), all.end(), [](std::byte b) { return b == std::byte{9}; }));
        QCOMPARE(give_back_pages(all.first(100)), std::uint64_t{0});
        QCOMPARE(give_back_pages({}), std::uint64_t{0});
        QCOMPARE(all[50], std::byte{9});
    }

    // Either side of where memory comes from the system itself.
    void is_aligned_zeroed_and_writable_data() {
        QTest::addColumn<quint64>("bytes");
        for (const quint64 bytes : {1ULL, 63ULL, 64ULL, 4097ULL, (1ULL << 20) - 1, 1ULL << 20,
                                    (1ULL << 20) + 1, (33ULL << 20) + 5}) {
            QTest::addRow("%llu", static_cast<unsigned long long>(bytes)) << bytes;
        }
    }
    void is_aligned_zeroed_and_writable() {
        QFETCH(quint64, bytes);
        auto buffer = AlignedBuffer::create(bytes, "test");
        QVERIFY(buffer);
        QCOMPARE(quint64{buffer->bytes()}, bytes);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer->data()) % AlignedBuffer::kAlignment,
                 std::uintptr_t{0});
        const auto all = buffer->span<std::uint8_t>(0, bytes);
        QVERIFY(std::all_of(all.begin(), all.end(), [](std::uint8_t b) { return b == 0; }));
        std::fill(all.begin(), all.end(), std::uint8_t{0xA5});
        QVERIFY(std::all_of(all.begin(), all.end(), [](std::uint8_t b) { return b == 0xA5; }));
    }

    void is_zeroed_when_memory_is_used_again() {
        for (int i = 0; i < 20; ++i) {
            auto buffer = AlignedBuffer::create(5000, "again");
            QVERIFY(buffer);
            const auto all = buffer->span<std::uint8_t>(0, 5000);
            QCOMPARE(std::count(all.begin(), all.end(), std::uint8_t{0}), std::ptrdiff_t{5000});
            std::fill(all.begin(), all.end(), std::uint8_t{0xFF});
        }
    }

    void may_be_empty() {
        const auto buffer = AlignedBuffer::create(0, "nothing");
        QVERIFY(buffer);
        QCOMPARE(quint64{buffer->bytes()}, quint64{0});
        QVERIFY(buffer->data() == nullptr);
    }

    void leaves_nothing_behind_when_moved() {
        auto first = AlignedBuffer::create(100, "first");
        auto second = AlignedBuffer::create(2 << 20, "second");
        QVERIFY(first && second);
        AlignedBuffer a = *std::move(first);
        a.data()[99] = std::byte{7};
        const std::byte* where = a.data();
        AlignedBuffer b = *std::move(second);
        b = std::move(a);
        QVERIFY(b.data() == where);
        QCOMPARE(quint64{b.bytes()}, quint64{100});
        QVERIFY(b.data()[99] == std::byte{7});
        QVERIFY(a.data() == nullptr);  // NOLINT(bugprone-use-after-move): that is the promise
        QCOMPARE(quint64{a.bytes()}, quint64{0});
    }

    void spans_count_from_an_offset() {
        auto buffer = AlignedBuffer::create(64, "spans");
        QVERIFY(buffer);
        const auto floats = buffer->span<float>(16, 4);
        floats[3] = 1.5F;
        QCOMPARE(buffer->span<float>(0, 16)[7], 1.5F);
    }

    void says_no_to_what_the_system_refuses_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::newRow("beyond the address space") << (quint64{1} << 62);
        QTest::newRow("most") << std::numeric_limits<quint64>::max();
        QTest::newRow("page rounding wraps") << std::numeric_limits<quint64>::max() - 100;
        QTest::newRow("half") << std::numeric_limits<quint64>::max() / 2;
    }
    void says_no_to_what_the_system_refuses() {
        QFETCH(quint64, bytes);
        const auto buffer = AlignedBuffer::create(bytes, "KV cache");
        QVERIFY(!buffer);
        QVERIFY(buffer.error().code == ErrorCode::OutOfMemory);
        QCOMPARE(buffer.error().message,
                 "KV cache: the system refused " + std::to_string(bytes) + " bytes of memory");
    }
};

QTEST_APPLESS_MAIN(AlignedBufferTest)
#include "aligned_buffer_test.moc"
