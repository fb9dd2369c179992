// Each thing that speaks against a server's file, with its sentence, and what does not.
#include "downloads/file_expectation.h"

#include <QtTest>

#include "downloads/gguf_extent.h"

using namespace hearth::ui;
using Extent = HeaderExtent::State;

class FileExpectationTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void sizes_data();
    void sizes();
    void hashes();
    void headers_data();
    void headers();
};

void FileExpectationTest::sizes_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("about");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<QString>("wrong");
    const auto row = [](const char* name, qint64 bytes, qint64 about, qint64 size,
                        const char* wrong = "") {
        QTest::newRow(name) << bytes << about << size << QString::fromLatin1(wrong);
    };
    row("nothing is known", -1, -1, 5);
    row("the server does not say", 5, 5, -1);
    row("to the byte", 5000, -1, 5000);
    row("a byte less", 5000, -1, 4999,
        "The server's file has 4,999 bytes instead of 5,000. It is not the file you chose.");
    row("a byte more", 5000, -1, 5001,
        "The server's file has 5,001 bytes instead of 5,000. It is not the file you chose.");
    row("an empty one", 5000, -1, 0,
        "The server's file has 0 bytes instead of 5,000. It is not the file you chose.");
    row("one that should be empty", 0, -1, 1,
        "The server's file has 1 bytes instead of 0. It is not the file you chose.");
    row("a tenth less", -1, 1'000'000, 900'000);
    row("a tenth more", -1, 1'000'000, 1'100'000);
    row("more than a tenth less", -1, 1'000'000, 899'999,
        "The server's file has 900.0 kB instead of about 1.0 MB. It is not the file you chose.");
    row("more than a tenth more", -1, 1'000'000, 1'100'001,
        "The server's file has 1.1 MB instead of about 1.0 MB. It is not the file you chose.");
    row("the exact size counts first", 1'500'000, 1'000'000, 1'000'000,
        "The server's file has 1,000,000 bytes instead of 1,500,000. It is not the file you "
        "chose.");
}

void FileExpectationTest::sizes() {
    QFETCH(const qint64, bytes);
    QFETCH(const qint64, about);
    QFETCH(const qint64, size);
    QTEST((FileExpectation{.bytes = bytes, .bytesAbout = about}.wrongSize(size)), "wrong");
}

void FileExpectationTest::hashes() {
    const QString other = QStringLiteral(
        "The server says that its file has another SHA-256 than was promised. It is not the file "
        "you chose.");
    const FileExpectation known{.sha256 = QByteArray(32, '\xab')};
    QCOMPARE(known.wrongHash(QByteArray(64, 'a')), other);
    QCOMPARE(known.wrongHash(QByteArray("ab").repeated(32)), QString());
    QCOMPARE(known.wrongHash(QByteArray("AB").repeated(32)), QString());
    QCOMPARE(known.wrongHash({}), QString());
    QCOMPARE(known.wrongHash(QByteArray(40, 'a')), QString());  // of another kind
    QCOMPARE(FileExpectation{}.wrongHash(QByteArray(64, 'a')), QString());
}

void FileExpectationTest::headers_data() {
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<int>("state");
    QTest::addColumn<QByteArray>("architecture");
    QTest::addColumn<bool>("whole");
    QTest::addColumn<QString>("wrong");
    QTest::addColumn<bool>("open");
    const auto row = [](const QByteArray& name, const char* wanted, Extent state, const char* found,
                        bool whole, const char* wrong, bool open = false) {
        QTest::newRow(name.constData())
            << QString::fromLatin1(wanted) << static_cast<int>(state) << QByteArray(found) << whole
            << QString::fromLatin1(wrong) << open;
    };
    const char* const none = "The server's file is no model, whatever it is called.";
    const char* const cut = "The model on the server is cut off: its header ends in the middle.";
    const char* const silent =
        "The server's file does not say its architecture, which should be llama. It is not the "
        "file you chose.";
    const char* const other =
        "The server's file is a model of the architecture qwen2 instead of llama. It is not the "
        "file you chose.";
    for (const bool whole : {false, true}) {
        const auto named = [whole](const char* name) {
            return QByteArray(name) + (whole ? ", all of it" : "");
        };
        row(named("no model"), "llama", Extent::None, "", whole, none);
        row(named("none of any"), "", Extent::None, "", whole, none);
        row(named("any model"), "", Extent::Whole, "qwen2", whole, "");
        row(named("the right one"), "llama", Extent::Whole, "llama", whole, "");
        row(named("another one"), "llama", Extent::Whole, "qwen2", whole, other);
        row(named("a silent one"), "llama", Extent::Whole, "", whole, silent);
    }
    row("half a header of any", "", Extent::More, "", false, "", true);
    row("half a header that says it", "llama", Extent::More, "llama", false, "");
    row("half a header that says another", "llama", Extent::More, "qwen2", false, other);
    row("half a header that says nothing yet", "llama", Extent::More, "", false, "", true);
    row("a header cut off", "llama", Extent::More, "llama", true, cut);
    row("a header of any cut off", "", Extent::More, "", true, cut);
    row("a name with line ends", "llama", Extent::Whole, "a\n b", true,
        "The server's file is a model of the architecture a b instead of llama. It is not the file "
        "you chose.");
}

void FileExpectationTest::headers() {
    QFETCH(const QString, wanted);
    QFETCH(const int, state);
    QFETCH(const QByteArray, architecture);
    QFETCH(const bool, whole);
    QFETCH(const bool, open);
    const FileExpectation expected{.model = true, .architecture = wanted};
    const HeaderExtent header{.state = static_cast<Extent>(state), .architecture = architecture};
    bool more = !open;
    QTEST(expected.wrongHeader(header, whole, more), "wrong");
    QCOMPARE(more, open);
    // Nothing is looked at if nothing is known.
    QVERIFY(expected.looksAtHeader());
    QVERIFY((FileExpectation{.architecture = QStringLiteral("llama")}.looksAtHeader()));
    QVERIFY(!FileExpectation{}.looksAtHeader());
    more = true;
    QCOMPARE(FileExpectation{}.wrongHeader(header, whole, more), QString());
    QVERIFY(!more);
}

QTEST_GUILESS_MAIN(FileExpectationTest)
#include "file_expectation_test.moc"
