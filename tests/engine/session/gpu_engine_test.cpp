// The whole engine with a GPU: lavapipe, where nothing else is. Its text is the processor's at
// every budget, its ledgers are exact, and a conversation survives the loss of the device.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <cmath>
#include <filesystem>

#include "api/assembly.h"
#include "model/model_hash.h"
#include "session/loaded_model.h"
#include "support/best_candidates.h"
#include "support/damaged_file.h"
#include "support/planted_figures.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"
#include "support/vulkan_faults.h"

using hearth::test::TinyModel;
using hearth::test::VulkanFault;
using hearth::test::VulkanFaultKind;

namespace {

constexpr int kTokens = 12;
constexpr int kSparseLayers = 3;
constexpr int kSparseFf = 4096;  // so much that neurons on the GPU are worth a round trip
const char* const kPrompt = "The quick brown fox";
const char* const kOtherPrompt = "A slow grey badger";

// Of a machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 10,
                                        .gpu_gflop_per_s = 2000};

struct Answer {
    std::vector<std::int32_t> tokens;
    std::string notice;
};

}  // namespace

class GpuEngineTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(TinyModel({.arch = "llama",
                           .n_layer = 4,
                           .n_embd = 128,
                           .n_head = 4,
                           .n_head_kv = 2,
                           .n_ff = 1024,
                           .n_ctx = 128})
                    .write(path_));
        const auto engine = load("none");
        QVERIFY(engine);
        expected_ = answer(*engine).tokens;
        QCOMPARE(expected_.size(), std::size_t{kTokens});
        expected_of_other_ = answer(*engine, kOtherPrompt).tokens;
        QVERIFY(expected_of_other_.size() > 6);
        QCOMPARE(engine->settings().gpu, std::string("none"));
        const auto with_gpu = hearth::Engine::load(options_for("0"));
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
        QVERIFY(TinyModel({.n_layer = kSparseLayers,
                           .n_embd = 128,
                           .n_ff = kSparseFf,
                           .by_neuron = true,
                           .planted = true})
                    .write(sparse_path_));
        QVERIFY(TinyModel({.n_padding_rows = 253}).write(padded_path_));
    }

    // What fires on the GPU and what fires on the processor come together in one profile, and the
    // next plan goes by it.
    void a_split_model_profiles_itself_data() {
        QTest::addColumn<int>("percent");
        for (const int percent : {100, 70, 30}) {
            QTest::addRow("%d %%", percent) << percent;
        }
    }
    void a_split_model_profiles_itself() {
        QFETCH(int, percent);
        const hearth::test::TempDir folder;
        const auto whole = load_sparse(folder.path());
        QVERIFY(whole);
        const hearth::MemoryReport most = whole->memory();
        const std::uint64_t budget =
            most.vram_scratch.actual_bytes + (most.vram_bytes - most.vram_scratch.actual_bytes) *
                                                 static_cast<std::uint64_t>(percent) / 100;
        // It was used before, for as many tokens as a profile must have to be one.
        std::vector<std::int32_t> alone;
        const auto file = hearth::GgufFile::open(sparse_path_);
        hearth::SelfProfile before(*hearth::model_hash(*file),
                                   std::vector<int>(kSparseLayers, kSparseFf));
        while (alone.size() < hearth::kProfileTokensMin) {
            alone.push_back(static_cast<std::int32_t>(alone.size()));
            for (int layer = 0; layer < kSparseLayers; ++layer) {
                for (int n = 0; n < kSparseFf; ++n) {
                    before.fired(layer)[static_cast<std::size_t>(n)] +=
                        TinyModel::planted_fires(layer, n, alone.back()) ? 1 : 0;
                }
            }
            before.token_done();
        }
        QVERIFY(before.save(profile_path(folder)));
        for (const bool again : {false, true}) {
            const auto engine = load_sparse(folder.path(), budget);
            QVERIFY(engine);
            const hearth::MemoryReport memory = engine->memory();
            QCOMPARE(memory.vram_scratch.actual_bytes, memory.vram_scratch.planned_bytes);
            QVERIFY(memory.vram_bytes <= budget);
            const double share = engine->settings().gpu_neurons;
            const auto decoded = engine->decode_statistics();
            QVERIFY(decoded);
            for (const hearth::LayerStatistics& layer : decoded->layers) {
                QCOMPARE(layer.path, std::string("exact"));  // whichever unit has the layer
            }
            QVERIFY2(share > 0 && (share < 1 || percent == 100),
                     qPrintable(QString::number(share)));
            if (again) {
                hot_neurons_fired_most(engine->impl().plan, profile_in(folder));
            }
            const std::vector<std::int32_t> passed = tokens_passed_alone(answer(*engine).tokens);
            alone.insert(alone.end(), passed.begin(), passed.end());
            const auto saved = engine->save_profile();
            QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
            QCOMPARE(*saved, passed.size());
            QCOMPARE(*engine->save_profile(), std::uint64_t{0});
            is_planted(profile_in(folder), alone);
        }
    }

    // What bench says of both units together is what was planted, to the neuron and the byte.
    void figures_are_what_both_units_counted_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<int>("percent");
        QTest::newRow("exact, all on the GPU") << "exact" << 100;
        QTest::newRow("exact, 30 %") << "exact" << 30;
        QTest::newRow("dense, 70 %") << "dense" << 70;
    }
    void figures_are_what_both_units_counted() {
        QFETCH(QString, mode);
        QFETCH(int, percent);
        constexpr std::uint64_t kAlone = 5;
        const hearth::test::TempDir folder;
        const std::string how = mode.toStdString();
        const auto whole = load_sparse(folder.path(), std::nullopt, how);
        QVERIFY(whole);
        const hearth::MemoryReport most = whole->memory();
        const auto engine = load_sparse(
            folder.path(),
            most.vram_scratch.actual_bytes + (most.vram_bytes - most.vram_scratch.actual_bytes) *
                                                 static_cast<std::uint64_t>(percent) / 100,
            how);
        QVERIFY(engine);
        const hearth::Plan& plan = engine->impl().plan;
        const auto tokens = hearth::test::tokens_that_bench_decodes(*engine, kAlone);
        QCOMPARE(tokens.size(), std::size_t{kAlone});
        hearth::tools::BenchOptions bench;
        bench.prefill_tokens = 1;
        bench.decode_tokens = kAlone;
        bench.repetitions = 2;
        bench.sampling.temperature = 0;
        const auto report = hearth::tools::bench(*engine, bench, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->decoded.tokens, 2 * kAlone);

        constexpr std::uint64_t kEmbd = 128;
        constexpr std::uint64_t kRow = kEmbd * sizeof(float);
        constexpr std::uint64_t kKv = kEmbd / 2;
        constexpr std::uint64_t kAttention = (2 * kEmbd + 2 * kKv) * kRow;
        constexpr std::uint64_t kPast = 2 * 2 * kKv * (kAlone - 1) / 2;
        const bool exact = mode == "exact";
        const std::uint64_t vocab = TinyModel::kVocab;
        const hearth::test::VramPart on_gpu = hearth::test::vram_part(plan.placement);
        std::uint64_t ram = on_gpu.output_in_vram ? 0 : (vocab + 15) / 16 * 16 * kRow;
        std::uint64_t vram = on_gpu.output_in_vram ? vocab * kRow : 0;
        std::uint64_t cpu_rows = 0, gpu_rows = 0, cpu_computed = 0, gpu_computed = 0;
        for (int layer = 0; layer < kSparseLayers; ++layer) {
            const int hot = on_gpu.hot(layer);
            (on_gpu.has_attention(layer) ? vram : ram) += kAttention + kPast;
            auto gpu = hearth::test::planted_counts(layer, tokens, 0, hot, on_gpu.order(layer));
            auto cpu =
                hearth::test::planted_counts(layer, tokens, hot, kSparseFf, on_gpu.order(layer));
            const auto n_gpu = static_cast<std::uint64_t>(hot) * kAlone;
            const std::uint64_t n_cpu = kSparseFf * kAlone - n_gpu;
            const hearth::LayerStatistics& said =
                report->decoded.layers[static_cast<std::size_t>(layer)];
            QCOMPARE(said.path, how);
            const auto share = [&](std::uint64_t n) {
                return static_cast<double>(n) / static_cast<double>(n_gpu + n_cpu);
            };
            QCOMPARE(said.examined, 1.0);
            QCOMPARE(said.opened, exact ? share(cpu.opened + gpu.opened) : 1.0);
            QCOMPARE(said.fired, exact ? share(cpu.fired + gpu.fired) : 1.0);
            if (!exact) {
                gpu.opened = n_gpu;
                cpu.opened = n_cpu;
            }
            cpu_rows += n_cpu + cpu.opened + cpu.fired;
            gpu_rows += n_gpu + gpu.opened + gpu.fired;
            cpu_computed += cpu.opened;
            gpu_computed += gpu.opened;
        }
        QVERIFY(gpu_computed > 0 && (cpu_computed > 0 || percent == 100));
        const auto all = static_cast<double>(cpu_computed + gpu_computed);
        QCOMPARE(report->decoded.cpu_share, static_cast<double>(cpu_computed) / all);
        QCOMPARE(report->decoded.gpu_share, static_cast<double>(gpu_computed) / all);
        const auto mean = [](std::uint64_t rows) {
            return static_cast<std::uint64_t>(
                std::llround(static_cast<double>(rows * kRow) / static_cast<double>(kAlone)));
        };
        QCOMPARE(report->vram_bytes_per_token, vram + mean(gpu_rows));
        QCOMPARE(report->ram_bytes_per_token, ram + mean(cpu_rows));
    }

    // Half of a token's counts went with the device, or all of them: none are saved.
    void a_lost_device_leaves_no_wrong_profile_data() {
        QTest::addColumn<bool>("while_saving");
        QTest::newRow("while the profile is fetched") << true;
        QTest::newRow("in the middle of the answer") << false;
    }
    void a_lost_device_leaves_no_wrong_profile() {
        QFETCH(bool, while_saving);
        const hearth::test::TempDir folder;
        const auto engine = load_sparse(folder.path());
        QVERIFY(engine);
        std::optional<VulkanFault> fault;
        int pieces = 0;
        if (while_saving) {
            answer(*engine);
            fault.emplace(VulkanFaultKind::LostAtWait, 1);
            const auto lost = engine->save_profile();
            QVERIFY(!lost && lost.error().code == hearth::ErrorCode::DeviceLost);
            QCOMPARE(*engine->save_profile(), std::uint64_t{0});
            QVERIFY(!hearth::GgufFile::open(profile_path(folder)));
        }
        const Answer seen =
            answer(*engine, while_saving ? kOtherPrompt : kPrompt, [&](std::string_view) {
                if (!while_saving && ++pieces == 2) {
                    fault.emplace(VulkanFaultKind::LostAtSubmit, 1);
                }
            });
        QVERIFY(!seen.notice.empty());
        const std::vector<std::int32_t> passed = tokens_passed_alone(seen.tokens);
        const auto saved = engine->save_profile();
        QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
        QVERIFY(*saved > 0);
        QVERIFY(while_saving ? *saved == passed.size() : *saved < passed.size());
        is_planted(profile_in(folder),
                   {passed.end() - static_cast<std::ptrdiff_t>(*saved), passed.end()});
    }

    void text_is_the_same_at_every_budget_data() {
        QTest::addColumn<int>("percent");
        for (const int percent : {100, 75, 50, 25}) {
            QTest::addRow("%d %%", percent) << percent;
        }
    }
    void text_is_the_same_at_every_budget() {
        QFETCH(int, percent);
        const auto whole = load("0");
        QVERIFY(whole);
        const std::uint64_t most = whole->memory().vram_bytes;
        // What activations take is there whatever the GPU gets: the rest is shared.
        const std::uint64_t scratch = whole->memory().vram_scratch.actual_bytes;
        const std::uint64_t budget =
            scratch + (most - scratch) * static_cast<std::uint64_t>(percent) / 100;
        const auto engine = load("0", budget);
        QVERIFY(engine);
        const hearth::MemoryReport memory = engine->memory();
        for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                 memory.vram_kv, memory.vram_scratch}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QVERIFY(memory.vram_bytes > scratch);
        QVERIFY(memory.vram_bytes <= budget);
        // No silent fallback: both have their share.
        QVERIFY(engine->settings().gpu_share > 0);
        QVERIFY(engine->settings().gpu_share < 1 || percent == 100);
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    void text_is_the_same_beside_flash_data() {
        QTest::addColumn<bool>("sparse");
        QTest::addColumn<int>("ram");
        QTest::addColumn<int>("vram");
        for (const bool sparse : {false, true}) {
            for (const auto& [ram, vram] :
                 {std::pair{65, 20}, std::pair{55, 30}, std::pair{60, 15}}) {
                QTest::addRow("%s, %d %% of RAM, %d %% of VRAM", sparse ? "sparse" : "dense", ram,
                              vram)
                    << sparse << ram << vram;
            }
        }
    }
    // Neither memory holds what the other leaves: something of the model is in each of the three.
    void text_is_the_same_beside_flash() {
        QFETCH(bool, sparse);
        QFETCH(int, ram);
        QFETCH(int, vram);
        const std::string& path = sparse ? sparse_path_ : path_;
        const auto alone = load("none", std::nullopt, path);
        QVERIFY(alone);
        const auto engine = load_beside_flash(path, ram, vram);
        QVERIFY(engine);
        const hearth::Plan& plan = engine->impl().plan;
        QVERIFY(plan.reads_flash());
        QVERIFY(plan.vram.total() > 0 && plan.vram.total() <= plan.vram_budget_bytes);
        QVERIFY(plan.ram.total() <= plan.ram_budget_bytes);
        const hearth::MemoryReport memory = engine->memory();
        for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                 memory.vram_kv, memory.vram_scratch}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QCOMPARE(answer(*engine).tokens, answer(*alone).tokens);
        QVERIFY(engine->impl().executor->flash().bytes > 0);
    }

    // Where the GPU goes, the processor reads what it had from flash.
    void a_device_lost_beside_flash() {
        const auto engine = load_beside_flash(path_, 65, 20);
        QVERIFY(engine);
        const std::uint64_t budget = engine->impl().plan.ram_budget_bytes;
        const std::uint64_t read_before = engine->impl().plan.flash_bytes;
        for (const bool again : {false, true}) {
            const VulkanFault fault(VulkanFaultKind::LostAtSubmit, 7);
            const Answer seen = answer(*engine, again ? kOtherPrompt : kPrompt);
            QVERIFY2(!seen.notice.empty(), "the device was not lost");
            QCOMPARE(seen.tokens, again ? expected_of_other_ : expected_);
            QCOMPARE(engine->settings().gpu == "none", again);
        }
        const hearth::Plan& plan = engine->impl().plan;
        QCOMPARE(plan.vram.total(), 0U);
        QCOMPARE(plan.ram_budget_bytes, budget);
        QVERIFY(plan.ram.total() <= budget);
        QVERIFY(plan.flash_bytes > read_before);
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    // Smaller, away, back and smaller again, each between two tokens of one answer. What the GPU
    // had seen is computed again.
    void the_budget_of_vram_moves_during_an_answer() {
        const auto engine = load("0");
        QVERIFY(engine);
        const hearth::MemoryReport most = engine->memory();
        const std::string gpu = engine->settings().gpu;
        const std::uint64_t half =
            most.vram_scratch.actual_bytes + (most.vram_bytes - most.vram_scratch.actual_bytes) / 2;
        hearth::Session& session = *engine->impl().session;
        hearth::Sampler sampler({.temperature = 0}, engine->impl().tokenizer->n_vocab());
        QVERIFY(session.append(engine->impl().tokenizer->tokenize(kPrompt, true, true), {}));
        for (std::size_t i = 0; i < expected_.size(); ++i) {
            const auto token = session.draw(sampler, session.cached_tokens(), {});
            QVERIFY(token);
            QCOMPARE(*token, expected_[i]);
            const hearth::MemoryReport memory = engine->memory();
            QVERIFY(!memory.budget_waits);
            for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                     memory.vram_kv, memory.vram_scratch}) {
                QCOMPARE(line.actual_bytes, line.planned_bytes);
            }
            if (i == 1) {
                const auto refused = engine->set_budget({.ram_bytes = 1000, .vram_bytes = 1000});
                QVERIFY(!refused && refused.error().code == hearth::ErrorCode::OverBudget);
                QVERIFY(engine->set_budget({.vram_bytes = half}));
                QVERIFY(engine->memory().budget_waits);
            } else if (i == 2) {
                QVERIFY(memory.vram_bytes > most.vram_scratch.actual_bytes);
                QVERIFY(memory.vram_bytes <= half);
                QVERIFY(engine->settings().gpu_share > 0 && engine->settings().gpu_share < 1);
            } else if (i == 3) {
                QVERIFY(engine->set_budget({.vram_bytes = 0}));
            } else if (i == 4) {
                QCOMPARE(memory.vram_bytes, 0U);
                QCOMPARE(engine->settings().gpu, std::string("none"));
                QVERIFY(engine->set_budget({.vram_bytes = 2 * most.vram_bytes}));
            } else if (i == 5) {
                QCOMPARE(engine->settings().gpu, gpu);
                QCOMPARE(memory.vram_weights.actual_bytes, most.vram_weights.actual_bytes);
                QCOMPARE(memory.vram_kv.actual_bytes, most.vram_kv.actual_bytes);
                QCOMPARE(engine->settings().gpu_note, std::string());
                // All of it is there already.
                QVERIFY(engine->set_budget({.vram_bytes = memory.vram_bytes + 1}));
                QVERIFY(!engine->memory().budget_waits);
                QVERIFY(engine->set_budget(
                    {.ram_bytes = memory.ram_budget_bytes - 1, .vram_bytes = half}));
            } else if (i == 6) {
                QVERIFY(memory.vram_bytes > 0 && memory.vram_bytes <= half);
            }
            QVERIFY(session.decode_one(*token, {}));
        }
    }

    // Between two batches of a prompt: what the first ones left on the GPU is computed again.
    void the_budget_of_vram_moves_during_a_prompt() {
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 120; ++i) {
            tokens.push_back(3 + (i * 37 + 11) % 200);
        }
        const auto rows_with = [&](hearth::Engine& engine, const std::function<void()>& between) {
            std::vector<std::vector<float>> rows;
            const auto done =
                engine.impl().session->score(tokens, hearth::Decoder::Want::All,
                                             [&](std::size_t index, std::span<const float> row) {
                                                 if (index == rows.size()) {
                                                     rows.emplace_back(row.begin(), row.end());
                                                 }
                                                 if (index == 3) {
                                                     between();
                                                 }
                                             },
                                             {});
            return done ? rows : std::vector<std::vector<float>>{};
        };
        const auto whole = load("0");
        QVERIFY(whole);
        // Where nothing is to spare a batch is smaller.
        const auto engine = load("0", whole->memory().vram_bytes + 1);
        QVERIFY(engine);
        QVERIFY2(engine->impl().plan.n_batch < 100,
                 qPrintable(QString::number(engine->impl().plan.n_batch)));
        const auto expected = rows_with(*engine, [] {});
        QCOMPARE(expected.size(), tokens.size());
        const hearth::MemoryReport most = engine->memory();
        const auto seen = rows_with(*engine, [&] {
            QVERIFY(engine->set_budget(
                {.vram_bytes = most.vram_scratch.actual_bytes +
                               (most.vram_bytes - most.vram_scratch.actual_bytes) / 2}));
        });
        QVERIFY(engine->memory().vram_bytes < most.vram_bytes);
        QCOMPARE(seen.size(), tokens.size());
        double worst = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (std::size_t j = 0; j < seen[i].size(); ++j) {
                worst = std::max(worst, std::abs(static_cast<double>(seen[i][j] - expected[i][j])));
            }
        }
        QVERIFY2(worst < 0.05, qPrintable(QString::number(worst)));
    }

    // A device that is lost after a change is opened for the budgets that hold then.
    void a_lost_device_keeps_to_the_budgets_that_were_set() {
        const auto engine = load("0");
        QVERIFY(engine);
        const hearth::MemoryReport most = engine->memory();
        const std::uint64_t half =
            most.vram_scratch.actual_bytes + (most.vram_bytes - most.vram_scratch.actual_bytes) / 2;
        QVERIFY(engine->set_budget({.vram_bytes = half}));
        QVERIFY(engine->carry_out_budget());
        QVERIFY(engine->memory().vram_bytes <= half);
        const VulkanFault fault(VulkanFaultKind::LostAtSubmit, 3);
        const Answer seen = answer(*engine, kPrompt, [&](std::string_view) {
            QVERIFY(engine->memory().vram_bytes <= half);  // from the first token on
        });
        QVERIFY(fault.happened() && !seen.notice.empty());
        QCOMPARE(seen.tokens, expected_);
        QVERIFY(engine->memory().vram_bytes > 0 && engine->memory().vram_bytes <= half);
    }

    // What fired before a change of the budget is counted with what fires after it.
    void a_profile_outlives_a_budget() {
        const hearth::test::TempDir folder;
        const auto engine = load_sparse(folder.path());
        QVERIFY(engine);
        const hearth::MemoryReport most = engine->memory();
        int pieces = 0;
        const Answer seen = answer(*engine, kPrompt, [&](std::string_view) {
            if (++pieces == 3) {
                QVERIFY(engine->set_budget(
                    {.vram_bytes = most.vram_scratch.actual_bytes +
                                   (most.vram_bytes - most.vram_scratch.actual_bytes) / 2}));
            }
        });
        QVERIFY(pieces > 3 && engine->memory().vram_bytes < most.vram_bytes);
        const std::vector<std::int32_t> passed = tokens_passed_alone(seen.tokens);
        const auto saved = engine->save_profile();
        QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
        QCOMPARE(*saved, passed.size());
        is_planted(profile_in(folder), passed);
    }

    void a_lost_device_is_opened_again_and_then_left_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("number");
        QTest::newRow("while the prompt is computed")
            << static_cast<int>(VulkanFaultKind::LostAtSubmit) << 1;
        QTest::newRow("in the middle of the answer")
            << static_cast<int>(VulkanFaultKind::LostAtSubmit) << 7;
        QTest::newRow("while it works") << static_cast<int>(VulkanFaultKind::LostAtWait) << 9;
    }
    void a_lost_device_is_opened_again_and_then_left() {
        QFETCH(int, kind);
        QFETCH(int, number);
        const auto engine = load("0");
        QVERIFY(engine);
        const std::string gpu = engine->settings().gpu;
        for (const bool again : {false, true}) {
            const VulkanFault fault(static_cast<VulkanFaultKind>(kind), number);
            const Answer seen = answer(*engine, again ? kOtherPrompt : kPrompt);
            QVERIFY2(!seen.notice.empty(), "the device was not lost");
            QCOMPARE(seen.tokens, again ? expected_of_other_ : expected_);
            QCOMPARE(engine->settings().gpu, again ? std::string("none") : gpu);
            QVERIFY(!engine->settings().gpu_note.empty());
        }
        // What happened then is said under those answers alone.
        const Answer later = answer(*engine);
        QCOMPARE(later.tokens, expected_);
        QCOMPARE(later.notice, std::string());
    }

    // Commands are recorded for a number of tokens, and serve no other.
    void a_shorter_prompt_follows_a_longer_one() {
        const auto engine = load("0");
        QVERIFY(engine);
        QVERIFY(!answer(*engine, kPrompt + std::string(kPrompt) + kPrompt).tokens.empty());
        QCOMPARE(answer(*engine, kOtherPrompt).tokens, expected_of_other_);
    }

    // The device is lost, and who waits gives up while the past is computed anew: the new cache
    // does not hold it, so nothing of it may be taken for computed later.
    void given_up_while_the_past_is_computed_anew() {
        const auto engine = load("0");
        QVERIFY(engine);
        hearth::Session& session = *engine->impl().session;
        const hearth::Tokenizer& tokenizer = *engine->impl().tokenizer;
        QVERIFY(session.append(tokenizer.tokenize(kPrompt, true, true), {}));
        hearth::Cancellation cancellation;
        session.set_recovery([&](const hearth::Error& lost) {
            cancellation.request();
            return hearth::recover(engine->impl(), lost);
        });
        {
            const VulkanFault fault(VulkanFaultKind::LostAtSubmit, 1);
            const auto given_up =
                session.append(tokenizer.tokenize(" and", false, true), cancellation);
            QVERIFY(fault.happened() && !given_up);
            QVERIFY(given_up.error().code == hearth::ErrorCode::Cancelled);
        }
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    // A driver that has less than it said: each allocation in turn is refused once, and the model
    // is planned anew, smaller.
    void memory_that_is_refused_is_planned_for() {
        const std::uint64_t whole = load("0")->memory().vram_bytes;
        int refusals = 0;
        for (bool happened = true; happened;) {
            ++refusals;
            std::optional<VulkanFault> fault;
            // The processor's half has been read: the driver is loaded, nothing of the GPU's is.
            const auto begin = [&](double fraction) {
                if (!fault && fraction >= 0.5) {
                    fault.emplace(VulkanFaultKind::NoMemory, refusals);
                }
            };
            auto engine = hearth::Engine::load(options_for("0"), begin);
            QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
            happened = fault && fault->happened();
            fault.reset();
            const std::string& note = (*engine)->settings().gpu_note;
            QVERIFY2((note.find("it was given less") != std::string::npos) == happened,
                     note.c_str());
            QVERIFY((*engine)->settings().gpu != "none");
            const hearth::MemoryReport memory = (*engine)->memory();
            QVERIFY(happened ? memory.vram_bytes <= whole / 4 * 3 : memory.vram_bytes == whole);
            QCOMPARE(memory.vram_weights.actual_bytes, memory.vram_weights.planned_bytes);
            QCOMPARE(memory.vram_scratch.actual_bytes, memory.vram_scratch.planned_bytes);
            QVERIFY(answer(**engine).tokens == expected_);
        }
        QVERIFY(refusals > 4);
    }

    // What is drawn from a GPU's candidates is what is drawn from all logits, and where they do not
    // suffice these are fetched. The model has rows that are no tokens.
    void candidates_draw_what_all_logits_do_data() {
        QTest::addColumn<hearth::SamplingOptions>("sampling");
        QTest::addColumn<bool>("fetches");
        const auto add = [](const char* name, const hearth::SamplingOptions& sampling,
                            bool fetches) { QTest::newRow(name) << sampling << fetches; };
        add("greedy", {.temperature = 0}, false);
        add("as the application has it", {}, false);
        add("hot, top-k alone", {.temperature = 3, .top_k = 100, .top_p = 1, .min_p = 0}, false);
        add("repetition is penalised", {.temperature = 2, .repeat_penalty = 1.5F}, false);
        add("greedy, repetition is penalised", {.temperature = 0, .repeat_penalty = 1.5F}, false);
        add("min-p alone", {.temperature = 0.5F, .top_k = 0, .top_p = 1, .min_p = 0.3F}, false);
        add("typical-p", {.temperature = 2, .typical_p = 0.6F}, false);
        add("XTC", {.temperature = 2, .xtc_probability = 0.5F, .xtc_threshold = 0.02F}, false);
        add("presence and frequency",
            {.temperature = 2, .presence_penalty = 1, .frequency_penalty = 0.5F}, false);
        add("typical-p alone",
            {.temperature = 2, .top_k = 0, .typical_p = 0.6F, .top_p = 1, .min_p = 0}, true);
        add("presence is favoured", {.temperature = 2, .presence_penalty = -1}, true);
        add("repetition is favoured", {.temperature = 2, .repeat_penalty = 0.9F}, true);
        add("top-p alone", {.temperature = 2, .top_k = 0, .top_p = 0.9F, .min_p = 0}, true);
        add("everything", {.temperature = 3, .top_k = 0, .top_p = 1, .min_p = 0}, true);
    }
    void candidates_draw_what_all_logits_do() {
        QFETCH(hearth::SamplingOptions, sampling);
        QFETCH(bool, fetches);
        if (padded_ == nullptr) {
            padded_ = load("0", std::nullopt, padded_path_);
            QVERIFY(padded_);
        }
        hearth::Engine* const engine = padded_.get();
        QCOMPARE(engine->settings().gpu_share, 1.0);
        hearth::Session& session = *engine->impl().session;
        const hearth::Tokenizer& tokenizer = *engine->impl().tokenizer;
        QVERIFY(engine->impl().spec.n_vocab > tokenizer.n_vocab());
        const std::vector<std::int32_t> prompt = tokenizer.tokenize(kPrompt, true, true);
        std::size_t n_seen = 0;
        for (const std::uint64_t seed : {7U, 8U, 9U}) {
            sampling.seed = seed;
            session.clear();
            const std::vector<std::int32_t> seen = answer(*engine, kPrompt, {}, sampling).tokens;
            n_seen += seen.size();
            hearth::Sampler sampler(sampling, tokenizer.n_vocab());
            std::vector<std::int32_t> expected;
            session.clear();
            QVERIFY(session.append(prompt, {}));
            while (true) {
                const auto logits = session.last_logits({});
                QVERIFY(logits);
                QVERIFY(hearth::test::same_candidates(
                    engine->impl().gpu_executor->candidates(0),
                    hearth::test::best_of(*logits, hearth::Executor::kCandidates)));
                const auto token =
                    sampler.sample(logits->first(static_cast<std::size_t>(tokenizer.n_vocab())),
                                   session.cached_tokens());
                QVERIFY(token);
                if (tokenizer.is_end_of_turn(*token)) {
                    break;
                }
                expected.push_back(*token);
                if (expected.size() == kTokens) {
                    break;
                }
                QVERIFY(session.decode_one(*token, {}));
            }
            QCOMPARE(seen, expected);
        }
        QVERIFY(n_seen > 0);
        float* fetched = session.last_logits({})->data();
        constexpr float kNobodys = 12345.0F;
        *fetched = kNobodys;
        hearth::Sampler sampler(sampling, tokenizer.n_vocab());
        QVERIFY(session.draw(sampler, session.cached_tokens(), {}));
        QCOMPARE(*fetched != kNobodys, fetches);
    }

    // A grammar, a schema, penalties and a bias give the processor's text, with the output head on
    // the GPU.
    void what_needs_all_logits_answers_as_the_processor_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<bool>("changes");
        QTest::newRow("penalties and bias") << QByteArray() << true;
        // A token that the grammar allows is seldom the best candidate.
        QTest::newRow("digits") << QByteArray("root ::= [0-9]+") << false;
        QTest::newRow("words and all") << QByteArray("root ::= ([a-z]{1,3} \" \")*") << true;
        QTest::newRow("schema and all")
            << QByteArray(R"({"type":"array","items":{"type":"integer"}})") << true;
    }
    void what_needs_all_logits_answers_as_the_processor() {
        QFETCH(QByteArray, grammar);
        QFETCH(bool, changes);
        hearth::GenerationOptions options;
        options.sampling = {.temperature = 0};
        if (changes) {
            options.sampling = {
                .temperature = 0,
                .repeat_penalty = 1.1F,
                .presence_penalty = 0.3F,
                .frequency_penalty = 0.2F,
                .repeat_last_n = -1,
                .dry_multiplier = 0.5F,
                .logit_bias = {{.token = 5, .bias = 2.5F}, {.text = "e", .bias = -1}}};
        }
        options.max_tokens = kTokens;
        (grammar.startsWith('{') ? options.json_schema : options.grammar) = grammar.toStdString();
        std::vector<std::string> texts;
        for (const char* gpu : {"none", "0"}) {
            const auto engine = load(gpu);
            QVERIFY(engine);
            const auto result = engine->complete(kPrompt, options, {}, {});
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QVERIFY(!result->token_ids.empty());
            texts.push_back(result->text);
        }
        QCOMPARE(texts[1], texts[0]);
    }

    void a_device_lost_while_logits_are_fetched() {
        hearth::SamplingOptions sampling{.temperature = 0, .repeat_penalty = 0.99F};
        const auto alone = load("none");
        const auto engine = load("0");
        QVERIFY(alone && engine);
        const Answer expected = answer(*alone, kPrompt, {}, sampling);
        for (const int number : {8, 9}) {  // passes and fetches take turns: it is one of each
            engine->impl().session->clear();
            const VulkanFault fault(VulkanFaultKind::LostAtSubmit, number);
            const Answer seen = answer(*engine, kPrompt, {}, sampling);
            QVERIFY(fault.happened() && !seen.notice.empty());
            QCOMPARE(seen.tokens, expected.tokens);
        }
    }

    void without_a_driver_the_processor_answers() {
        qputenv("VK_DRIVER_FILES", "/nowhere");
        qputenv("VK_ICD_FILENAMES", "/nowhere");
        const auto engine = load("auto");
        qunsetenv("VK_DRIVER_FILES");
        qunsetenv("VK_ICD_FILENAMES");
        QVERIFY(engine);
        QCOMPARE(engine->settings().gpu, std::string("none"));
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    // What only the GPU reads is checked on its way there.
    void weights_that_are_no_numbers_data() {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<int>("at");
        QTest::addColumn<unsigned>("bits");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("message");
        QTest::newRow("norm") << "blk.1.ffn_norm.weight" << 17 * 4 << hearth::test::kNanBits << 4
                              << "value 17 is NaN";
        QTest::newRow("up") << "blk.0.ffn_up.weight" << (40 * 4 + 3) * 18
                            << hearth::test::kHalfInfBits << 2
                            << "the scale of row 40, block 3 is Inf";
        // Of a packed file: up at place 40, the scale of the second block of 128 columns.
        QTest::newRow("record") << "blk.0.ffn_neurons.weight" << 40 * 320 + 80 + 64 + 2
                                << hearth::test::kHalfInfBits << 2
                                << "the scale of row 40, block 1 is Inf";
        QTest::newRow("output") << "output.weight" << 18 << hearth::test::kHalfNanBits << 2
                                << "the scale of row 0, block 1 is NaN";
    }
    void weights_that_are_no_numbers() {
        QFETCH(QString, tensor);
        QFETCH(int, at);
        QFETCH(unsigned, bits);
        QFETCH(int, bytes);
        QFETCH(QString, message);
        const std::string path = dir_.file("damaged.gguf");
        QVERIFY(
            TinyModel({.arch = "llama", .type = hearth::DType::Q4_0, .n_embd = 128}).write(path));
        if (tensor.contains("ffn_neurons")) {
            const std::string packed = dir_.file("damaged-packed.gguf");
            QVERIFY(hearth::tools::pack(path, {.output_path = packed, .force = true}, {}, {}));
            std::filesystem::rename(packed, path);
        }
        {
            const auto engine = load("0", std::nullopt, path);
            QVERIFY(engine);
            QCOMPARE(engine->settings().gpu_share, 1.0);
        }
        QVERIFY(hearth::test::overwrite_tensor(path, tensor.toStdString(),
                                               static_cast<std::uint64_t>(at), bits, bytes));
        hearth::EngineOptions options = options_for("0");
        options.model_path = path;
        const auto engine = hearth::Engine::load(options);
        QVERIFY(!engine);
        QCOMPARE(QString::fromStdString(engine.error().message), tensor + ": " + message);
        QCOMPARE(engine.error().path, path);
    }

    // The GPU says so beside its candidates; rows of all positions are looked at as they come.
    void logits_that_are_no_numbers() {
        const std::string path = dir_.file("overflow.gguf");
        QVERIFY(TinyModel({.arch = "llama", .n_embd = 128}).write(path));
        for (int i = 0; i < 128; ++i) {  // 3.4e38, the largest there is
            QVERIFY(hearth::test::overwrite_tensor(path, "output.weight",
                                                   static_cast<std::uint64_t>((5 * 128 + i) * 4),
                                                   0x7F7FFFFF, 4));
        }
        const auto engine = load("0", std::nullopt, path);
        QVERIFY(engine);
        QVERIFY(engine->impl().plan.placement.output_in_vram());
        const hearth::Cancellation go_on;
        hearth::GenerationOptions options;
        options.max_tokens = 3;
        const auto answer = engine->complete(kPrompt, options, {}, go_on);
        QVERIFY(!answer);
        QVERIFY2(answer.error().message.starts_with("logits: token 5 is "),
                 answer.error().message.c_str());
        const auto row = [](int, std::span<const float>) { return hearth::Result<void>{}; };
        const auto all =
            hearth::tools::logits(*engine, std::vector<std::int32_t>{9, 8, 7}, true, row);
        QVERIFY(!all);
        QVERIFY2(all.error().message.starts_with("logits: token 5 is "),
                 all.error().message.c_str());
    }

    void a_gpu_that_is_not_there_is_an_error() {
        hearth::EngineOptions options = options_for("77");
        const auto engine = hearth::Engine::load(options);
        QVERIFY(!engine);
        QVERIFY(engine.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(engine.error().field, std::string("gpu"));
    }

private:
    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = gpu;
        options.speeds = kSpeeds;
        return options;
    }
    std::unique_ptr<hearth::Engine> load(const std::string& gpu,
                                         std::optional<std::uint64_t> vram_bytes = std::nullopt,
                                         const std::string& path = {}) const {
        hearth::EngineOptions options = options_for(gpu);
        options.vram_bytes = vram_bytes;
        if (!path.empty()) {
            options.model_path = path;
        }
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }
    // With shares of what the processor takes alone.
    std::unique_ptr<hearth::Engine> load_beside_flash(const std::string& path, int ram_percent,
                                                      int vram_percent) const {
        const auto alone = load("none", std::nullopt, path);
        if (alone == nullptr) {
            return nullptr;
        }
        const std::uint64_t all = alone->impl().plan.ram.total();
        hearth::EngineOptions options = options_for("0");
        options.model_path = path;
        options.ram_bytes = all * static_cast<std::uint64_t>(ram_percent) / 100;
        options.vram_bytes = all * static_cast<std::uint64_t>(vram_percent) / 100;
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }
    static Answer answer(hearth::Engine& engine, const std::string& prompt = kPrompt,
                         const hearth::PieceCallback& on_piece = {},
                         const hearth::SamplingOptions& sampling = {.temperature = 0}) {
        hearth::GenerationOptions options;
        options.sampling = sampling;
        options.max_tokens = kTokens;
        // No profile counts what was drafted.
        options.drafts = !hearth::is_sparse(engine.impl().spec.activation());
        const hearth::Cancellation go_on;
        const auto result = engine.complete(prompt, options, on_piece, go_on);
        if (!result) {
            qWarning("%s", result.error().message.c_str());
            return {};
        }
        return {result->token_ids, result->notice};
    }

    std::unique_ptr<hearth::Engine> load_sparse(
        const std::string& folder, std::optional<std::uint64_t> vram_bytes = std::nullopt,
        const std::string& mode = "exact") const {
        hearth::EngineOptions options = options_for("0");
        options.mode = mode;
        options.model_path = sparse_path_;
        options.vram_bytes = vram_bytes;
        options.profile_folder = folder;
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }
    std::string profile_path(const hearth::test::TempDir& folder) const {
        const auto file = hearth::GgufFile::open(sparse_path_);
        return hearth::self_profile_path(folder.path(), *hearth::model_hash(*file));
    }
    hearth::ActivationProfile profile_in(const hearth::test::TempDir& folder) const {
        const auto model = hearth::GgufFile::open(sparse_path_);
        const auto file = hearth::GgufFile::open(profile_path(folder));
        auto profile = file ? hearth::read_profile(*file, *hearth::read_model_spec(*model),
                                                   *hearth::model_hash(*model))
                            : hearth::Result<hearth::ActivationProfile>(file.error());
        if (!profile) {
            qWarning("%s", profile.error().message.c_str());
            return {};
        }
        return std::move(*profile);
    }
    // The prompt is a batch, and the last token of an answer that is long enough is not computed.
    static std::vector<std::int32_t> tokens_passed_alone(std::vector<std::int32_t> answered) {
        if (answered.size() == kTokens) {
            answered.pop_back();
        }
        return answered;
    }
    static void is_planted(const hearth::ActivationProfile& profile,
                           const std::vector<std::int32_t>& tokens) {
        QCOMPARE(profile.tokens, tokens.size());
        QCOMPARE(profile.layers.size(), std::size_t{kSparseLayers});
        for (int layer = 0; layer < kSparseLayers; ++layer) {
            for (int n = 0; n < kSparseFf; ++n) {
                const auto fires = std::count_if(tokens.begin(), tokens.end(), [&](auto token) {
                    return TinyModel::planted_fires(layer, n, token);
                });
                const auto& fired = profile.layers[static_cast<std::size_t>(layer)].fired[0];
                QCOMPARE(fired[static_cast<std::size_t>(n)], static_cast<std::uint32_t>(fires));
            }
        }
    }
    static void hot_neurons_fired_most(const hearth::Plan& plan,
                                       const hearth::ActivationProfile& profile) {
        const hearth::test::VramPart on_gpu = hearth::test::vram_part(plan.placement);
        for (int layer = 0; layer < kSparseLayers; ++layer) {
            const auto& fired = profile.layers[static_cast<std::size_t>(layer)].fired[0];
            const auto hot = static_cast<std::size_t>(on_gpu.hot(layer));
            if (hot == 0 || hot == kSparseFf) {
                continue;
            }
            std::vector<std::uint32_t> by_place;
            for (const int n : on_gpu.order(layer)) {
                by_place.push_back(fired[static_cast<std::size_t>(n)]);
            }
            QCOMPARE(by_place.size(), std::size_t{kSparseFf});
            const auto edge = by_place.begin() + static_cast<std::ptrdiff_t>(hot);
            QVERIFY(*std::min_element(by_place.begin(), edge) >=
                    *std::max_element(edge, by_place.end()));
        }
    }

    hearth::test::TempDir dir_;
    const std::string sparse_path_ = dir_.file("sparse.gguf");
    const std::string path_ = dir_.file("tiny.gguf");
    const std::string padded_path_ = dir_.file("padded.gguf");
    std::unique_ptr<hearth::Engine> padded_;
    std::vector<std::int32_t> expected_, expected_of_other_;
};

QTEST_GUILESS_MAIN(GpuEngineTest)
#include "gpu_engine_test.moc"
