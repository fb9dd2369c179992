#include "catalog.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

namespace hearth::ui {

class CatalogTest : public QObject {
    Q_OBJECT

private slots:
    // The one in the repository, and the one in the program, field by field.
    void ours() {
        QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/resources/catalog.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Catalog catalog = readCatalog(file.readAll());
        QCOMPARE(catalog.problems, QStringList());
        QVERIFY(catalog.entries.size() >= 10);
        QCOMPARE(ownCatalog().entries.size(), catalog.entries.size());
        bool dense = false;
        for (const CatalogEntry& entry : catalog.entries) {
            QVERIFY2(!(entry.sparse && dense), "sparse models come first");
            dense = dense || !entry.sparse;
            QVERIFY2(entry.sparse != entry.activation.isEmpty(), qPrintable(entry.title));
            QCOMPARE(entry.url().host(), QStringLiteral("huggingface.co"));
            QVERIFY(entry.url().path().endsWith(QLatin1Char('/') + entry.file));
        }
    }

    void whatIsWrong_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QJsonValue>("value");
        const auto row = [](const char* field, const QJsonValue& value) {
            QTest::addRow("%s %d", field, static_cast<int>(value.type()))
                << QString::fromLatin1(field) << value;
        };
        row("title", QString());
        row("title", 7);
        row("about", QJsonValue::Undefined);
        row("repository", QStringLiteral("../../etc"));
        row("repository", QJsonValue::Null);
        row("file", QStringLiteral("../x.gguf"));
        row("file", 1);
        row("revision", QStringLiteral("v1?download=true"));
        row("bytes", -1);
        row("bytes", QStringLiteral("many"));
        row("source", QStringLiteral("guessed"));
        row("source", QJsonValue::Null);
        row("exact", QJsonValue::Null);
        row("licence", 3);
        row("licence", QJsonValue::Undefined);
        row("sha256", QStringLiteral("abc"));
        row("sparse", QStringLiteral("yes"));
        row("activation", QStringLiteral("tanh"));
        row("predictor_input", QStringLiteral("anything"));
        row("unknown", true);
    }
    void whatIsWrong() {
        QFETCH(const QString, field);
        QFETCH(const QJsonValue, value);
        QJsonObject wrong = entry();
        wrong.insert(QStringLiteral("file"), QStringLiteral("other.gguf"));
        if (value.isUndefined()) {
            wrong.remove(field);
        } else {
            wrong.insert(field, value);
        }
        const Catalog catalog = read({entry(), wrong});
        QCOMPARE(catalog.entries.size(), 1);  // the other one stays
        QCOMPARE(catalog.problems.size(), 1);
        QVERIFY2(catalog.problems.constFirst().contains(field),
                 qPrintable(catalog.problems.constFirst()));
    }

    void aHashIsOfARevision() {
        QJsonObject entry = this->entry();
        entry.insert(QStringLiteral("sha256"), QString(64, QLatin1Char('a')));
        QCOMPARE(read({entry}).entries.size(), 0);
        entry.insert(QStringLiteral("revision"), QString(40, QLatin1Char('b')));
        const Catalog catalog = read({entry});
        QCOMPARE(catalog.entries.size(), 1);
        QCOMPARE(catalog.entries.constFirst().sha256, QByteArray(32, '\xaa'));
        QVERIFY(
            catalog.entries.constFirst().url().path().contains(QStringLiteral("/resolve/bbbb")));
    }

    void hostileFiles_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("<html>");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("cut off") << QByteArray("{\"version\":1,\"models\":[{");
        QTest::newRow("another version") << QByteArray("{\"version\":2,\"models\":[]}");
        QTest::newRow("large") << QByteArray((1 << 20) + 1, ' ');
        QTest::newRow("deep") << QByteArray(2000, '[');
        QTest::newRow("long") << "{\"version\":1,\"models\":[" + QByteArray("{},").repeated(600) +
                                     "{}]}";
    }
    void hostileFiles() {
        QFETCH(const QByteArray, json);
        const Catalog catalog = readCatalog(json);
        QVERIFY(catalog.entries.isEmpty());
        QCOMPARE(catalog.problems.size(), 1);
        QVERIFY(catalog.problems.constFirst().endsWith(QLatin1Char('.')));
    }

    void twice() {
        const Catalog catalog = read({entry(), entry()});
        QCOMPARE(catalog.entries.size(), 1);
        QCOMPARE(catalog.problems.size(), 1);
    }

private:
    static QJsonObject entry() {
        return {{QStringLiteral("title"), QStringLiteral("A model")},
                {QStringLiteral("about"), QStringLiteral("It answers.")},
                {QStringLiteral("repository"), QStringLiteral("owner/name")},
                {QStringLiteral("file"), QStringLiteral("model-q4_0.gguf")},
                {QStringLiteral("bytes"), 1000},
                {QStringLiteral("source"), QStringLiteral("published")},
                {QStringLiteral("exact"), false},
                {QStringLiteral("licence"), QStringLiteral("mit")},
                {QStringLiteral("sha256"), QJsonValue::Null},
                {QStringLiteral("sparse"), false},
                {QStringLiteral("activation"), QJsonValue::Null},
                {QStringLiteral("predictor_input"), QJsonValue::Null}};
    }
    static Catalog read(const QJsonArray& models) {
        return readCatalog(QJsonDocument(QJsonObject{{QStringLiteral("version"), 1},
                                                     {QStringLiteral("models"), models}})
                               .toJson());
    }
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::CatalogTest)
#include "catalog_test.moc"
