#include "library/catalog.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <utility>

#include "bridge/model_facts.h"
#include "gguf/dtype.h"
#include "support/tiny_model.h"

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

    // Every row by what this build can do of it. A version that learns a template turns rows on,
    // and then this list.
    void everyRowSaysWhetherItChats() {
        const QHash<QString, QString> missing = {
            {QStringLiteral("Bamboo 7B"), QStringLiteral("?")},
            {QStringLiteral("ProSparse"), QStringLiteral("no chat template")},
            {QStringLiteral("ReluLLaMA"), QStringLiteral("no chat template")},
            {QStringLiteral("ReluFalcon"), QStringLiteral("no chat template")},
            {QStringLiteral("Llama 3"), QString()},
            {QStringLiteral("Qwen 3"), QString()},
            {QStringLiteral("Gemma 4"), QString()},
            {QStringLiteral("gpt-oss"), QString()},
            {QStringLiteral("SmolLM3"), QString()},
            {QStringLiteral("Qwen 2.5"), QString()},
            {QStringLiteral("Nous Hermes 2"), QString()},
        };
        bool small = false;
        for (const CatalogEntry& entry : ownCatalog().entries) {
            const auto row = std::find_if(missing.keyBegin(), missing.keyEnd(),
                                          [&](const auto& k) { return entry.title.startsWith(k); });
            QVERIFY2(row != missing.keyEnd(), qPrintable(entry.title + " is in no row here"));
            const QString expected = missing.value(*row);
            const QString said = whatIsMissing(entry.traits);
            const bool unknown = entry.traits.chatTemplate == OfferTraits::Template::Unknown;
            QVERIFY2(unknown == (expected == QLatin1String("?")), qPrintable(entry.title));
            const bool chats = said.isEmpty() && !unknown;
            QVERIFY2(unknown              ? said.isEmpty()
                     : expected.isEmpty() ? chats
                                          : said.contains(expected),
                     qPrintable(entry.title + ": " + said));
            small = small || (chats && entry.bytes < 4'000'000'000);
        }
        QVERIFY2(small, "something below 4 GB chats");
    }

    // The list says of a row the same as the engine says of a file with the row's facts.
    void rowsAndFilesAgree() {
        const QTemporaryDir folder;
        QSet<QString> seen;
        for (const CatalogEntry& entry : ownCatalog().entries) {
            const OfferTraits& traits = entry.traits;
            const QString kind = traits.architecture + traits.types.first() + traits.family;
            if (seen.contains(kind)) {
                continue;
            }
            seen.insert(kind);
            const auto type = hearth::dtype_from_name(traits.types.first().toStdString());
            QVERIFY2(type, qPrintable(entry.title));
            // Rows of a tiny model are no whole blocks of 256.
            const bool fits = hearth::dtype_info(*type).block_values <= 32;
            hearth::test::GgufBuilder file =
                hearth::test::TinyModel({.arch = traits.architecture.toStdString(),
                                         .type = fits ? *type : hearth::DType::Q8_0})
                    .file();
            if (!traits.jinja.isEmpty()) {
                file.key("tokenizer.chat_template", traits.jinja.toStdString());
            }
            const QString path = folder.filePath(entry.file);
            QVERIFY(file.write(path.toStdString()));
            const ModelFacts facts = readModelFacts(path);
            QVERIFY2(facts.runs, qPrintable(entry.title + ": " + facts.whyNot));
            QCOMPARE(facts.architecture, traits.architecture);
            if (!traits.jinja.isEmpty()) {
                QCOMPARE(facts.noChat.isEmpty(), whatIsMissing(traits).isEmpty());
            }
        }
    }

    void aTemplateThatMakesNoSense() {
        QJsonObject entry = this->entry();
        const auto readWith = [&](const QJsonObject& family) {
            return readCatalog(
                QJsonDocument(QJsonObject{{QStringLiteral("version"), 1},
                                          {QStringLiteral("templates"),
                                           QJsonObject{{QStringLiteral("a"), family}}},
                                          {QStringLiteral("models"), QJsonArray{entry}}})
                    .toJson());
        };
        entry.insert(QStringLiteral("template"), QStringLiteral("a"));
        const QJsonObject good{{QStringLiteral("family"), QStringLiteral("A")},
                               {QStringLiteral("jinja"), QStringLiteral("{{ x }}")}};
        const Catalog catalog = readWith(good);
        QCOMPARE(catalog.problems, QStringList());
        QCOMPARE(catalog.entries.constFirst().traits.jinja, QStringLiteral("{{ x }}"));
        QCOMPARE(catalog.entries.constFirst().traits.family, QStringLiteral("A"));
        for (const auto& [field, value] :
             {std::pair("family", QJsonValue(QString())), std::pair("jinja", QJsonValue(7)),
              std::pair("jinja", QJsonValue(QString(5000, QLatin1Char('x'))))}) {
            QJsonObject wrong = good;
            wrong.insert(QString::fromLatin1(field), value);
            QCOMPARE(readWith(wrong).entries.size(), 0);
            QCOMPARE(readWith(wrong).problems.size(), 2);  // of the template, and of the model
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
        row("token_bytes", 1001);
        row("token_bytes", QStringLiteral("few"));
        row("source", QStringLiteral("guessed"));
        row("source", QJsonValue::Null);
        row("exact", QJsonValue::Null);
        row("licence", 3);
        row("licence", QJsonValue::Undefined);
        row("sha256", QStringLiteral("abc"));
        row("sparse", QStringLiteral("yes"));
        row("suggested", QStringLiteral("yes"));
        row("architecture", QJsonValue::Null);
        row("architecture", QStringLiteral("lla ma"));
        row("types", QJsonArray());
        row("types", QJsonArray{QStringLiteral("Q4_0"), 7});
        row("types", QStringLiteral("Q4_0"));
        row("template", QStringLiteral("nobody's"));
        row("template", 1);
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

    // A token reads all weights if the row says nothing else.
    void whatATokenReads() {
        QJsonObject entry = this->entry();
        QCOMPARE(read({entry}).entries.constFirst().tokenBytes, 1000);
        entry.insert(QStringLiteral("token_bytes"), 300);
        QCOMPARE(read({entry}).entries.constFirst().tokenBytes, 300);
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
                {QStringLiteral("architecture"), QStringLiteral("llama")},
                {QStringLiteral("types"), QJsonArray{QStringLiteral("Q4_0")}},
                {QStringLiteral("template"), QJsonValue::Null},
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
