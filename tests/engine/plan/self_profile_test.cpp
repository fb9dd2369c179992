#include "plan/self_profile.h"

#include <QtTest>
#include <filesystem>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using hearth::ActivationProfile;
using hearth::SelfProfile;

namespace {

const std::string kHash = "0123456789abcdef0123456789abcdef";
constexpr int kLayers = 2;
constexpr int kFf = 8;

// `tokens` tokens; neuron n of layer l fires for every token if it is 2 l.
void use(SelfProfile& profile, int tokens) {
    for (int t = 0; t < tokens; ++t) {
        for (int layer = 0; layer < kLayers; ++layer) {
            ++profile.fired(layer)[static_cast<std::size_t>(2 * layer)];
        }
        QVERIFY(profile.token_done());
    }
}

hearth::Result<ActivationProfile> read(const std::string& path) {
    auto file = hearth::GgufFile::open(path);
    if (!file) {
        return std::move(file).error();
    }
    hearth::ModelSpec spec;
    spec.layers.resize(kLayers);
    for (hearth::LayerSpec& layer : spec.layers) {
        layer.n_ff = kFf;
    }
    return hearth::read_profile(*file, spec, kHash);
}

}  // namespace

class SelfProfileTest : public QObject {
    Q_OBJECT

private:
    hearth::test::TempDir dir_;
    std::string path_ = hearth::self_profile_path(dir_.file("cache/hearth"), kHash);

private slots:
    void init() { std::filesystem::remove_all(dir_.file("cache")); }

    void lies_in_the_cache_under_its_hash() {
        QCOMPARE(hearth::self_profile_path("/c", "ab"), std::string("/c/profiles/ab.gguf"));
    }

    void grows_over_several_runs() {
        SelfProfile first(kHash, std::vector<int>(kLayers, kFf));
        use(first, 5);
        QVERIFY(first.save(path_));
        QCOMPARE(first.tokens(), std::uint64_t{0});
        use(first, 2);
        QVERIFY(first.save(path_));
        SelfProfile second(kHash, std::vector<int>(kLayers, kFf));
        use(second, 10);
        QVERIFY(second.save(path_));
        const auto got = read(path_);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->tokens, std::uint64_t{17});
        QVERIFY(got->groups == (std::array<std::uint64_t, 6>{17, 0, 0, 0, 0, 0}));
        QCOMPARE(got->layers[0].fired[0][0], 17U);
        QCOMPARE(got->layers[1].fired[0][2], 17U);
        QCOMPARE(got->layers[1].fired[0][0], 0U);
    }

    void nothing_used_nothing_written() {
        SelfProfile profile(kHash, std::vector<int>(kLayers, kFf));
        QVERIFY(profile.save(path_));
        QVERIFY(!std::filesystem::exists(path_));
    }

    // The file keeps the order of the model's own file.
    void a_packed_model_counts_in_its_own_order() {
        const std::vector<std::int32_t> order{7, 6, 5, 4, 3, 2, 1, 0};
        SelfProfile packed(kHash, std::vector<int>(kLayers, kFf), {order, order});
        use(packed, 3);
        QVERIFY(packed.save(path_));
        SelfProfile plain(kHash, std::vector<int>(kLayers, kFf));
        use(plain, 4);
        QVERIFY(plain.save(path_));
        const auto got = read(path_);
        QVERIFY(got);
        QCOMPARE(got->layers[0].fired[0][7], 3U);
        QCOMPARE(got->layers[0].fired[0][0], 4U);
        QCOMPARE(got->layers[1].fired[0][5], 3U);
        QCOMPARE(got->layers[1].fired[0][2], 4U);
    }

    void replaces_what_it_cannot_trust_data() {
        QTest::addColumn<QByteArray>("there");
        QTest::newRow("no GGUF file") << QByteArray("hello");
        QTest::newRow("empty") << QByteArray();
        hearth::test::TempDir other;
        ActivationProfile profile;
        profile.model_hash = std::string(32, '0');
        profile.tokens = profile.groups[0] = 9;
        profile.layers.resize(kLayers);
        for (auto& layer : profile.layers) {
            layer.fired.fill(std::vector<std::uint32_t>(kFf));
        }
        QVERIFY(hearth::write_profile(other.file("p"), profile));
        QFile file(QString::fromStdString(other.file("p")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QTest::newRow("of another model") << bytes;
        QTest::newRow("cut short") << bytes.left(bytes.size() - 1);
    }
    void replaces_what_it_cannot_trust() {
        QFETCH(QByteArray, there);
        std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
        QFile file(QString::fromStdString(path_));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(there);
        file.close();
        SelfProfile profile(kHash, std::vector<int>(kLayers, kFf));
        use(profile, 3);
        QVERIFY(profile.save(path_));
        const auto got = read(path_);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->tokens, std::uint64_t{3});
    }

    void keeps_its_counts_when_it_cannot_write() {
        QVERIFY(hearth::test::write_file(dir_.file("file"), {}));
        SelfProfile profile(kHash, std::vector<int>(kLayers, kFf));
        use(profile, 3);
        QVERIFY(!profile.save(dir_.file("file/profiles/x.gguf")));
        QCOMPARE(profile.tokens(), std::uint64_t{3});
        QVERIFY(profile.save(path_));
        const auto got = read(path_);
        QVERIFY(got);
        QCOMPARE(got->layers[0].fired[0][0], 3U);
    }

    void tells_what_is_new() {
        SelfProfile profile(kHash, std::vector<int>(kLayers, kFf));
        use(profile, 5);
        SelfProfile::Counts news = profile.take_news();
        QCOMPARE(news.tokens, std::uint64_t{5});
        QCOMPARE(news.fired[1][2], 5U);
        QCOMPARE(news.fired[1][0], 0U);
        use(profile, 2);
        news = profile.take_news();
        QCOMPARE(news.tokens, std::uint64_t{2});
        QCOMPARE(news.fired[0][0], 2U);
        QCOMPARE(news.fired[1][2], 2U);
        QCOMPARE(profile.take_news().tokens, std::uint64_t{0});
        // A save ends the count of what is new, and all eight are in the file.
        use(profile, 1);
        QVERIFY(profile.save(path_));
        news = profile.take_news();
        QCOMPARE(news.tokens, std::uint64_t{0});
        QCOMPARE(news.fired[1][2], 0U);
        use(profile, 3);
        news = profile.take_news();
        QCOMPARE(news.tokens, std::uint64_t{3});
        QCOMPARE(news.fired[1][2], 3U);
        const auto saved = read(path_);
        QVERIFY(saved);
        QCOMPARE(saved->tokens, std::uint64_t{8});
    }
};

QTEST_APPLESS_MAIN(SelfProfileTest)
#include "self_profile_test.moc"
