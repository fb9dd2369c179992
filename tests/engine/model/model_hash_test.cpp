#include "model/model_hash.h"

#include <QtTest>
#include <functional>

#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::test::Bytes;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;

namespace {

std::string hash_of(const GgufBuilder& builder) {
    const Bytes bytes = builder.bytes();
    const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
    if (!file) {
        return file.error().message;
    }
    const auto hash = hearth::model_hash(*file);
    return hash ? *hash : hash.error().message;
}

}  // namespace

class ModelHashTest : public QObject {
    Q_OBJECT

private slots:
    void is_the_same_opened_and_in_memory() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("m.gguf");
        QVERIFY(TinyModel().write(path));
        const auto file = hearth::GgufFile::open(path);
        QVERIFY(file);
        const auto hash = hearth::model_hash(*file);
        QVERIFY(hash);
        QCOMPARE(*hash, hash_of(TinyModel().file()));
        QCOMPARE(hash->size(), std::size_t{32});
    }

    void same_data() {
        QTest::addColumn<std::function<void(GgufBuilder&)>>("change");
        const auto row = [](const char* name, std::function<void(GgufBuilder&)> change) {
            QTest::newRow(name) << std::move(change);
        };
        row("another chat template",
            [](GgufBuilder& b) { b.key("tokenizer.chat_template", "{{ messages }}"); });
        row("predictors", [](GgufBuilder& b) {
            b.tensor("blk.0.fc1.weight", {8, 64}, DType::F32)
                .tensor("blk.0.fc2.weight", {96, 8}, DType::F32);
        });
        row("another order", [](GgufBuilder& b) {
            // The same zeros as before, now behind the other tensors.
            b.without("blk.0.ffn_norm.weight").tensor("blk.0.ffn_norm.weight", {64}, DType::F32);
        });
    }
    void same() {
        QFETCH(std::function<void(GgufBuilder&)>, change);
        const auto base = [] {
            GgufBuilder builder = TinyModel().file();
            builder.without("blk.0.ffn_norm.weight");
            // Not the last one, so that moving it changes the order.
            builder.tensor("blk.0.ffn_norm.weight", {64}, DType::F32)
                .tensor("rope_freqs.weight", {8}, DType::F32);
            return builder;
        };
        GgufBuilder changed = base();
        change(changed);
        QVERIFY(changed.bytes() != base().bytes());
        QCOMPARE(hash_of(changed), hash_of(base()));
    }

    void another_data() {
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        const auto row = [](const char* name, std::function<GgufBuilder()> make) {
            QTest::newRow(name) << std::move(make);
        };
        row("architecture", [] { return TinyModel({.arch = "llama"}).file(); });
        row("weights", [] { return TinyModel({}, 2).file(); });
        row("types", [] { return TinyModel({.type = DType::F16}).file(); });
        row("one tensor more",
            [] { return TinyModel().file().tensor("blk.0.attn_q.bias", {64}, DType::F32); });
        row("a shape turned", [] {
            return TinyModel()
                .file()
                .without("blk.1.ffn_up.weight")
                .tensor("blk.1.ffn_up.weight", {64, 96}, DType::F32);
        });
    }
    void another() {
        QFETCH(std::function<GgufBuilder()>, make);
        QVERIFY(hash_of(make()) != hash_of(TinyModel().file()));
    }

    void takes_what_the_file_says() {
        const std::string hash = "0123456789abcdef0123456789abcdef";
        QCOMPARE(hash_of(TinyModel().file().key("hearth.model_hash", hash)), hash);
        for (const std::string wrong :
             {"", "0123", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdeg"}) {
            const std::string message = hash_of(TinyModel().file().key("hearth.model_hash", wrong));
            QVERIFY2(message.starts_with("hearth.model_hash: "), message.c_str());
        }
        const std::string message =
            hash_of(TinyModel().file().key("hearth.model_hash", std::uint32_t{7}));
        QVERIFY2(message.starts_with("hearth.model_hash: "), message.c_str());
    }

    void names_both_hashes() {
        QVERIFY(hearth::check_model_hash("aa", "aa", "the profile", "p"));
        const auto differs = hearth::check_model_hash("aa", "bb", "the profile", "p.gguf");
        QVERIFY(!differs);
        QCOMPARE(differs.error().message,
                 std::string("the profile was made for the model bb, this model is aa"));
        QCOMPARE(differs.error().path, std::string("p.gguf"));
    }
};

QTEST_APPLESS_MAIN(ModelHashTest)
#include "model_hash_test.moc"
