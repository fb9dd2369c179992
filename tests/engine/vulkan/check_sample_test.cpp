#include "engine/vulkan/check_sample.h"

#include <QtTest>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/vulkan/gpu_checks.h"

using hearth::test::features_of;
using hearth::test::KernelCheck;
using hearth::test::sample_of;

class CheckSampleTest : public QObject {
    Q_OBJECT

private:
    static QStringList sampled(const QStringList& names) {
        std::vector<KernelCheck> checks;
        for (const QString& name : names) {
            checks.push_back({name.toStdString(), {}});
        }
        QStringList taken;
        for (const KernelCheck& check : sample_of(std::move(checks))) {
            taken << QString::fromStdString(check.name);
        }
        return taken;
    }

private slots:
    void initTestCase() { qunsetenv("HEARTH_ALL_ROWS"); }

    void each_type_of_each_form_and_each_size_of_each_form() {
        const QStringList taken =
            sampled({"shader/gemv F32 1x32", "shader/gemv F32 37x96 bias", "shader/gemv Q4_0 1x32",
                     "shader/gemv Q4_0 37x96 bias", "shader/gemv Q4_0 bytes 1x32",
                     "shader/gemv Q4_0 bytes 37x96 bias", "shader/gemv Q8_0 1x32",
                     "shader/gemv Q8_0 37x96 bias", "shader/gemv Q8_0 37x96 subgroups bias"});
        QCOMPARE(taken,
                 (QStringList{"shader/gemv F32 37x96 bias", "shader/gemv Q4_0 37x96 bias",
                              "shader/gemv Q4_0 bytes 1x32", "shader/gemv Q4_0 bytes 37x96 bias",
                              "shader/gemv Q8_0 1x32", "shader/gemv Q8_0 37x96 bias",
                              "shader/gemv Q8_0 37x96 subgroups bias"}));
    }

    void types_of_one_module_once_as_values_and_once_as_codes() {
        QCOMPARE(
            sampled({"shader/gemv Q4_0 1x32", "shader/gemv Q4_1 1x32",
                     "shader/gemv Q4_1 bytes 1x32", "shader/gemv Q5_0 bytes 1x32",
                     "shader/gemm Q4_0 1x32", "shader/gemm Q4_1 1x32", "shader/gemm Q5_0 1x32"}),
            (QStringList{"shader/gemv Q4_1 1x32", "shader/gemv Q4_1 bytes 1x32",
                         "shader/gemv Q5_0 bytes 1x32", "shader/gemm Q4_0 1x32",
                         "shader/gemm Q4_1 1x32", "shader/gemm Q5_0 1x32"}));
    }

    void subgroups_stand_for_themselves_and_not_for_types() {
        QCOMPARE(
            sampled({"shader/gemv Q4_0 37x96 bias", "shader/gemv Q4_0 37x96 subgroups bias",
                     "shader/gemv Q8_0 37x96 bias", "shader/gemv Q8_0 37x96 subgroups bias"}),
            (QStringList{"shader/gemv Q4_0 37x96 bias", "shader/gemv Q4_0 37x96 subgroups bias",
                         "shader/gemv Q8_0 37x96 bias"}));
    }

    void attention_by_heads_by_length_and_by_each_word() {
        QCOMPARE(
            sampled({"shader/attention_decode 8/2 heads of 64 at 0",
                     "shader/attention_decode 8/2 heads of 64 at 200",
                     "shader/attention_decode 8/2 heads of 64 at 200, window of 9",
                     "shader/attention_decode 4/2 heads of 96 at 200",
                     "shader/attention_decode 8/2 heads of 64 at 200, window of 9, past in bytes",
                     "shader/attention_batch 8/2 heads of 64 at 200, window of 9"}),
            (QStringList{
                "shader/attention_decode 8/2 heads of 64 at 0",
                "shader/attention_decode 4/2 heads of 96 at 200",
                "shader/attention_decode 8/2 heads of 64 at 200, window of 9, past in bytes",
                "shader/attention_batch 8/2 heads of 64 at 200, window of 9"}));
    }

    void whole_models_by_architecture_layout_share_and_rest() {
        const QStringList names{"split/llama F32 dense 100 %",
                                "split/llama F32 dense 30 %",
                                "split/llama F16 dense 100 %",
                                "split/llama F16 dense 30 %",
                                "split/falcon with two norms F16 dense 30 %",
                                "split/bamboo planted F16 by neuron exact 70 % ordered",
                                "split/bamboo F16 by neuron exact 70 % ordered",
                                "split/llama F16 dense 30 %, layers on the CPU, uploaded"};
        const QStringList taken = sampled(names);
        QVERIFY(taken.size() < names.size());
        std::set<std::string> covered;
        for (const QString& name : taken) {
            for (const std::string& feature : features_of(name.toStdString())) {
                covered.insert(feature);
            }
        }
        for (const QString& name : names) {
            for (const std::string& feature : features_of(name.toStdString())) {
                QVERIFY2(covered.contains(feature), feature.c_str());
            }
        }
        for (const char* always : {"split/falcon with two norms F16 dense 30 %",
                                   "split/llama F16 dense 30 %, layers on the CPU, uploaded"}) {
            QVERIFY2(taken.contains(always), always);
        }
    }

    void a_small_type_stands_for_others_in_whole_models() {
        QCOMPARE(sampled({"split/llama IQ1_S dense 30 %", "split/llama IQ2_S dense 30 %",
                          "split/llama Q3_K dense 30 %", "split/llama Q4_0 dense 30 %"}),
                 (QStringList{"split/llama Q3_K dense 30 %", "split/llama Q4_0 dense 30 %"}));
        QCOMPARE(sampled({"shader/gemm IQ1_S 1x32", "shader/gemm IQ2_S 1x32"}).size(), 2);
    }

    // Bugs of the mutation table that name a check are planted beside the sample.
    void the_mutation_table_names_checks_of_the_sample() {
        QStringList names;
        for (const KernelCheck& check : sample_of(hearth::test::split_checks(nullptr))) {
            names << QString::fromStdString(check.name);
        }
        QFile table(QStringLiteral(HEARTH_SOURCE_DIR "/tests/mutations/mutations.txt"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        int named = 0;
        for (const QString& line : QString::fromUtf8(table.readAll()).split('\n')) {
            if (line.startsWith("test: gpu_checks split/")) {
                const QString part = line.section("gpu_checks ", 1);
                const bool found =
                    std::any_of(names.begin(), names.end(),
                                [&](const QString& name) { return name.contains(part); });
                QVERIFY2(found, qPrintable(part));
                ++named;
            }
        }
        QVERIFY(named > 5);
    }

    void shapes_of_heads_stand_for_others() {
        QCOMPARE(sampled({"feature/llama 2 queries a key", "feature/llama 3 queries a key",
                          "feature/llama 8 queries a key", "feature/llama heads of 6",
                          "feature/llama heads of 80", "feature/llama heads of 256"}),
                 (QStringList{"feature/llama 3 queries a key", "feature/llama 8 queries a key",
                              "feature/llama heads of 80", "feature/llama heads of 256"}));
    }

    void what_is_neither_is_always_there() {
        const QStringList names{"feature/rope scaling/all", "feature/rope scaling/half", "other"};
        QCOMPARE(sampled(names), names);
    }

    void all_rows_where_asked_for() {
        qputenv("HEARTH_ALL_ROWS", "1");
        const QStringList names{"shader/gemv F32 1x32", "shader/gemv F32 1x32"};
        QCOMPARE(sampled(names), names);
        qunsetenv("HEARTH_ALL_ROWS");
        QCOMPARE(sampled(names).size(), 1);
    }
};

QTEST_APPLESS_MAIN(CheckSampleTest)
#include "check_sample_test.moc"
