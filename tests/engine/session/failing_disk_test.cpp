// A disk that fails now and then while experts are read from it: what is tried again in time does
// not show, what stays broken ends an answer with an error, and the next answer is as it should be.
#include <QtTest>
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "session/loaded_model.h"
#include "support/read_faults.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::ReadFaults;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

class FailingDiskTest : public QObject {
    Q_OBJECT

private slots:
    void a_read_that_fails_at_first_does_not_show_data() { archs(); }
    void a_read_that_fails_at_first_does_not_show() {
        QFETCH(QString, arch);
        QFETCH(bool, guesses);
        load_both(arch, guesses);
        QVERIFY(whole_ && some_);
        for (const int times : {1, 2}) {
            std::multiset<std::uint64_t> failed;
            const ReadFaults faults([&](std::uint64_t offset) {
                const bool fails = failed.count(offset) < static_cast<std::size_t>(times);
                if (fails) {
                    failed.insert(offset);
                }
                return fails;
            });
            QVERIFY(same_logits());
            QVERIFY(faults.count() > 0);
        }
    }

    // One read of many, whichever it is: tried again it succeeds.
    void one_read_in_a_few_data() { archs(); }
    void one_read_in_a_few() {
        QFETCH(QString, arch);
        QFETCH(bool, guesses);
        load_both(arch, guesses);
        QVERIFY(whole_ && some_);
        int reads = 0;
        const ReadFaults faults([&](std::uint64_t) { return ++reads % 7 == 0; });
        QVERIFY(same_logits());
        QVERIFY(faults.count() > 0);
    }

    void a_broken_disk_ends_the_answer_data() { archs(); }
    void a_broken_disk_ends_the_answer() {
        QFETCH(QString, arch);
        QFETCH(bool, guesses);
        load_both(arch, guesses);
        QVERIFY(whole_ && some_);
        hearth::GenerationOptions generation;
        generation.sampling.temperature = 0;
        generation.max_tokens = 12;
        for (const int after : {0, 1, 5}) {  // tokens; 0: in the prompt
            // A past that was computed in other batches is rounded elsewhere.
            whole_->impl().session->clear();
            some_->impl().session->clear();
            generation.max_tokens = after;
            QVERIFY(after == 0 || whole_->complete("some words", generation, {}, never_));
            generation.max_tokens = 12;
            const auto wanted = whole_->complete("some words", generation, {}, never_);
            QVERIFY(wanted);
            std::unique_ptr<ReadFaults> faults;
            const auto breaks = [&] {
                faults = std::make_unique<ReadFaults>([](std::uint64_t) { return true; });
            };
            int tokens = 0;
            const auto on_piece = [&](std::string_view) {
                if (++tokens == after) {
                    breaks();
                }
            };
            if (after == 0) {
                breaks();
            }
            const auto ended = some_->complete("some words", generation, on_piece, never_);
            QVERIFY(!ended);
            QVERIFY(faults->count() >= 3);  // it was tried again twice
            QCOMPARE(ended.error().code, hearth::ErrorCode::ReadFailed);
            QCOMPARE(ended.error().path, path_);
            QVERIFY2(ended.error().message.find("cannot be read") != std::string::npos,
                     ended.error().message.c_str());
            faults.reset();
            const auto next = some_->complete("some words", generation, {}, never_);
            QVERIFY2(next, next ? "" : next.error().message.c_str());
            QVERIFY(next->token_ids == wanted->token_ids);
            QVERIFY(same_logits());
        }
    }

private:
    static void archs() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("guesses");  // the next layer's experts, always
        for (const char* arch : {"qwen3moe", "qwen35moe", "gemma4"}) {
            QTest::newRow(arch) << arch << false;
        }
        QTest::newRow("qwen3moe, guessing") << "qwen3moe" << true;
    }

    // An engine that has all experts, and one that has some.
    void load_both(const QString& arch, bool guesses) {
        whole_.reset();
        some_.reset();
        TinyModelOptions options{.arch = arch.toStdString(),
                                 .type = DType::Q8_0,
                                 .n_layer = 4,
                                 .n_embd = 256,
                                 .n_ff = 128,
                                 .n_ctx = 64};
        if (arch == "gemma4") {
            options.n_experts = 8;
            options.n_used_experts = 3;
        }
        if (!TinyModel(options).write(path_)) {
            return;
        }
        whole_ = load();
        if (whole_) {
            some_ =
                load(whole_->impl().plan.ram.total() - 4ULL * 4 * 3 * 256 * 128 * 34 / 32, guesses);
        }
        if (some_ && !some_->flash().are_experts) {
            some_.reset();
        }
    }
    std::unique_ptr<hearth::Engine> load(std::uint64_t ram_bytes = 0, bool guesses = false) const {
        hearth::EngineOptions options = hearth::test::small_engine(path_, ram_bytes);
        options.flash_without.trial = guesses;
        return hearth::test::load_or_say(options);
    }
    // The logits of a prompt, and of tokens after it, are the same.
    bool same_logits() const {
        const std::vector<TokenId> tokens = words(22);
        for (const auto& engine : {whole_.get(), some_.get()}) {
            engine->impl().session->clear();
            if (!engine->impl().session->append(std::span(tokens).first(14), never_)) {
                return false;
            }
        }
        for (std::size_t i = 14; i < tokens.size(); ++i) {
            for (const auto& engine : {whole_.get(), some_.get()}) {
                if (!engine->impl().session->decode_one(tokens[i], never_)) {
                    return false;
                }
            }
            const auto wanted = whole_->impl().session->last_logits(never_);
            const auto got = some_->impl().session->last_logits(never_);
            if (!wanted || !got || !std::equal(got->begin(), got->end(), wanted->begin())) {
                return false;
            }
        }
        return true;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::unique_ptr<hearth::Engine> whole_, some_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(FailingDiskTest)
#include "failing_disk_test.moc"
