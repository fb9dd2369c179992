// What a catalogue or a hub may ask to be downloaded, and what not.
#include <QtTest>

#include "downloads/download_order.h"

using namespace hearth::ui;

namespace {

DownloadOrder good() {
    return {QStringLiteral("A model"),
            QStringLiteral("/models"),
            QStringLiteral("mit"),
            {{QUrl(QStringLiteral("https://hub.example/a.gguf")), QStringLiteral("a.gguf"), 5,
              QByteArray(32, 'x')}}};
}

}  // namespace

class DownloadOrderTest : public QObject {
    Q_OBJECT

private slots:
    void takes() {
        QCOMPARE(refusalOf(good()), QString());
        QCOMPARE(good().bytes(), 5);
        QCOMPARE(good().paths(), QStringList("/models/a.gguf"));
        DownloadOrder bare = good();
        bare.parts.first().bytes = -1;
        bare.parts.first().sha256.clear();
        QCOMPARE(refusalOf(bare), QString());
        QCOMPARE(bare.bytes(), -1);
    }
    void refusesNames_data() {
        QTest::addColumn<QString>("name");
        const QStringList names{"",
                                ".",
                                "..",
                                "../a.gguf",
                                "a/b.gguf",
                                "a\\b.gguf",
                                "/etc",
                                ".bashrc",
                                "a\nb",
                                "a.",
                                " a",
                                "a ",
                                "C:a",
                                "a*",
                                QString(QChar(0)) + "a",
                                QString(300, 'a')};
        for (const QString& name : names) {
            QTest::addRow("'%s'", qPrintable(name.left(20))) << name;
        }
    }
    void refusesNames() {
        QFETCH(QString, name);
        DownloadOrder order = good();
        order.parts.first().fileName = name;
        QVERIFY(!refusalOf(order).isEmpty());
        order = good();  // and where it is the name of the second file
        order.parts.append(order.parts.first());
        order.parts.last().fileName = QStringLiteral("b.gguf");
        QCOMPARE(refusalOf(order), QString());
        order.parts.last().fileName = name;
        QVERIFY(!refusalOf(order).isEmpty());
    }
    void refusesTheRest_data() {
        QTest::addColumn<int>("what");
        int what = 0;
        for (const char* name :
             {"no part", "a relative folder", "no folder", "an odd address", "a size below nothing",
              "a size beyond all", "half a hash", "a name twice", "thousands of parts"}) {
            QTest::addRow("%s", name) << what++;
        }
    }
    void refusesTheRest() {
        QFETCH(int, what);
        DownloadOrder order = good();
        DownloadPart& part = order.parts.first();
        switch (what) {
            case 0:
                order.parts.clear();
                break;
            case 1:
                order.folder = QStringLiteral("models");
                break;
            case 2:
                order.folder.clear();
                break;
            case 3:
                part.url = QUrl(QStringLiteral("file:///etc/passwd"));
                break;
            case 4:
                part.bytes = -2;
                break;
            case 5:
                part.bytes = std::numeric_limits<qint64>::max();
                break;
            case 6:
                part.sha256 = "abc";
                break;
            case 7:
                order.parts.append(part);
                order.parts.last().fileName = QStringLiteral("A.GGUF");
                break;
            default:
                while (order.parts.size() < 2000) {
                    order.parts.append(order.parts.first());
                }
        }
        const QString text = refusalOf(order);
        QVERIFY(text.endsWith(QLatin1Char('.')));
        if (order.parts.size() == 1) {
            DownloadOrder later = order;  // the same of the second file
            later.parts.prepend(good().parts.first());
            later.parts.first().fileName = QStringLiteral("first.gguf");
            QVERIFY(!refusalOf(later).isEmpty());
        }
    }
    void namesSplits() {
        QCOMPARE(namesOfSplit(QStringLiteral("m.gguf")), QStringList("m.gguf"));
        QCOMPARE(namesOfSplit(QStringLiteral("m-00002-of-00003.gguf")),
                 QStringList(
                     {"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"}));
        for (const char* odd : {"m-00001-of-00000.gguf", "m-00004-of-00003.gguf",
                                "m-00000-of-00003.gguf", "m-00001-of-99999.gguf"}) {
            QVERIFY2(namesOfSplit(QString(odd)).isEmpty(), odd);
        }
    }
};

QTEST_GUILESS_MAIN(DownloadOrderTest)
#include "download_order_test.moc"
