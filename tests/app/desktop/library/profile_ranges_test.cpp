#include "library/profile_ranges.h"

#include <QtTest>
#include <functional>
#include <string>

#include "support/gguf_builder.h"

namespace hearth::ui {

using hearth::test::GgufBuilder;

class ProfileRangesTest : public QObject {
    Q_OBJECT

private slots:
    // The parser of the walk agrees with whoever made the file, whatever it is aligned to.
    void whereTheTensorsLie_data() {
        QTest::addColumn<int>("alignment");
        QTest::newRow("as usual") << 0;
        QTest::newRow("8") << 8;
        QTest::newRow("a page") << 4096;
        QTest::newRow("64 KiB") << 65536;
    }
    void whereTheTensorsLie() {
        QFETCH(const int, alignment);
        GgufBuilder file;
        if (alignment > 0) {
            file.key("a", "text").alignment(static_cast<std::uint32_t>(alignment));
        }
        const std::vector<std::int32_t> counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        file.tensor("token_embd.weight", {5, 7}, DType::F32)
            .tensor("blk.0.ffn_fired", {6, 2}, DType::I32, hearth::test::bytes_of(counts))
            .tensor("blk.0.ffn_permutation", {2}, DType::I32);
        const QByteArray bytes = bytesOf(file);
        const HeaderExtent header = headerExtent(bytes);
        QVERIFY(header.state == HeaderExtent::State::Whole);
        const QList<ByteRange> ranges = profileRanges(header, bytes.size());
        QCOMPARE(ranges.size(), 1);
        QCOMPARE(ranges[0].end - ranges[0].from, 48);
        const hearth::test::Bytes expected = hearth::test::bytes_of(counts);
        QCOMPARE(bytes.mid(ranges[0].from, 48),
                 QByteArray(reinterpret_cast<const char*>(expected.data()), 48));
    }

    void nothingElseIsAProfile() {
        const QByteArray bytes = bytesOf(GgufBuilder()
                                             .tensor("blk.0.ffn_fired", {6, 4}, DType::F32)
                                             .tensor("other.0.ffn_fired", {6, 4}, DType::I32)
                                             .tensor("blk.0.ffn_fired.weight", {6, 4}, DType::I32));
        QVERIFY(headerExtent(bytes).profile.isEmpty());
        // Nor what is not all there.
        const QByteArray whole =
            bytesOf(GgufBuilder().tensor("blk.0.ffn_fired", {6, 4}, DType::I32));
        const HeaderExtent extent = headerExtent(whole);
        QCOMPARE(extent.profile.size(), 1);
        QVERIFY(headerExtent(whole.left(extent.bytes - 1)).profile.isEmpty());
    }

    void hostile_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<qint64>("total");
        const auto row = [](const char* name, const GgufBuilder& file, qint64 total) {
            QTest::newRow(name) << bytesOf(file) << total;
        };
        const auto fired = [](std::uint64_t offset, std::vector<std::uint64_t> shape) {
            GgufBuilder file;
            file.tensor("blk.0.ffn_fired", {6, 4}, DType::I32).with_offset(offset);
            file.tensor("blk.1.ffn_fired", std::move(shape), DType::I32, {std::byte{}});
            return file;
        };
        constexpr qint64 kTotal = qint64{1} << 40;
        row("behind the end", fired(std::uint64_t{1} << 40, {6, 4}), kTotal);
        row("over the end", fired((std::uint64_t{1} << 40) - 200, {6, 4}), kTotal);
        row("an offset that wraps", fired(~std::uint64_t{0} - 31, {6, 4}), kTotal);
        row("values that wrap", fired(0, {std::uint64_t{1} << 40, std::uint64_t{1} << 40}), kTotal);
        row("bytes that wrap", fired(0, {std::uint64_t{1} << 62}), kTotal);
        row("too many bytes", fired(0, {6, 3'000'000}), kTotal);
        row("no such alignment", fired(0, {6, 4}).key("general.alignment", std::uint32_t{0}),
            kTotal);
        row("an alignment in words", fired(0, {6, 4}).key("general.alignment", "page"), kTotal);
    }
    void hostile() {
        QFETCH(const QByteArray, bytes);
        QFETCH(const qint64, total);
        const HeaderExtent header = headerExtent(bytes);
        QVERIFY(header.state == HeaderExtent::State::Whole);
        QCOMPARE(header.profile.size(), 2);
        QVERIFY(profileRanges(header, total).isEmpty());
    }

    void limits_data() {
        QTest::addColumn<QList<ByteRange>>("tensors");
        QTest::addColumn<QList<ByteRange>>("ranges");
        const auto every = [](qint64 step, qint64 bytes, int count) {
            QList<ByteRange> all;
            for (int i = 0; i < count; ++i) {
                all.append({step * i, step * i + bytes});
            }
            return all;
        };
        using Ranges = QList<ByteRange>;
        const qint64 gap = kProfileGapMost;
        const qint64 most = kProfileBytesMost;
        const auto many = static_cast<int>(kProfileRangesMost);
        QTest::newRow("none") << Ranges{} << Ranges{};
        QTest::newRow("one") << Ranges{{7, 9}} << Ranges{{7, 9}};
        QTest::newRow("in any order") << Ranges{{20, 30}, {10, 20}, {0, 10}} << Ranges{{0, 30}};
        QTest::newRow("one over another")
            << Ranges{{0, 100}, {10, 20}, {50, 120}} << Ranges{{0, 120}};
        QTest::newRow("a gap") << Ranges{{0, 10}, {10 + gap, 12 + gap}} << Ranges{{0, 12 + gap}};
        QTest::newRow("a larger gap")
            << Ranges{{0, 10}, {11 + gap, 12 + gap}} << Ranges{{0, 10}, {11 + gap, 12 + gap}};
        QTest::newRow("of no bytes")
            << Ranges{{5, 5}, {gap * 9, gap * 9 + 1}} << Ranges{{gap * 9, gap * 9 + 1}};
        QTest::newRow("as many as may be") << every(gap * 2, 10, many) << every(gap * 2, 10, many);
        QTest::newRow("one too many") << every(gap * 2, 10, many + 1) << Ranges{};
        QTest::newRow("a million near ones") << every(10, 4, 1'000'000) << Ranges{{0, 9'999'994}};
        QTest::newRow("as much as may be") << Ranges{{5, 5 + most}} << Ranges{{5, 5 + most}};
        QTest::newRow("a byte too much") << Ranges{{5, 6 + most}} << Ranges{};
        QTest::newRow("too much in all") << every(most, most / 2 + 1, 2) << Ranges{};
    }
    void limits() {
        QFETCH(const QList<ByteRange>, tensors);
        QFETCH(const QList<ByteRange>, ranges);
        HeaderExtent header{.state = HeaderExtent::State::Whole, .bytes = 1};
        for (const ByteRange& tensor : tensors) {
            header.profile.append({static_cast<quint64>(tensor.from),
                                   static_cast<quint64>(tensor.end - tensor.from)});
        }
        QVERIFY(profileRanges(header, qint64{1} << 40) == ranges);
    }

private:
    static QByteArray bytesOf(const GgufBuilder& file) {
        const hearth::test::Bytes bytes = file.bytes();
        return {reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())};
    }
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ProfileRangesTest)
#include "profile_ranges_test.moc"
