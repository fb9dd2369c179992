// The hub's answers, as it gives them and as somebody else might.
#include "library/hub_answers.h"

#include <QtTest>

using namespace hearth::ui;

namespace {

// JSON with single quotes: moc loses its way in raw strings.
QByteArray q(const char* json) {
    return QByteArray(json).replace('\'', '"');
}

const char* const kHash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

QByteArray file(const QByteArray& path, const QByteArray& more = {}) {
    return q("{'rfilename':'") + path + '"' + (more.isEmpty() ? "" : "," + more) + '}';
}

QByteArray sized(const QByteArray& path, qint64 bytes) {
    return file(path, "\"size\":" + QByteArray::number(bytes));
}

QByteArray repository(const QByteArrayList& files, const QByteArray& more = {}) {
    return q("{'id':'some/one','sha':'0123456789012345678901234567890123456789',") + more +
           q("'siblings':[") + files.join(',') + "]}";
}

HubRepository read(const QByteArrayList& files, const QByteArray& more = {}) {
    return readHubRepository(repository(files, more), QStringLiteral("some/one"));
}

QStringList titles(const HubRepository& found) {
    QStringList all;
    for (const HubItem& item : found.items) {
        all << item.title;
    }
    return all;
}

}  // namespace

class HubAnswersTest : public QObject {
    Q_OBJECT

private slots:
    void search() {
        const HubFound found = readHubSearch(
            q("["
              "{'_id':'6','id':'Org/Model-GGUF','likes':12,'downloads':12345,'private':false,"
              "'gated':false,'tags':['gguf','license:apache-2.0','region:us']},"
              "{'id':'meta/Gated','downloads':7,'gated':'manual','tags':['license:llama3.2']},"
              "{'id':'some/quiet'},{'id':'said/open','gated':'false'}]"));
        QCOMPARE(found.wrong, QString());
        QCOMPARE(found.leftOut, 0);
        const QList<HubModel> wanted{{"Org/Model-GGUF", 12345, "apache-2.0", false},
                                     {"meta/Gated", 7, "llama3.2", true},
                                     {"some/quiet", -1, {}, false},
                                     {"said/open", -1, {}, false}};
        QVERIFY(found.models == wanted);
        QVERIFY(readHubSearch("[]").models.isEmpty() && readHubSearch("[]").wrong.isEmpty());
    }

    void hostileSearch_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("wrong");
        QTest::addColumn<int>("models");
        QTest::addColumn<int>("leftOut");
        const auto row = [](const char* name, const QByteArray& json, const char* wrong, int models,
                            int leftOut) {
            QTest::newRow(name) << json << QString::fromUtf8(wrong) << models << leftOut;
        };
        row("nothing", "", "could not be read", 0, 0);
        row("a page", "<html>Service</html>", "could not be read", 0, 0);
        row("cut off", q("[{'id':'a/b'},{'id':"), "could not be read", 0, 0);
        row("zeros", QByteArray(1000, '\0'), "could not be read", 0, 0);
        row("deep", QByteArray(100'000, '['), "could not be read", 0, 0);
        row("deep objects", q("{'a':").repeated(50'000), "could not be read", 0, 0);
        row("too much", QByteArray(3 << 20, ' '), "too large", 0, 0);
        row("an error", q("{'error':'no'}"), "no list of models", 0, 0);
        row("a number", "7", "could not be read", 0, 0);  // Qt reads arrays and objects only
        row("other types", q("[1,null,'a',[],{},{'id':7},{'id':['a/b']},{'id':{'a':'b/c'}}]"), "",
            0, 8);
        row("names",
            q("[{'id':'../../etc'},{'id':'a/../b'},{'id':'a'},{'id':'/a/b'},{'id':'a/b/c'},"
              "{'id':'https://evil.example/a'},{'id':'a/b\\n'},{'id':'a/b?x=y'},{'id':'a/b%2f'},"
              "{'id':'a\\u0000/b'},{'id':'а/b'},{'id':'good/one'}]"),
            "", 1, 11);
        row("twice", q("[{'id':'a/b'},{'id':'a/b'}]"), "", 1, 1);
        QByteArrayList many;
        for (int i = 0; i < 20'000; ++i) {
            many << "{\"id\":\"a/b" + QByteArray::number(i) + "\"}";
        }
        row("many", "[" + many.join(',') + "]", "", int(kHubModelsMost),
            20'000 - int(kHubModelsMost));
    }
    void hostileSearch() {
        QFETCH(const QByteArray, json);
        QFETCH(const QString, wrong);
        QFETCH(const int, models);
        QFETCH(const int, leftOut);
        const HubFound found = readHubSearch(json);
        QVERIFY2(found.wrong.contains(wrong) && found.wrong.isEmpty() == wrong.isEmpty(),
                 qPrintable(found.wrong));
        QCOMPARE(int(found.models.size()), models);
        QCOMPARE(found.leftOut, leftOut);
    }

    // What people read of it is one short line, whatever letters it has.
    void licences_data() {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<QString>("licence");
        QTest::newRow("card") << q("'cardData':{'license':'mit'},") << "mit";
        QTest::newRow("list") << q("'cardData':{'license':['mit','bsd']},") << "mit";
        QTest::newRow("by name") << QByteArray(
                                        q("'cardData':{'license':'other','license_name':'own-1'},"))
                                 << "own-1";
        QTest::newRow("other") << q("'cardData':{'license':'other'},") << "other";
        QTest::newRow("tag") << q("'tags':['x','license:gemma'],") << "gemma";
        QTest::newRow("none") << q("'tags':[],") << QString();
        QTest::newRow("types") << q("'cardData':[1],'tags':{'license':'mit'},") << QString();
        QTest::newRow("type within") << q("'cardData':{'license':{'a':1}},") << QString();
        QTest::newRow("odd letters")
            << QByteArray("\"cardData\":{\"license\":\"m\\u0000i\\n\\u202et \\u200bx\"},")
            << "mi t x";
        QTest::newRow("long") << QByteArray("\"cardData\":{\"license\":\"") +
                                     QByteArray(100'000, 'a') + "\"},"
                              << QString(60, QLatin1Char('a'));
    }
    void licences() {
        QFETCH(const QByteArray, fields);
        QFETCH(const QString, licence);
        QCOMPARE(read({}, fields).licence, licence);
        QCOMPARE(readHubSearch("[{" + fields + "\"id\":\"a/b\"}]").models.value(0).licence,
                 licence);
    }

    void files() {
        const HubRepository found =
            read({file("README.md"), sized("config.json", 12),
                  file("model.q4_0.gguf", q("'size':3800000000,'blobId':'x','lfs':{'sha256':'") +
                                              kHash + q("','size':3800000000,'pointerSize':135}")),
                  file("Q8_0/big-Q8_0-00002-of-00002.gguf", q("'size':20")),
                  file("Q8_0/big-Q8_0-00001-of-00002.gguf", q("'size':30")),
                  file("cut-F16-00001-of-00003.gguf", q("'size':5")), file("plain.gguf")},
                 q("'gated':'auto',"));
        QCOMPARE(found.wrong, QString());
        QCOMPARE(found.leftOut, 0);
        QVERIFY(found.gated);
        QCOMPARE(found.revision, QStringLiteral("0123456789012345678901234567890123456789"));
        QCOMPARE(titles(found), QStringList({"cut-F16", "model.q4_0", "plain", "Q8_0/big-Q8_0"}));
        const HubItem& one = found.items.at(1);
        QCOMPARE(one.type, QStringLiteral("Q4_0"));
        QCOMPARE(one.bytes(), qint64{3'800'000'000});
        QCOMPARE(one.parts.first().sha256.toHex(), QByteArray(kHash));
        const HubItem& split = found.items.at(3);
        QVERIFY(split.whole);
        QCOMPARE(split.bytes(), qint64{50});
        QCOMPARE(split.type, QStringLiteral("Q8_0"));
        QCOMPARE(split.parts.at(0).path, QStringLiteral("Q8_0/big-Q8_0-00001-of-00002.gguf"));
        QCOMPARE(split.parts.at(1).fileName, QStringLiteral("big-Q8_0-00002-of-00002.gguf"));
        QVERIFY(!found.items.at(0).whole);
        QCOMPARE(found.items.at(2).bytes(), qint64{-1});
    }

    void types_data() {
        QTest::addColumn<QString>("type");
        QTest::newRow("llama-2-7b.Q4_K_M") << "Q4_K_M";
        QTest::newRow("Qwen2.5-0.5B-Instruct-q5_0") << "Q5_0";
        QTest::newRow("a-IQ4_NL") << "IQ4_NL";
        QTest::newRow("a-bf16") << "BF16";
        QTest::newRow("a-fp16") << "F16";
        QTest::newRow("Q8_0/a") << "Q8_0";
        QTest::newRow("a_model_q4_0") << "Q4_0";
        QTest::newRow("a.f32-imat-Q6_K") << "Q6_K";
        QTest::newRow("phi3") << QString();
        QTest::newRow("IQ-test") << QString();
        QTest::newRow("a-MXFP4_X") << QString();
    }
    void types() {
        QFETCH(const QString, type);
        QCOMPARE(typeInName(QString::fromUtf8(QTest::currentDataTag())), type);
    }

    // Nothing that leads out of the repository or the folder of downloads, and no size or hash that
    // cannot be.
    void hostileFiles_data() {
        QTest::addColumn<QByteArray>("entry");
        const auto row = [](const char* name, const QByteArray& entry) {
            QTest::newRow(name) << entry;
        };
        row("upwards", file("../../x.gguf"));
        row("upwards within", file("a/../../x.gguf"));
        row("dots in a name", file("a..b.gguf"));
        row("dots in a folder", file("a..b/x.gguf"));
        row("absolute", file("/etc/x.gguf"));
        row("another host", file("//evil.example/x.gguf"));
        row("an address", file("https://evil.example/x.gguf"));
        row("a drive", file("C:\\\\x.gguf"));
        row("backslashes", file("..\\\\x.gguf"));
        row("a question", file("x.gguf?a=.gguf"));
        row("a fragment", file("a#b.gguf"));
        row("percent", file("%2e%2e%2fx.gguf"));
        row("hidden", file(".x.gguf"));
        row("zero", file("a\\u0000.gguf"));
        row("a line", file("a\\nb.gguf"));
        row("turned around", file("a\\u202eb.gguf"));
        row("empty folder", file("a//x.gguf"));
        row("deep", file("a/a/a/a/a/a/a/a/a/x.gguf"));
        row("long", file(QByteArray(400, 'a') + ".gguf"));
        row("a split of none", file("x-00001-of-00000.gguf"));
        row("a split beyond", file("x-00003-of-00002.gguf"));
        row("a split of many", file("x-00001-of-99999.gguf"));
        row("no name", "{}");
        row("no object", "[1]");
        row("a name of another type", q("{'rfilename':{'a':'.gguf'}}"));
        row("negative", sized("x.gguf", -5));
        row("nothing", sized("x.gguf", 0));
        row("huge", file("x.gguf", q("'size':1e300")));
        row("half a byte", file("x.gguf", q("'size':7.5")));
        row("a size in words", file("x.gguf", q("'size':'7'")));
        row("two sizes", file("x.gguf", q("'size':7,'lfs':{'size':8}")));
    }
    void hostileFiles() {
        QFETCH(const QByteArray, entry);
        const HubRepository found = read({entry, sized("good.gguf", 7), sized("good.gguf", 8)});
        QCOMPARE(found.wrong, QString());
        QCOMPARE(titles(found), QStringList("good"));
        QCOMPARE(found.items.first().bytes(), qint64{7});  // the first that was said
        QCOMPARE(found.leftOut, 2);
    }

    // A hash that is none costs the hash; the file is checked by its size alone.
    void hostileHashes() {
        for (const char* hash : {"\"\"", "7", "\"zz\"", "[]", "\"0011\""}) {
            const HubRepository found =
                read({file("x.gguf", q("'lfs':{'size':7,'sha256':") + hash + "}")});
            QCOMPARE(found.items.size(), 1);
            QCOMPARE(found.items.first().bytes(), qint64{7});
            QVERIFY(found.items.first().parts.first().sha256.isEmpty());
        }
    }

    void hostileRepository_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("no files") << QByteArray("{}");
        QTest::newRow("files of another type") << q("{'siblings':{'a':'b'}}");
        QTest::newRow("too much") << QByteArray(9 << 20, ' ');
        QTest::newRow("deep") << q("{'siblings':").repeated(100'000);
        QTest::newRow("too many") << repository(
            QByteArrayList(kHubFilesMost + 1, QByteArray("{}")));
    }
    void hostileRepository() {
        QFETCH(const QByteArray, json);
        const HubRepository found = readHubRepository(json, QStringLiteral("some/one"));
        QVERIFY(!found.wrong.isEmpty());
        QVERIFY(found.items.isEmpty());
    }

    void manyFiles() {
        QByteArrayList all;
        for (int i = 0; i < 15'000; ++i) {
            all << sized("f" + QByteArray::number(i) + ".gguf", 5);
        }
        const HubRepository found = read(all);
        QCOMPARE(found.items.size(), kHubItemsMost);
        QCOMPARE(found.leftOut, 15'000 - int(kHubItemsMost));
    }

    // A revision becomes part of an address.
    void revisions() {
        const auto of = [](const QByteArray& sha) {
            return readHubRepository(q("{'siblings':[],'sha':") + sha + "}",
                                     QStringLiteral("some/one"))
                .revision;
        };
        const QByteArray commit(40, 'a');
        QCOMPARE(of('"' + commit + '"'), QString::fromLatin1(commit));
        for (const QByteArray& odd :
             {QByteArray("7"), q("'../../x'"), QByteArray("\"" + commit + "\\n\"")}) {
            QCOMPARE(of(odd), QStringLiteral("main"));
        }
    }
};

QTEST_GUILESS_MAIN(HubAnswersTest)
#include "hub_answers_test.moc"
