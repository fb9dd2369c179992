#include "base/hash128.h"

#include <QtTest>
#include <set>
#include <vector>

using hearth::Hash128;

namespace {

std::string hash_of(const std::vector<std::string>& texts) {
    Hash128 hash;
    for (const std::string& text : texts) {
        hash.add(text);
    }
    return hash.hex();
}

}  // namespace

class Hash128Test : public QObject {
    Q_OBJECT

private slots:
    // Files carry it, so these may never change.
    void stays_what_it_is() {
        QCOMPARE(QString::fromStdString(Hash128().hex()),
                 QString("f1510244f2b2b3a2a2f5b4d5ce788836"));
        QCOMPARE(QString::fromStdString(hash_of({"Hearth, 0123456789"})),
                 QString("45d0bb127978ba8d8ad881078b4eed01"));
        Hash128 number;
        number.add(std::uint64_t{42});
        QCOMPARE(QString::fromStdString(number.hex()), QString("04983d0fe3ab8f186256d005e1ad83d8"));
    }

    void cuts_count() {
        QVERIFY(hash_of({"ab"}) != hash_of({"a", "b"}));
        QVERIFY(hash_of({""}) != hash_of({}));
        QVERIFY(hash_of({"a"}) != hash_of({std::string("a\0", 2)}));
    }

    // Every single bit of a few hundred bytes, and their order, must show.
    void every_bit_counts() {
        std::string text(200, 'x');
        std::set<std::string> seen{hash_of({text})};
        for (std::size_t byte = 0; byte < text.size(); ++byte) {
            for (int bit = 0; bit < 8; ++bit) {
                std::string other = text;
                other[byte] = static_cast<char>(other[byte] ^ (1 << bit));
                seen.insert(hash_of({other}));
            }
        }
        QCOMPARE(seen.size(), std::size_t{1 + 200 * 8});
    }
};

QTEST_APPLESS_MAIN(Hash128Test)
#include "hash128_test.moc"
