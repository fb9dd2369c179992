#include <QTest>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "text/utf8.h"
#include "text/utf8_stream.h"

namespace hearth {
namespace {

const std::string kFffd = "\xEF\xBF\xBD";

bool is_surrogate(std::uint32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

std::string encode(std::uint32_t c) {
    std::string out;
    append_utf8(out, c);
    return out;
}

// Decodes by value instead of by table: what a sequence's lead byte promises is read bit by bit,
// and a prefix is allowed to go on only if some scalar value's encoding starts with it.
bool can_continue(const std::string& prefix) {
    const auto lead = static_cast<std::uint8_t>(prefix[0]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC0 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF8 ? 4
                                             : 0;
    if (length < prefix.size()) {
        return false;
    }
    // The lowest and highest value the bytes so far allow.
    std::uint32_t low = length == 1 ? lead : lead & (0x7FU >> length);
    std::uint32_t high = low;
    for (std::size_t i = 1; i < length; ++i) {
        low <<= 6;
        high = high << 6 | 0x3F;
        if (i < prefix.size()) {
            const auto byte = static_cast<std::uint8_t>(prefix[i]);
            if ((byte & 0xC0) != 0x80) {
                return false;
            }
            low |= byte & 0x3FU;
            high = (high & ~0x3FU) | (byte & 0x3FU);
        }
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    low = std::max(low, kLeast[length]);
    high = std::min<std::uint32_t>(high, 0x10FFFF);
    if (low > high) {
        return false;
    }
    return !(is_surrogate(low) && is_surrogate(high));
}

std::string reference(const std::string& bytes) {
    std::string out;
    std::string held;
    const auto is_whole = [](const std::string& s) {
        const auto lead = static_cast<std::uint8_t>(s[0]);
        return s.size() == (lead < 0x80 ? 1U : lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U);
    };
    for (const char c : bytes) {
        if (!held.empty() && !can_continue(held + c)) {
            out += kFffd;
            held.clear();
        }
        held += c;
        if (!can_continue(held)) {
            out += kFffd;
            held.clear();
        } else if (is_whole(held)) {
            out += held;
            held.clear();
        }
    }
    return held.empty() ? out : out + kFffd;
}

}  // namespace

class Utf8StreamTest : public QObject {
    Q_OBJECT

private slots:
    // Every scalar value, whole and cut at every place.
    void everyCharacter() {
        for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
            if (is_surrogate(c)) {
                continue;
            }
            const std::string bytes = encode(c);
            for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
                Utf8Stream stream;
                const std::string first = stream.push(std::string_view(bytes).substr(0, cut));
                const std::string second = stream.push(std::string_view(bytes).substr(cut));
                if (!first.empty() || second != bytes || !stream.finish().empty()) {
                    QFAIL(qPrintable(QString("U+%1 cut at %2").arg(c, 4, 16).arg(cut)));
                }
            }
        }
    }

    void broken_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const char* bytes, const char* text) {
            QTest::newRow(name) << QByteArray(bytes) << QByteArray(text);
        };
        // U+FFFD is written ? here.
        row("empty", "", "");
        row("lone continuation", "a\x80z", "a?z");
        row("overlong slash", "\xC0\xAF", "??");
        row("overlong of three", "\xE0\x80\xAF", "???");
        row("surrogate", "\xED\xA0\x80", "???");
        row("above U+10FFFF", "\xF4\x90\x80\x80", "????");
        row("two of three, then text", "\xE2\x82z", "?z");
        row("three of four, then text", "\xF0\x9F\x98z", "?z");
        row("lead after lead", "\xF0\x9F\xF0\x9F\x98\x80", "?\xF0\x9F\x98\x80");
        row("cut at the end", "a\xE2\x82", "a?");
        row("never a byte", "\xFF\xFE", "??");
        // The example of the Unicode standard, section 3.9, table 3-8.
        row("table 3-8", "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64", "a???b?c??d");
    }
    void broken() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, text);
        text.replace("?", QByteArray::fromStdString(kFffd));
        Utf8Stream whole;
        std::string got = whole.push(bytes.toStdString());
        got += whole.finish();
        QCOMPARE(QByteArray::fromStdString(got), text);
        Utf8Stream single;
        got.clear();
        for (const char c : bytes) {
            got += single.push(std::string_view(&c, 1));
        }
        got += single.finish();
        QCOMPARE(QByteArray::fromStdString(got), text);
    }

    void random_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("any bytes") << 0;
        QTest::newRow("leads and continuations") << 1;
        QTest::newRow("characters with a byte changed") << 2;
    }
    void random() {
        QFETCH(int, kind);
        std::mt19937 random(static_cast<unsigned>(kind) + 7);
        const std::string alphabet = "a\x80\xBF\xC2\xE0\xE1\xED\x9F\xA0\xF0\xF4\x8F\x90\xC1\xF5";
        for (int round = 0; round < 20000; ++round) {
            std::string bytes;
            for (int i = 0; i < 12; ++i) {
                if (kind == 0) {
                    bytes += static_cast<char>(random() & 0xFF);
                } else if (kind == 1) {
                    bytes += alphabet[random() % alphabet.size()];
                } else {
                    std::string c = encode(static_cast<std::uint32_t>(random() % 0xD800));
                    if (random() % 4 == 0) {
                        c[random() % c.size()] = static_cast<char>(random() & 0xFF);
                    }
                    bytes += c;
                }
            }
            Utf8Stream stream;
            std::string got;
            for (std::size_t at = 0; at < bytes.size();) {
                const std::size_t count = random() % 4;
                got += stream.push(std::string_view(bytes).substr(at, count));
                at += count;
            }
            got += stream.finish();
            if (got != reference(bytes)) {
                QFAIL(QByteArray::fromStdString(bytes).toHex(' ').constData());
            }
        }
    }

    void holdsNothingItCanShow() {
        Utf8Stream stream;
        QCOMPARE(stream.push("a\xF0\x9F\x98"), std::string("a"));
        QCOMPARE(stream.push("\x80"
                             "b"),
                 std::string("\xF0\x9F\x98\x80"
                             "b"));
        QCOMPARE(stream.push("\xE2"), std::string());
        QCOMPARE(stream.finish(), kFffd);
        QCOMPARE(stream.push("next"), std::string("next"));
        QCOMPARE(stream.finish(), std::string());
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::Utf8StreamTest)
#include "utf8_stream_test.moc"
