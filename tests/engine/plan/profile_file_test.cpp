#include "plan/profile_file.h"

#include <QtTest>
#include <functional>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using hearth::ActivationProfile;
using hearth::DType;
using hearth::ErrorCode;
using hearth::GgufFile;
using hearth::kProfileBatches;
using hearth::test::Bytes;
using hearth::test::bytes_of;
using hearth::test::GgufBuilder;

namespace {

constexpr std::uint64_t kFf = 32;
const std::string kHash = "0123456789abcdef0123456789abcdef";

hearth::ModelSpec spec() {
    hearth::ModelSpec s;
    s.layers.resize(2);
    for (hearth::LayerSpec& layer : s.layers) {
        layer.n_ff = kFf;
    }
    return s;
}

// Neuron n of layer l fires for n + l of 100 tokens, and in as many of the groups as there can be.
ActivationProfile profile() {
    ActivationProfile p;
    p.model_hash = kHash;
    p.tokens = 100;
    p.layers.resize(2);
    for (std::size_t b = 0; b < kProfileBatches.size(); ++b) {
        p.groups[b] = 100 / static_cast<std::uint64_t>(kProfileBatches[b]);
        for (std::size_t l = 0; l < 2; ++l) {
            for (std::size_t n = 0; n < kFf; ++n) {
                p.layers[l].fired[b].push_back(
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(n + l, p.groups[b])));
            }
        }
    }
    return p;
}

std::vector<std::int32_t> fired(std::size_t layer) {
    const ActivationProfile p = profile();
    std::vector<std::int32_t> values;
    for (const auto& batch : p.layers[layer].fired) {
        values.insert(values.end(), batch.begin(), batch.end());
    }
    return values;
}

// The same as a file made by hand.
GgufBuilder file() {
    GgufBuilder builder;
    builder.key("general.architecture", "hearth-profile")
        .key("hearth.format_version", std::uint32_t{1})
        .key("hearth.model_hash", kHash)
        .key("hearth.profile.tokens", std::uint64_t{100})
        .array("hearth.profile.batches", std::vector<std::int32_t>{1, 2, 4, 8, 16, 32})
        .array("hearth.profile.groups", std::vector<std::uint64_t>{100, 50, 25, 12, 6, 3});
    for (std::size_t l = 0; l < 2; ++l) {
        builder.tensor("blk." + std::to_string(l) + ".ffn_fired", {6, kFf}, DType::I32,
                       bytes_of(fired(l)));
    }
    return builder;
}

hearth::Result<ActivationProfile> read(const Bytes& bytes, const std::string& hash = {}) {
    auto parsed = GgufFile::parse(bytes, "p.gguf");
    if (!parsed) {
        return std::move(parsed).error();
    }
    return hearth::read_profile(*parsed, spec(), hash);
}

bool equal(const ActivationProfile& a, const ActivationProfile& b) {
    bool same = a.model_hash == b.model_hash && a.tokens == b.tokens && a.groups == b.groups &&
                a.layers.size() == b.layers.size();
    for (std::size_t l = 0; same && l < a.layers.size(); ++l) {
        same = a.layers[l].fired == b.layers[l].fired;
    }
    return same;
}

Bytes with_count(std::size_t place, std::int32_t value) {
    std::vector<std::int32_t> values = fired(1);
    values[place] = value;
    GgufBuilder builder = file();
    builder.without("blk.1.ffn_fired");
    return builder.tensor("blk.1.ffn_fired", {6, kFf}, DType::I32, bytes_of(values)).bytes();
}

Bytes with_groups(const std::vector<std::uint64_t>& groups) {
    GgufBuilder builder = file();
    builder.without("hearth.profile.groups").array("hearth.profile.groups", groups);
    return builder.bytes();
}

Bytes with_tensor(std::vector<std::uint64_t> shape, DType type) {
    GgufBuilder builder = file();
    builder.without("blk.1.ffn_fired").tensor("blk.1.ffn_fired", std::move(shape), type);
    return builder.bytes();
}

}  // namespace

class ProfileFileTest : public QObject {
    Q_OBJECT

private slots:
    void reads_what_was_made_by_hand() {
        const auto got = read(file().bytes(), kHash);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QVERIFY(equal(*got, profile()));
    }

    void comes_back_from_the_disk() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("p.gguf");
        QVERIFY(hearth::write_profile(path, profile()));
        auto opened = GgufFile::open(path);
        QVERIFY(opened);
        QVERIFY(hearth::holds_profile(*opened));
        const auto got = hearth::read_profile(*opened, spec());
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QVERIFY(equal(*got, profile()));
    }

    // The file has no tensor of it.
    void a_layer_without_neurons_comes_back() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("p.gguf");
        hearth::ModelSpec with_gap = spec();
        with_gap.layers.front().n_ff = 0;
        ActivationProfile counts = profile();
        for (auto& fired_of_first : counts.layers.front().fired) {
            fired_of_first.clear();
        }
        QVERIFY(hearth::write_profile(path, counts));
        auto opened = GgufFile::open(path);
        QVERIFY(opened);
        QCOMPARE(opened->tensors().entries().size(), std::size_t{1});
        const auto got = hearth::read_profile(*opened, with_gap);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QVERIFY(got->layers.front().fired.front().empty());
        QCOMPARE(got->layers.back().fired, counts.layers.back().fired);
    }

    // Bytes of the present format, so that files made today can be read tomorrow.
    void writes_the_format_of_the_header() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("p.gguf");
        QVERIFY(hearth::write_profile(path, profile()));
        QCOMPARE(hearth::test::read_file(path), file().bytes());
    }

    // A self-made profile looks at single tokens only.
    void larger_batches_may_be_missing() {
        GgufBuilder builder = file();
        builder.without("hearth.profile.groups")
            .array("hearth.profile.groups", std::vector<std::uint64_t>{100, 0, 0, 0, 0, 0});
        for (const char* name : {"blk.0.ffn_fired", "blk.1.ffn_fired"}) {
            std::vector<std::int32_t> values(6 * kFf, 0);
            values[3] = 100;
            builder.without(name).tensor(name, {6, kFf}, DType::I32, bytes_of(values));
        }
        const auto got = read(builder.bytes());
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->groups[1], std::uint64_t{0});
        QCOMPARE(got->layers[0].fired[0][3], 100U);
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("wanted");  // somewhere in the message
        const auto row = [](const char* name, const Bytes& bytes, const char* message,
                            ErrorCode code = ErrorCode::BadFile) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                              static_cast<qsizetype>(bytes.size()))
                                << static_cast<int>(code) << message;
        };
        const Bytes whole = file().bytes();
        row("cut in the counts", Bytes(whole.begin(), whole.end() - 1), "blk.1.ffn_fired");
        row("cut in the header", Bytes(whole.begin(), whole.begin() + 100),
            "header: claims 6 metadata keys");
        row("a model",
            GgufBuilder(file())
                .without("general.architecture")
                .without("hearth.profile.tokens")
                .key("general.architecture", "llama")
                .bytes(),
            "no activation profile (architecture \"llama\")");
        row("no version", file().without("hearth.format_version").bytes(),
            "hearth.format_version: the file does not have");
        row("newer",
            file()
                .without("hearth.format_version")
                .key("hearth.format_version", std::uint32_t{2})
                .bytes(),
            "made by a newer version of Hearth (format 2, this one reads up to 1)",
            ErrorCode::Unsupported);
        row("version 0",
            file()
                .without("hearth.format_version")
                .key("hearth.format_version", std::uint32_t{0})
                .bytes(),
            "hearth.format_version");
        row("hash is no hash",
            file().without("hearth.model_hash").key("hearth.model_hash", "x").bytes(),
            "hearth.model_hash: is \"x\"");
        row("no tokens", file().without("hearth.profile.tokens").bytes(), "hearth.profile.tokens");
        row("tokens as text",
            file().without("hearth.profile.tokens").key("hearth.profile.tokens", "100").bytes(),
            "hearth.profile.tokens: wanted an integer");
        row("more tokens than counts hold",
            file()
                .without("hearth.profile.tokens")
                .key("hearth.profile.tokens", std::uint64_t{1} << 31)
                .bytes(),
            "hearth.profile.tokens: wanted a number");
        row("other batches",
            file()
                .without("hearth.profile.batches")
                .array("hearth.profile.batches", std::vector<std::int32_t>{1, 2, 4, 8, 16, 64})
                .bytes(),
            "hearth.profile.batches: are other batch sizes");
        row("fewer batches",
            file()
                .without("hearth.profile.batches")
                .array("hearth.profile.batches", std::vector<std::int32_t>{1, 2})
                .bytes(),
            "hearth.profile.batches");
        row("batches of another type",
            file()
                .without("hearth.profile.batches")
                .array("hearth.profile.batches", std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32})
                .bytes(),
            "hearth.profile.batches: wanted an array of i32");
        row("five groups", with_groups({100, 50, 25, 12, 6}), "has 5 numbers, must have 6");
        row("groups of one are not the tokens", with_groups({99, 50, 25, 12, 6, 3}),
            "99 groups of 1 tokens, but 100");
        row("more groups than tokens", with_groups({100, 51, 25, 12, 6, 3}),
            "51 groups of 2 tokens, but 100 tokens were seen");
        row("fired more often than looked at", with_count(7, 101),
            "blk.1.ffn_fired: neuron 7 fired in 101 of 100 groups of 1 tokens");
        row("fired less than never", with_count(7, -1), "neuron 7 fired in -1 of 100");
        row("a group more than groups", with_count(5 * kFf + 31, 4),
            "neuron 31 fired in 4 of 3 groups of 32 tokens");
        row("a group without a token", with_count(kFf, 2),
            "neuron 0 fired in 2 of 50 groups of 2 tokens, and for 1 single tokens");
        row("a layer is missing", file().without("blk.1.ffn_fired").bytes(),
            "blk.1.ffn_fired: the file has no such tensor");
        row("a layer too many", file().tensor("blk.2.ffn_fired", {6, kFf}, DType::I32).bytes(),
            "blk.2.ffn_fired: the model has 2 layers only");
        row("narrower", with_tensor({6, kFf - 1}, DType::I32),
            "has shape [6, 31], must have [6, 32]");
        row("turned", with_tensor({kFf, 6}, DType::I32), "has shape [32, 6], must have [6, 32]");
        row("one dimension", with_tensor({6 * kFf}, DType::I32), "has shape [192]");
        row("floats", with_tensor({6, kFf}, DType::F32), "is of type F32, must be I32");
    }
    void refuses() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, code);
        QFETCH(QString, wanted);
        Bytes raw(static_cast<std::size_t>(bytes.size()));
        std::memcpy(raw.data(), bytes.data(), raw.size());
        const auto got = read(raw);
        QVERIFY(!got);
        QVERIFY2(QString::fromStdString(got.error().message).contains(wanted),
                 got.error().message.c_str());
        QCOMPARE(static_cast<int>(got.error().code), code);
        QVERIFY(!got.error().field.empty());
    }

    void another_model() {
        const auto got = read(file().bytes(), "00000000000000000000000000000000");
        QVERIFY(!got);
        QVERIFY(got.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(got.error().path, std::string("p.gguf"));
        QVERIFY2(
            got.error().message.find(kHash) != std::string::npos &&
                got.error().message.find("00000000000000000000000000000000") != std::string::npos,
            got.error().message.c_str());
    }

    void a_model_may_hold_one() {
        GgufBuilder builder = file();
        builder.without("general.architecture")
            .without("hearth.format_version")
            .key("general.architecture", "bamboo");
        const auto got = read(builder.bytes(), kHash);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QVERIFY(equal(*got, profile()));
    }

    // What is written must be readable, also after long use.
    void counts_are_made_to_fit() {
        hearth::test::TempDir dir;
        ActivationProfile long_used = profile();
        long_used.tokens = 3'000'000'001;
        long_used.groups = {3'000'000'001, 0, 0, 0, 0, 0};
        for (auto& layer : long_used.layers) {
            for (std::size_t b = 0; b < kProfileBatches.size(); ++b) {
                layer.fired[b].assign(kFf, b == 0 ? 3'000'000'001U : 0U);
            }
        }
        QVERIFY(hearth::write_profile(dir.file("p.gguf"), long_used));
        auto opened = GgufFile::open(dir.file("p.gguf"));
        QVERIFY(opened);
        const auto got = hearth::read_profile(*opened, spec());
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->tokens, std::uint64_t{1'500'000'000});
        QCOMPARE(got->layers[1].fired[0][5], 1'500'000'000U);
    }

    void halves_stay_consistent() {
        hearth::test::TempDir dir;
        ActivationProfile p = profile();
        for (int round = 0; round < 8; ++round) {
            hearth::halve(p);
            QVERIFY(hearth::write_profile(dir.file("p.gguf"), p));
            auto opened = GgufFile::open(dir.file("p.gguf"));
            QVERIFY(opened);
            const auto got = hearth::read_profile(*opened, spec());
            QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        }
        QCOMPARE(p.tokens, std::uint64_t{0});
    }

    void merging_adds() {
        ActivationProfile sum = profile();
        hearth::merge(sum, profile());
        QCOMPARE(sum.tokens, std::uint64_t{200});
        QCOMPARE(sum.groups[5], std::uint64_t{6});
        QCOMPARE(sum.layers[1].fired[0][30], 62U);
        QCOMPARE(sum.layers[1].fired[5][30], 6U);
    }

    void order_there_and_back() {
        hearth::NeuronOrder order(2);
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(kFf); ++i) {
            order[0].push_back(static_cast<std::int32_t>(kFf) - 1 - i);
            order[1].push_back((i * 5 + 3) % static_cast<std::int32_t>(kFf));
        }
        ActivationProfile p = profile();
        hearth::to_order(p, order);
        QCOMPARE(p.layers[0].fired[0][0], 31U);       // place 0 holds neuron 31
        QCOMPARE(p.layers[1].fired[0][2], 13U + 1U);  // place 2 holds neuron 13
        hearth::from_order(p, order);
        QVERIFY(equal(p, profile()));
    }

    void cannot_be_written_where_there_is_no_folder() {
        hearth::test::TempDir dir;
        const auto written = hearth::write_profile(dir.file("no/p.gguf"), profile());
        QVERIFY(!written);
        QVERIFY(written.error().code == ErrorCode::NotFound);
    }
};

QTEST_APPLESS_MAIN(ProfileFileTest)
#include "profile_file_test.moc"
