#include "vulkan/attention_kernel.h"
#include "vulkan/teams.h"

#include <QtTest>

#include "vulkan/physical_device.h"

using namespace hearth::vulkan;
Q_DECLARE_METATYPE(CooperativeShape)

// The shapes of Khronos' extension, of which this build has the shader; NVIDIA's knows one.
class AttentionKernelTest : public QObject {
    Q_OBJECT

private:
    static ShaderFeatures features_with(const CooperativeShape& shape, int subgroup_size,
                                        int shared_kib) {
        ShaderFeatures features;
        features.subgroup_size_min = features.subgroup_size_max = subgroup_size;
        features.subgroup_shuffle = true;
        features.shared_bytes_max = static_cast<std::uint32_t>(shared_kib) * 1024;
        features.invocations_max = 1024;
        features.khr_cooperative_matrix = {{shape, 64, 32, subgroup_size}};
        return features;
    }

private slots:
    void cut_data() {
        QTest::addColumn<CooperativeShape>("shape");
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("shared_kib");
        QTest::addColumn<int>("head_dim");
        QTest::addColumn<int>("queries");  // 0: none
        QTest::addColumn<int>("split");
        const auto row = [](const char* name, CooperativeShape shape, int size, int shared_kib,
                            int head_dim, int queries, int split) {
            QTest::newRow(name) << shape << size << shared_kib << head_dim << queries << split;
        };
        const CooperativeShape cube{16, 16, 16};
        row("as NVIDIA's", cube, 32, 48, 128, 64, 1);
        row("as NVIDIA's, heads of 64", cube, 32, 48, 64, 64, 1);
        row("as NVIDIA's, heads of 80", cube, 32, 48, 80, 64, 1);
        row("as NVIDIA's, heads of 256", cube, 32, 48, 256, 32, 2);
        row("as AMD's, 64 alone", cube, 64, 64, 128, 64, 1);
        row("as AMD's, 64 alone, heads of 256", cube, 64, 64, 256, 32, 2);
        row("as Intel's Arc A", {8, 8, 16}, 32, 64, 128, 64, 1);
        row("as Intel's Arc B", {8, 16, 16}, 16, 64, 128, 64, 1);
        row("as lavapipe's", {8, 8, 8}, 8, 32, 64, 32, 2);
        row("the smallest size", {8, 8, 8}, 4, 32, 64, 16, 4);
        row("heads of 512", cube, 32, 64, 512, 0, 0);
        row("fragments that are no part of a head", {16, 16, 32}, 32, 48, 80, 0, 0);
        row("fragments that are no part of half a head", {16, 32, 16}, 32, 64, 160, 0, 0);
        row("more rows than a subgroup has queries", {32, 16, 16}, 32, 64, 128, 0, 0);
        row("little shared memory", cube, 32, 32, 128, 0, 0);
        row("room for short heads", cube, 32, 40, 64, 64, 1);
        row("subgroups too large for short tiles", cube, 128, 64, 256, 0, 0);
    }
    // By the shader's own arithmetic, written once more.
    void cut() {
        QFETCH(CooperativeShape, shape);
        QFETCH(int, size);
        QFETCH(int, shared_kib);
        QFETCH(int, head_dim);
        QFETCH(int, queries);
        QFETCH(int, split);
        const auto kernel = attention_kernel(features_with(shape, size, shared_kib), head_dim);
        QCOMPARE(kernel.has_value(), queries > 0);
        if (!kernel) {
            return;
        }
        QCOMPARE(kernel->queries, static_cast<unsigned>(queries));
        QCOMPARE(kernel->split, static_cast<unsigned>(split));
        QCOMPARE(kernel->subgroup_size, size);
        QVERIFY(kernel->shape == shape);
        const auto dim = static_cast<unsigned>(head_dim);
        // Four subgroups have 16 queries each, or share them.
        QCOMPARE(kernel->workgroup, 4U * static_cast<unsigned>(size));
        QCOMPARE(kernel->queries * kernel->split, 64U);
        QVERIFY(kernel->positions >= kernel->queries);
        QVERIFY(kernel->positions / kernel->split % shape.n == 0);
        QVERIFY(kernel->positions % shape.k == 0 && dim % shape.k == 0);
        QVERIFY(dim / kernel->split % shape.n == 0);
        // A query's scores are shared out in fours over neighbours of one subgroup.
        const unsigned sharers = kernel->workgroup / kernel->queries;
        QVERIFY(sharers >= 1 && static_cast<unsigned>(size) % sharers == 0);
        QVERIFY(kernel->positions % (4 * sharers) == 0);
        const unsigned rows = kernel->positions * (dim / 8 + 1);
        const unsigned scores = kernel->queries * (kernel->positions / 4 + 2);
        const unsigned weights = kernel->queries * (kernel->positions / 8 + 1);
        QVERIFY((rows + scores + weights) * 16 + kernel->queries * 4 + 4 <=
                static_cast<unsigned>(shared_kib) * 1024);
    }

    void without() {
        const ShaderFeatures all = features_with({16, 16, 16}, 32, 48);
        QVERIFY(attention_kernel(all, 128));
        ShaderFeatures features = all;
        features.subgroup_shuffle = false;
        QVERIFY(!attention_kernel(features, 128));
        features = all;
        features.invocations_max = 64;
        QVERIFY(!attention_kernel(features, 128));
        features = all;
        features.khr_cooperative_matrix.clear();
        QVERIFY(!attention_kernel(features, 128));
        features.nv_cooperative_matrix = true;
        const auto nv = attention_kernel(features, 128);
        QVERIFY(nv && nv->subgroup_size == 32);
        QVERIFY(nv->shader.name != attention_kernel(all, 128)->shader.name);
    }

    // A token's attention loads rows of 16 bytes a lane where that cuts the row and the workgroup.
    void rows_that_lanes_share_out_data() {
        QTest::addColumn<int>("head_dim");
        QTest::addColumn<int>("subgroup");
        QTest::addColumn<bool>("shuffles");
        QTest::addColumn<bool>("by_rows");
        QTest::newRow("heads of 64") << 64 << 32 << true << true;
        QTest::newRow("heads of 128") << 128 << 32 << true << true;
        QTest::newRow("heads of 256, a row a subgroup") << 256 << 32 << true << true;
        QTest::newRow("heads of 512 have more lanes") << 512 << 32 << true << false;
        QTest::newRow("heads of 32") << 32 << 32 << true << true;
        QTest::newRow("heads of 16 leave a tile too short") << 16 << 32 << true << false;
        QTest::newRow("heads of 80, no power of two") << 80 << 32 << true << false;
        QTest::newRow("heads of 68, no whole loads") << 68 << 32 << true << false;
        QTest::newRow("subgroups of 64") << 64 << 64 << true << true;
        QTest::newRow("lavapipe") << 64 << 8 << true << true;
        QTest::newRow("lavapipe, longer heads") << 128 << 8 << true << false;
        QTest::newRow("no shuffles") << 64 << 32 << false << false;
    }
    void rows_that_lanes_share_out() {
        QFETCH(int, head_dim);
        QFETCH(int, subgroup);
        QFETCH(bool, shuffles);
        QFETCH(bool, by_rows);
        ShaderFeatures features;
        features.subgroup_add = true;
        features.subgroup_shuffle = shuffles;
        features.subgroup_size = features.subgroup_size_min = features.subgroup_size_max = subgroup;
        const Teams teams(features);
        QCOMPARE(attention_by_rows(features, teams, head_dim), by_rows);
        // A past of bytes has a form of its own.
        QVERIFY(decode_heads(features, teams, 4, head_dim, true).form != DecodeForm::Rows);
        if (by_rows) {
            QVERIFY(decode_heads(features, teams, 4, head_dim, false).form == DecodeForm::Rows);
        }
    }
};

QTEST_GUILESS_MAIN(AttentionKernelTest)
#include "attention_kernel_test.moc"
