#include "system/size_words.h"

#include <QLocale>
#include <QtTest>

namespace hearth::ui {

class SizeWordsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    // By 1000, as the pages that models come from: what is 4,683,073,184 bytes is 4.7 GB there.
    void countsByThousands_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<int>("decimals");
        QTest::addColumn<QString>("words");
        QTest::newRow("none") << quint64{0} << 1 << "0 bytes";
        QTest::newRow("bytes") << quint64{999} << 1 << "999 bytes";
        QTest::newRow("kB") << quint64{1000} << 1 << "1.0 kB";
        QTest::newRow("not by 1024") << quint64{1 << 20} << 2 << "1.05 MB";
        QTest::newRow("a model") << quint64{4'683'073'184} << 1 << "4.7 GB";
        QTest::newRow("2200M of a setting") << (quint64{2200} << 20) << 1 << "2.3 GB";
        QTest::newRow("whole") << quint64{36'400'000} << 0 << "36 MB";
        QTest::newRow("TB") << quint64{1'500'000'000'000} << 1 << "1.5 TB";
    }
    void countsByThousands() {
        QFETCH(const quint64, bytes);
        QFETCH(const int, decimals);
        QFETCH(const QString, words);
        QCOMPARE(sizeWords(bytes, decimals), words);
    }

    void asTheLocaleWritesNumbers() {
        QLocale::setDefault(QLocale(QLocale::German));
        const QString words = sizeWords(4'683'073'184);
        QLocale::setDefault(QLocale::c());
        QVERIFY2(words.startsWith(QLatin1String("4,7")), qPrintable(words));
    }
};

}  // namespace hearth::ui

QTEST_APPLESS_MAIN(hearth::ui::SizeWordsTest)
#include "size_words_test.moc"
