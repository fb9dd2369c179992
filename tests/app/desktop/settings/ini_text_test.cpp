#include "settings/ini_text.h"

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class IniTextTest : public QObject {
    Q_OBJECT

private slots:
    void keepsWhatIsThere_data();
    void keepsWhatIsThere();
    void changes_data();
    void changes();
    void isReadByQt_data();
    void isReadByQt();
};

namespace {

const QByteArray kFile =
    "; mine\n\n[engine]\nram=2200M ; as the manual says\n  threads=4\nwarp=\"a;b\nc\"\n\n"
    "[for-1]\r\npath=/m/a.gguf\r\nengine\\mode=dense\r\n; the end";

}  // namespace

void IniTextTest::keepsWhatIsThere_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("usual") << kFile;
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no lines") << QByteArray("]=[;\"\\");
    QTest::newRow("an open quote") << QByteArray("[a]\nb=\"c\n[d]\ne=f");
    QByteArray bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i);
    }
    QTest::newRow("all bytes") << bytes + bytes;
}

void IniTextTest::keepsWhatIsThere() {
    QFETCH(const QByteArray, text);
    QCOMPARE(IniText(text).text(), text);
    IniText removed(text);
    removed.remove(QStringLiteral("not/there"));
    QCOMPARE(removed.text(), text);
}

void IniTextTest::changes_data() {
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QStringList>("values");  // empty: removed
    QTest::addColumn<QByteArray>("after");
    const auto row = [](const char* name, const QByteArray& before, const char* key,
                        const QStringList& values, const QByteArray& after) {
        QTest::newRow(name) << before << QString::fromLatin1(key) << values << after;
    };
    const auto changed = [](const char* what, const char* into) {
        return QByteArray(kFile).replace(what, into);
    };
    row("a value", kFile, "engine/threads", {QStringLiteral("2")},
        changed("threads=4", "threads=2"));
    row("beside a comment", kFile, "engine/ram", {QStringLiteral("3G")},
        changed("2200M ;", "3G ;"));
    row("over two lines", kFile, "engine/warp", {QStringLiteral("9")}, changed("\"a;b\nc\"", "9"));
    row("of a model", kFile, "for-1/engine/mode", {QStringLiteral("exact")},
        changed("mode=dense", "mode=exact"));
    row("new in a section", kFile, "engine/ctx", {QStringLiteral("512")},
        changed("c\"\n", "c\"\nctx=512\n"));
    row("new at the end", kFile, "for-1/engine/ctx", {QStringLiteral("512")},
        changed("dense\r\n", "dense\r\nengine\\ctx=512\n"));
    row("a new section", kFile, "window/zoom", {QStringLiteral("2")},
        kFile + "\n\n[window]\nzoom=2\n");
    row("the first", {}, "window/zoom", {QStringLiteral("2")}, "[window]\nzoom=2\n");
    row("an empty section", "[window]", "window/zoom", {QStringLiteral("2")}, "[window]\nzoom=2\n");
    row("the last of two holds", "[a]\nb=1\nb=2\n", "a/b", {QStringLiteral("3")},
        "[a]\nb=1\nb=3\n");
    row("removed", kFile, "for-1/path", {}, changed("path=/m/a.gguf\r\n", ""));
    row("removed beside a comment", kFile, "engine/ram", {}, changed("ram=2200M ;", ";"));
    // Names as QSettings writes letters that it does not leave as they are.
    row("a name in signs", "[a]\nsy%73tem=1\n%U00E4=2\n", "a/system", {QStringLiteral("3")},
        "[a]\nsystem=3\n%U00E4=2\n");
    row("a name with a letter of its own", "[a]\nsy%73tem=1\n%U00E4=2\n", "a/\xe4",
        {QStringLiteral("3")}, "[a]\nsy%73tem=1\n%U00E4=3\n");
    row("half a sign at the end", "[a]\nb%4=1\nb%U00E=2\n", "a/c", {QStringLiteral("3")},
        "[a]\nb%4=1\nb%U00E=2\nc=3\n");
    row("a percent sign", "[a]\nb%4=1\n", "a/b%4", {}, "[a]\n");
    row("a name with an underline", {}, "a/b_c-d.e", {QStringLiteral("1")}, "[a]\nb_c-d.e=1\n");
    row("without a section", {}, "b", {QStringLiteral("1")}, "[General]\nb=1\n");
    row("a section of that name", "[%General]\nb=1\n[general]\nb=2\n", "General/b",
        {QStringLiteral("3")}, "[%General]\nb=3\n[general]\nb=2\n");
    row("beside a section of that name", "[%General]\nb=1\n[general]\nb=2\n", "b",
        {QStringLiteral("3")}, "[%General]\nb=1\n[general]\nb=3\n");
    row("an empty name", "[a]\n=1\nb=2\n", "a/", {}, "[a]\nb=2\n");
    row("both removed", "[a]\nb=1\nc=2\nb=3\n", "a/b", {}, "[a]\nc=2\n");
}

void IniTextTest::changes() {
    QFETCH(const QByteArray, before);
    QFETCH(const QString, key);
    QFETCH(const QStringList, values);
    QFETCH(const QByteArray, after);
    IniText text(before);
    if (values.isEmpty()) {
        text.remove(key);
    } else {
        text.set(key, values);
    }
    QCOMPARE(text.text(), after);
}

void IniTextTest::isReadByQt_data() {
    QTest::addColumn<QStringList>("values");
    const auto row = [](const char* name, const QStringList& values) {
        QTest::newRow(name) << values;
    };
    row("a word", {QStringLiteral("word")});
    row("nothing", {QString()});
    row("blanks", {QStringLiteral("  a  ")});
    row("a blank at the end", {QStringLiteral("a  ")});
    row("a blank at the beginning", {QStringLiteral("  a")});
    row("a blank at the end of the second", {QStringLiteral("a"), QStringLiteral("b ")});
    row("a tab at the end", {QStringLiteral("a\t")});
    row("blanks alone", {QStringLiteral("  ")});
    row("a digit behind a sign, twice", {QStringLiteral("\x01"
                                                        "12\x02"
                                                        "3")});
    row("signs", {QStringLiteral("a;b,c=d\"e\\f[g]%41@")});
    row("an at", {QStringLiteral("@Variant(1)")});
    row("lines", {QStringLiteral("a\nb\r\n\tc\x01"
                                 "0\x7f"
                                 "f")});
    row("letters", {QString::fromUtf8("Zwei “mit” äöü 火 🔥")});
    row("a list", {QStringLiteral("/a, b"), QStringLiteral("/c"), QString()});
    row("a backslash at the end", {QStringLiteral("C:\\models\\")});
}

// Two readers of one format: what is written here, QSettings reads as it was meant, in the midst of
// other entries.
void IniTextTest::isReadByQt() {
    QFETCH(const QStringList, values);
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    IniText text(kFile);
    text.set(QStringLiteral("engine/what"), values);
    text.set(QStringLiteral("for-1/chat/what"), values);
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.text());
    file.close();
    const QSettings read(name, QSettings::IniFormat);
    QCOMPARE(read.value("engine/what").toStringList(), values);
    QCOMPARE(read.value("for-1/chat/what").toStringList(), values);
    QCOMPARE(read.value("engine/threads").toString(), QStringLiteral("4"));
    QCOMPARE(read.value("for-1/engine/mode").toString(), QStringLiteral("dense"));
    // And the other way round.
    IniText again(text.text());
    again.set(QStringLiteral("engine/what"), {QStringLiteral("x")});
    again.remove(QStringLiteral("for-1/chat/what"));
    IniText simple(kFile);
    simple.set(QStringLiteral("engine/what"), {QStringLiteral("x")});
    QCOMPARE(again.text(), simple.text());
}

QTEST_GUILESS_MAIN(IniTextTest)
#include "ini_text_test.moc"
