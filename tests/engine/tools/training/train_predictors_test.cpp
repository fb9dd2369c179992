// The whole of `hearth-cli train-predictor` but the command line, on a tiny model.
#include <hearth/tools.h>

#include <QtTest>
#include <filesystem>

#include "model/model_hash.h"
#include "model/predictor_file.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"
#include "support/tiny_model.h"

using namespace hearth;

namespace {

std::string some_text(int n) {
    std::string text;
    for (int i = 0; i < n; ++i) {
        text += static_cast<char>('a' + (i * i / 7 + i) % 26);
    }
    return text;
}

std::unique_ptr<Engine> load(const std::string& path, int threads = 2) {
    EngineOptions options;
    options.model_path = path;
    options.threads = threads;
    options.n_ctx = 64;
    auto loaded = Engine::load(options);
    return loaded ? std::move(*loaded) : nullptr;
}

}  // namespace

class TrainPredictorsTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string model_ = dir_.file("tiny.gguf");
    std::unique_ptr<Engine> engine_;
    std::string text_ = some_text(1500);

    tools::PredictorOptions options(const char* name) const {
        tools::PredictorOptions options;
        options.output_path = dir_.file(name);
        options.width = 32;
        options.recall = 0.8;
        options.passes = 3;
        return options;
    }

    Result<tools::PredictorReport> train(const tools::PredictorOptions& options) {
        return tools::train_predictors(*engine_, text_, options, {}, {});
    }

    QString error_of(const tools::PredictorOptions& options) {
        const auto report = train(options);
        return report ? QString() : QString::fromStdString(report.error().message);
    }

private slots:
    void initTestCase() {
        // A wide block beside a small embedding: a predictor of 32 then costs less than the gate.
        QVERIFY(test::TinyModel({.n_ff = 512}).write(model_));
        engine_ = load(model_);
        QVERIFY(engine_ != nullptr);
    }

    void writes_a_file_that_can_be_bound() {
        const auto report = train(options("p.gguf"));
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->layers.size(), std::size_t{2});
        QCOMPARE(report->training_tokens + report->held_back_tokens, std::uint64_t{1500});
        QCOMPARE(report->held_back_tokens, std::uint64_t{2 * 64 + 1500 % 64});  // windows 7, 15, 23
        for (const auto& layer : report->layers) {
            QVERIFY2(layer.written, layer.reason.c_str());
            QVERIFY(layer.weighted_recall >= 0.8);
            QVERIFY(layer.active > 0.1 && layer.active < 0.5);
            QVERIFY(layer.predicted > 0 && layer.predicted < 1);
            QVERIFY(layer.recall > 0 && layer.precision > 0);
            QVERIFY(!layer.resumed);
            QCOMPARE(layer.width, 32);
        }
        const auto file = GgufFile::open(dir_.file("p.gguf"));
        QVERIFY(file);
        QCOMPARE(report->output_bytes, file->file_bytes());
        const auto hash = model_hash(engine_->impl().file);
        QVERIFY(hash);
        const auto bound = bind_predictors(*file, engine_->impl().spec, *hash);
        QVERIFY2(bound, bound ? "" : bound.error().message.c_str());
        QVERIFY(bound->input == PredictorInput::Normed);
        QVERIFY(!bound->linear);
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(bound->layers[i].width(), 32);
            QCOMPARE(bound->layers[i].threshold, report->layers[i].threshold);
            QVERIFY(bound->layers[i].fc1->type == DType::Q8_0);
            QCOMPARE(bound->layers[i].bytes(), report->layers[i].predictor_bytes);
        }
        QVERIFY(!std::filesystem::exists(dir_.file("p.gguf.parts")));
    }

    void a_range_of_layers_and_another_input() {
        auto asked = options("range.gguf");
        asked.first_layer = 1;
        asked.last_layer = 1;
        asked.input = "residual";
        asked.type = "Q4_0";
        asked.recall = 0.5;
        const auto report = train(asked);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->layers.size(), std::size_t{1});
        QCOMPARE(report->layers[0].layer, 1);
        const auto file = GgufFile::open(asked.output_path);
        QVERIFY(file);
        const auto bound = bind_predictors(*file, engine_->impl().spec, {});
        QVERIFY2(bound, bound ? "" : bound.error().message.c_str());
        QVERIFY(bound->input == PredictorInput::Residual);
        QVERIFY(!bound->layers[0].present());
        QVERIFY(bound->layers[1].present());
        QVERIFY(bound->layers[1].fc1->type == DType::Q4_0);
    }

    void threads_and_memory_change_nothing() {
        auto one = options("one.gguf");
        one.sample_bytes = 1;  // a layer at a time
        one.width = 0;
        auto three = options("three.gguf");
        three.width = 0;
        const auto single = load(model_, 1);
        const auto triple = load(model_, 3);
        QVERIFY(single && triple);
        const auto a = tools::train_predictors(*single, text_, one, {}, {});
        const auto b = tools::train_predictors(*triple, text_, three, {}, {});
        QVERIFY2(a, a ? "" : a.error().message.c_str());
        QVERIFY2(b, b ? "" : b.error().message.c_str());
        QVERIFY(!test::read_file(one.output_path).empty());
        QCOMPARE(test::read_file(one.output_path), test::read_file(three.output_path));
    }

    void goes_on_where_it_was_stopped() {
        const auto whole = train(options("whole.gguf"));
        QVERIFY(whole);

        auto asked = options("stopped.gguf");
        Cancellation cancellation;
        const auto stop = [&](std::string_view what, int layer, double) {
            if (what == "training" && layer == 1) {
                cancellation.request();
            }
        };
        const auto stopped = tools::train_predictors(*engine_, text_, asked, stop, cancellation);
        QVERIFY(!stopped);
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
        QVERIFY(!std::filesystem::exists(asked.output_path));
        QVERIFY(std::filesystem::exists(asked.output_path + ".parts/layer-0.gguf"));

        const auto resumed = train(asked);
        QVERIFY2(resumed, resumed ? "" : resumed.error().message.c_str());
        QVERIFY(resumed->layers[0].resumed);
        QVERIFY(!resumed->layers[1].resumed);
        QCOMPARE(resumed->layers[0].recall, whole->layers[0].recall);
        QCOMPARE(resumed->layers[0].predictor_bytes, whole->layers[0].predictor_bytes);
        QCOMPARE(test::read_file(asked.output_path), test::read_file(dir_.file("whole.gguf")));
        QVERIFY(!std::filesystem::exists(asked.output_path + ".parts"));
    }

    void parts_of_another_run_and_broken_parts_are_made_anew_data() {
        QTest::addColumn<bool>("cut");
        QTest::newRow("other options") << false;
        QTest::newRow("a part cut short") << true;
    }
    void parts_of_another_run_and_broken_parts_are_made_anew() {
        QFETCH(bool, cut);
        auto asked = options(cut ? "cut.gguf" : "other.gguf");
        Cancellation cancellation;
        const auto stop = [&](std::string_view what, int layer, double) {
            if (what == "training" && layer == 1) {
                cancellation.request();
            }
        };
        QVERIFY(!tools::train_predictors(*engine_, text_, asked, stop, cancellation));
        const std::string part = asked.output_path + ".parts/layer-0.gguf";
        QVERIFY(std::filesystem::exists(part));
        if (cut) {
            std::filesystem::resize_file(part, std::filesystem::file_size(part) / 2);
        } else {
            asked.seed = 2;
        }
        const auto report = train(asked);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(!report->layers[0].resumed);
    }

    void a_predictor_that_does_not_pay_is_left_out() {
        auto asked = options("wide.gguf");
        asked.width = 512;  // larger than the gate
        const auto report = train(asked);
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::Unsupported);
        QVERIFY2(report.error().message.starts_with("no layer's predictor would save anything"),
                 report.error().message.c_str());
        QVERIFY(!std::filesystem::exists(asked.output_path));
    }

    void thresholds_are_set_anew_for_given_weights() {
        QVERIFY(train(options("given.gguf")));
        auto asked = options("anew.gguf");
        asked.weights_path = dir_.file("given.gguf");
        asked.recall = 0.6;
        const auto report = train(asked);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->training_tokens, std::uint64_t{0});
        QCOMPARE(report->held_back_tokens, std::uint64_t{1500});
        const auto before = GgufFile::open(dir_.file("given.gguf"));
        const auto after = GgufFile::open(asked.output_path);
        QVERIFY(before && after);
        for (const char* name : {"blk.0.fc1.weight", "blk.1.fc2.weight"}) {
            QCOMPARE(test::tensor_data(*after, name), test::tensor_data(*before, name));
        }
        const auto old_thresholds = bind_predictors(*before, engine_->impl().spec, {});
        const auto thresholds = bind_predictors(*after, engine_->impl().spec, {});
        QVERIFY(old_thresholds && thresholds);
        QVERIFY(thresholds->layers[0].threshold > old_thresholds->layers[0].threshold);

        asked.weights_path = dir_.file("nowhere.gguf");
        QVERIFY(!train(asked));
        asked.weights_path = dir_.file("given.gguf");
        asked.input = "residual";
        QCOMPARE(error_of(asked),
                 QString("hearth.predictor.input: the predictors' input is normed, not residual"));
    }

    // Without a text: the gate's sign decides, so at full rank it must say what the gate says.
    void low_rank_without_a_text() {
        auto asked = options("low.gguf");
        asked.kind = "low_rank";
        asked.width = 32;
        const auto report = tools::train_predictors(*engine_, {}, asked, {}, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->layers[0].written);
        QCOMPARE(report->layers[0].threshold, 0.0F);
        const auto file = GgufFile::open(asked.output_path);
        QVERIFY(file);
        const auto bound = bind_predictors(*file, engine_->impl().spec, {});
        QVERIFY(bound);
        QVERIFY(bound->linear);
    }

    // What is learnt from is a layer's gate rows and the lengths of its down rows.
    void a_packed_file_teaches_what_its_source_does() {
        const std::string source = dir_.file("source.gguf");
        QVERIFY(
            test::TinyModel({.type = DType::Q8_0, .n_ff = 512, .by_neuron = true}).write(source));
        std::vector<test::Bytes> made;
        for (const std::uint32_t format : {0U, 1U, 2U}) {
            std::string path = source;
            if (format > 0) {
                path = dir_.file("packed.gguf");
                QVERIFY(tools::pack(source, {.output_path = path, .format = format}, {}, {}));
            }
            const auto engine = load(path);
            QVERIFY(engine);
            auto asked = options("taught.gguf");
            asked.kind = "low_rank";
            asked.type = "Q4_0";
            const auto report = tools::train_predictors(*engine, text_, asked, {}, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
            made.push_back(test::read_file(asked.output_path));
        }
        QVERIFY(!made[0].empty());
        QVERIFY(made[0] == made[1]);
        QVERIFY(made[0] == made[2]);
    }

    // Every neuron that fires has a gate above 0, so the gate itself finds them all.
    void low_rank_of_full_rank_finds_all() {
        auto asked = options("full.gguf");
        asked.kind = "low_rank";
        asked.width = 64;
        asked.type = "F16";
        asked.recall = 1.0;
        const auto report = train(asked);
        // As wide as the gate it cannot pay; the message has the bytes, no file is written.
        QVERIFY(!report);
        asked.width = 32;
        asked.recall = 0.9;
        const auto half = train(asked);
        QVERIFY2(half, half ? "" : half.error().message.c_str());
        QVERIFY(half->layers[0].weighted_recall >= 0.9);
    }

    void refuses_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<std::function<void(tools::PredictorOptions&)>>("spoil");
        using Spoil = std::function<void(tools::PredictorOptions&)>;
        const auto row = [](const char* name, const char* wanted, Spoil spoil) {
            QTest::newRow(name) << wanted << spoil;
        };
        row("kind", "there are predictors of kind trained and low_rank, not \"magic\"",
            [](auto& o) { o.kind = "magic"; });
        row("input", "predictors read normed or residual, not \"logits\"",
            [](auto& o) { o.input = "logits"; });
        row("input of low_rank", "a low-rank predictor is the gate itself, which reads normed",
            [](auto& o) {
                o.kind = "low_rank";
                o.input = "residual";
            });
        row("type",
            "predictors cannot be written as \"Q4_K\"; F32, F16, BF16, Q8_0 and Q4_0 are possible",
            [](auto& o) { o.type = "Q4_K"; });
        row("a layer too many", "layers 1 to 2 were asked for, the model has 0 to 1", [](auto& o) {
            o.first_layer = 1;
            o.last_layer = 2;
        });
        row("layers the wrong way round", "layers 1 to 0 were asked for, the model has 0 to 1",
            [](auto& o) {
                o.first_layer = 1;
                o.last_layer = 0;
            });
        row("width", "a width of 40 was asked for; possible are multiples of 32 up to 32768",
            [](auto& o) { o.width = 40; });
        row("rank", "the gate has no rank above 64", [](auto& o) {
            o.kind = "low_rank";
            o.width = 96;
        });
        row("recall", "recall is a share above 0 and up to 1", [](auto& o) { o.recall = 1.5; });
        row("no recall", "recall is a share above 0 and up to 1", [](auto& o) { o.recall = 0; });
        row("passes", "at least one pass over the text is needed", [](auto& o) { o.passes = 0; });
        row("a text too short",
            "the text has 100 tokens; at least 128 are needed to learn from some and to be judged "
            "by others",
            [](auto& o) { o.max_tokens = 100; });
    }
    void refuses() {
        QFETCH(QString, wanted);
        QFETCH(std::function<void(tools::PredictorOptions&)>, spoil);
        auto asked = options("refused.gguf");
        spoil(asked);
        QCOMPARE(error_of(asked), wanted);
        QVERIFY(!std::filesystem::exists(asked.output_path));
    }

    void a_model_whose_neurons_never_rest() {
        const std::string path = dir_.file("silu.gguf");
        QVERIFY(test::TinyModel({.arch = "llama"}).write(path));
        const auto silu = load(path);
        QVERIFY(silu != nullptr);
        const auto report = tools::train_predictors(*silu, text_, options("silu-p.gguf"), {}, {});
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::Unsupported);
        QCOMPARE(report.error().message,
                 std::string("the neurons of this model (silu) never rest, so there is nothing to "
                             "predict"));
    }

    void a_folder_that_is_not_there() {
        auto asked = options("x.gguf");
        asked.output_path = dir_.file("tiny.gguf") + "/below/x.gguf";  // below a file
        const auto report = train(asked);
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::WriteFailed);
    }
};

QTEST_GUILESS_MAIN(TrainPredictorsTest)
#include "train_predictors_test.moc"
