// Qwen3.8-Flash-Next: what its layers compute, which rows of its table a text reads, and files that
// contradict it.
#include <QtTest>
#include <functional>
#include <string>
#include <vector>

#include "model/past_shape.h"
#include "model/weights.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;
using test::TinyModel;

namespace {

constexpr const char* kTable = "per_layer_token_embd.weight";

GgufBuilder file() {
    return TinyModel({.arch = "qwen4exp", .n_layer = 4, .n_left_out = 1}).file();
}

// Spec and tensors of a file, whose bytes it keeps.
struct Bound {
    explicit Bound(const GgufBuilder& builder) : bytes(builder.bytes()) {
        auto parsed = GgufFile::parse(bytes, "tiny.gguf");
        auto read = parsed ? read_model_spec(*parsed) : Result<ModelSpec>(parsed.error());
        auto bound = read ? bind_tensors(*parsed, *read) : Result<ModelTensors>(read.error());
        error = bound ? std::string() : bound.error().message;
        if (bound) {
            spec = std::move(*read);
        }
    }
    Bytes bytes;
    ModelSpec spec;
    std::string error;
};

using Make = std::function<GgufBuilder()>;

std::string key(const char* name) {
    return std::string("qwen4exp.") + name;
}

template <class T>
Make stated(const char* name, T value) {
    return [=] { return file().without(key(name)).key(key(name), value); };
}

template <class T>
Make listed(const char* name, std::vector<T> values) {
    return [=] { return file().without(key(name)).array(key(name), values); };
}

Make without(const std::string& name) {
    return [=] { return file().without(name); };
}

}  // namespace

class Qwen4expTest : public QObject {
    Q_OBJECT

private slots:
    void layers_are_what_the_file_says() {
        const Bound bound(file());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        const ModelSpec& spec = bound.spec;
        QCOMPARE(spec.n_layer(), 4);
        QCOMPARE(spec.n_streams, 3);
        QCOMPARE(spec.n_residual(), 192);
        QCOMPARE(spec.stream_rank, 32);
        QCOMPARE(spec.ngram.size, 3);
        QCOMPARE(spec.ngram.n_heads(), 2);
        QCOMPARE(spec.ngram.n_values(), 64);
        QCOMPARE(spec.ngram.n_rows, std::uint64_t{61 + 67 + 5});
        for (int i = 0; i < 4; ++i) {
            const LayerSpec& layer = spec.layer(i);
            QVERIFY(layer.is_mixture() && layer.experts.shared_gate);
            QCOMPARE(layer.is_delta_net(), i % 2 == 0);
            QCOMPARE(layer.delta_net.sigmoid_gate, i % 2 == 0);
            QCOMPARE(layer.attention.choice.block, i % 2 == 0 ? 0 : 4);
            QCOMPARE(layer.attention.choice.n_chosen, i % 2 == 0 ? 0 : 1024);
            QCOMPARE(layer.ngram.present(), i == 2);
        }
        const NgramConvSpec& ngram = spec.layer(2).ngram;
        QCOMPARE(ngram.n_before(), 9);
        QCOMPARE(ngram.state_floats(), std::uint64_t{9 * 192 + 2});
        QCOMPARE(past_shape(spec.layer(2), 64).state_floats,
                 past_shape(spec.layer(0), 64).state_floats + ngram.state_floats());
    }

    // Keys of the choice: a float vector a position, and one a whole block.
    void a_past_has_the_keys_of_blocks() {
        const Bound bound(file());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        LayerSpec all = bound.spec.layer(1);
        all.attention.choice = {};
        for (const auto& [positions, keys] : {std::pair{64, 64 + 16}, {16, 16 + 4}}) {
            QCOMPARE(past_shape(bound.spec.layer(1), positions).room_bytes(),
                     past_shape(all, positions).room_bytes() +
                         static_cast<std::uint64_t>(keys) * 32 * sizeof(float));
        }
    }

    // A token reads keys and values of the blocks that it sees, and all keys of blocks.
    void a_token_reads_what_it_sees() {
        LayerSpec layer = Bound(file()).spec.layer(1);
        layer.attention.choice.n_chosen = 3;
        LayerSpec all = layer;
        all.attention.choice = {};
        const auto keys = [](int n) { return static_cast<std::uint64_t>(n) * 32 * sizeof(float); };
        QCOMPARE(past_read_bytes(layer, 15), past_read_bytes(all, 15) + keys(3));
        QCOMPARE(past_read_bytes(layer, 16), past_read_bytes(all, 12) + keys(4));
        QCOMPARE(past_read_bytes(layer, 103), past_read_bytes(all, 15) + keys(25));
    }

    // Attention sees all where a file has no ratios, and the file's matrices of the choice are not
    // used.
    void files_may_choose_nothing() {
        const Bound bound(without(key("attention.compress_ratios"))());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (const LayerSpec& layer : bound.spec.layers) {
            QVERIFY(!layer.attention.choice.present());
        }
    }

    // A file whose list of layers is empty has no table.
    void files_may_have_no_table() {
        for (const bool empty : {false, true}) {
            GgufBuilder other = TinyModel({.arch = "qwen4exp", .n_layer = 2}).file();
            other.without("qwen4exp.ple.layers");
            if (empty) {
                other.array("qwen4exp.ple.layers", std::vector<std::int32_t>{});
            }
            for (const char* tensor : {"ple_key", "ple_value", "ple_norm_key", "ple_norm_query",
                                       "ple_norm_conv", "ple_conv1d"}) {
                other.without("blk.0." + std::string(tensor) + ".weight");
            }
            other.without(kTable);
            const Bound bound(other);
            QVERIFY2(bound.error.empty(), bound.error.c_str());
            QVERIFY(!bound.spec.ngram.present());
            QVERIFY(!bound.spec.layer(0).ngram.present());
        }
    }

    // By hand: multipliers 3, 5 and 7, one head for two tokens and one for three.
    void rows_are_hashes_of_the_latest_tokens_data() {
        QTest::addColumn<QList<int>>("latest");
        QTest::addColumn<QList<int>>("wanted");
        // 10 * 3 ^ 11 * 5 = 30 ^ 55 = 41; 41 ^ 12 * 7 = 41 ^ 84 = 125
        QTest::newRow("three tokens")
            << QList<int>{10, 11, 12} << QList<int>{41 % 37, 37 + 125 % 13};
        // 30 ^ 2 * 5 = 20; 20 ^ 2 * 7 = 26: 2 is the end of a text
        QTest::newRow("the first token") << QList<int>{10, -1, -1} << QList<int>{20, 37 + 26 % 13};
        QTest::newRow("behind an end") << QList<int>{10, 2, 12} << QList<int>{20, 37 + 26 % 13};
        // 41 ^ 14 = 39
        QTest::newRow("one behind an end")
            << QList<int>{10, 11, 2} << QList<int>{41 % 37, 37 + 39 % 13};
        // 2 * 3 ^ 55 = 49; 49 ^ 84 = 101: an end sees what is before it
        QTest::newRow("an end") << QList<int>{2, 11, 12} << QList<int>{49 % 37, 37 + 101 % 13};
    }
    void rows_are_hashes_of_the_latest_tokens() {
        QFETCH(const QList<int>, latest);
        QFETCH(const QList<int>, wanted);
        const NgramSpec spec{.size = 3,
                             .n_heads_each = 1,
                             .width = 8,
                             .end_token = 2,
                             .n_rows = 50,
                             .multipliers = {3, 5, 7},
                             .offsets = {0, 37},
                             .counts = {37, 13}};
        const std::vector<std::int32_t> tokens(latest.begin(), latest.end());
        std::vector<std::uint64_t> rows(2);
        ngram_rows(spec, tokens, rows);
        QCOMPARE(rows[0], static_cast<std::uint64_t>(wanted[0]));
        QCOMPARE(rows[1], static_cast<std::uint64_t>(wanted[1]));
    }

    // Products are those of 64 bits, and heads of the same tokens differ by their counts alone.
    void large_multipliers_wrap() {
        const std::uint64_t large = 0x7FFF'FFFF'FFFF'FFFFU;
        const NgramSpec spec{.size = 2,
                             .n_heads_each = 2,
                             .width = 8,
                             .end_token = 0,
                             .n_rows = 2'000'000'000,
                             .multipliers = {large, large - 2},
                             .offsets = {5, 1'000'000'000},
                             .counts = {999'999'937, 1'000'000'000}};
        std::vector<std::uint64_t> rows(4);
        const std::vector<std::int32_t> tokens{16'777'215, 16'777'214};
        ngram_rows(spec, tokens, std::span(rows).first(2));
        const std::uint64_t mixed = (16'777'215 * large) ^ (16'777'214 * (large - 2));
        QCOMPARE(rows[0], 5 + mixed % 999'999'937);
        QCOMPARE(rows[1], 1'000'000'000 + mixed % 1'000'000'000);
    }

    void refuses_data() {
        QTest::addColumn<Make>("make");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, const char* wanted, Make make) {
            QTest::newRow(name) << std::move(make) << QString(wanted);
        };
        const auto u32 = [](std::uint32_t n) { return n; };
        row("no streams", "qwen4exp.hyper_connection.count: wanted a number from 2 to 16, found 0",
            stated("hyper_connection.count", u32(0)));
        row("one stream", "qwen4exp.hyper_connection.count: wanted a number from 2 to 16, found 1",
            stated("hyper_connection.count", u32(1)));
        row("a great many streams",
            "qwen4exp.hyper_connection.count: wanted a number from 2 to 16, found 4294967295",
            stated("hyper_connection.count", u32(0xFFFFFFFF)));
        row("more streams than the file has",
            "output_hc_norm.weight: has shape [192], must have [256]",
            stated("hyper_connection.count", u32(4)));
        row("fewer streams than the file has",
            "output_hc_norm.weight: has shape [192], must have [128]",
            stated("hyper_connection.count", u32(2)));
        row("no word of streams",
            "qwen4exp.hyper_connection.count: the file does not have this metadata key",
            without(key("hyper_connection.count")));
        row("a rank of none",
            "qwen4exp.hyper_connection.low_rank: wanted a number from 1 to 1048576, found 0",
            stated("hyper_connection.low_rank", u32(0)));
        row("a rank that is no whole block",
            "qwen4exp.hyper_connection.low_rank: 33 is no multiple of 32",
            stated("hyper_connection.low_rank", u32(33)));
        row("no matrix of a mix", "blk.1.hc_ffn_up.weight: the file has no such tensor",
            without("blk.1.hc_ffn_up.weight"));
        row("no weights of streams", "blk.3.hc_attn_inject.weight: the file has no such tensor",
            without("blk.3.hc_attn_inject.weight"));
        row("no last mix", "output_hc_down.weight: the file has no such tensor",
            without("output_hc_down.weight"));
        row("a norm beside a mix",
            "blk.2.attn_norm.weight: is a tensor this version does not know what to do with",
            [] { return file().tensor("blk.2.attn_norm.weight", {64}, DType::F32); });

        row("a table of too few rows",
            "per_layer_token_embd.weight: has 127 rows, and head 1 of qwen4exp.ple.head_offsets "
            "and qwen4exp.ple.head_vocab_sizes reads up to row 127",
            [] {
                return file().without(kTable).tensor(kTable, {127, 32}, DType::F32);
            });
        row("a head that reads beyond the table",
            "per_layer_token_embd.weight: has 133 rows, and head 0 of qwen4exp.ple.head_offsets "
            "and qwen4exp.ple.head_vocab_sizes reads up to row 2147483706",
            listed("ple.head_offsets", std::vector<std::uint64_t>{2147483646, 61}));
        row("an offset without bounds",
            "qwen4exp.ple.head_offsets: number 1 is not from 0 to 2147483647",
            listed("ple.head_offsets", std::vector<std::uint64_t>{0, 0xFFFF'FFFF'FFFF'FFFF}));
        row("a negative offset", "qwen4exp.ple.head_offsets: number 0 is not from 0 to 2147483647",
            listed("ple.head_offsets", std::vector<std::int64_t>{-1, 61}));
        row("a head of no rows",
            "qwen4exp.ple.head_vocab_sizes: number 1 is not from 1 to 2147483647",
            listed("ple.head_vocab_sizes", std::vector<std::uint64_t>{61, 0}));
        row("too few offsets", "qwen4exp.ple.head_offsets: has 1 integers, 2 are needed",
            listed("ple.head_offsets", std::vector<std::uint64_t>{0}));
        row("too few multipliers", "qwen4exp.ple.layer_multipliers: has 2 integers, 3 are needed",
            listed("ple.layer_multipliers", std::vector<std::uint64_t>{1, 2}));
        row("multipliers that are no integers",
            "qwen4exp.ple.layer_multipliers: has 0 integers, 3 are needed",
            listed("ple.layer_multipliers", std::vector<float>{1, 2, 3}));
        row("a number instead of multipliers",
            "qwen4exp.ple.layer_multipliers: is no array, 3 integers are needed",
            stated("ple.layer_multipliers", u32(3)));
        row("no multipliers", "qwen4exp.ple.layer_multipliers: is no array, 3 integers are needed",
            without(key("ple.layer_multipliers")));
        row("n-grams of one token", "qwen4exp.ple.ngram_size: wanted a number from 2 to 8, found 1",
            stated("ple.ngram_size", u32(1)));
        row("n-grams of nine tokens",
            "qwen4exp.ple.ngram_size: wanted a number from 2 to 8, found 9",
            stated("ple.ngram_size", u32(9)));
        row("no heads", "qwen4exp.ple.heads_per_ngram: wanted a number from 1 to 64, found 0",
            stated("ple.heads_per_ngram", u32(0)));
        row("too many heads", "qwen4exp.ple.heads_per_ngram: 66 heads are more than 64",
            stated("ple.heads_per_ngram", u32(33)));
        row("no taps", "qwen4exp.ple.conv_kernel: wanted a number from 1 to 16, found 0",
            stated("ple.conv_kernel", u32(0)));
        row("a wide row", "qwen4exp.ple.heads_per_ngram: 2 heads of 1048576 values are too wide",
            stated("embedding_length_per_layer_input", u32(1048576)));
        row("rows of another width",
            "per_layer_token_embd.weight: has shape [133, 32], must have [133, 16]",
            stated("embedding_length_per_layer_input", u32(16)));
        row("no end of a text",
            "qwen4exp.ple.eos_token_id: the file does not have this metadata key",
            without(key("ple.eos_token_id")));
        row("two tables", "qwen4exp.ple.layers: 2 layers read tables, and this version knows one",
            listed("ple.layers", std::vector<std::int32_t>{0, 2}));
        row("a table of a layer that attends",
            "qwen4exp.ple.layers: layer 1 attends, and a delta net must read the table",
            listed("ple.layers", std::vector<std::int32_t>{1}));
        row("a table of no layer", "qwen4exp.ple.layers: number 0 is not from 0 to 3",
            listed("ple.layers", std::vector<std::int32_t>{4}));
        row("layers that are no array", "qwen4exp.ple.layers: is no array",
            stated("ple.layers", u32(2)));
        row("a table that nobody reads",
            "blk.2.ple_key.weight: is a tensor this version does not know what to do with",
            without(key("ple.layers")));
        row("no table", "per_layer_token_embd.weight: the file has no such tensor",
            without(kTable));
        row("no taps of the table", "blk.2.ple_conv1d.weight: the file has no such tensor",
            without("blk.2.ple_conv1d.weight"));

        row("blocks of no positions",
            "qwen4exp.attention.compress_ratios: layer 3 attends to blocks of 0 positions, which "
            "must be 2 or more",
            listed("attention.compress_ratios", std::vector<std::int32_t>{0, 4, 0, 0, 4}));
        row("blocks of one position",
            "qwen4exp.attention.compress_ratios: layer 1 attends to blocks of 1 positions, which "
            "must be 2 or more",
            listed("attention.compress_ratios", std::vector<std::int32_t>{0, 1, 0, 1, 1}));
        row("a budget that is no whole blocks",
            "qwen4exp.attention.indexer.top_k: 4096 positions are no whole blocks of 3",
            listed("attention.compress_ratios", std::vector<std::int32_t>{0, 3, 0, 3, 3}));
        row("a budget of less than a block",
            "qwen4exp.attention.indexer.top_k: 4096 positions are no whole blocks of 8192",
            listed("attention.compress_ratios", std::vector<std::int32_t>{0, 8192, 0, 4, 4}));
        row("ratios of too few layers",
            "qwen4exp.attention.compress_ratios: has 4 integers, the model has 5 layers",
            listed("attention.compress_ratios", std::vector<std::int32_t>{0, 4, 0, 4}));
        row("a budget of none",
            "qwen4exp.attention.indexer.top_k: wanted a number from 1 to 134217728, found 0",
            stated("attention.indexer.top_k", u32(0)));
        row("no heads of the choice",
            "qwen4exp.attention.indexer.head_count: wanted a number from 1 to 4096, found 0",
            stated("attention.indexer.head_count", u32(0)));
        row("heads that are narrower than what is rotated",
            "qwen4exp.attention.indexer.key_length: rotating 8 of 6 values is not possible",
            stated("attention.indexer.key_length", u32(6)));
        row("no keys of the choice", "blk.3.indexer.k_proj.weight: the file has no such tensor",
            without("blk.3.indexer.k_proj.weight"));
    }
    void refuses() {
        QFETCH(Make, make);
        QFETCH(QString, wanted);
        QCOMPARE(QString::fromStdString(Bound(make()).error), wanted);
    }
};

QTEST_GUILESS_MAIN(Qwen4expTest)
#include "qwen4exp_test.moc"
