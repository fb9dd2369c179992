// Vocabularies with the ids their reference tokenizers give: public ones of the folder ../shared,
// skipped where it is absent, and the starter model's.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <map>
#include <memory>

#include "gguf/reader.h"
#include "text/tokenizer.h"

namespace hearth {
namespace {

const QString kShared = HEARTH_SHARED_DIR;
const QString kData = HEARTH_SOURCE_DIR "/tests/data/";

QString shipped_model() {
    const QDir folder(QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model"));
    const QStringList files = folder.entryList({"*.gguf"}, QDir::Files);
    return files.size() == 1 ? folder.filePath(files[0]) : QString();
}

QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Once per file.
const Tokenizer* tokenizer_of(const QString& path) {
    static std::map<QString, std::unique_ptr<Tokenizer>> made;
    auto& tokenizer = made[path];
    if (tokenizer == nullptr) {
        const auto file = GgufFile::open(path.toStdString());
        if (file) {
            auto result = Tokenizer::create(file->metadata());
            if (result) {
                tokenizer = std::move(result).value();
            }
        }
    }
    return tokenizer.get();
}

QList<int> listed(const std::vector<TokenId>& ids) {
    return QList<int>(ids.begin(), ids.end());
}

#define SKIP_WITHOUT(path)                          \
    if (!QFile::exists(path)) {                     \
        QSKIP("needs ../shared/tokenizer-vectors"); \
    }

}  // namespace

class TokenizerVectorsTest : public QObject {
    Q_OBJECT

private slots:
    void vectors_data() {
        QTest::addColumn<QString>("vocabulary");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("ids");
        for (const char* name : {"deepseek-llm", "falcon", "gpt-2", "llama-spm"}) {
            const QString path = kShared + "/tokenizer-vectors/ggml-vocab-" + name + ".gguf";
            // Every case is followed by a separator, which starts on a line of its own; ids are on
            // one line a case.
            const QByteArray separator = "\n__ggml_vocab_test__\n";
            QByteArray inputs = read(path + ".inp");
            const QList<QByteArray> lines = read(path + ".out").split('\n');
            int count = 0;
            for (qsizetype end = inputs.indexOf(separator); end >= 0;
                 end = inputs.indexOf(separator)) {
                QTest::addRow("%s/%d", name, count)
                    << path << inputs.left(end) << lines.value(count);
                inputs.remove(0, end + separator.size());
                ++count;
            }
            if (count == 0) {
                QTest::addRow("%s", name) << path << QByteArray() << QByteArray();
            }
        }
    }
    // No begin token; special tokens make no difference, since no input spells one.
    void vectors() {
        QFETCH(QString, vocabulary);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, ids);
        SKIP_WITHOUT(vocabulary);
        const Tokenizer* tokenizer = tokenizer_of(vocabulary);
        QVERIFY(tokenizer != nullptr);
        QList<int> wanted;
        for (const QByteArray& id : ids.simplified().split(' ')) {
            if (!id.isEmpty()) {
                wanted << id.toInt();
            }
        }
        QVERIFY(!wanted.isEmpty() || text.isEmpty());
        const auto got = tokenizer->tokenize(text.toStdString(), false, false);
        QCOMPARE(listed(got), wanted);
        QCOMPARE(listed(tokenizer->tokenize(text.toStdString(), false, true)), wanted);
        QCOMPARE(QByteArray::fromStdString(tokenizer->detokenize(got)), text);
    }

    void allCasesAreThere() {
        SKIP_WITHOUT(kShared + "/tokenizer-vectors");
        for (const char* name : {"deepseek-llm", "falcon", "gpt-2", "llama-spm"}) {
            const QString path = kShared + "/tokenizer-vectors/ggml-vocab-" + name + ".gguf";
            QCOMPARE(read(path + ".inp").count("\n__ggml_vocab_test__\n"), qsizetype{46});
            QCOMPARE(read(path + ".out").count('\n'), qsizetype{46});
        }
    }

    void starterPrompts_data() {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QList<int>>("ids");
        const QJsonArray prompts =
            QJsonDocument::fromJson(read(kData + "starter_master_reference.json"))
                .object()["prompts"]
                .toArray();
        for (const auto& entry : prompts) {
            QList<int> ids;
            for (const auto& id : entry.toObject()["tokens"].toArray()) {
                ids << id.toInt();
            }
            const QString prompt = entry.toObject()["prompt"].toString();
            QTest::newRow(prompt.left(30).toUtf8().constData()) << prompt << ids;
        }
        QCOMPARE(prompts.size(), 5);
    }
    void starterPrompts() {
        const QString model = shipped_model();
        QFETCH(QString, prompt);
        QFETCH(QList<int>, ids);
        const Tokenizer* tokenizer = tokenizer_of(model);
        QVERIFY(tokenizer != nullptr);
        QVERIFY(!ids.isEmpty());
        QCOMPARE(listed(tokenizer->tokenize(prompt.toStdString(), true, true)), ids);
        std::vector<TokenId> tokens(ids.begin(), ids.end());
        QCOMPARE(QString::fromStdString(tokenizer->detokenize(tokens)), prompt);
    }

    // The count is the model card's.
    void starterHeldOutText() {
        const QString model = shipped_model();
        const QByteArray text = read(kData + "heldout.txt");
        const Tokenizer* tokenizer = tokenizer_of(model);
        QVERIFY(tokenizer != nullptr);
        const auto ids = tokenizer->tokenize(text.toStdString(), true, false);
        QCOMPARE(ids.size(), std::size_t{42797});
        QCOMPARE(QByteArray::fromStdString(tokenizer->detokenize(ids)), text);
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::TokenizerVectorsTest)
#include "tokenizer_vectors_test.moc"
