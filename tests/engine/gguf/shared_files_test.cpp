// The reader over real files: the shipped model, and those of the folder ../shared where it is
// there.
#include <QtTest>
#include <string>

#include "gguf/reader.h"

using namespace hearth;

namespace {

QString shared(const QString& path) {
    return QStringLiteral(HEARTH_SHARED_DIR) + '/' + path;
}

}  // namespace

class SharedFilesTest : public QObject {
    Q_OBJECT

private slots:
    void vocabularies_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tokens");
        QTest::newRow("deepseek") << "tokenizer-vectors/ggml-vocab-deepseek-llm.gguf"
                                  << "gpt2" << 102400;
        QTest::newRow("falcon") << "tokenizer-vectors/ggml-vocab-falcon.gguf"
                                << "gpt2" << 65024;
        QTest::newRow("gpt-2") << "tokenizer-vectors/ggml-vocab-gpt-2.gguf"
                               << "gpt2" << 50257;
        QTest::newRow("llama") << "tokenizer-vectors/ggml-vocab-llama-spm.gguf"
                               << "llama" << 32000;
    }
    void vocabularies() {
        QFETCH(QString, path);
        QFETCH(QString, model);
        QFETCH(int, tokens);
        if (!QFile::exists(shared(path))) {
            QSKIP("needs ../shared/tokenizer-vectors");
        }
        const auto file = GgufFile::open(shared(path).toStdString());
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QVERIFY(file->tensors().entries().empty());
        QVERIFY(*file->metadata().string("tokenizer.ggml.model") == model.toStdString());
        const auto array = file->metadata().array("tokenizer.ggml.tokens", MetadataType::String);
        QVERIFY(array);
        QCOMPARE(static_cast<int>((*array)->size()), tokens);
    }

    void starter_model_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("halves");
        QTest::newRow("F16 master") << shared("starter-model/hearth-starter-f16.gguf") << true;
        QTest::newRow("shipped file")
            << QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model/hearth-starter-q4_0.gguf")
            << false;
    }
    void starter_model() {
        QFETCH(QString, path);
        QFETCH(bool, halves);
        if (halves && !QFile::exists(path)) {
            QSKIP("needs ../shared/starter-model");
        }
        const auto file = GgufFile::open(path.toStdString());
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QVERIFY(*file->metadata().string("general.architecture") == "bamboo");
        QVERIFY(*file->metadata().integer("bamboo.block_count", 1, 1000) == 12);
        const TensorInfo* embedding = file->tensors().find("token_embd.weight");
        QVERIFY(embedding != nullptr);
        QCOMPARE(embedding->shape, (std::vector<std::uint64_t>{16384, 512}));
        QVERIFY((embedding->type == DType::F16) == halves);
        std::uint64_t end = 0;
        for (const TensorInfo& tensor : file->tensors().entries()) {
            end = std::max(end, tensor.offset + tensor.bytes);
        }
        QVERIFY(file->file_bytes() >= end);
        QVERIFY(file->file_bytes() - end < file->alignment());
    }

    void starter_predictors() {
        const QString path = shared("starter-model/hearth-starter-predictors-q8_0.gguf");
        if (!QFile::exists(path)) {
            QSKIP("needs ../shared/starter-model");
        }
        const auto file = GgufFile::open(path.toStdString());
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QVERIFY(file->tensors().find("blk.1.fc1.weight") != nullptr);
        QVERIFY(file->tensors().find("blk.9.fc2.weight")->type == DType::Q8_0);
    }
};

QTEST_APPLESS_MAIN(SharedFilesTest)
#include "shared_files_test.moc"
