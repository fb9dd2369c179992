#include <hearth/tools.h>

#include <QtTest>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace hearth::tools {

using Kind = MissingPart::Kind;

class MissingPartsTest : public QObject {
    Q_OBJECT

    static ModelTraits chatting() {
        ModelTraits traits;
        traits.arch = "llama";
        traits.types = {"Q4_0", "Q6_K"};
        traits.jinja =
            "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + "
            "message.content + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}"
            "{{ '<|im_start|>assistant\n' }}{% endif %}";
        return traits;
    }

private slots:
    void nothingIsMissing() { QVERIFY(missing_parts(chatting()).empty()); }

    void namesThePart_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("architecture")
            << static_cast<int>(Kind::Architecture) << QByteArray("mamba");
        QTest::newRow("type") << static_cast<int>(Kind::WeightType) << QByteArray("TQ1_0");
        QTest::newRow("no type") << static_cast<int>(Kind::WeightType) << QByteArray("Q99");
        QTest::newRow("no template") << static_cast<int>(Kind::NoTemplate) << QByteArray();
        QTest::newRow("template") << static_cast<int>(Kind::Template) << QByteArray();
    }
    void namesThePart() {
        QFETCH(const int, kind);
        QFETCH(const QByteArray, name);
        ModelTraits traits = chatting();
        switch (static_cast<Kind>(kind)) {
            case Kind::Architecture:
                traits.arch = name.toStdString();
                break;
            case Kind::WeightType:  // the second of two
                traits.types.back() = name.toStdString();
                break;
            case Kind::NoTemplate:
                traits.chat_template = false;
                break;
            case Kind::Template:
                traits.jinja = "{% extends 'x' %}" + traits.jinja;
                break;
        }
        const std::vector<MissingPart> missing = missing_parts(traits);
        QCOMPARE(missing.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(missing[0].kind), kind);
        QCOMPARE(QByteArray::fromStdString(missing[0].name), name);
    }

    void namesAllOfThem() {
        ModelTraits traits = chatting();
        traits.arch = "mamba";
        traits.types = {"TQ1_0", "TQ2_0"};
        traits.chat_template = false;
        QCOMPARE(missing_parts(traits).size(), std::size_t{4});
    }

    // inspect() says of a file what chat() does with it.
    void aFileSaysWhyItDoesNotChat() {
        const test::TempDir folder;
        const std::string path = folder.file("model.gguf");
        test::GgufBuilder file = test::TinyModel({.arch = "llama"}).file();
        file.key("tokenizer.chat_template", "{{ x | frobnicate }}");
        QVERIFY(file.write(path));
        const auto refused = inspect(path);
        QVERIFY(refused.has_value() && refused->supported);
        QCOMPARE(refused->no_chat, std::string());
        QVERIFY(refused->chat.fallback.starts_with(
            "its chat template cannot be run (line 1: there is no filter 'frobnicate'); prompts "
            "are written as ChatML"));
        file.without("tokenizer.chat_template").key("tokenizer.chat_template", chatting().jinja);
        QVERIFY(file.write(path));
        const auto taken = inspect(path);
        QVERIFY(taken.has_value() && taken->supported);
        QCOMPARE(taken->no_chat, std::string());
        QCOMPARE(taken->chat.fallback, std::string());
    }
};

}  // namespace hearth::tools

QTEST_GUILESS_MAIN(hearth::tools::MissingPartsTest)
#include "missing_parts_test.moc"
