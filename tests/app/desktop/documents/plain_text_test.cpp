#include "documents/plain_text.h"

#include <QtTest>

using namespace hearth::ui;

class PlainTextTest : public QObject {
    Q_OBJECT

private slots:
    void decodes_data();
    void decodes();
    void refuses_data();
    void refuses();
    void cutsWholeCharacters();
};

void PlainTextTest::decodes_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("ASCII") << QByteArray("plain\n") << "plain\n";
    QTest::newRow("UTF-8") << QByteArray(
                                  "Gr\xC3\xBC\xC3\x9F"
                                  "e \xF0\x9F\x98\x80")
                           << "Grüße 😀";
    QTest::newRow("with a mark") << QByteArray(
                                        "\xEF\xBB\xBF"
                                        "a")
                                 << "a";
    QTest::newRow("UTF-16, little") << QByteArray(
                                           "\xFF\xFE"
                                           "a\0\xFC\0",
                                           6)
                                    << "aü";
    QTest::newRow("UTF-16, big") << QByteArray("\xFE\xFF\0a\0\xFC", 6) << "aü";
    QTest::newRow("Windows") << QByteArray(
                                    "\x93"
                                    "f\xFCr\x94 5 \x80")
                             << "“für” 5 €";
    QTest::newRow("colours of a terminal") << QByteArray("\x1B[1mbold") << "\x1B[1mbold";
}

void PlainTextTest::decodes() {
    QFETCH(QByteArray, bytes);
    const auto text = decodeText(bytes);
    QVERIFY(text);
    QTEST(*text, "text");
}

void PlainTextTest::refuses_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("zeros") << QByteArray(100, '\0');
    QTest::newRow("one zero in a text") << QByteArray("text\0text", 9);
    QTest::newRow("a picture") << QByteArray("\x89PNG\r\n\x1A\n");
    QTest::newRow("zeros behind a mark") << QByteArray("\xFF\xFE") + QByteArray(100, '\0');
}

void PlainTextTest::refuses() {
    QFETCH(QByteArray, bytes);
    QVERIFY(!decodeText(bytes));
}

// The beginning of a large file may end within a character.
void PlainTextTest::cutsWholeCharacters() {
    const QByteArray whole = QStringLiteral("aü😀").toUtf8();
    const QStringList kept = {QStringLiteral("a"),  QStringLiteral("a"),  QStringLiteral("aü"),
                              QStringLiteral("aü"), QStringLiteral("aü"), QStringLiteral("aü"),
                              QStringLiteral("aü😀")};
    for (qsizetype bytes = 1; bytes <= whole.size(); ++bytes) {
        QCOMPARE(decodeText(whole.first(bytes), true).value_or(QString()), kept[bytes - 1]);
    }
}

QTEST_GUILESS_MAIN(PlainTextTest)
#include "plain_text_test.moc"
