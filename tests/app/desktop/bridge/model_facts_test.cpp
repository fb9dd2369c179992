#include "bridge/model_facts.h"

#include <QTemporaryDir>
#include <QtTest>

#include "support/tiny_model.h"

namespace hearth::ui {

using Use = ModelFacts::Use;
using test::GgufBuilder;
using test::TinyModel;

class ModelFactsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(folder_.isValid()); }

    void aModel() {
        GgufBuilder file = TinyModel({.arch = "llama", .type = DType::Q8_0}).file();
        file.key("general.license", "apache-2.0").key("tokenizer.chat_template", "{{ x }}");
        const ModelFacts facts = factsOf("plain.gguf", file);
        QCOMPARE(facts.use, Use::Model);
        QVERIFY2(facts.runs, qPrintable(facts.whyNot));
        QCOMPARE(facts.whyNot, QString());
        QCOMPARE(facts.architecture, QStringLiteral("llama"));
        QCOMPARE(facts.type, QStringLiteral("Q8_0"));
        QCOMPARE(facts.licence, QStringLiteral("apache-2.0"));
        QCOMPARE(facts.contextTokens, quint64{128});
        QCOMPARE(facts.layers, 2);
        QVERIFY(facts.parameters > 10'000);
        QVERIFY(facts.chatTemplate);
        QVERIFY(!facts.asksActivation);
        QCOMPARE(
            facts.bytes,
            static_cast<quint64>(QFileInfo(folder_.filePath(QStringLiteral("plain.gguf"))).size()));
    }

    // One that sounds like a sparse llama and does not say its activation is asked about.
    void whoIsAsked_data() {
        QTest::addColumn<QString>("fileName");
        QTest::addColumn<QString>("activation");
        QTest::addColumn<bool>("pwri");
        QTest::addColumn<bool>("asked");
        QTest::newRow("a llama") << "llama-2.gguf"
                                 << "" << false << false;
        QTest::newRow("by its name") << "ReluLLaMA-7B.gguf"
                                     << "" << false << true;
        QTest::newRow("prosparse") << "prosparse-llama.gguf"
                                   << "" << false << true;
        QTest::newRow("it says so") << "ReluLLaMA-7B-said.gguf"
                                    << "reglu" << false << false;
        QTest::newRow("it says it is a plain one") << "ReluLLaMA-7B-plain.gguf"
                                                   << "silu" << false << false;
        QTest::newRow("PowerInfer's") << "llama-relu.powerinfer.gguf"
                                      << "" << true << false;
    }
    void whoIsAsked() {
        QFETCH(const QString, fileName);
        QFETCH(const QString, activation);
        QFETCH(const bool, pwri);
        QFETCH(const bool, asked);
        const ModelFacts facts =
            factsOf(fileName, TinyModel({.arch = "llama",
                                         .by_neuron = pwri,
                                         .pwri = pwri,
                                         .predictor_width = pwri ? 32 : 0,
                                         .activation = activation.toStdString()})
                                  .file());
        QVERIFY2(facts.runs, qPrintable(facts.whyNot));
        QCOMPARE(facts.asksActivation, asked);
    }

    void sideFiles_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("type");
        QTest::addColumn<bool>("tensor");
        QTest::addColumn<Use>("use");
        QTest::addColumn<QString>("whyNot");
        QTest::newRow("vocabulary")
            << "llama"
            << "" << false << Use::Vocabulary
            << "This file holds a vocabulary and no weights. It cannot answer.";
        QTest::newRow("mmproj") << "clip"
                                << "" << true << Use::Vision
                                << "This file is the part of another model that looks at pictures, "
                                   "which Hearth cannot use yet.";
        QTest::newRow("mmproj, by its type") << "llava"
                                             << "mmproj" << true << Use::Vision
                                             << "This file is the part of another model that looks "
                                                "at pictures, which Hearth cannot use yet.";
        QTest::newRow("adapter") << "llama"
                                 << "adapter" << true << Use::Adapter
                                 << "This file changes another model, which Hearth cannot do yet.";
        QTest::newRow("gpuidx") << "generic.gpu_index"
                                << "" << true << Use::GpuIndex
                                << "This file lists neurons for PowerInfer. Hearth works that out "
                                   "by itself and does not need it.";
        QTest::newRow("profile") << "hearth-profile"
                                 << "" << true << Use::SideFile
                                 << "This file goes with a model, and is no model itself.";
    }
    void sideFiles() {
        QFETCH(const QString, arch);
        QFETCH(const QString, type);
        QFETCH(const bool, tensor);
        QFETCH(const Use, use);
        GgufBuilder file;
        file.key("general.architecture", arch.toStdString()).key("tokenizer.ggml.model", "gpt2");
        if (!type.isEmpty()) {
            file.key("general.type", type.toStdString());
        }
        if (tensor) {
            file.tensor_f32("a.weight", {2, 2}, {1, 2, 3, 4});
        }
        const ModelFacts facts = factsOf(QStringLiteral("side.gguf"), file);
        QCOMPARE(facts.use, use);
        QVERIFY(!facts.runs);
        QTEST(facts.whyNot, "whyNot");
        QCOMPARE(facts.noChat, QString());  // it is no model that could
    }

    // Nothing tells what it is: no name of a family, no vocabulary, no predictors.
    void anythingElse() {
        const QString unknown = QStringLiteral("Hearth does not know this kind of file.");
        GgufBuilder empty;
        empty.key("general.architecture", "llama");
        GgufBuilder nameless;
        nameless.tensor_f32("a.weight", {2, 2}, {1, 2, 3, 4});
        GgufBuilder mixed;  // a predictor beside another weight
        mixed.tensor_f32("blk.0.fc1.weight", {2, 2}, {1, 2, 3, 4})
            .tensor_f32("blk.0.fc2.weight", {2, 2}, {1, 2, 3, 4})
            .tensor_f32("a.weight", {2, 2}, {1, 2, 3, 4});
        for (const GgufBuilder& file : {empty, nameless, mixed}) {
            const ModelFacts facts = factsOf(QStringLiteral("any.gguf"), file);
            QCOMPARE(facts.use, Use::Unknown);
            QCOMPARE(facts.whyNot, unknown);
            QVERIFY(!facts.runs);
        }
    }

    // It runs, and is shown among the models.
    void whatDoesNotChat() {
        GgufBuilder file = TinyModel({.arch = "llama"}).file();
        file.key("tokenizer.chat_template", "{% frobnicate %}");
        const ModelFacts facts = factsOf(QStringLiteral("chat.gguf"), file);
        QVERIFY2(facts.runs, qPrintable(facts.whyNot));
        QVERIFY(facts.chatTemplate);
        QCOMPARE(facts.noChat, QString());  // it chats by another template, and an answer says so
        QCOMPARE(facts.whyNot, QString());
    }

    // It runs, with words that are a guess.
    void whoseTokenizerIsAGuess() {
        GgufBuilder file = TinyModel({.arch = "llama"}).file();
        QCOMPARE(factsOf(QStringLiteral("known.gguf"), file).guess, QString());
        file.without("tokenizer.ggml.pre").key("tokenizer.ggml.pre", "made-up-yesterday");
        const ModelFacts facts = factsOf(QStringLiteral("guessed.gguf"), file);
        QVERIFY2(facts.runs, qPrintable(facts.whyNot));
        QVERIFY2(facts.guess.contains(QStringLiteral("“llama-bpe”")), qPrintable(facts.guess));
    }

    // The file beside a model may say nothing of its predictors, have none, or not be there.
    void whosePredictorsAreAskedAbout() {
        const GgufBuilder open =
            TinyModel({.arch = "llama", .by_neuron = true, .pwri = true, .predictor_width = 32})
                .file();
        const ModelFacts within = factsOf(QStringLiteral("within.powerinfer.gguf"), open);
        QVERIFY2(within.runs, qPrintable(within.whyNot));
        QCOMPARE(within.predictorLayers, 2);
        const ModelFacts none =
            factsOf(QStringLiteral("none.gguf"), TinyModel({.arch = "llama"}).file());
        QCOMPARE(none.predictorLayers, 0);
        QVERIFY(!none.asksPredictorInput);
        GgufBuilder beside;
        beside.tensor_f32("blk.0.fc1.weight", {2, 2}, {1, 2, 3, 4})
            .tensor_f32("blk.0.fc2.weight", {2, 2}, {1, 2, 3, 4});
        const std::string path = folder_.filePath(QStringLiteral("beside.gguf")).toStdString();
        QVERIFY(beside.write(path));
        const QString model = folder_.filePath(QStringLiteral("none.gguf"));
        QVERIFY(readModelFacts(model, QString::fromStdString(path)).asksPredictorInput);
        QVERIFY(
            !readModelFacts(model, folder_.filePath(QStringLiteral("gone"))).asksPredictorInput);
        QVERIFY(!readModelFacts(model, model).asksPredictorInput);  // it has none
    }

    void predictorsAlone() {
        GgufBuilder file;
        file.tensor_f32("blk.0.fc1.weight", {2, 2}, {1, 2, 3, 4})
            .tensor_f32("blk.0.fc2.weight", {2, 2}, {1, 2, 3, 4});
        QCOMPARE(factsOf(QStringLiteral("p.gguf"), file).use, Use::SideFile);
    }

    void whatCannotRun() {
        GgufBuilder file;
        file.key("general.architecture", "mamba").tensor_f32("a", {1, 1}, {1});
        const ModelFacts facts = factsOf(QStringLiteral("m.gguf"), file);
        QCOMPARE(facts.use, Use::Model);
        QVERIFY(!facts.runs);
        QVERIFY2(facts.whyNot.startsWith(QLatin1String("This version cannot run it: ")) &&
                     facts.whyNot.contains(QLatin1String("mamba")) &&
                     facts.whyNot.endsWith(QLatin1Char('.')),
                 qPrintable(facts.whyNot));
    }

    void whoseNeuronsRest() {
        for (const char* name : {"reglu", "drelu", "relu", "relu2"}) {
            QVERIFY2(neuronsRest(QString::fromLatin1(name)), name);
        }
        for (const char* name : {"", "silu", "gelu", "geglu", "re", "relu22"}) {
            QVERIFY2(!neuronsRest(QString::fromLatin1(name)), name);
        }
    }

    // A name may be anything: one line of it is shown.
    void names() {
        GgufBuilder file = TinyModel({.arch = "llama"}).file();
        file.without("general.name").key("general.name", std::string(5000, 'x') + "\n\ny");
        const ModelFacts facts = factsOf(QStringLiteral("n.gguf"), file);
        QCOMPARE(facts.name.size(), 200);
    }

    void damaged() {
        const test::Bytes whole = TinyModel({.arch = "llama"}).file().bytes();
        const QString path = folder_.filePath(QStringLiteral("cut.gguf"));
        for (const std::size_t length : {std::size_t{4}, std::size_t{30}, whole.size() / 2}) {
            QVERIFY(test::write_file(path.toStdString(), std::span(whole).first(length)));
            const ModelFacts facts = readModelFacts(path);
            QVERIFY(!facts.runs);
            QCOMPARE(facts.use, Use::Unknown);
            QVERIFY2(facts.whyNot.contains(QLatin1String("cut.gguf")), qPrintable(facts.whyNot));
        }
        QVERIFY(!readModelFacts(folder_.filePath(QStringLiteral("gone"))).whyNot.isEmpty());
    }

private:
    ModelFacts factsOf(const QString& name, const GgufBuilder& file) {
        const QString path = folder_.filePath(name);
        return file.write(path.toStdString()) ? readModelFacts(path) : ModelFacts{};
    }

    QTemporaryDir folder_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelFactsTest)
#include "model_facts_test.moc"
