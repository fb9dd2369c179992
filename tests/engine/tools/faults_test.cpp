// Files that are cut short and disks that fill up while the engine works with them.
#include <QtTest>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
namespace fs = std::filesystem;

namespace {

// A small file system of its own, for root on Linux.
class SmallDisk {
public:
    SmallDisk(const std::string& folder, const QString& size) : folder_(folder) {
        fs::create_directory(folder_);
        mounted_ = QProcess::execute("mount", {"-t", "tmpfs", "-o", "size=" + size, "tmpfs",
                                               QString::fromStdString(folder_)}) == 0;
    }
    ~SmallDisk() {
        if (mounted_) {
            QProcess::execute("umount", {"-l", QString::fromStdString(folder_)});
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool mounted() const { return mounted_; }
    std::string file(const std::string& name) const { return folder_ + "/" + name; }
    // Takes all the room that is left.
    void fill() const {
        std::ofstream filler(file("filler"), std::ios::binary);
        const std::vector<char> page(4096);
        while (filler.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {}
    }

private:
    std::string folder_;
    bool mounted_ = false;
};

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

class FaultsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(test::TinyModel({.n_layer = 3}).write(path_)); }

    void a_file_cut_while_it_loads_data() {
        QTest::addColumn<int>("threads");
        QTest::addColumn<double>("left");  // of the file's bytes
        for (const int threads : {1, 3}) {
            QTest::addRow("to nothing, %d threads", threads) << threads << 0.0;
            QTest::addRow("to its first half, %d threads", threads) << threads << 0.5;
            QTest::addRow("by its last bytes, %d threads", threads) << threads << 0.999;
        }
    }
    void a_file_cut_while_it_loads() {
#ifdef _WIN32
        QSKIP("this system does not cut files that are open");
#endif
        QFETCH(int, threads);
        QFETCH(double, left);
        const std::uintmax_t bytes = fs::file_size(path_);
        EngineOptions options;
        options.model_path = path_;
        options.threads = threads;
        bool cut = false;
        auto engine = Engine::load(options, [&](double) {
            if (!std::exchange(cut, true)) {
                fs::resize_file(path_,
                                static_cast<std::uintmax_t>(static_cast<double>(bytes) * left));
            }
        });
        QVERIFY(cut);
        QVERIFY(!engine);
        QVERIFY2(engine.error().code == ErrorCode::ReadFailed, engine.error().message.c_str());
        QCOMPARE(engine.error().path, path_);
    }

    // Once loaded, nothing is read from the file any more.
    void a_file_cut_after_it_loaded() {
#ifdef _WIN32
        QSKIP("this system does not cut files that are open");
#endif
        EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        auto engine = Engine::load(options);
        QVERIFY(engine);
        const Cancellation never;
        GenerationOptions generation;
        generation.sampling.temperature = 0;
        generation.max_tokens = 4;
        auto before = (*engine)->complete("Hello", generation, {}, never);
        fs::resize_file(path_, 0);
        auto after = (*engine)->complete("Hello", generation, {}, never);
        QVERIFY(before && after);
        QCOMPARE(after->token_ids, before->token_ids);
        const std::vector<ChatMessage> chat{{"user", "Hello"}};
        QVERIFY((*engine)->chat(chat, generation, {}, never));
    }

    // Another program writes the very file again and again: every look ends, with an Error if not
    // with what was there.
    void a_file_cut_while_its_header_is_read() {
#ifdef _WIN32
        QSKIP("this system does not cut files that are open");
#endif
        test::GgufBuilder file = test::TinyModel().file();
        std::vector<std::string> words;
        for (int i = 0; i < 40'000; ++i) {  // some 600 KB: several pieces
            words.push_back("word " + std::to_string(i));
        }
        file.array("words", words);
        const test::Bytes whole = file.bytes();
        QVERIFY(test::write_file(path_, whole));
        std::atomic<bool> enough{false};
        std::thread other([&] {
            for (std::size_t i = 0; !enough; ++i) {
                fs::resize_file(path_, i * 7919 % whole.size());
                std::ofstream out(path_, std::ios::binary | std::ios::in | std::ios::out);
                out.write(reinterpret_cast<const char*>(whole.data()),
                          static_cast<std::streamsize>(whole.size()));
            }
        });
        int opened = 0;
        int refused = 0;
        QString wrong;
        for (int i = 0; i < 100'000 && (opened < 5 || refused < 200); ++i) {
            const auto report = tools::inspect(path_);
            if (report) {
                ++opened;
                continue;
            }
            ++refused;
            if (report.error().code != ErrorCode::ReadFailed &&
                report.error().code != ErrorCode::BadFile) {
                wrong = QString::fromStdString(report.error().message);
            }
        }
        enough = true;
        other.join();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(opened >= 5);
        QVERIFY(refused >= 200);
    }

    void a_file_cut_while_it_is_quantized() {
#ifdef _WIN32
        QSKIP("this system does not cut files that are open");
#endif
        const Cancellation never;
        const std::string out = dir_.file("out.gguf");
        bool cut = false;
        auto report = tools::quantize(
            path_, {.type = "Q8_0", .embedding_type = {}, .output_path = out},
            [&](double) {
                if (!std::exchange(cut, true)) {
                    fs::resize_file(path_, 4096);
                }
            },
            never);
        QVERIFY(cut);
        QVERIFY(!report);
        QVERIFY2(report.error().code == ErrorCode::ReadFailed, report.error().message.c_str());
        QCOMPARE(files_in(dir_.path()), std::size_t{1});  // the input alone
    }

    void a_full_disk_data() {
        QTest::addColumn<QString>("size");
        QTest::addColumn<bool>("fills");
        QTest::newRow("from the beginning") << "16k" << false;
        QTest::newRow("while it is written") << "4m" << true;
    }
    void a_full_disk() {
        QFETCH(QString, size);
        QFETCH(bool, fills);
        const SmallDisk disk(dir_.file("disk"), size);
        if (!disk.mounted()) {
            QVERIFY2(qEnvironmentVariableIntValue("HEARTH_NO_SKIP") != 1,
                     "mounting a small file system needs root and Linux");
            QSKIP("no small file system: mounting one needs root and Linux");
        }
        const Cancellation never;
        bool filled = false;
        auto report = tools::quantize(
            path_, {.type = "Q8_0", .embedding_type = {}, .output_path = disk.file("out.gguf")},
            [&](double) {
                if (fills && !std::exchange(filled, true)) {
                    disk.fill();
                }
            },
            never);
        QCOMPARE(filled, fills);
        QVERIFY(!report);
        QVERIFY2(report.error().code == ErrorCode::DiskFull, report.error().message.c_str());
        QCOMPARE(files_in(dir_.file("disk")), std::size_t{fills ? 1U : 0U});  // the filler alone
    }

private:
    test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
