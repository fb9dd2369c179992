// Each command does what it says, and its JSON has every field of the contract.
#include <QtTest>
#include <array>
#include <cmath>
#include <cstdio>

#include <hearth/engine.h>

#include "cli_process.h"
#include "flash/disk_probe_file.h"
#include "hardware/memory_info.h"
#include "support/damaged_file.h"
#include "support/gguf_builder.h"
#include "support/tiny_model.h"

using hearth::test::CliResult;
using hearth::test::has_keys;
using hearth::test::run_cli;
using hearth::test::TinyModel;

namespace {

// An environment variable that the program sees while this lives.
class Variable {
public:
    Variable(const char* name, const QString& value)
        : name_(name), had_(qEnvironmentVariableIsSet(name)), before_(qgetenv(name)) {
        qputenv(name, value.toLocal8Bit());
    }
    ~Variable() {
        if (had_) {
            qputenv(name_, before_);
        } else {
            qunsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    bool had_;
    QByteArray before_;
};

}  // namespace

class CommandsTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

    static QStringList keys(const QJsonObject& object, const char* name) {
        return object[name].toObject().keys();  // sorted
    }

    // A manifest in `folder` of a driver that kills who opens it.
    static QString dying_driver(const QString& folder) {
        QFile manifest(folder + "/dying.json");
        if (!manifest.open(QIODevice::WriteOnly)) {
            return {};
        }
        manifest.write(R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", )"
                       R"("library_path": ")" HEARTH_DYING_DRIVER R"("}})");
        return manifest.fileName();
    }

private slots:
    void initTestCase() {
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel().write(model_.toStdString()));
        // Caches of a trial's own begin empty, but lavapipe need not compile its shaders again.
        if (const QByteArray caches = qgetenv("XDG_CACHE_HOME"); !caches.isEmpty()) {
            qputenv("MESA_SHADER_CACHE_DIR", caches);
        }
    }

    void inspect() {
        const CliResult result = run_cli({"inspect", model_, "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(
            has_keys(object, "inspect",
                     {"path",      "file_bytes", "container", "format_version", "arch",
                      "supported", "reason",     "params",    "n_layer",        "n_embd",
                      "n_head",    "n_head_kv",  "head_dim",  "n_ff",           "n_vocab",
                      "n_ctx",     "experts",    "types",     "tokenizer",      "chat_template",
                      "chat",      "sparse",     "tensors",   "metadata"},
                     why),
            qPrintable(why));
        QCOMPARE(object["path"].toString(), model_);
        QCOMPARE(object["file_bytes"].toInteger(), QFileInfo(model_).size());
        QCOMPARE(object["container"].toString(), "GGUF");
        QCOMPARE(object["format_version"].toInt(), 3);
        QCOMPARE(object["arch"].toString(), "bamboo");
        QVERIFY(object["supported"].toBool());
        QVERIFY(object["reason"].isNull());
        QCOMPARE(object["n_layer"].toInt(), 2);
        QCOMPARE(object["n_embd"].toInt(), 64);
        QCOMPARE(object["n_head"].toInt(), 4);
        QCOMPARE(object["n_head_kv"].toInt(), 2);
        QCOMPARE(object["head_dim"].toInt(), 16);
        QCOMPARE(object["n_ff"].toInt(), 96);
        QCOMPARE(object["n_vocab"].toInt(), TinyModel::kVocab);
        QCOMPARE(object["n_ctx"].toInt(), 128);
        QCOMPARE(keys(object, "experts"), (QStringList{"count", "used"}));
        QCOMPARE(keys(object, "tokenizer"), (QStringList{"model", "pre"}));
        QCOMPARE(keys(object, "sparse"),
                 (QStringList{"activation", "packed", "predictor_layers", "profile", "threshold"}));
        const QJsonArray tensors = object["tensors"].toArray();
        QVERIFY(!tensors.isEmpty());
        qint64 count = 0;
        for (const QJsonValue& type : object["types"].toObject()) {
            count += type.toObject()["tensors"].toInteger();
        }
        QCOMPARE(count, tensors.size());
        for (const QJsonValue& tensor : tensors) {
            QCOMPARE(tensor.toObject().keys(),
                     (QStringList{"bytes", "name", "offset", "shape", "type"}));
            const qint64 end = tensor["offset"].toInteger() + tensor["bytes"].toInteger();
            QVERIFY(end <= QFileInfo(model_).size());
        }
        // 259 tokens are more than 16: summarised.
        const QJsonObject tokens =
            object["metadata"].toObject()["tokenizer.ggml.tokens"].toObject();
        QCOMPARE(tokens["count"].toInt(), TinyModel::kVocab);
        QCOMPARE(tokens["type"].toString(), "str");

        const CliResult plain = run_cli({"inspect", model_, "--all"});
        QVERIFY2(plain.status == 0, plain.text());
        QVERIFY2(plain.out.contains("bamboo") && plain.out.contains("token_embd.weight"),
                 plain.text());
    }

    void inspectLayersThatDiffer() {
        const QString path = dir_.filePath("layers.gguf");
        QVERIFY(hearth::test::TinyModel({.arch = "nemotron_h", .n_layer = 5})
                    .write(path.toStdString()));
        const CliResult plain = run_cli({"inspect", path});
        QVERIFY2(plain.out.contains("4 heads (0 to 2 for keys and values)"), plain.text());
        QVERIFY2(plain.out.contains("feed-forward 0 to 96 relu2"), plain.text());
    }

    void inspectExperts() {
        const QString path = dir_.filePath("experts.gguf");
        hearth::test::GgufBuilder file = TinyModel({.arch = "llama"}).file();
        file.key("llama.expert_count", std::uint32_t{8})
            .key("llama.expert_used_count", std::uint32_t{2});
        QVERIFY(file.write(path.toStdString()));
        const QJsonObject experts =
            run_cli({"inspect", path, "--json"}).json()["experts"].toObject();
        QCOMPARE(experts["count"].toInt(), 8);
        QCOMPARE(experts["used"].toInt(), 2);
        const CliResult plain = run_cli({"inspect", path});
        QVERIFY2(plain.out.contains("8 experts, 2 used"), plain.text());
    }

    // It goes on with words that are a guess, and says so.
    void unknownPreTokenizer() {
        const QString path = dir_.filePath("guessed.gguf");
        hearth::test::GgufBuilder file = TinyModel({.arch = "llama"}).file();
        file.without("tokenizer.ggml.pre").key("tokenizer.ggml.pre", "made\nup");
        QVERIFY(file.write(path.toStdString()));
        const QByteArray warning =
            ": this version does not know how the tokenizer 'made\\nup' cuts text into words; it "
            "is "
            "taken for 'llama-bpe', and answers may suffer\n";
        for (const QStringList& command :
             {QStringList{"inspect", path}, QStringList{"tokenize", "-m", path},
              QStringList{"run", "-m", path, "--raw", "-p", "x", "-n", "1"}}) {
            const CliResult result = run_cli(command, "x");
            QVERIFY2(result.status == 0, result.text());
            QVERIFY2(result.err.contains("hearth-cli " + command[0].toUtf8() + warning),
                     result.text());
            const CliResult json = run_cli(command + QStringList{"--json"}, "x");
            QVERIFY2(json.status == 0 && json.err.contains(warning), json.text());
        }
        QVERIFY(!run_cli({"tokenize", "-m", model_}, "x").err.contains("tokenizer"));
    }

    // Strings of a file are shown, not obeyed.
    void inspectHostileText() {
        const QString path = dir_.filePath("hostile.gguf");
        hearth::test::GgufBuilder builder;
        builder.key("general.architecture", "llama")
            .key("general.name", std::string("\x1b]0;title\x07\xff\xfe\n"))
            .array("small", std::vector<std::int32_t>{1, -2, 3})
            .tensor_f32("t", {1, 32}, std::vector<float>(32, 0.0F));
        QVERIFY(builder.write(path.toStdString()));
        const CliResult json = run_cli({"inspect", path, "--json"});
        QVERIFY2(json.status == 0, json.text());
        const QJsonObject metadata = json.json()["metadata"].toObject();
        QVERIFY(metadata["general.name"].toString().startsWith("\x1b]0;title"));
        QCOMPARE(metadata["small"].toArray(), (QJsonArray{1, -2, 3}));
        const CliResult plain = run_cli({"inspect", path, "--all"});
        QVERIFY2(plain.status == 0, plain.text());
        QVERIFY2(!plain.out.contains('\x1b') && !plain.out.contains('\x07'), plain.text());
    }

    void devices() {
        const CliResult result = run_cli({"devices", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(has_keys(object, "devices",
                          {"cpu", "ram", "disks", "gpus", "no_gpus", "drivers_left_out"}, why),
                 qPrintable(why));
        QCOMPARE(keys(object, "cpu"),
                 (QStringList{"isa", "logical_cores", "name", "performance_cores", "physical_cores",
                              "selected", "thread_speeds", "threads"}));
        const QJsonArray speeds = object["cpu"]["thread_speeds"].toArray();
        QVERIFY(!speeds.isEmpty());
        QCOMPARE(speeds[0]["speed"].toDouble(), 1.0);
        QVERIFY(std::any_of(speeds.begin(), speeds.end(), [&](const auto& point) {
            return point.toObject()["threads"] == object["cpu"]["threads"];
        }));
        QCOMPARE(keys(object, "ram"),
                 (QStringList{"available_bytes", "limit_bytes", "read_gb_per_s", "total_bytes"}));
        const QJsonArray isa = object["cpu"]["isa"].toArray();
        QVERIFY(isa.contains("generic") && isa.contains(object["cpu"]["selected"]));
        QVERIFY(object["ram"]["read_gb_per_s"].toDouble() > 0);
        QVERIFY(object["ram"]["available_bytes"].toInteger() > 0);
        const hearth::MemoryInfo memory = hearth::read_memory_info();
        QCOMPARE(static_cast<std::uint64_t>(object["ram"]["total_bytes"].toInteger()),
                 memory.total_bytes);
        QCOMPARE(object["ram"]["limit_bytes"].isNull(), !memory.limit_bytes.has_value());
        QVERIFY(object["disks"].isArray() && object["gpus"].isArray());
        // Either there are some, or it is said why not.
        QCOMPARE(object["no_gpus"].isNull(), !object["gpus"].toArray().isEmpty());
    }

    // A disk is measured once, on a file that lies there.
    void devicesMeasureADisk() {
        const QTemporaryDir cache;
        const Variable folder("XDG_CACHE_HOME", cache.path());
        const QString path = cache.filePath("16 MiB");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(16 << 20));
        const CliResult first = run_cli({"devices", "-m", path, "--json"});
        QVERIFY2(first.status == 0, first.text());
        const QJsonArray disks = first.json()["disks"].toArray();
        QCOMPARE(disks.size(), 1);
        QCOMPARE(
            disks[0].toObject().keys(),
            (QStringList{"alignment_bytes", "depth", "direct", "merge_gap_bytes", "path", "random",
                         "random_4k_per_s", "reason", "request_bytes", "sequential_gb_per_s"}));
        QCOMPARE(disks[0]["path"].toString(), path);
        QCOMPARE(disks[0]["direct"].toBool(), disks[0]["random_4k_per_s"].toDouble() > 0);
        QCOMPARE(disks[0]["direct"].toBool(), disks[0]["reason"].isNull());
        const CliResult again = run_cli({"devices", "--json"});
        QCOMPARE(again.json()["disks"].toArray(), disks);
        const CliResult text = run_cli({"devices"});
        QVERIFY2(text.out.contains("disk " + path.toUtf8() + "\n"), text.text());

        QVERIFY(file.resize(1000));
        const CliResult small = run_cli({"devices", "--probe", "-m", path});
        QCOMPARE(small.status, 1);
        QVERIFY2(small.err.contains("too few to measure a disk with"), small.text());
    }

    // A cache folder that is not absolute counts as none: then it is the home folder's.
    void theCacheIsInTheHomeFolder() {
        const QTemporaryDir dir;
        const QString path = dir.filePath("16 MiB");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(16 << 20));
        const Variable home("HOME", dir.path());
        {
            const Variable folder("XDG_CACHE_HOME", "here");
            const CliResult result = run_cli({"devices", "-m", path, "--json"});
            QVERIFY2(result.status == 0, result.text());
            QVERIFY(QFile::remove(dir.filePath(".cache/hearth/disks.txt")));
        }
        const Variable folder("XDG_CACHE_HOME", dir.filePath("own"));
        QCOMPARE(run_cli({"devices", "-m", path}).status, 0);
        QVERIFY(QFile::exists(dir.filePath("own/hearth/disks.txt")));
        QVERIFY(!QFile::exists(dir.filePath(".cache/hearth/disks.txt")));
    }

    void devicesWithoutADriver() {
        const QTemporaryDir nothing;
        const Variable drivers("VK_DRIVER_FILES", nothing.filePath("none.json"));
        const Variable older("VK_ICD_FILENAMES", nothing.filePath("none.json"));
        const CliResult result = run_cli({"devices", "--probe", "--json"});
        QVERIFY2(result.status == 0, result.text());
        QVERIFY(result.json()["gpus"].toArray().isEmpty());
        QVERIFY2(result.json()["no_gpus"].toString().startsWith("this system has no Vulkan "),
                 result.text());
        QVERIFY(run_cli({"devices"}).out.contains("\ngpu  none: this system has no Vulkan "));
    }

    // A driver that dies when it is looked at takes a child along, and the processor answers.
    void aDriverThatDies() {
        const QTemporaryDir folder;
        const Variable cache("XDG_CACHE_HOME", folder.path());
        const QString manifest = dying_driver(folder.path());
        const Variable drivers("VK_DRIVER_FILES", manifest);
        const Variable older("VK_ICD_FILENAMES", manifest);
        for (const char* how : {"--json", "--probe"}) {
            const CliResult devices = run_cli({"devices", how});
            QVERIFY2(devices.status == 0, devices.text());
            QVERIFY2(devices.out.contains("a driver crashed when it was to list its devices ("),
                     devices.text());
        }
        const CliResult run = run_cli({"run", "-m", model_, "-p", "a", "-n", "1", "--json"});
        QVERIFY2(run.status == 0, run.text());
    }

    // It does not hide the devices of other drivers, in whatever order the loader meets them.
    void aDriverThatDiesBesideAnother() {
        const QDir manifests("/usr/share/vulkan/icd.d", "lvp_icd*.json");
        if (manifests.isEmpty()) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no driver that pretends to be a GPU");
        }
        const QString good = manifests.filePath(manifests.entryList().front());
        const QTemporaryDir folder;
        const QString dying = dying_driver(folder.path());
        for (const QString& files : {dying + ':' + good, good + ':' + dying}) {
            const QTemporaryDir caches;
            const Variable cache("XDG_CACHE_HOME", caches.path());
            const Variable drivers("VK_DRIVER_FILES", files);
            const Variable older("VK_ICD_FILENAMES", files);
            // The trial of a driver that is slow to compile takes a minute: once is enough.
            const bool tries = files.startsWith(dying);
            const Variable patience("HEARTH_GPU_TRIAL_SECONDS", "600");
            const CliResult tried = run_cli(tries ? QStringList{"devices", "--probe", "--json"}
                                                  : QStringList{"devices", "--json"});
            QVERIFY2(tried.status == 0, tried.text());
            const QJsonArray gpus = tried.json()["gpus"].toArray();
            QCOMPARE(gpus.size(), 1);
            QVERIFY2(!tries || gpus[0].toObject()["status"] == "ok", tried.text());
            const QString left_out = "the driver " + dying + " is left out: it crashed";
            QVERIFY2(tried.json()["drivers_left_out"].toString().startsWith(left_out),
                     tried.text());
            const CliResult devices = run_cli({"devices"});
            QVERIFY2(devices.out.contains(left_out.toUtf8()), devices.text());
            // From what is kept of the drivers, and at later starts.
            for (int start = 0; tries && start < 4; ++start) {
                const CliResult run =
                    run_cli({"run", "-m", model_, "-p", "a", "-n", "1", "--gpu", "0", "--json"});
                QVERIFY2(run.status == 0, run.text());
                QVERIFY2(run.text().contains("llvmpipe"), run.text());
            }
        }
    }

    // Each GPU is tried in a process of its own, and what came of it is known from then on.
    void devicesTried() {
        const QTemporaryDir cache;
        const Variable folder("XDG_CACHE_HOME", cache.path());
        const QJsonArray before = run_cli({"devices", "--json"}).json()["gpus"].toArray();
        if (before.isEmpty()) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor a driver that pretends to be one");
        }
        const Variable patience("HEARTH_GPU_TRIAL_SECONDS", "600");
        const CliResult result = run_cli({"devices", "--probe", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonArray gpus = result.json()["gpus"].toArray();
        QCOMPARE(gpus.size(), before.size());
        for (const auto& one : gpus) {
            const QJsonObject gpu = one.toObject();
            QCOMPARE(gpu.keys(), (QStringList{"api",          "budget_bytes",  "bus_back_gb_per_s",
                                              "bus_gb_per_s", "chosen",        "cooperative_matrix",
                                              "driver",       "gflop_per_s",   "heap_bytes",
                                              "heaps",        "index",         "integer_dot",
                                              "meeting_us",   "name",          "read_gb_per_s",
                                              "reason",       "status",        "step_us",
                                              "subgroup",     "subgroup_size", "type",
                                              "unified",      "untried"}));
            QVERIFY2(gpu["status"] == "ok", result.text());
            QVERIFY(gpu["read_gb_per_s"].toDouble() > 0 && gpu["meeting_us"].toDouble() > 0 &&
                    gpu["gflop_per_s"].toDouble() > 0 && gpu["step_us"].toDouble() > 0);
            QCOMPARE(gpu["chosen"].toBool(), gpu["reason"].isNull());
        }
        QCOMPARE(before[0]["status"].toString(), QString("unprobed"));
        const QJsonArray after = run_cli({"devices", "--json"}).json()["gpus"].toArray();
        QCOMPARE(after[0]["status"].toString(), QString("ok"));
        QCOMPARE(after[0]["read_gb_per_s"], gpus[0]["read_gb_per_s"]);
        // People are told the same figures. Qt's own asprintf() rounds 28.25 up, others to even.
        const QJsonObject one = after[0].toObject();
        std::array<char, 256> line{};
        std::snprintf(line.data(), line.size(),
                      "reads %.1f GB/s, bus %.1f GB/s to it and %.1f back, %.1f us a round trip, "
                      "%.1f a step, %.2f Tflop/s\n",
                      one["read_gb_per_s"].toDouble(), one["bus_gb_per_s"].toDouble(),
                      one["bus_back_gb_per_s"].toDouble(), one["meeting_us"].toDouble(),
                      one["step_us"].toDouble(), one["gflop_per_s"].toDouble() / 1e3);
        const QByteArray speeds = line.data();
        const CliResult told = run_cli({"devices"});
        QVERIFY2(told.out.contains(speeds), speeds + told.text());
    }

    void devicesThatCannotDoWithoutThat() {
        const Variable without("HEARTH_VULKAN_WITHOUT", "wings");
        const CliResult result = run_cli({"devices", "--json"});
        QCOMPARE(result.status, 1);
        QCOMPARE(result.error()["code"].toString(), QString("invalid_argument"));
    }

    void tokenizeAndBack_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("words") << QByteArray("Hello, world");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("line ends") << QByteArray("a\r\nb\n\n");
        QTest::newRow("several alphabets")
            << QByteArray("na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8d\x8e");
        QTest::newRow("not UTF-8") << QByteArray("a\xff\xfe\x80z");
        QTest::newRow("zero bytes") << QByteArray("a\0b", 3);
        QTest::newRow("control Z") << QByteArray(
            "a\x1a"
            "b");
    }
    void tokenizeAndBack() {
        QFETCH(QByteArray, bytes);
        const CliResult plain = run_cli({"tokenize", "-m", model_, "--no-bos"}, bytes);
        QVERIFY2(plain.status == 0, plain.text());
        const CliResult json = run_cli({"tokenize", "-m", model_, "--no-bos", "--json"}, bytes);
        QVERIFY2(json.status == 0, json.text());
        const QJsonArray ids = QJsonDocument::fromJson(json.out).array();
        QByteArray line;
        for (const QJsonValue& id : ids) {
            line += (line.isEmpty() ? "" : " ") + QByteArray::number(id.toInt());
        }
        QCOMPARE(plain.out, line + "\n");
        for (const QByteArray& input : {plain.out, json.out}) {
            const CliResult back = run_cli({"detokenize", "-m", model_}, input);
            QVERIFY2(back.status == 0, back.text());
            QCOMPARE(back.out, bytes);
        }
    }

    void specialTokens() {
        const QByteArray text = "<|im_start|>";
        const CliResult asText = run_cli({"tokenize", "-m", model_, "--no-bos"}, text);
        QCOMPARE(asText.out.count(' '), text.size() - 1);  // a byte a token here
        const CliResult asToken =
            run_cli({"tokenize", "-m", model_, "--no-bos", "--parse-special"}, text);
        QCOMPARE(asToken.out, QByteArray("1\n"));
    }

    void chatTemplate() {
        QFile file(dir_.filePath("messages.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "[{\"role\":\"system\",\"content\":\"Be brief.\"},"
            "{\"role\":\"user\",\"content\":\"na\xc3\xafve\\n\"}]");
        file.close();
        const QByteArray turns =
            "<|im_start|>system\nBe brief.<|im_end|>\n"
            "<|im_start|>user\nna\xc3\xafve\n<|im_end|>\n";
        const QStringList arguments{"template", "-m", model_, "--messages", file.fileName()};
        CliResult result = run_cli(arguments);
        QVERIFY2(result.status == 0, result.text());
        QCOMPARE(result.out, turns + "<|im_start|>assistant\n");
        result = run_cli(arguments + QStringList{"--no-generation-prompt"});
        QCOMPARE(result.out, turns);
        result = run_cli(arguments + QStringList{"--json"});
        QCOMPARE(result.json()["text"].toString().toUtf8(), turns + "<|im_start|>assistant\n");
    }

    void logits_data() {
        QTest::addColumn<QStringList>("extra");
        QTest::addColumn<int>("rows");
        QTest::newRow("last") << QStringList{} << 1;
        QTest::newRow("all") << QStringList{"--all"} << 5;
    }
    void logits() {
        QFETCH(QStringList, extra);
        QFETCH(int, rows);
        const QString output = dir_.filePath("logits.f32");
        QFile::remove(output);
        const CliResult result = run_cli(
            QStringList{"logits", "-m", model_, "--tokens", "5,6,7,8,9", "-o", output, "--json"} +
            extra);
        QVERIFY2(result.status == 0, result.text());
        QFile file(output);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QCOMPARE(bytes.size(), rows * TinyModel::kVocab * 4);
        QCOMPARE(result.json()["output_bytes"].toInteger(), bytes.size());
        QCOMPARE(result.json()["shape"].toArray(), (QJsonArray{rows, TinyModel::kVocab}));
        // The same numbers computed a second way.
        const std::vector<double> expected = TinyModel().logits({5, 6, 7, 8, 9});
        const std::size_t first = expected.size() - static_cast<std::size_t>(bytes.size() / 4);
        for (std::size_t i = first; i < expected.size(); ++i) {
            float value = 0;
            std::memcpy(&value, bytes.constData() + (i - first) * 4, 4);
            QVERIFY2(std::abs(static_cast<double>(value) - expected[i]) < 0.02,
                     qPrintable(QString("%1: %2, not %3").arg(i).arg(value).arg(expected[i])));
        }
    }

    void perplexity() {
        const CliResult result =
            run_cli({"perplexity", "-m", model_, "-f", "-", "--ctx", "32", "--json"},
                    QByteArray("The quick brown fox jumps over the lazy dog. ").repeated(4));
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(has_keys(object, "perplexity",
                          {"model", "ctx", "perplexity", "standard_error", "loss", "tokens",
                           "windows", "memory"},
                          why),
                 qPrintable(why));
        // A random model is about as good as guessing among all tokens, and never better than sure.
        QVERIFY(object["perplexity"].toDouble() > 1);
        QVERIFY(object["tokens"].toInt() > 100);
        QVERIFY(object["windows"].toInt() > 3);
        QCOMPARE(object["perplexity"].toDouble(), std::exp(object["loss"].toDouble()));
        const CliResult told =
            run_cli({"perplexity", "-m", model_, "-f", "-", "--ctx", "32"},
                    QByteArray("The quick brown fox jumps over the lazy dog. ").repeated(4));
        const QString figures = QString::asprintf(
            "perplexity %.4f +- %.4f  (%d tokens, %d windows of 32; loss %.5f",
            object["perplexity"].toDouble(), object["standard_error"].toDouble(),
            object["tokens"].toInt(), object["windows"].toInt(), object["loss"].toDouble());
        QVERIFY2(told.out.startsWith(figures.toUtf8()), told.text());
    }

    void profile() {
        const QString output = dir_.filePath("profile.gguf");
        const QStringList arguments{"profile", "-m", model_,      "-f", "-",  "-o", output,
                                    "--ctx",   "32", "--threads", "2",  "-n", "100"};
        const QByteArray text = QByteArray("The quick brown fox jumps over the dog. ").repeated(4);
        const CliResult result = run_cli(arguments + QStringList{"--json"}, text);
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(
            has_keys(object, "profile",
                     {"model", "path", "ctx", "model_hash", "tokens", "sparsity", "layers"}, why),
            qPrintable(why));
        QCOMPARE(object["tokens"].toInt(), 100);
        QCOMPARE(object["layers"].toArray().size(), 2);
        QCOMPARE(object["layers"][1].toObject().keys(),
                 (QStringList{"hottest_20_share", "index", "sparsity"}));
        QCOMPARE(object["layers"][1]["index"].toInt(), 1);
        const double sparsity = object["layers"][1]["sparsity"].toDouble();
        QVERIFY(sparsity > 0.5 && sparsity < 1);  // a random model's: three quarters
        QVERIFY(QFileInfo(output).size() > 2 * 6 * 96 * 4);

        const CliResult more = run_cli(arguments + QStringList{"--add"}, text);
        QVERIFY2(more.status == 0, more.text());
        QVERIFY2(more.out.contains("profile.gguf: 200 tokens"), more.text());
        QCOMPARE(more.out.count('\n'), 4);
    }

    // Answers note which neurons fire, a benchmark does not; packing and planning go by it.
    void answersMakeAProfile() {
        const QTemporaryDir cache;
        const Variable folder("XDG_CACHE_HOME", cache.path());
        const auto note = [&] {
            const QDir profiles(cache.filePath("hearth/profiles"));
            const QStringList files = profiles.entryList({"*.gguf"}, QDir::Files);
            QFile file(profiles.filePath(files.value(0)));
            return files.size() == 1 && file.open(QIODevice::ReadOnly) ? file.readAll()
                                                                       : QByteArray();
        };
        int tokens = 0;
        for (int seed = 1; tokens < 150 && seed < 40; ++seed) {
            const CliResult answer =
                run_cli({"run", "-m", model_, "-p", "Hello", "-n", "80", "--seed",
                         QString::number(seed), "--gpu", "none", "--json"});
            QVERIFY2(answer.status == 0, answer.text());
            QVERIFY2(answer.err.contains("noted which neurons fired"), answer.text());
            tokens += static_cast<int>(answer.json()["token_ids"].toArray().size());
        }
        const QByteArray noted = note();
        QVERIFY(tokens >= 150 && !noted.isEmpty());
        QCOMPARE(run_cli({"bench", "-m", model_, "-p", "1", "-n", "8", "-r", "1"}).status, 0);
        QCOMPARE(note(), noted);
        const CliResult packed =
            run_cli({"pack", "-m", model_, "-o", dir_.filePath("by-itself.gguf"), "--force"});
        QVERIFY2(packed.out.contains("neurons by hotness, as ") &&
                     packed.out.contains(" tokens showed it while the model was used\n"),
                 packed.text());
        const CliResult plan = run_cli({"plan", "-m", model_, "--assume-ram", "10"});
        QVERIFY2(plan.out.contains("the activation profile that the model made of itself, from "),
                 plan.text());
    }

    void bench_data() {
        QTest::addColumn<int>("prefill");
        QTest::addColumn<int>("decode");
        QTest::addColumn<int>("depth");
        QTest::newRow("both") << 16 << 8 << 0;
        QTest::newRow("prefill only") << 16 << 0 << 0;
        QTest::newRow("decode only") << 0 << 8 << 0;
        QTest::newRow("after others") << 16 << 8 << 100;
    }
    void bench() {
        QFETCH(int, prefill);
        QFETCH(int, decode);
        QFETCH(int, depth);
        const CliResult result = run_cli({"bench", "-m", model_, "-p", QString::number(prefill),
                                          "-n", QString::number(decode), "-r", "3", "-t", "2",
                                          "--depth", QString::number(depth), "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(has_keys(object, "bench",
                          {"model", "settings", "depth", "load_ms", "load_gb_per_s", "prefill",
                           "decode", "ttft_ms", "memory", "flash", "share", "bytes_per_token",
                           "processor_ms_per_token", "latency_ms", "layers", "forecast"},
                          why),
                 qPrintable(why));
        QCOMPARE(keys(object, "model"), (QStringList{"arch", "file_bytes", "path", "type"}));
        QCOMPARE(keys(object, "settings"),
                 (QStringList{"gpu", "gpu_layers", "gpu_neurons", "gpu_note", "gpu_streams_from",
                              "isa", "kv", "mode", "paths", "ram_bytes", "seed", "temp", "threads",
                              "vram_bytes"}));
        QCOMPARE(object["settings"]["threads"].toInt(), 2);
        QCOMPARE(object["settings"]["seed"].toInt(), 1);
        QCOMPARE(object["settings"]["temp"].toDouble(), 0.8);
        QCOMPARE(object["settings"]["mode"].toString(), "exact");
        QCOMPARE(object["settings"]["paths"].toString(), "chosen");
        for (const char* name : {"prefill", "decode"}) {
            QCOMPARE(keys(object, name),
                     (QStringList{"max_per_s", "median_per_s", "min_per_s", "runs", "tokens"}));
            const int tokens = name == QByteArray("prefill") ? prefill : decode;
            QCOMPARE(object[name]["tokens"].toInt(), tokens);
            QCOMPARE(object[name]["runs"].toArray().size(), tokens > 0 ? 3 : 0);
            QCOMPARE(object[name]["median_per_s"].isNull(), tokens == 0);
        }
        QCOMPARE(keys(object, "ttft_ms"), (QStringList{"max", "median", "min"}));
        QCOMPARE(keys(object, "latency_ms"), (QStringList{"p50", "p90", "p99"}));
        QCOMPARE(object["latency_ms"]["p50"].isNull(), decode == 0);
        QVERIFY(object["latency_ms"]["p90"].toDouble() >= object["latency_ms"]["p50"].toDouble());
        QVERIFY(object["latency_ms"]["p99"].toDouble() >= object["latency_ms"]["p90"].toDouble());
        for (const char* name : {"prefill", "decode"}) {
            QVERIFY(object[name]["min_per_s"].toDouble() <=
                    object[name]["median_per_s"].toDouble());
            QVERIFY(object[name]["median_per_s"].toDouble() <=
                    object[name]["max_per_s"].toDouble());
        }
        QCOMPARE(keys(object, "bytes_per_token"), (QStringList{"bus", "flash", "ram", "vram"}));
        QCOMPARE(object["depth"].toInt(), depth);
        QVERIFY(object["load_ms"].toDouble() > 0);
        const double loaded =
            object["load_gb_per_s"].toDouble() * object["load_ms"].toDouble() * 1e6;
        QCOMPARE(std::round(loaded), object["memory"]["weights_bytes"].toDouble());
        QCOMPARE(object["layers"].toArray().size(), 2);
        QCOMPARE(keys(object, "forecast"), (QStringList{"decode_per_s", "disk_read_gb_per_s",
                                                        "prefill_per_s", "ram_read_gb_per_s"}));
        QVERIFY(object["forecast"]["decode_per_s"].toDouble() > 0);
        QVERIFY(object["forecast"]["disk_read_gb_per_s"].isNull());
        QCOMPARE(keys(object, "memory"),
                 (QStringList{"kv_bytes", "ledger_bytes", "rss_peak_bytes", "scratch_bytes",
                              "vram_bytes", "vram_driver_bytes", "vram_kv_bytes",
                              "vram_scratch_bytes", "vram_weights_bytes", "weights_bytes"}));
        QCOMPARE(
            keys(object, "flash"),
            (QStringList{"experts_guessed", "guess_gain", "guess_trials", "guessed_right",
                         "guesses_pay", "hit_rate", "per_token", "read_ahead", "read_ahead_used",
                         "read_bytes", "read_ms", "reads", "stall_ms", "without"}));
        QCOMPARE(object["flash"]["per_token"].isNull(), decode == 0);
        QCOMPARE(keys(object, "share"), (QStringList{"cpu", "gpu"}));
    }

    // The speed of the disk is known from an earlier measurement, or else measured, for which this
    // model is too small.
    void benchForecastsWhatTheDiskGives() {
        const QTemporaryDir cache;
        const Variable folder("XDG_CACHE_HOME", cache.path());
        const QString model = dir_.filePath("disk.gguf");
        QVERIFY(
            TinyModel({.arch = "llama", .n_embd = 256, .n_ff = 1024}).write(model.toStdString()));
        const auto bench = [&](const QStringList& more) {
            return run_cli(QStringList{"bench", "-m", model, "-p", "8", "-n", "8", "-r", "1", "-t",
                                       "2", "--gpu", "none", "--dense"} +
                           more);
        };
        const QJsonObject whole = bench({"--json"}).json()["memory"].toObject();
        QVERIFY(whole["weights_bytes"].toInteger() > 0);
        const qint64 budget =
            whole["ledger_bytes"].toInteger() - whole["weights_bytes"].toInteger() / 3;
        const QStringList half{"--ram", QString::number(budget)};
        const CliResult unknown = bench(half + QStringList{"--json"});
        QVERIFY2(unknown.status == 0, unknown.text());
        const QJsonObject object = unknown.json();
        QVERIFY(object["bytes_per_token"]["flash"].toInteger() > 0);
        const QJsonObject none = object["forecast"].toObject();
        QVERIFY(none["decode_per_s"].isNull() && none["disk_read_gb_per_s"].isNull());
        const CliResult said = bench(half);
        QVERIFY2(said.out.contains("the speed of the disk could not be measured: no forecast\n"),
                 said.text());

        const std::string disk = hearth::disk_of(model.toStdString());
        QVERIFY(!disk.empty());
        QVERIFY(hearth::keep_disk_probe((cache.path() + "/hearth").toStdString(), hearth::version(),
                                        {.disk = disk,
                                         .path = "a",
                                         .direct = true,
                                         .alignment = 512,
                                         .sequential_bytes_per_s = 2.5e9,
                                         .random = {{8192, 8, 1e5}},
                                         .depth = 8,
                                         .largest_read_bytes = 262'144,
                                         .merge_gap_bytes = 512}));
        const CliResult known = bench(half + QStringList{"--json"});
        const QJsonObject forecast = known.json()["forecast"].toObject();
        QVERIFY2(forecast["decode_per_s"].toDouble() > 0, known.text());
        QVERIFY2(forecast["prefill_per_s"].toDouble() > 0, known.text());
        QCOMPARE(forecast["disk_read_gb_per_s"].toDouble(), 2.5);
        const CliResult text = bench(half);
        QVERIFY2(text.out.contains("; the disk reads 2.5 GB/s\n"), text.text());
    }

    void benchWhileTheBudgetMoves() {
        const CliResult result = run_cli({"bench", "-m", model_, "-p", "4", "-n", "16", "-t", "2",
                                          "--move-budget", "6,1G,1G,7", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        const QJsonObject moved = object["moved_budget"].toObject();
        QVERIFY2(moved["seconds"].toDouble() >= 6, result.text());
        QCOMPARE(moved["changes"].toInt(), 1);
        QCOMPARE(moved["refused"].toInt(), 0);
        QCOMPARE(moved["least_bytes"].toDouble(), static_cast<double>(1 << 30));
        QCOMPARE(moved["most_bytes"].toDouble(), static_cast<double>(1 << 30));
        QVERIFY2(moved["answers"].toInt() > 1, result.text());
        QVERIFY2(moved["tokens"].toInt() > 16, result.text());
        const QJsonObject pause = moved["pause_ms"].toObject();
        QVERIFY2(
            pause["p50"].toDouble() > 0 && pause["longest"].toDouble() >= pause["p99"].toDouble(),
            result.text());
        // Milliseconds: 99 of 100 pauses are no longer than p99, and most of the time is pauses.
        QVERIFY2(pause["p99"].toDouble() * moved["tokens"].toInt() >=
                     1000 * moved["seconds"].toDouble() / 10,
                 result.text());
        for (const char* part : {"first_sixth", "last_sixth"}) {
            const QJsonObject held = moved["rss_bytes"].toObject()[part].toObject();
            QVERIFY2(held["median_bytes"].toDouble() > 0 &&
                         held["most_bytes"].toDouble() >= held["median_bytes"].toDouble(),
                     result.text());
        }
    }

    // One value of a norm, or what the output head makes of finite weights: every command that
    // computes says where, and none prints anything.
    void weightsThatAreNoNumbers_data() {
        QTest::addColumn<bool>("overflow");
        QTest::addColumn<QStringList>("arguments");
        const QStringList computing[] = {
            {"run", "-p", "x", "-n", "2"},
            {"bench", "-p", "2", "-n", "2", "-r", "1"},
            {"logits", "--tokens", "9,8", "-o", dir_.filePath("no.f32")},
            {"perplexity", "-f", "-", "--ctx", "32"}};
        for (const QStringList& arguments : computing) {
            for (const bool overflow : {false, true}) {
                QTest::addRow("%s%s", qPrintable(arguments[0]), overflow ? ", logits" : "")
                    << overflow << arguments;
            }
        }
        QTest::newRow("profile") << false << QStringList{"profile",           "-f",    "-", "-o",
                                                         dir_.filePath("no"), "--ctx", "32"};
        QTest::newRow("train-predictor")
            << false
            << QStringList{"train-predictor", "-f", "-", "-o", dir_.filePath("no"), "--ctx", "32"};
        QTest::newRow("quantize") << false
                                  << QStringList{"quantize", "--type", "F16", "-o",
                                                 dir_.filePath("no")};
    }
    void weightsThatAreNoNumbers() {
        QFETCH(bool, overflow);
        QFETCH(QStringList, arguments);
        const QString path = dir_.filePath("damaged.gguf");
        QVERIFY(TinyModel().write(path.toStdString()));
        const int first = overflow ? 5 * 64 : 17;
        for (int i = first; i < (overflow ? 6 * 64 : 18); ++i) {
            QVERIFY(hearth::test::overwrite_tensor(
                path.toStdString(), overflow ? "output.weight" : "blk.1.ffn_norm.weight",
                static_cast<std::uint64_t>(i) * 4, overflow ? 0x7F7FFFFFU : hearth::test::kNanBits,
                4));
        }
        const CliResult result =
            run_cli(arguments + QStringList{"-m", path, "--json"}, "some words to read");
        QVERIFY2(result.status == 1, result.text());
        const QString message = result.error()["message"].toString();
        QVERIFY2(message.startsWith(overflow ? "logits: token 5 is "
                                    : arguments[0] == "quantize"
                                        ? "blk.1.ffn_norm.weight: row 0 holds Inf or NaN"
                                        : "blk.1.ffn_norm.weight: value 17 is NaN"),
                 result.text());
        QCOMPARE(result.error()["path"].toString(), path);
        QCOMPARE(result.error()["code"].toString(), "bad_file");
        QVERIFY(QDir(dir_.path()).entryList({"no*"}).isEmpty());
    }

    void a_named_mode_fixes_the_paths() {
        for (const QString mode : {"exact", "dense"}) {
            const CliResult result = run_cli(
                {"bench", "-m", model_, "-p", "0", "-n", "20", "-r", "2", "--" + mode, "--json"});
            QVERIFY2(result.status == 0, result.text());
            const QJsonObject object = result.json();
            QCOMPARE(object["settings"]["mode"].toString(), mode);
            QCOMPARE(object["settings"]["paths"].toString(), "fixed");
            for (const QJsonValue layer : object["layers"].toArray()) {
                QCOMPARE(layer["path"].toString(), mode);
            }
        }
    }

    // What is loaded to a GPU is loaded too.
    void benchCountsWhatTheGpuWasGiven() {
        const CliResult result = run_cli(
            {"bench", "-m", model_, "-p", "0", "-n", "2", "-r", "1", "--gpu", "0", "--json"});
        if (result.status != 0 && result.error()["field"] == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        const QJsonObject memory = object["memory"].toObject();
        QVERIFY(memory["vram_weights_bytes"].toInteger() > 0);
        const double loaded =
            object["load_gb_per_s"].toDouble() * object["load_ms"].toDouble() * 1e6;
        QCOMPARE(qRound64(loaded),
                 memory["weights_bytes"].toInteger() + memory["vram_weights_bytes"].toInteger());
    }

    void quantize() {
        const QString output = dir_.filePath("q8.gguf");
        const CliResult result =
            run_cli({"quantize", "-m", model_, "--type", "Q8_0", "-o", output, "--json"});
        QVERIFY2(result.status == 0, result.text());
        QCOMPARE(result.json()["output_bytes"].toInteger(), QFileInfo(output).size());
        QVERIFY(QFileInfo(output).size() < QFileInfo(model_).size());
        const CliResult inspect = run_cli({"inspect", output, "--json"});
        QVERIFY2(inspect.json()["types"].toObject().contains("Q8_0"), inspect.text());
        const CliResult run = run_cli({"run", "-m", output, "-p", "x", "-n", "4", "--temp", "0"});
        QVERIFY2(run.status == 0, run.text());
    }
    void trainPredictor() {
        const QString sparse = dir_.filePath("sparse.gguf");  // a wide block: predictors pay
        QVERIFY(hearth::test::TinyModel({.n_ff = 512}).write(sparse.toStdString()));
        QByteArray text;
        for (int i = 0; i < 1400; ++i) {
            text += static_cast<char>('a' + (i * i / 7 + i) % 26);
        }
        const QString output = dir_.filePath("predictors.gguf");
        const CliResult result = run_cli(
            {"train-predictor", "-m", sparse, "-f", "-", "-o", output, "--ctx", "64", "--layers",
             "1", "--width", "32", "--recall", "0.7", "--passes", "2", "--json"},
            text);
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject json = result.json();
        QCOMPARE(json["command"].toString(), QString("train-predictor"));
        QCOMPARE(json["path"].toString(), output);
        QCOMPARE(json["output_bytes"].toInteger(), QFileInfo(output).size());
        QCOMPARE(json["layers"].toArray().size(), 1);
        const QJsonObject layer = json["layers"].toArray()[0].toObject();
        QCOMPARE(layer["index"].toInt(-1), 1);
        QCOMPARE(layer["width"].toInt(), 32);
        QVERIFY(layer["written"].toBool());
        QVERIFY(layer["weighted_recall"].toDouble() >= 0.7);
        QVERIFY2(result.err.contains("training, layer 1"), result.text());
        // Markup written out in the text is markup, unless the text is said to be plain.
        const auto tokens = [&](const QStringList& more) {
            const QJsonObject said =
                run_cli(QStringList{"train-predictor", "-m", sparse, "-f", "-", "-o", output,
                                    "--ctx", "64", "--layers", "1", "--width", "32", "--passes",
                                    "1", "--recall", "0.7", "--json"} +
                            more,
                        text + QByteArray("<|im_end|>").repeated(20))
                    .json();
            return said["training_tokens"].toInt() + said["held_back_tokens"].toInt();
        };
        QCOMPARE(tokens({}), 1400 + 20);
        QCOMPARE(tokens({"--plain-text"}), 1400 + 200);
    }

    void quantizeToNoType() {
        const QString output = dir_.filePath("q9.gguf");
        const CliResult result =
            run_cli({"quantize", "-m", model_, "--type", "Q9_9", "-o", output, "--json"});
        QVERIFY2(result.status == 2, result.text());
        QVERIFY2(result.error()["message"].toString().contains("Q9_9"), result.text());
        QVERIFY(!QFile::exists(output));
    }
};

QTEST_GUILESS_MAIN(CommandsTest)
#include "commands_test.moc"
