// A model in several files is to every tool what it is in one.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/split_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::TinyModel;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

class ToolsPartsTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string whole_ = dir_.file("m.gguf");
    std::string first_;

    tools::PlanOptions plan_of(const std::string& path) const {
        tools::PlanOptions options;
        options.model_path = path;
        options.threads = 1;
        options.gpu = "none";
        options.ram_bytes = std::uint64_t{1} << 30;
        options.speeds = MachineSpeeds{.ram_read_gb_per_s = 10, .cpu_gflop_per_s = 100};
        return options;
    }

private slots:
    void initTestCase() {
        QVERIFY(TinyModel({.type = DType::F16, .n_layer = 3, .n_embd = 256, .n_ff = 1024})
                    .write(whole_));
        first_ = test::split_model(whole_, 3);
        QVERIFY(!first_.empty());
    }

    void inspected() {
        const auto whole = tools::inspect(whole_);
        const auto parts = tools::inspect(test::part_of(first_, 2));
        QVERIFY(whole && parts);
        QVERIFY(parts->supported);
        QCOMPARE(parts->arch, whole->arch);
        QCOMPARE(parts->params, whole->params);
        QCOMPARE(parts->tensors.size(), whole->tensors.size());
        QCOMPARE(parts->metadata.size(), whole->metadata.size());
        std::uint64_t bytes = 0;
        for (int part = 1; part <= 3; ++part) {
            bytes += std::filesystem::file_size(test::part_of(first_, part));
        }
        QCOMPARE(parts->file_bytes, bytes);
    }

    void planned() {
        const auto whole = tools::plan(plan_of(whole_));
        const auto parts = tools::plan(plan_of(first_));
        QVERIFY(whole && parts);
        QCOMPARE(parts->fits, whole->fits);
        QCOMPARE(parts->mode, whole->mode);
        QCOMPARE(parts->ram.total(), whole->ram.total());
        QCOMPARE(parts->forecast.decode_per_s->mid, whole->forecast.decode_per_s->mid);
    }

    void quantized() {
        for (const std::string& path : {whole_, first_}) {
            const tools::QuantizeOptions options{
                .type = "Q8_0", .embedding_type = {}, .output_path = path + ".q"};
            const auto report = tools::quantize(path, options, {}, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
        }
        QVERIFY(!bytes_of(whole_ + ".q").empty());
        QVERIFY(bytes_of(first_ + ".q") == bytes_of(whole_ + ".q"));
    }

    void packed() {
        for (const std::string& path : {whole_, first_}) {
            tools::PackOptions options;
            options.output_path = path + ".p";
            const auto report = tools::pack(path, options, {}, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
        }
        QVERIFY(!bytes_of(whole_ + ".p").empty());
        QVERIFY(bytes_of(first_ + ".p") == bytes_of(whole_ + ".p"));
    }

    void loaded_data() {
        QTest::addColumn<bool>("flash");
        QTest::newRow("in memory") << false;
        QTest::newRow("beside the disk") << true;
    }
    void loaded() {
        QFETCH(const bool, flash);
        std::vector<std::string> texts;
        for (const std::string& path : {whole_, first_}) {
            EngineOptions options;
            options.model_path = path;
            options.threads = 1;
            options.gpu = "none";
            options.mode = "dense";
            if (flash) {
                tools::PlanOptions question = plan_of(whole_);
                question.mode = "dense";
                const auto plan = tools::plan(question);
                options.ram_bytes = plan->ram.total() - plan->ram.weights / 3;
            }
            const auto engine = Engine::load(options);
            QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
            QCOMPARE((*engine)->flash().bytes_per_token > 0, flash);
            GenerationOptions answer;
            answer.max_tokens = 24;
            answer.sampling.temperature = 0;
            const auto done = (*engine)->complete("abc", answer, [](std::string_view) {}, {});
            QVERIFY2(done, done ? "" : done.error().message.c_str());
            texts.push_back(done->text);
        }
        QVERIFY(!texts[0].empty());
        QCOMPARE(texts[1], texts[0]);
    }

    // Another program may take a part away.
    void aPartThatIsGone() {
        const std::string second = test::part_of(first_, 2);
        std::filesystem::rename(second, second + ".away");
        EngineOptions options;
        options.model_path = first_;
        const auto engine = Engine::load(options);
        const auto plan = tools::plan(plan_of(first_));
        std::filesystem::rename(second + ".away", second);
        QVERIFY(!engine && !plan);
        QVERIFY(engine.error().code == ErrorCode::NotFound);
        QCOMPARE(engine.error().path, second);
        QCOMPARE(plan.error().path, second);
        QVERIFY(engine.error().message.find("part 2 of 3") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ToolsPartsTest)
#include "parts_test.moc"
