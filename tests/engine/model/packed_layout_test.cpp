#include "model/packed_layout.h"

#include <QtTest>
#include <functional>
#include <numeric>

#include "gguf/convert_neuron_row.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "support/gguf_builder.h"

using hearth::DType;
using hearth::ErrorCode;
using hearth::GgufFile;
using hearth::Role;
using hearth::test::Bytes;
using hearth::test::bytes_of;
using hearth::test::GgufBuilder;

namespace {

// n_ff is no whole number of clusters: the last cluster is padded.
constexpr int kFf = 96;
constexpr std::uint64_t kRecord = 384;  // F16 gate 128, Q8_0 up 68, F16 down 128, in 64s

hearth::ModelSpec spec() {
    hearth::ModelSpec s;
    s.arch = "bamboo";
    s.n_embd = 64;
    s.layers.assign(2, {.n_ff = kFf, .activation = hearth::Activation::DRelu});
    return s;
}

std::vector<std::int32_t> backwards() {
    std::vector<std::int32_t> order(kFf);
    std::iota(order.rbegin(), order.rend(), 0);
    return order;
}

using Strings = std::vector<std::string>;

// A packed file of two layers without its other weights: nobody asks for those here.
GgufBuilder file() {
    GgufBuilder builder;
    builder.alignment(4096)
        .key("general.architecture", "bamboo")
        .key("hearth.packed.version", std::uint32_t{1})
        .key("hearth.model_hash", "0123456789abcdef0123456789abcdef")
        .key("hearth.packed.neuron_bytes", static_cast<std::uint32_t>(kRecord))
        .key("hearth.packed.cluster_neurons", std::uint32_t{64})
        .array("hearth.packed.gate_type", Strings{"F16", "Q4_0"})
        .array("hearth.packed.up_type", Strings{"Q8_0", "Q4_0"})
        .array("hearth.packed.down_type", Strings{"F16", "Q8_0"});
    for (const char* layer : {"blk.0.", "blk.1."}) {
        builder.tensor(std::string(layer) + "ffn_neurons.weight", {128, kRecord}, DType::I8)
            .tensor(std::string(layer) + "ffn_permutation", {kFf}, DType::I32,
                    bytes_of(backwards()));
    }
    return builder;
}

using Change = std::function<void(GgufBuilder&)>;

template <class T>
Change set_key(const char* key, T value) {
    return [=](GgufBuilder& b) { b.without(key).key(key, value); };
}
template <class T>
Change set_array(const char* key, std::vector<T> values) {
    return [=](GgufBuilder& b) { b.without(key).array(key, values); };
}
Change set_tensor(const char* name, std::vector<std::uint64_t> shape, DType type) {
    return [=](GgufBuilder& b) { b.without(name).tensor(name, shape, type); };
}

Change add_tensor(const char* name, std::vector<std::uint64_t> shape, DType type) {
    return [=](GgufBuilder& b) { b.tensor(name, shape, type); };
}

}  // namespace

class PackedLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void says_where_rows_are() {
        const Bytes bytes = file().bytes();
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY(parsed);
        QVERIFY(hearth::is_packed(*parsed));
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
        QCOMPARE(layout->neuron_bytes, kRecord);
        QCOMPARE(layout->cluster_neurons, std::uint64_t{64});
        QVERIFY(layout->gated);
        QCOMPARE(layout->model_hash, std::string("0123456789abcdef0123456789abcdef"));
        QCOMPARE(layout->layers.size(), std::size_t{2});
        const hearth::PackedLayer& first = layout->layers[0];
        QVERIFY(first.rows[Role::Gate].type == DType::F16 &&
                first.rows[Role::Up].type == DType::Q8_0 &&
                first.rows[Role::Down].type == DType::F16);
        QCOMPARE(first.rows[Role::Up].offset, std::uint64_t{128});
        QCOMPARE(first.rows[Role::Down].offset, std::uint64_t{128 + 68});
        const hearth::PackedLayer& second = layout->layers[1];
        QCOMPARE(second.rows[Role::Up].offset, std::uint64_t{36});
        QCOMPARE(second.rows[Role::Down].offset, std::uint64_t{72});
        QVERIFY(second.neurons == parsed->tensors().find("blk.1.ffn_neurons.weight"));
        QVERIFY(!layout->in_neuron_rows() && !first.rows[Role::Up].in_neuron_rows);
        QCOMPARE(second.neurons->offset % 4096, std::uint64_t{0});
        const auto order = hearth::read_neuron_order(*parsed, *layout);
        QVERIFY(order);
        QVERIFY((*order)[0] == backwards() && (*order)[1] == backwards());
    }

    void gates_may_lie_in_a_matrix_too() {
        GgufBuilder builder = file();
        add_tensor("blk.1.ffn_gate.weight", {kFf, 64}, DType::Q4_0)(builder);
        const Bytes bytes = builder.bytes();
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY(parsed);
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
        const hearth::TensorInfo* matrix = parsed->tensors().find("blk.1.ffn_gate.weight");
        QVERIFY(layout->layers[0].gates == nullptr && layout->layers[1].gates == matrix);
        QVERIFY(hearth::has_gate_matrices(*layout));
        // The gates count once.
        QVERIFY(hearth::is_side_note(*matrix, &*layout));
        QVERIFY(!hearth::is_side_note(*layout->layers[1].neurons, &*layout));
        QVERIFY(!hearth::is_side_note(*matrix, nullptr));
    }

    // A neuron row takes the bytes of whole groups of columns: F16 256, Q8_0 144.
    void neuron_rows() {
        constexpr std::uint64_t kWide = 704;
        GgufBuilder builder = file();
        set_key("hearth.packed.version", std::uint32_t{2})(builder);
        const auto record_of = [&](std::uint64_t bytes) {
            set_key("hearth.packed.neuron_bytes", static_cast<std::uint32_t>(bytes))(builder);
            for (const char* neurons : {"blk.0.ffn_neurons.weight", "blk.1.ffn_neurons.weight"}) {
                set_tensor(neurons, {128, bytes}, DType::I8)(builder);
            }
            return builder.bytes();
        };
        const Bytes bytes = record_of(kWide);
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY(parsed);
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
        QCOMPARE(layout->version, 2U);
        QVERIFY(layout->in_neuron_rows());
        const auto& rows = layout->layers[0].rows;
        QVERIFY(rows[Role::Gate].in_neuron_rows && rows[Role::Down].in_neuron_rows);
        QCOMPARE(rows[Role::Up].offset, std::uint64_t{256});
        QCOMPARE(rows[Role::Down].offset, std::uint64_t{256 + 144});
        QCOMPARE(rows[Role::Down].stride, kWide);
        QCOMPARE(rows[Role::Down].row_size(), std::uint64_t{128});
        const Bytes small = record_of(640);
        const auto shorter = GgufFile::parse(small, "packed.gguf");
        QVERIFY(shorter);
        const auto refused = hearth::read_packed_layout(*shorter, spec());
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("hearth.packed.neuron_bytes: is 640, a record of layer 0 takes 656"));
    }

    void records_are_whole_sectors_where_that_costs_little() {
        using hearth::padded_neuron_bytes;
        QCOMPARE(padded_neuron_bytes(3 * 2304, 2), std::uint64_t{7168});  // 7B Q4_0: 3.7 %
        QCOMPARE(padded_neuron_bytes(3 * 2304, 1), std::uint64_t{6912});
        QCOMPARE(padded_neuron_bytes(4924, 2), std::uint64_t{5120});  // 4 %
        QCOMPARE(padded_neuron_bytes(4923, 2), std::uint64_t{4928});
        QCOMPARE(padded_neuron_bytes(1536, 2), std::uint64_t{1536});
        QCOMPARE(padded_neuron_bytes(304, 2), std::uint64_t{320});
        QCOMPARE(padded_neuron_bytes(324, 1), std::uint64_t{384});
    }

    void reads_every_type_data() {
        QTest::addColumn<std::uint32_t>("version");
        QTest::newRow("version 1") << 1U;
        QTest::newRow("version 2") << 2U;
    }
    void reads_every_type() {
        QFETCH(std::uint32_t, version);
        hearth::ModelSpec wide = spec();
        wide.n_embd = 256;
        for (const hearth::Encoding& encoding : hearth::encodings()) {
            const std::string name(hearth::dtype_info(encoding.type).name);
            const bool has_rows = encoding.has(hearth::Layout::NeuronRow);
            const std::uint64_t row = version == 1 ? hearth::row_bytes(encoding.type, 256)
                                                   : hearth::neuron_row_bytes(encoding.type, 256);
            const std::uint64_t record = (3 * row + 63) / 64 * 64;
            GgufBuilder builder = file();
            set_key("hearth.packed.version", version)(builder);
            set_key("hearth.packed.neuron_bytes", static_cast<std::uint32_t>(record))(builder);
            for (const char* part : {"gate", "up", "down"}) {
                set_array(("hearth.packed." + std::string(part) + "_type").c_str(),
                          Strings{name, name})(builder);
            }
            for (const char* neurons : {"blk.0.ffn_neurons.weight", "blk.1.ffn_neurons.weight"}) {
                set_tensor(neurons, {128, record}, DType::I8)(builder);
            }
            const Bytes bytes = builder.bytes();
            const auto parsed = GgufFile::parse(bytes, "packed.gguf");
            QVERIFY(parsed);
            const auto layout = hearth::read_packed_layout(*parsed, wide);
            if (!has_rows) {
                QVERIFY(!layout);
                QCOMPARE(layout.error().message, "hearth.packed.gate_type: rows of " + name +
                                                     " cannot be computed neuron by neuron");
                continue;
            }
            QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
            QCOMPARE(layout->layers[1].rows[hearth::Role::Down].type, encoding.type);
            QCOMPARE(layout->layers[1].rows[hearth::Role::Down].offset, 2 * row);
        }
    }

    void an_ordinary_model_is_not_packed() {
        const Bytes bytes = GgufBuilder().key("general.architecture", "bamboo").bytes();
        const auto parsed = GgufFile::parse(bytes, "m.gguf");
        QVERIFY(parsed);
        QVERIFY(!hearth::is_packed(*parsed));
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY(!layout);
        QCOMPARE(layout.error().field, std::string("hearth.packed.version"));
    }

    void refuses_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, Change change, const char* wanted,
                            ErrorCode code = ErrorCode::BadFile) {
            QTest::newRow(name) << std::move(change) << wanted << static_cast<int>(code);
        };
        row("newer", set_key("hearth.packed.version", std::uint32_t{3}),
            "packed by a newer version of Hearth (format 3, this one reads up to 2)",
            ErrorCode::Unsupported);
        row("version 0", set_key("hearth.packed.version", std::uint32_t{0}),
            "hearth.packed.version: wanted a number from 1");
        row("version as text", set_key("hearth.packed.version", "1"),
            "hearth.packed.version: wanted an integer");
        row(
            "no hash", [](GgufBuilder& b) { b.without("hearth.model_hash"); },
            "hearth.model_hash: the file does not have");
        row("hash is no hash", set_key("hearth.model_hash", "abc"), "hearth.model_hash: is");
        row(
            "alignment of 32", [](GgufBuilder& b) { b.without("general.alignment").alignment(32); },
            "general.alignment: is 32");
        row(
            "no record size", [](GgufBuilder& b) { b.without("hearth.packed.neuron_bytes"); },
            "hearth.packed.neuron_bytes: the file does not have");
        row("record of 0", set_key("hearth.packed.neuron_bytes", std::uint32_t{0}),
            "hearth.packed.neuron_bytes: wanted a number from 1");
        row("record of 2^31", set_key("hearth.packed.neuron_bytes", std::uint32_t{1} << 31),
            "hearth.packed.neuron_bytes: wanted a number");
        row("record of 65", set_key("hearth.packed.neuron_bytes", std::uint32_t{65}),
            "is 65, must be a multiple of 64");
        row("record too small", set_key("hearth.packed.neuron_bytes", std::uint32_t{320}),
            "is 320, a record of layer 0 takes 324");
        row("record of another size", set_key("hearth.packed.neuron_bytes", std::uint32_t{448}),
            "blk.0.ffn_neurons.weight: has shape [128, 384], must have [128, 448]");
        row("clusters of 0", set_key("hearth.packed.cluster_neurons", std::uint32_t{0}),
            "hearth.packed.cluster_neurons: wanted");
        row("clusters of 32", set_key("hearth.packed.cluster_neurons", std::uint32_t{32}),
            "hearth.packed.cluster_neurons: is 32, must be 64");
        row("a type too few", set_array("hearth.packed.up_type", Strings{"Q4_0"}),
            "hearth.packed.up_type: has 1 types, the model has 2 layers");
        row("types as numbers", set_array("hearth.packed.up_type", std::vector<std::int32_t>{1, 2}),
            "hearth.packed.up_type: wanted an array of str");
        row("no such type", set_array("hearth.packed.down_type", Strings{"F16", "Q3"}),
            "hearth.packed.down_type: \"Q3\" is no tensor type");
        row("no gate", set_array("hearth.packed.gate_type", Strings{"F16", ""}),
            "hearth.packed.gate_type: \"\" is no tensor type");
        row("a type nobody computes", set_array("hearth.packed.up_type", Strings{"I8", "F16"}),
            "hearth.packed.up_type: I8 is a type which", ErrorCode::Unsupported);
        row(
            "records missing", [](GgufBuilder& b) { b.without("blk.1.ffn_neurons.weight"); },
            "blk.1.ffn_neurons.weight: the file has no such tensor");
        row("records not padded", set_tensor("blk.1.ffn_neurons.weight", {kFf, kRecord}, DType::I8),
            "has shape [96, 384], must have [128, 384]");
        row("records as halves", set_tensor("blk.1.ffn_neurons.weight", {128, kRecord}, DType::I16),
            "is of type I16, must be I8");
        row(
            "permutation missing", [](GgufBuilder& b) { b.without("blk.0.ffn_permutation"); },
            "blk.0.ffn_permutation: the file has no such tensor");
        row("permutation too long", set_tensor("blk.0.ffn_permutation", {128}, DType::I32),
            "has shape [128], must have [96]");
        row("permutation of floats", set_tensor("blk.0.ffn_permutation", {kFf}, DType::F32),
            "is of type F32, must be I32");
        row("gate matrix of whole clusters",
            add_tensor("blk.0.ffn_gate.weight", {128, 64}, DType::F16),
            "blk.0.ffn_gate.weight: has shape [128, 64], must have [96, 64]");
        row("gate matrix turned", add_tensor("blk.1.ffn_gate.weight", {64, kFf}, DType::Q4_0),
            "blk.1.ffn_gate.weight: has shape [64, 96], must have [96, 64]");
        row("gate matrix of another type",
            add_tensor("blk.1.ffn_gate.weight", {kFf, 64}, DType::F16),
            "blk.1.ffn_gate.weight: is of type F16, must be Q4_0");
    }
    void refuses() {
        QFETCH(Change, change);
        QFETCH(QString, wanted);
        QFETCH(int, code);
        GgufBuilder builder = file();
        change(builder);
        const Bytes bytes = builder.bytes();
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY(!layout);
        QVERIFY2(QString::fromStdString(layout.error().message).contains(wanted),
                 layout.error().message.c_str());
        QCOMPARE(static_cast<int>(layout.error().code), code);
        QCOMPARE(layout.error().path, std::string("packed.gguf"));
        QVERIFY(!layout.error().field.empty());
    }

    void rows_of_no_whole_blocks() {
        GgufBuilder builder = file();
        set_array("hearth.packed.gate_type", Strings{"F16", "F16"})(builder);
        set_array("hearth.packed.up_type", Strings{"F16", "F16"})(builder);
        const Bytes bytes = builder.bytes();
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY(parsed);
        hearth::ModelSpec narrow = spec();
        narrow.n_embd = 40;
        const auto layout = hearth::read_packed_layout(*parsed, narrow);
        QVERIFY(!layout);
        QCOMPARE(layout.error().message,
                 std::string("hearth.packed.down_type: rows of 40 values are no whole blocks of "
                             "Q8_0"));
    }

    void cut_short() {
        const Bytes bytes = file().bytes();
        const Bytes cut(bytes.begin(), bytes.end() - 1);
        const auto parsed = GgufFile::parse(cut, "packed.gguf");
        QVERIFY(!parsed);
        QVERIFY2(parsed.error().message.starts_with("blk.1.ffn_permutation: ends at byte"),
                 parsed.error().message.c_str());
    }

    void no_permutation_data() {
        QTest::addColumn<int>("place");
        QTest::addColumn<int>("neuron");
        QTest::newRow("twice") << 5 << 3;
        QTest::newRow("negative") << 5 << -1;
        QTest::newRow("outside") << 95 << kFf;
    }
    void no_permutation() {
        QFETCH(int, place);
        QFETCH(int, neuron);
        std::vector<std::int32_t> order = backwards();
        order[static_cast<std::size_t>(place)] = neuron;
        GgufBuilder builder = file();
        builder.without("blk.1.ffn_permutation")
            .tensor("blk.1.ffn_permutation", {kFf}, DType::I32, bytes_of(order));
        const Bytes bytes = builder.bytes();
        const auto parsed = GgufFile::parse(bytes, "packed.gguf");
        QVERIFY(parsed);
        const auto layout = hearth::read_packed_layout(*parsed, spec());
        QVERIFY(layout);
        const auto got = hearth::read_neuron_order(*parsed, *layout);
        QVERIFY(!got);
        const std::string text = "holds neuron " + std::to_string(neuron);
        QVERIFY2(got.error().message.find(text) != std::string::npos, got.error().message.c_str());
        QCOMPARE(got.error().field, std::string("blk.1.ffn_permutation"));
    }
};

QTEST_APPLESS_MAIN(PackedLayoutTest)
#include "packed_layout_test.moc"
