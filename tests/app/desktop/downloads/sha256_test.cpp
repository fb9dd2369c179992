// Against Qt's own, which is slower.
#include <QCryptographicHash>
#include <QtTest>

#include "downloads/sha256.h"

using namespace hearth::ui;

class Sha256Test : public QObject {
    Q_OBJECT

private slots:
    void isThatOfQt_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addRow("nothing") << QByteArray();
        QTest::addRow("abc") << QByteArray("abc");
        QTest::addRow("a megabyte") << QByteArray(1'000'003, 'x');
    }
    void isThatOfQt() {
        QFETCH(QByteArray, bytes);
        QCOMPARE(Sha256::of(bytes), QCryptographicHash::hash(bytes, QCryptographicHash::Sha256));
    }
    void goesOnAfterAResult() {
        Sha256 hash;
        hash.add("ab");
        QCOMPARE(hash.result(), Sha256::of("ab"));
        hash.add("c");
        QCOMPARE(hash.result(), Sha256::of("abc"));
        hash.reset();
        QCOMPARE(hash.result(), Sha256::of({}));
    }
};

QTEST_GUILESS_MAIN(Sha256Test)
#include "sha256_test.moc"
