// Files that are no models: a clear sentence and status 1 from every command, never a crash or a
// hang.
#include <QtTest>

#include "cli_process.h"
#include "support/gguf_builder.h"
#include "support/tiny_model.h"

using hearth::test::CliResult;
using hearth::test::run_cli;
using hearth::test::TinyModel;

class BadFilesTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString good_;

    QString write(const QString& name, const hearth::test::Bytes& bytes) {
        const QString path = dir_.filePath(name);
        return hearth::test::write_file(path.toStdString(), bytes) ? path : QString();
    }

    // Arguments of each command on the file `path`, those that load it whole and those that do not.
    QList<QStringList> commands(const QString& path) const {
        const QString output = dir_.filePath("output");
        return {{"inspect", path},
                {"tokenize", "-m", path},
                {"detokenize", "-m", path},
                {"template", "-m", path, "--messages", "-"},
                {"run", "-m", path, "-p", "Hello"},
                {"bench", "-m", path, "-p", "4", "-n", "4", "-r", "1"},
                {"logits", "-m", path, "--tokens", "1,2", "-o", output},
                {"perplexity", "-m", path, "-f", "-"},
                {"quantize", "-m", path, "--type", "Q8_0", "-o", output}};
    }

private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        good_ = dir_.filePath("good.gguf");
        QVERIFY(TinyModel().write(good_.toStdString()));
    }

    void noModel_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QStringList>("codes");  // any of these
        const QStringList bad{"bad_file"};
        QTest::newRow("no such file") << dir_.filePath("absent.gguf") << QStringList{"not_found"};
        QTest::newRow("no such folder") << dir_.filePath("no/x.gguf") << QStringList{"not_found"};
        QTest::newRow("a directory") << dir_.path() << QStringList{"not_a_file"};
        QTest::newRow("empty") << write("empty.gguf", {}) << bad;
        QTest::newRow("text") << write("text.gguf",
                                       hearth::test::bytes_of(std::vector<char>(300, 'x')))
                              << QStringList{"bad_file", "unsupported"};
        const hearth::test::Bytes all = TinyModel().file().bytes();
        for (const std::size_t size : {std::size_t{3}, std::size_t{8}, std::size_t{24},
                                       std::size_t{200}, all.size() / 2, all.size() - 1}) {
            QTest::addRow("cut at %zu", size)
                << write(QString("cut%1.gguf").arg(size),
                         {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)})
                << bad;
        }
        const QString zeros = dir_.filePath("zeros.gguf");
        QFile file(zeros);
        // Sparse: a gigabyte that takes no disk.
        const bool made = file.open(QIODevice::WriteOnly) && file.resize(qint64{1} << 30);
        QTest::newRow("a gigabyte of zeros")
            << (made ? zeros : QString()) << QStringList{"bad_file", "unsupported"};
        hearth::test::GgufBuilder counts = TinyModel().file();
        QTest::newRow("claims 2^60 tensors")
            << write("counts.gguf", counts.claim_tensors(std::uint64_t{1} << 60).bytes()) << bad;
        hearth::test::GgufBuilder keys = TinyModel().file();
        QTest::newRow("claims 2^60 keys")
            << write("keys.gguf", keys.claim_keys(std::uint64_t{1} << 60).bytes()) << bad;
        QTest::newRow("version 99") << write("version.gguf", TinyModel().file().version(99).bytes())
                                    << QStringList{"bad_file", "unsupported"};
    }
    void noModel() {
        QFETCH(QString, path);
        QFETCH(QStringList, codes);
        QVERIFY2(!path.isEmpty(), "the file could not be made");
        for (const QStringList& arguments : commands(path)) {
            const QByteArray input =
                arguments[0] == "template" ? "[{\"role\":\"user\",\"content\":\"x\"}]" : "1 2 3";
            const CliResult plain = run_cli(arguments, input);
            const QByteArray where = arguments.join(' ').toUtf8() + "\n" + plain.text();
            QVERIFY2(plain.status == 1, where);
            QVERIFY2(plain.out.isEmpty(), where);
            QVERIFY2(plain.err.contains(path.toUtf8()), where);
            QVERIFY2(plain.err.count('\n') == 1, where);  // one sentence, no trace
            QVERIFY2(!QFile::exists(dir_.filePath("output")), where);

            const CliResult json = run_cli(arguments + QStringList{"--json"}, input);
            const QJsonObject object = json.json();
            QVERIFY2(json.status == 1, json.text());
            QCOMPARE(object["command"].toString(), arguments[0]);
            const QJsonObject error = object["error"].toObject();
            QVERIFY2(codes.contains(error["code"].toString()), json.text());
            QCOMPARE(error["path"].toString(), path);
        }
        QVERIFY(QDir(dir_.path()).entryList({"*.partial*"}).isEmpty());
    }

    // Well-formed files that this version cannot run: what they hold can still be listed.
    void cannotRun_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QByteArray>("mentions");
        QTest::newRow("unknown architecture")
            << write("mamba.gguf",
                     hearth::test::GgufBuilder()
                         .key("general.architecture", "mamba")
                         .tensor_f32("token_embd.weight", {2, 32}, std::vector<float>(64, 1.0F))
                         .bytes())
            << QByteArray("mamba");
        QTest::newRow("no architecture")
            << write("none.gguf", hearth::test::GgufBuilder()
                                      .tensor_f32("a", {2, 32}, std::vector<float>(64, 1.0F))
                                      .bytes())
            << QByteArray("general.architecture");
    }
    void cannotRun() {
        QFETCH(QString, path);
        QFETCH(QByteArray, mentions);
        const CliResult run = run_cli({"run", "-m", path, "-p", "x"});
        QVERIFY2(run.status == 1, run.text());
        QVERIFY2(run.err.contains(mentions), run.text());
        const CliResult inspect = run_cli({"inspect", path, "--json"});
        QVERIFY2(inspect.status == 0, inspect.text());
        QVERIFY2(!inspect.json()["supported"].toBool(true), inspect.text());
        QVERIFY2(!inspect.json()["reason"].toString().isEmpty(), inspect.text());
    }

    // One kind of damage each (engine/gguf/broken_file and engine/session/broken_model have the
    // rest): status 1 and this line, nothing else.
    void oneLine_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("line");
        const auto row = [this](const char* name, hearth::test::GgufBuilder file,
                                const char* line) {
            QTest::newRow(name) << write(QString(name).replace(' ', '-') + ".gguf", file.bytes())
                                << QString(line);
        };
        const auto tiny = [] { return TinyModel().file(); };
        row("another version", tiny().version(7),
            "header: GGUF version 7; versions 2 and 3 can be read");
        row("big-endian", tiny().version(0x03000000),
            "header: the file is big-endian; only little-endian files can be read");
        row("too many keys", tiny().claim_keys(70'000),
            "header: claims 70000 metadata keys, more than 65536 cannot be");
        row("key twice", tiny().key("bamboo.block_count", 2U),
            "bamboo.block_count: this metadata key appears twice");
        row("unknown metadata type", tiny().raw_key("k", 13, hearth::test::Bytes(8)),
            "k: metadata type 13 is not known");
        row("alignment", tiny().key("general.alignment", 24U),
            "general.alignment: 24 is no power of two");
        row("tensor twice", tiny().tensor_f32("output_norm.weight", {1}, {1}),
            "output_norm.weight: this tensor appears twice");
        row("tensors overlap", tiny().tensor_f32("extra", {1}, {1}).with_offset(0),
            "extra: starts at byte 5632, before token_embd.weight ends at 71936");
        row("tensor behind the end",
            tiny().tensor_f32("extra", {1}, {1}).with_offset(std::uint64_t{1} << 40),
            "extra: ends at byte 1099511633412, file has 385284");
        row("too many dimensions", tiny().tensor_f32("extra", {1}, {1}).with_rank(9),
            "extra: has 9 dimensions; 1 to 4 can be");
        row("wrong type of a key",
            tiny().without("bamboo.block_count").key("bamboo.block_count", "2"),
            "bamboo.block_count: wanted an integer, found str");
        row("absurd heads",
            tiny()
                .without("bamboo.attention.head_count")
                .key("bamboo.attention.head_count", 99999U),
            "bamboo.attention.head_count: wanted a number from 1 to 4096, found 99999");
        row("wrong shape",
            tiny()
                .without("blk.0.attn_q.weight")
                .tensor("blk.0.attn_q.weight", {64, 32}, hearth::DType::F32),
            "blk.0.attn_q.weight: has shape [64, 32], must have [64, 64]");
        row("no tokenizer", tiny().without("tokenizer.ggml.model"),
            "tokenizer.ggml.model: the file does not have this metadata key");
    }
    void oneLine() {
        QFETCH(QString, path);
        QFETCH(QString, line);
        QVERIFY2(!path.isEmpty(), "the file could not be made");
        const CliResult result = run_cli({"run", "-m", path, "-p", "Hello"});
        QCOMPARE(result.status, 1);
        QCOMPARE(result.out, QByteArray());
        QCOMPARE(QString::fromUtf8(result.err), "hearth-cli run: " + path + ": " + line + "\n");
    }

    void unknownTensorType() {
        hearth::test::GgufBuilder builder;
        const QString path = write(
            "type.gguf", builder.key("general.architecture", "llama")
                             .tensor_f32("token_embd.weight", {1, 32}, std::vector<float>(32, 1.0F))
                             .with_type(9999)
                             .bytes());
        const CliResult result = run_cli({"run", "-m", path, "-p", "x", "--json"});
        QVERIFY2(result.status == 1, result.text());
        const QJsonObject error = result.error();
        QVERIFY2(error["message"].toString().contains("9999"), result.text());
    }

    void promptLongerThanContext() {
        const CliResult result =
            run_cli({"run", "-m", good_, "--raw", "--json"}, QByteArray(4000, 'a'));
        QVERIFY2(result.status == 1, result.text());
        QCOMPARE(result.error()["code"].toString(), "context_full");
    }

    void overBudget() {
        const CliResult result = run_cli({"run", "-m", good_, "-p", "x", "--ram", "1K", "--json"});
        QVERIFY2(result.status == 1, result.text());
        QCOMPARE(result.error()["code"].toString(), "over_budget");
    }

    void tokenOutsideVocabulary_data() {
        QTest::addColumn<QByteArray>("ids");
        QTest::newRow("too large") << QByteArray("1 259");
        QTest::newRow("negative") << QByteArray("-1");
    }
    void tokenOutsideVocabulary() {
        QFETCH(QByteArray, ids);
        const CliResult detokenize = run_cli({"detokenize", "-m", good_, "--json"}, ids);
        QVERIFY2(detokenize.status == 1, detokenize.text());
        QCOMPARE(detokenize.error()["code"].toString(), "invalid_argument");
        const QString output = dir_.filePath("never.f32");
        const CliResult logits =
            run_cli({"logits", "-m", good_, "--tokens=" + ids, "-o", output, "--json"});
        QVERIFY2(logits.status == 1, logits.text());
        QCOMPARE(logits.error()["code"].toString(), "invalid_argument");
        QVERIFY(QDir(dir_.path()).entryList({"never*"}).isEmpty());
    }

    void messages_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("hello");
        QTest::newRow("an object") << QByteArray("{}");
        QTest::newRow("no role") << QByteArray("[{\"content\":\"x\"}]");
        QTest::newRow("content is a number") << QByteArray("[{\"role\":\"user\",\"content\":7}]");
        QTest::newRow("a list of text") << QByteArray("[\"x\"]");
        QTest::newRow("invalid UTF-8") << QByteArray("[{\"role\":\"user\",\"content\":\"\xff\"}]");
        QTest::newRow("deep") << QByteArray(200'000, '[');
    }
    void messages() {
        QFETCH(QByteArray, json);
        const CliResult result =
            run_cli({"template", "-m", good_, "--messages", "-", "--json"}, json);
        QVERIFY2(result.status == 1, result.text());
        QCOMPARE(result.error()["code"].toString(), "bad_file");
        QCOMPARE(result.error()["field"].toString(), "messages");
    }

    // Names out of a file reach the terminal visible, and JSON as they are.
    void hostileArchitecture_data() {
        QTest::addColumn<QByteArray>("arch");
        QTest::newRow("escape sequence") << QByteArray("\x1b]0;title\x07");
        QTest::newRow("zero byte") << QByteArray("a\0b", 3);
        QTest::newRow("not UTF-8") << QByteArray("a\xff\x9bz");
        QTest::newRow("C1 control") << QByteArray(
            "\xc2\x9b"
            "2J");
        QTest::newRow("line end") << QByteArray("a\nhearth-cli: b");
    }
    void hostileArchitecture() {
        QFETCH(QByteArray, arch);
        const QString path =
            write("hostile.gguf",
                  hearth::test::GgufBuilder()
                      .key("general.architecture", arch.toStdString())
                      .key("general.name", arch.toStdString())
                      .tensor_f32(arch.toStdString(), {1, 32}, std::vector<float>(32, 1.0F))
                      .bytes());
        for (const QStringList& arguments : commands(path)) {
            const CliResult result = run_cli(arguments, "1 2 3");
            for (QByteArray text : {result.out, result.err}) {
                QVERIFY2(!text.contains('\0') && !text.contains('\x1b') && !text.contains('\x07') &&
                             !text.contains('\xff') && !text.contains("\xc2\x9b"),
                         result.text());
            }
            QVERIFY2(result.err.count('\n') <= 1, result.text());
        }
        const CliResult all = run_cli({"inspect", path, "--all"});
        QVERIFY2(all.status == 0, all.text());
        QVERIFY2(all.out.contains('\\') && !all.out.contains('\0'), all.text());
        const CliResult json = run_cli({"inspect", path, "--json"});
        QCOMPARE(json.json()["arch"].toString(), QString::fromUtf8(arch));
    }

    // The option as it is typed, whoever refuses.
    void errorField_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("field");
        const QString output = dir_.filePath("field.f32");
        const auto row = [](const char* name, const QStringList& arguments, int status,
                            const char* field) {
            QTest::newRow(name) << arguments << status << QString(field);
        };
        row("ram too small", {"run", "-m", good_, "-p", "x", "--ram", "1K"}, 1, "ram");
        row("ram no size", {"run", "-m", good_, "-p", "x", "--ram", "x"}, 2, "ram");
        row("ram absurd", {"run", "-m", good_, "-p", "x", "--ram", "999999999G"}, 2, "ram");
        row("vram absurd", {"bench", "-m", good_, "--vram", "2000T"}, 2, "vram");
        row("ctx too long", {"run", "-m", good_, "-p", "x", "--ctx", "100000"}, 1, "ctx");
        row("ctx no number", {"run", "-m", good_, "-p", "x", "--ctx", "x"}, 2, "ctx");
        row("test longer than the context", {"bench", "-m", good_, "-p", "1000"}, 1, "ctx");
        row("tokens no ids", {"logits", "-m", good_, "--tokens", "x", "-o", output}, 2, "tokens");
        row("tokens outside", {"logits", "-m", good_, "--tokens", "999", "-o", output}, 1,
            "tokens");
        row("no tokens", {"logits", "-m", good_, "--tokens", "", "-o", output}, 2, "tokens");
        row("tokens left out", {"logits", "-m", good_, "-o", output}, 2, "tokens");
        row("prompt too long", {"run", "-m", good_, "--raw", "-p", QString(4000, 'a')}, 1,
            "prompt");
        row("onto itself", {"quantize", "-m", good_, "--type", "F16", "-o", good_}, 1, "output");
        row("no such type", {"quantize", "-m", good_, "--type", "Q9", "-o", output}, 2, "type");
        row("unknown option", {"devices", "--color"}, 2, "color");
        row("unknown short option", {"devices", "-x"}, 2, "x");
        row("no file", {"inspect"}, 2, "model");
        row("no option", {"inspect", dir_.filePath("absent.gguf")}, 1, "");
    }
    void errorField() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, field);
        const CliResult result = run_cli(arguments + QStringList{"--json"});
        QVERIFY2(result.status == status, result.text());
        QCOMPARE(result.error()["field"].isNull(), field.isEmpty());
        QCOMPARE(result.error()["field"].toString(), field);
    }
};

QTEST_GUILESS_MAIN(BadFilesTest)
#include "bad_files_test.moc"
