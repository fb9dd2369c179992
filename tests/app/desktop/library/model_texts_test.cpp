// The words about a model: its sizes, its parts, and what its file says or leaves open.
#include "library/model_texts.h"

#include <QtTest>

#include "library/model_list_model.h"

namespace hearth::ui {

class ModelTextsTest : public QObject {
    Q_OBJECT

private slots:
    void countsParameters_data() {
        QTest::addColumn<quint64>("count");
        QTest::addColumn<QString>("words");
        QTest::newRow("few") << quint64{999'999} << "999,999 parameters";
        QTest::newRow("a million") << quint64{1'000'000} << "1.0 million parameters";
        QTest::newRow("millions") << quint64{124'400'000} << "124.4 million parameters";
        QTest::newRow("a billion") << quint64{1'000'000'000} << "1.0 billion parameters";
        QTest::newRow("billions") << quint64{6'740'000'000} << "6.7 billion parameters";
    }
    void countsParameters() {
        QFETCH(const quint64, count);
        QTEST(parameterWords(count), "words");
    }

    void sumsItUp() {
        ModelRow row = known();
        QCOMPARE(summaryOf(row),
                 QStringLiteral("file · llama · Q4_0 · 6.7 billion parameters · 3.8 GB"));
        QCOMPARE(titleOf(row), QStringLiteral("Some Llama"));
        row.facts.name.clear();
        QCOMPARE(titleOf(row), QStringLiteral("file"));
        QCOMPARE(summaryOf(row), QStringLiteral("llama · Q4_0 · 6.7 billion parameters · 3.8 GB"));
        row.factsKnown = false;
        QCOMPARE(summaryOf(row), QStringLiteral("3.8 GB"));
    }

    void saysWhyNot() {
        ModelRow row = known();
        row.facts.whyNot = QStringLiteral("It is broken.");
        QCOMPARE(whyNot(row), QStringLiteral("It is broken."));
        row.factsKnown = false;
        QCOMPARE(whyNot(row), QString());  // nobody has looked yet
        row.found.paths = QStringList{QStringLiteral("/m/1"), QStringLiteral("/m/2")};
        row.found.partsMissing = 3;
        QVERIFY2(whyNot(row).contains(QLatin1String("3 of its 5 parts")), qPrintable(whyNot(row)));
    }

    void details_data() {
        QTest::addColumn<QString>("label");
        QTest::addColumn<QString>("value");  // empty: there is no such line
        QTest::addColumn<QString>("bare");   // of a model whose file says nothing of it
        const auto row = [](const char* label, const char* value, const char* bare) {
            QTest::newRow(label) << QString(label) << QString(value) << QString(bare);
        };
        row("Name", "Some Llama", "");
        row("Architecture", "llama", "");
        row("Weights", "Q4_0", "");
        row("Size", "6.7 billion parameters", "");
        row("On the disk", "3.8 GB", "0 bytes");
        row("Context", "4,096 tokens", "");
        row("Layers", "32", "");
        row("Experts", "128 in a layer, 8 of them for each token", "");
        row("Activation", "reglu", "");
        row("Predictors", "for 31 layers", "");
        row("Packed", "neuron by neuron, for reading from disk", "");
        row("Chat template", "in the file", "none: a general one is used");
        row("Licence", "mit", "the file does not say");
        row("Belongs to", "Jan", "");
        row("File", "/m/file.gguf", "/m/file.gguf");
    }
    void details() {
        QFETCH(const QString, label);
        const auto valueIn = [&](const ModelRow& row) {
            for (const QVariant& line : detailsOf(row)) {
                const QVariantMap map = line.toMap();
                if (map.value(QStringLiteral("label")).toString() == label) {
                    return map.value(QStringLiteral("value")).toString();
                }
            }
            return QString();
        };
        QTEST(valueIn(known()), "value");
        ModelRow bare;
        bare.found.paths = QStringList{QStringLiteral("/m/file.gguf")};
        bare.factsKnown = true;
        bare.facts.use = ModelFacts::Use::Model;
        QTEST(valueIn(bare), "bare");
        if (label == QLatin1String("Chat template")) {
            ModelRow silent = known();  // its template is there, and cannot be run
            silent.facts.noChat = QStringLiteral("It does not chat here.");
            QCOMPARE(valueIn(silent), silent.facts.noChat);
            silent.facts.use = ModelFacts::Use::Vocabulary;
            QCOMPARE(valueIn(silent), QString());
        }
    }

private:
    static ModelRow known() {
        ModelRow row;
        row.found.paths = QStringList{QStringLiteral("/m/file.gguf")};
        row.found.name = QStringLiteral("file");
        row.found.app = QStringLiteral("Jan");
        row.found.bytes = 3'800'000'000;
        row.factsKnown = true;
        row.facts.use = ModelFacts::Use::Model;
        row.facts.name = QStringLiteral("Some Llama");
        row.facts.architecture = QStringLiteral("llama");
        row.facts.type = QStringLiteral("Q4_0");
        row.facts.parameters = 6'740'000'000;
        row.facts.contextTokens = 4096;
        row.facts.layers = 32;
        row.facts.activation = QStringLiteral("reglu");
        row.facts.experts = 128;
        row.facts.expertsUsed = 8;
        row.facts.predictorLayers = 31;
        row.facts.packed = true;
        row.facts.chatTemplate = true;
        row.facts.licence = QStringLiteral("mit");
        return row;
    }
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelTextsTest)
#include "model_texts_test.moc"
