#include "library/pack_note.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

namespace {

// JSON with single quotes: moc loses its way in raw strings.
QByteArray q(const char* json) {
    return QByteArray(json).replace('\'', '"');
}

}  // namespace

class PackNoteTest : public QObject {
    Q_OBJECT

private slots:
    void comesBack() {
        const PackNote note{QStringLiteral("Llama “é”"),
                            {.source = QStringLiteral("/models/a.gguf"),
                             .target = QStringLiteral("/models/a.hearth.gguf"),
                             .activation = QStringLiteral("reglu"),
                             .predictorInput = QStringLiteral("residual")}};
        const QString path = folder_.filePath(QStringLiteral("deep/packing.json"));
        QVERIFY(!readPackNote(path));
        QCOMPARE(writePackNote(path, note), QString());
        const auto back = readPackNote(path);
        QVERIFY(back);
        QCOMPARE(back->name, note.name);
        QVERIFY(back->job == note.job);
    }

    void saysWhatItCannotWrite() {
        QFile file(folder_.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QString wrong = writePackNote(file.fileName() + QStringLiteral("/packing.json"), {});
        QVERIFY2(wrong.contains(QLatin1String("nothing was begun")), qPrintable(wrong));
    }

    // What it names may be removed, so nothing but what this program writes is believed.
    void hostile_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("believed");
        const auto row = [](const char* name, const char* source, const char* target,
                            const char* activation, bool believed = false) {
            QTest::newRow(name) << q("{'version':1,'name':'a','source':'") + source +
                                       q("','target':'") + target + q("','activation':'") +
                                       activation + q("'}")
                                << believed;
        };
        row("right", "/m/a.gguf", "/m/b.gguf", "", true);
        row("no model's name", "/m/a.gguf", "/etc/passwd", "");
        row("upwards", "/m/a.gguf", "/m/../etc/b.gguf", "");
        row("relative", "/m/a.gguf", "b.gguf", "");
        row("relative source", "a.gguf", "/m/b.gguf", "");
        row("empty", "", "", "");
        row("activation", "/m/a.gguf", "/m/b.gguf", "--force");
        QTest::newRow("nothing") << QByteArray() << false;
        QTest::newRow("no JSON") << QByteArray("\xff\xfe{{{") << false;
        QTest::newRow("another version") << q("{'version':2}") << false;
        QTest::newRow("other types")
            << q("{'version':1,'name':[],'source':{},'target':7}") << false;
        QTest::newRow("deep") << QByteArray(60'000, '[') << false;
        QTest::newRow("huge") << QByteArray(1 << 20, ' ') << false;
    }
    void hostile() {
        QFETCH(const QByteArray, text);
        QFETCH(const bool, believed);
        QFile file(folder_.filePath(QStringLiteral("hostile.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        QCOMPARE(readPackNote(file.fileName()).has_value(), believed);
    }

private:
    const QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(PackNoteTest)
#include "pack_note_test.moc"
