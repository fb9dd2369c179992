// The layer of a file that foretells tokens: it is read, or left out with a reason, and never keeps
// a model from being read.
#include "model/foretelling.h"

#include <QtTest>
#include <functional>
#include <string>

#include "support/gguf_builder.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::find_foretelling;
using hearth::ForetellingModel;
using hearth::FoundForetelling;
using hearth::GgufFile;
using hearth::test::Bytes;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

TinyModelOptions with_layer(const std::string& arch = "qwen35") {
    return {.arch = arch, .n_layer = 4, .n_left_out = 1};
}

// Found in a file that the model must be read from all the same. files: keeps what is pointed to.
struct Read {
    Bytes bytes;
    std::optional<GgufFile> file;
    hearth::ModelSpec spec;
    FoundForetelling found;
    std::string error;
};
Read read(const GgufBuilder& builder) {
    Read out;
    out.bytes = builder.bytes();
    auto file = GgufFile::parse(out.bytes, "tiny.gguf");
    if (!file) {
        out.error = file.error().message;
        return out;
    }
    out.file = std::move(*file);
    auto spec = hearth::read_model_spec(*out.file);
    if (!spec) {
        out.error = spec.error().message;
        return out;
    }
    out.spec = *spec;
    if (auto tensors = hearth::bind_tensors(*out.file, *spec); !tensors) {
        out.error = tensors.error().message;
    }
    out.found = find_foretelling(*out.file, *spec);
    return out;
}

}  // namespace

class ForetellingTest : public QObject {
    Q_OBJECT

private slots:
    void is_read_data() {
        QTest::addColumn<QString>("arch");
        for (const char* arch : {"qwen35", "qwen35moe", "qwen3next"}) {
            QTest::addRow("%s", arch) << arch;
        }
    }
    void is_read() {
        QFETCH(QString, arch);
        const Read tiny = read(TinyModel(with_layer(arch.toStdString())).file());
        QCOMPARE(tiny.error, std::string());
        QCOMPARE(tiny.found.why_not, std::string());
        QVERIFY(tiny.found.model);
        const ForetellingModel& model = *tiny.found.model;
        QCOMPARE(model.spec.n_layer(), 1);
        QVERIFY(
            !model.spec.is_recurrent());  // as block 4 of a model with every second one would be
        QVERIFY(model.spec.layer(0).attention.gated);
        QCOMPARE(model.spec.layer(0).is_mixture(), arch != "qwen35");
        using enum hearth::Role;
        QCOMPARE(model.tensors.layers.front()[Q].tensor->name, std::string("blk.4.attn_q.weight"));
        const hearth::Weight& join = model.tensors[ForetellingModel::kJoin];
        QCOMPARE(join.tensor->name, std::string("blk.4.nextn.eh_proj.weight"));
        QCOMPARE(join.rows, std::uint64_t{64});
        QCOMPARE(join.cols, std::uint64_t{128});
        QCOMPARE(model.tensors[ForetellingModel::kTokenNorm].tensor->name,
                 std::string("blk.4.nextn.enorm.weight"));
        QCOMPARE(model.tensors[ForetellingModel::kStreamNorm].tensor->name,
                 std::string("blk.4.nextn.hnorm.weight"));
        QCOMPARE(model.tensors[ForetellingModel::kNorm].tensor->name,
                 std::string("blk.4.nextn.shared_head_norm.weight"));
        QVERIFY(!model.tensors[TokenEmbd].present() && !model.tensors[Output].present());
        QCOMPARE(tiny.spec.n_layer(), 4);  // the model itself is as without it
    }

    void first_of_several_is_read() {
        TinyModelOptions options = with_layer();
        options.n_left_out = 2;
        const Read tiny = read(TinyModel(options).file());
        QCOMPARE(tiny.error, std::string());
        QVERIFY(tiny.found.model);
        QCOMPARE(tiny.found.model->tensors[ForetellingModel::kJoin].tensor->name,
                 std::string("blk.4.nextn.eh_proj.weight"));
    }

    // Nobody asks what is not there, or what others do with theirs.
    void others_stay_as_they_were_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("layers");
        QTest::newRow("none") << "qwen35" << 0;
        QTest::newRow("another family") << "llama" << 1;
        QTest::newRow("a family of several streams") << "qwen4exp" << 1;
    }
    void others_stay_as_they_were() {
        QFETCH(QString, arch);
        QFETCH(int, layers);
        TinyModelOptions options = with_layer(arch.toStdString());
        options.n_left_out = layers;
        const Read tiny = read(TinyModel(options).file());
        QCOMPARE(tiny.error, std::string());
        QVERIFY(!tiny.found.model);
        QCOMPARE(tiny.found.why_not, std::string());
    }

    void is_left_out_data() {
        using Change = std::function<void(GgufBuilder&)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const char* why, Change change) {
            QTest::newRow(name) << std::move(change) << QString(why);
        };
        for (const char* name :
             {"nextn.eh_proj", "nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm", "attn_k",
              "attn_q_norm", "post_attention_norm", "ffn_down"}) {
            const std::string tensor = "blk.4." + std::string(name) + ".weight";
            QTest::addRow("without %s", name)
                << Change([tensor](GgufBuilder& file) { file.without(tensor); })
                << QString::fromStdString(tensor + ": the file has no such tensor");
        }
        const auto other_shape = [](const char* name, std::vector<std::uint64_t> shape) {
            return [name, shape](GgufBuilder& file) {
                file.without(name).tensor(name, shape, DType::F32);
            };
        };
        row("a join of one input",
            "blk.4.nextn.eh_proj.weight: has 64 rows of 64 values, must have 64 of 128",
            other_shape("blk.4.nextn.eh_proj.weight", {64, 64}));
        row("a join that is turned",
            "blk.4.nextn.eh_proj.weight: has 128 rows of 64 values, must have 64 of 128",
            other_shape("blk.4.nextn.eh_proj.weight", {128, 64}));
        row("a norm too wide",
            "blk.4.nextn.hnorm.weight: has 1 rows of 128 values, must have 1 of 64",
            other_shape("blk.4.nextn.hnorm.weight", {128}));
        row("queries without gates", "blk.4.attn_q.weight: has shape [64, 64], must have [128, 64]",
            other_shape("blk.4.attn_q.weight", {64, 64}));
        row("a block of other width", "blk.4.ffn_up.weight: has shape [32, 64], must have [96, 64]",
            other_shape("blk.4.ffn_up.weight", {32, 64}));
        row("numbers nobody computes with",
            "blk.4.nextn.eh_proj.weight: is of type I32, which this version cannot compute with",
            [](GgufBuilder& file) {
                const char* const name = "blk.4.nextn.eh_proj.weight";
                file.without(name).tensor(name, {64, 128}, DType::I32);
            });
        row("a head of its own", "blk.4.nextn.shared_head_head.weight: is not supported",
            [](GgufBuilder& file) {
                file.tensor("blk.4.nextn.shared_head_head.weight", {259, 64}, DType::F32);
            });
        row("an embedding of its own", "blk.4.nextn.embed_tokens.weight: is not supported",
            [](GgufBuilder& file) {
                file.tensor("blk.4.nextn.embed_tokens.weight", {259, 64}, DType::F32);
            });
    }
    void is_left_out() {
        QFETCH(std::function<void(GgufBuilder&)>, change);
        QFETCH(QString, why);
        GgufBuilder file = TinyModel(with_layer()).file();
        change(file);
        const Read tiny = read(file);
        QCOMPARE(tiny.error, std::string());
        QVERIFY(!tiny.found.model);
        QCOMPARE(QString::fromStdString(tiny.found.why_not), why);
    }

    // All layers but this one are recurrent: nothing says how attention is done.
    void needs_a_layer_of_its_kind() {
        TinyModelOptions options = with_layer();
        options.delta_net.interval = 8;
        const Read tiny = read(TinyModel(options).file());
        QVERIFY(!tiny.found.model);
        QCOMPARE(tiny.found.why_not, std::string("the model has no layer of its kind"));
    }

    // A file says that there are more such layers than blocks: read_model_spec() refuses it. So
    // many of them as blocks but one leave one.
    void counts_are_checked() {
        GgufBuilder file = TinyModel(with_layer()).file();
        file.without("qwen35.nextn_predict_layers").key("qwen35.nextn_predict_layers", 4000000000U);
        QVERIFY(!read(file).error.empty());
        file.without("qwen35.nextn_predict_layers").key("qwen35.nextn_predict_layers", 3U);
        const Read tiny = read(file);
        QCOMPARE(tiny.error, std::string());
        QVERIFY(!tiny.found.model);  // block 2 is a delta net
        QVERIFY(!tiny.found.why_not.empty());
    }
};

Q_DECLARE_METATYPE(std::function<void(GgufBuilder&)>)

QTEST_GUILESS_MAIN(ForetellingTest)
#include "foretelling_test.moc"
