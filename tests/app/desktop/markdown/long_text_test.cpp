#include "markdown/long_text.h"

#include <QtTest>

using namespace hearth::ui;

class LongTextTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void foldsWhatIsLong_data();
    void foldsWhatIsLong();
    void showsAllOfIt_data();
    void showsAllOfIt();
    void describes();
};

void LongTextTest::foldsWhatIsLong_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<qsizetype>("folded");
    QTest::addColumn<bool>("tooLong");
    const QString line = QStringLiteral("a line\n");
    QTest::addRow("empty") << QString() << qsizetype{-1} << false;
    QTest::addRow("sixty lines") << line.repeated(60) << qsizetype{-1} << false;
    QTest::addRow("more lines") << line.repeated(61) << 30 * line.size() << false;
    QTest::addRow("600 lines") << line.repeated(600) << 30 * line.size() << false;
    QTest::addRow("601 lines") << line.repeated(601) << 30 * line.size() << true;
    QTest::addRow("a long line") << QString(6000, QLatin1Char('x')) << qsizetype{-1} << false;
    QTest::addRow("a longer line") << QString(6001, QLatin1Char('x')) << qsizetype{3000} << false;
    QTest::addRow("a megabyte") << QString(1 << 20, QLatin1Char('x')) << qsizetype{3000} << true;
    QTest::addRow("a pair at the cut")
        << QStringLiteral("x") + QStringLiteral("\U0001F525").repeated(4000) << qsizetype{2999}
        << false;
    QTest::addRow("a line end near the cut")
        << QString(2900, QLatin1Char('x')) + QLatin1Char('\n') + QString(9000, QLatin1Char('y'))
        << qsizetype{2901} << false;
}

void LongTextTest::foldsWhatIsLong() {
    QFETCH(QString, text);
    QTEST(foldedLength(text), "folded");
    QTEST(isTooLongToEdit(text), "tooLong");
}

void LongTextTest::showsAllOfIt_data() {
    QTest::addColumn<QString>("text");
    QTest::addRow("empty") << QString();
    QTest::addRow("a line") << "a";
    QTest::addRow("lines") << QStringLiteral("one\n\ntwo\n").repeated(7000);
    QTest::addRow("a long line") << QStringLiteral("\U0001F525").repeated(300'000);
    QTest::addRow("line ends") << QString(100'000, QLatin1Char('\n'));
}

void LongTextTest::showsAllOfIt() {
    QFETCH(QString, text);
    QString again;
    for (const QString& part : partsToShow(text)) {
        QVERIFY(part.size() <= 4000 && part.count(QLatin1Char('\n')) < 60);
        QVERIFY(part.isEmpty() ||
                (!part.front().isLowSurrogate() && !part.back().isHighSurrogate()));
        again += part;
        if (again.size() < text.size() && text.at(again.size()) == QLatin1Char('\n')) {
            again += QLatin1Char('\n');
        }
    }
    QCOMPARE(again, text);
}

void LongTextTest::describes() {
    QCOMPARE(describeSize(QStringLiteral("abc")), QStringLiteral("3 characters in one line"));
    QCOMPARE(describeSize(QStringLiteral("a\nb\n")), QStringLiteral("4 characters, 2 lines"));
    QCOMPARE(describeSize(QStringLiteral("a\nb")), QStringLiteral("3 characters, 2 lines"));
}

QTEST_GUILESS_MAIN(LongTextTest)
#include "long_text_test.moc"
