// A conversation's past comes back from a file: of every kind of layer, and of damaged files.
#include <QtTest>
#include <algorithm>

#include "engine/session/saved_past.h"
#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"
#include "support/tiny_model.h"

using hearth::test::TinyModel;

namespace {

constexpr int kCtx = 1800;

}  // namespace

class SavedPastTest : public QObject {
    Q_OBJECT

private slots:
    void goes_on_as_before_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("kv");
        QTest::addColumn<int>("tokens");
        const auto row = [](const char* arch, const char* kv, int tokens) {
            QTest::addRow("%s %s %d", arch, kv, tokens) << arch << kv << tokens;
        };
        row("llama", "f16", 100);
        row("llama", "q8_0", 97);
        row("deepseek2", "f16", 60);  // latents
        row("gemma4", "f16", 70);     // layers that share pasts
        row("gemma2", "f16", 80);     // a window, and all positions are still held
        row("gemma2", "f16", 1100);   // and it has moved
        row("gemma2", "q8_0", 1100);
        row("qwen35", "f16", 600);     // states, and a snapshot that nobody asked for
        row("lfm2", "f16", 90);        // short convolutions
        row("nemotron_h", "f16", 90);  // Mamba-2
        row("qwen4exp", "f16", 200);   // chosen blocks, n-grams
    }
    void goes_on_as_before() {
        QFETCH(QString, arch);
        QFETCH(QString, kv);
        QFETCH(int, tokens);
        const std::string path = write(arch.toStdString());
        const auto writer = load(path, kv.toStdString());
        const auto reader = load(path, kv.toStdString());
        QVERIFY(writer && reader);
        const std::string why =
            hearth::test::check_saved_past(*writer, *reader, dir_.file("past"), tokens);
        QVERIFY2(why.empty(), why.c_str());
    }

    void there_may_be_nothing_to_save() {
        const auto engine = load(write("llama"));
        QVERIFY(engine);
        const auto saved = engine->save_past(dir_.file("nothing"));
        QVERIFY(saved);
        QCOMPARE(*saved, std::uint64_t{0});
        QVERIFY(!QFile::exists(QString::fromStdString(dir_.file("nothing"))));
        const auto restored = engine->restore_past(dir_.file("nothing"));
        QVERIFY(!restored);
        QCOMPARE(restored.error().code, hearth::ErrorCode::NotFound);
    }

    void a_stopped_save_leaves_nothing() {
        const std::string past = dir_.file("stopped");
        const auto engine = load(write("llama"));
        QVERIFY(engine && hearth::test::answer_of(*engine, hearth::test::conversation(60)));
        hearth::Cancellation stopped;
        stopped.request();
        const auto saved = engine->save_past(past, stopped);
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, hearth::ErrorCode::Cancelled);
        QVERIFY(!QFile::exists(QString::fromStdString(past)));
        QVERIFY(*engine->save_past(past) > 60);
    }

    // After a prompt that was stopped the session may know fewer tokens than the past has seen.
    void a_shorter_text_is_saved_where_it_can_go_on() {
        const std::string past = dir_.file("shorter");
        for (const char* arch : {"llama", "qwen35"}) {
            const std::string path = write(arch);
            const auto writer = load(path);
            const auto reader = load(path);
            const auto fresh = load(path);
            QVERIFY(writer && reader && fresh);
            const auto prompt = hearth::test::conversation(60);
            QVERIFY(hearth::test::answer_of(*writer, prompt));
            const auto wanted = hearth::test::answer_of(*fresh, prompt);
            QVERIFY(wanted);
            // A model with states keeps those of the end of the message.
            const std::size_t border = prompt.size() - 3;
            for (const std::size_t tokens : {border, std::size_t{30}}) {
                writer->impl().session->truncate(tokens);
                const bool goes_on = arch == std::string("llama") || tokens == border;
                const auto saved = writer->save_past(past);
                QVERIFY(saved);
                QCOMPARE(*saved, std::uint64_t{goes_on ? tokens : 0});
                const auto restored = reader->restore_past(past);
                QVERIFY2(restored, restored ? "" : restored.error().message.c_str());
                QCOMPARE(*restored, std::uint64_t{goes_on ? tokens : border});
                const auto got = hearth::test::answer_of(*reader, prompt);
                QVERIFY(got);
                QCOMPARE(got->cached_tokens, static_cast<int>(*restored));
                QCOMPARE(got->token_ids, wanted->token_ids);
            }
        }
    }

    // Another model, context or form of the past: nothing comes, and what is there stays.
    void another_ones_is_left_alone() {
        const std::string past = dir_.file("other-past");
        const std::string path = write("llama");
        const auto writer = load(path);
        QVERIFY(writer && hearth::test::answer_of(*writer, hearth::test::conversation(60)));
        QVERIFY(writer->save_past(past));
        const auto keeps = [&](hearth::Engine& engine) {
            const auto before = hearth::test::answer_of(engine, hearth::test::conversation(50));
            const auto restored = engine.restore_past(past);
            const auto after = hearth::test::answer_of(engine, hearth::test::conversation(50));
            return restored && *restored == 0 && before && after &&
                   before->token_ids == after->token_ids && after->cached_tokens > 40;
        };
        hearth::EngineOptions options = hearth::test::small_engine(path);
        options.n_ctx = kCtx - 16;
        const auto shorter = hearth::test::load_or_say(options);
        QVERIFY(shorter && keeps(*shorter));
        const auto in_bytes = load(path, "q8_0");
        QVERIFY(in_bytes && keeps(*in_bytes));
        QVERIFY(TinyModel({.arch = "llama", .n_ctx = kCtx}, 9).write(dir_.file("b.gguf")));
        const auto other = load(dir_.file("b.gguf"));
        QVERIFY(other && keeps(*other));
        // And the right one's comes after all of this.
        const auto right = load(path);
        const auto restored = right->restore_past(past);
        QVERIFY(restored && *restored > 60);
    }

    // Whatever is wrong with the file, there is one error, nothing is remembered, and answers are
    // right. A file that is right comes back after that.
    void damaged_files_bring_nothing() {
        for (const char* arch : {"llama", "qwen35", "gemma2"}) {
            const std::string past = dir_.file("damaged");
            const std::string path = write(arch);
            const auto writer = load(path);
            const auto reader = load(path);
            QVERIFY(writer && reader);
            const auto prompt = hearth::test::conversation(60);
            const auto wanted = hearth::test::answer_of(*writer, prompt);
            QVERIFY(wanted && writer->save_past(past));
            const hearth::test::Bytes whole = hearth::test::read_file(past);
            QVERIFY(whole.size() > 2000);
            std::vector<hearth::test::Bytes> damaged;
            for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{16},
                                           whole.size() / 3, whole.size() - 33, whole.size() - 1}) {
                damaged.emplace_back(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(size));
            }
            for (const std::size_t at : {whole.size() / 2, whole.size() - 200, whole.size() - 3}) {
                damaged.push_back(whole);
                damaged.back()[at] ^= std::byte{1};
            }
            for (std::size_t i = 0; i < damaged.size(); ++i) {
                hearth::test::write_file(past, damaged[i]);
                QVERIFY(hearth::test::answer_of(*reader, hearth::test::conversation(30)));
                const auto restored = reader->restore_past(past);
                QVERIFY2(!restored, qPrintable(QString("%1, %2").arg(arch).arg(i)));
                QCOMPARE(restored.error().code, hearth::ErrorCode::BadFile);
                const auto got = hearth::test::answer_of(*reader, prompt);
                QVERIFY(got);
                QCOMPARE(got->cached_tokens, 0);
                QCOMPARE(got->token_ids, wanted->token_ids);
            }
            hearth::test::write_file(past, whole);
            const auto restored = reader->restore_past(past);
            QVERIFY(restored && *restored > 60);
            QCOMPARE(hearth::test::answer_of(*reader, prompt)->token_ids, wanted->token_ids);
        }
    }

    // The parts of a file before the first damaged one come back, and the file goes on
    // behind them.
    void a_part_may_be_damaged() {
        const std::string past = dir_.file("parts");
        const std::string path = write("llama");
        const auto writer = load(path);
        const auto reader = load(path);
        QVERIFY(writer && reader && writer->saves_in_parts());
        std::vector<std::int32_t> prompt = hearth::test::conversation(60);
        QVERIFY(hearth::test::answer_of(*writer, prompt));
        const auto first = writer->save_past(past);
        QVERIFY(first);
        const std::size_t border = hearth::test::read_file(past).size();
        const auto& cached = writer->impl().session->cached_tokens();
        prompt.assign(cached.begin(), cached.end());
        prompt.insert(prompt.end(), {77, 78, 79, 80, 2, 40});
        const auto wanted = hearth::test::answer_of(*writer, prompt);
        const auto second = writer->save_past(past);
        QVERIFY(wanted && second && *second > *first);
        const hearth::test::Bytes whole = hearth::test::read_file(past);
        QVERIFY(whole.size() > border + 200);
        std::vector<hearth::test::Bytes> damaged;
        for (const std::size_t size : {border + 1, border + 100, whole.size() - 1}) {
            damaged.emplace_back(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        }
        for (const std::size_t at : {border + 2, border + 150, whole.size() - 2}) {
            damaged.push_back(whole);
            damaged.back()[at] ^= std::byte{1};
        }
        damaged.push_back(whole);
        damaged.back().push_back(std::byte{0});
        for (std::size_t i = 0; i < damaged.size(); ++i) {
            hearth::test::write_file(past, damaged[i]);
            QVERIFY(hearth::test::answer_of(*reader, hearth::test::conversation(30)));
            const auto restored = reader->restore_past(past);
            QVERIFY2(restored, restored ? "" : restored.error().message.c_str());
            QCOMPARE(*restored, i + 1 < damaged.size() ? *first : *second);
            const auto got = hearth::test::answer_of(*reader, prompt);
            QVERIFY(got);
            QVERIFY(got->cached_tokens >= static_cast<int>(*first) - 1);
            QCOMPARE(got->token_ids, wanted->token_ids);
            QCOMPARE(*reader->save_past(past), *second);
            QVERIFY(hearth::test::read_file(past) == whole);
        }
    }

    // The user goes back and asks something else: the file goes on behind the last part that still
    // counts, and a file that went away meanwhile is written anew.
    void another_branch_takes_the_place_of_the_former() {
        const std::string past = dir_.file("branch");
        const std::string path = write("llama");
        const auto writer = load(path);
        const auto reader = load(path);
        QVERIFY(writer && reader);
        const std::vector<std::int32_t> root = hearth::test::conversation(60);
        QVERIFY(hearth::test::answer_of(*writer, root, 1) && writer->save_past(past));
        const std::size_t border = hearth::test::read_file(past).size();
        for (const int what : {77, 99, 111}) {
            std::vector<std::int32_t> prompt = root;
            prompt.insert(prompt.end(), {what, 5, 6, 7, 2, 40});
            const auto wanted = hearth::test::answer_of(*writer, prompt);
            if (what == 111) {
                QVERIFY(QFile::remove(QString::fromStdString(past)));
            }
            const auto saved = writer->save_past(past);
            QVERIFY(wanted && saved);
            QVERIFY(hearth::test::read_file(past).size() > border);
            QVERIFY(hearth::test::answer_of(*reader, hearth::test::conversation(30)));
            const auto restored = reader->restore_past(past);
            QVERIFY(restored);
            QCOMPARE(*restored, *saved);
            const auto got = hearth::test::answer_of(*reader, prompt);
            QVERIFY(got);
            QCOMPARE(got->cached_tokens, static_cast<int>(prompt.size()) - 1);
            QCOMPARE(got->token_ids, wanted->token_ids);
        }
    }

    // A save that was stopped takes nothing away.
    void a_stopped_part_leaves_those_before() {
        const std::string past = dir_.file("stopped-part");
        const auto engine = load(write("llama"));
        QVERIFY(engine && hearth::test::answer_of(*engine, hearth::test::conversation(60)));
        const auto first = engine->save_past(past);
        QVERIFY(first);
        const hearth::test::Bytes before = hearth::test::read_file(past);
        std::vector<std::int32_t> prompt = hearth::test::conversation(60);
        prompt.insert(prompt.end(), {77, 78, 79, 80, 2, 40});
        QVERIFY(hearth::test::answer_of(*engine, prompt));
        hearth::Cancellation stopped;
        stopped.request();
        QVERIFY(!engine->save_past(past, stopped));
        const auto restored = engine->restore_past(past);
        QVERIFY(restored && *restored > 0 && *restored <= *first);
        QVERIFY(hearth::test::read_file(past).size() <= before.size());
    }

    // Numbers inside that are no past's are found before anything is computed with them, also where
    // the file's own hash is right.
    void numbers_are_checked() {
        const auto engine = load(write("gemma2"));
        const auto states = load(write("qwen35"));
        QVERIFY(engine && states);
        for (hearth::Engine* one : {engine.get(), states.get()}) {
            QVERIFY(hearth::test::answer_of(*one, hearth::test::conversation(60)));
            auto& past = const_cast<hearth::Past&>(one->impl().session->past());
            const auto n = static_cast<int>(one->impl().session->cached_tokens().size());
            std::vector<std::vector<std::byte>> pieces;
            QVERIFY(past.get(n, [&](std::span<const std::byte> piece) {
                pieces.emplace_back(piece.begin(), piece.end());
                return hearth::Result<void>();
            }));
            const auto put = [&](std::size_t number, std::int32_t value) {
                auto changed = pieces;
                std::memcpy(changed[0].data() + number * sizeof value, &value, sizeof value);
                std::size_t next = 0;
                return past.put(n, [&](std::span<std::byte> piece) {
                    std::copy(changed[next].begin(), changed[next].end(), piece.begin());
                    ++next;
                    return hearth::Result<void>();
                });
            };
            QVERIFY(put(1, -1));
            for (const auto& [number, value] :
                 std::vector<std::pair<std::size_t, std::int32_t>>{{0, -128},
                                                                   {0, 1},
                                                                   {0, 128},
                                                                   {1, n + 1},
                                                                   {1, -2},
                                                                   {2, n + 1},
                                                                   {2, -2},
                                                                   {3, n + 1}}) {
                const auto done = put(number, value);
                QVERIFY2(!done, qPrintable(QString("%1: %2").arg(number).arg(value)));
                QCOMPARE(done.error().code, hearth::ErrorCode::BadFile);
            }
        }
    }

private:
    std::string write(const std::string& arch) {
        const std::string path = dir_.file(arch + ".gguf");
        const bool left_out = arch == "qwen35" || arch == "qwen4exp";
        return TinyModel({.arch = arch,
                          .n_layer = arch == "gemma4" ? 6 : 4,
                          .n_ctx = kCtx,
                          .n_left_out = left_out ? 1 : 0})
                       .write(path)
                   ? path
                   : std::string();
    }
    std::unique_ptr<hearth::Engine> load(const std::string& path, const std::string& kv = "f16") {
        hearth::EngineOptions options = hearth::test::small_engine(path);
        options.n_ctx = kCtx;
        options.kv = kv;
        return hearth::test::load_or_say(options);
    }

    hearth::test::TempDir dir_;
};

QTEST_GUILESS_MAIN(SavedPastTest)
#include "saved_past_test.moc"
