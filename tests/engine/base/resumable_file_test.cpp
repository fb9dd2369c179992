#include "base/resumable_file.h"

#include <QtTest>
#include <filesystem>

#include "base/input_file.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using hearth::ErrorCode;
using hearth::Result;
using hearth::ResumableFile;
using hearth::test::Bytes;
using hearth::test::read_file;
using hearth::test::write_file;
namespace fs = std::filesystem;

namespace {

Bytes text(std::string_view characters) {
    Bytes out;
    hearth::test::append(out, characters);
    return out;
}

}  // namespace

class ResumableFileTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<hearth::test::TempDir> dir_;
    std::string path_, partial_, journal_;

    Result<ResumableFile> open(const std::string& label = "one", std::uint64_t bytes = 100) {
        return ResumableFile::open(path_, label, bytes);
    }

private slots:
    void init() {
        dir_ = std::make_unique<hearth::test::TempDir>();
        path_ = dir_->file("out");
        partial_ = path_ + ".partial";
        journal_ = partial_ + ".journal";
    }

    void appears_whole() {
        QVERIFY(write_file(path_, text("old")));
        auto file = open();
        QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
        QVERIFY(file->write(text("new")));
        QVERIFY(read_file(path_) == text("old"));
        QVERIFY(file->checkpoint());
        QVERIFY(fs::exists(journal_));
        QVERIFY(file->settle());
        QVERIFY(read_file(partial_) == text("new"));
        QVERIFY(file->commit());
        QVERIFY(read_file(path_) == text("new"));
        QVERIFY(!fs::exists(partial_) && !fs::exists(journal_));
    }

    // A kill while the journal was being renewed.
    void leaves_nothing_behind() {
        QVERIFY(write_file(journal_ + ".new", text("hearth partial fi")));
        auto file = open();
        QVERIFY(file);
        QVERIFY(file->write(text("new")));
        QVERIFY(file->commit());
        QCOMPARE(std::distance(fs::directory_iterator(dir_->path()), fs::directory_iterator()), 1);
    }

    void goes_on_where_the_journal_stands() {
        {
            auto file = open();
            QVERIFY(file);
            QVERIFY(file->write(text("abc")));
            QVERIFY(file->checkpoint());
            QVERIFY(file->write(text("lost?")));
        }
        auto file = open();
        QVERIFY(file);
        QCOMPARE(file->written_bytes(), std::uint64_t{3});
        QVERIFY(file->write(text("def")));
        QVERIFY(file->commit());
        QVERIFY(read_file(path_) == text("abcdef"));
    }

    void begins_afresh_data() {
        QTest::addColumn<QString>("journal");
        QTest::addColumn<QString>("partial");
        QTest::newRow("another label") << "hearth partial file 1\ntwo\n3\n"
                                       << "abcdef";
        QTest::newRow("a longer label") << "hearth partial file 1\none \n3\n"
                                        << "abcdef";
        QTest::newRow("another version") << "hearth partial file 2\none\n3\n"
                                         << "abcdef";
        QTest::newRow("cut") << "hearth partial file 1\none\n3"
                             << "abcdef";
        QTest::newRow("no number") << "hearth partial file 1\none\nx\n"
                                   << "abcdef";
        QTest::newRow("two numbers") << "hearth partial file 1\none\n3\n3\n"
                                     << "abcdef";
        QTest::newRow("no bytes") << "hearth partial file 1\none\n-3\n"
                                  << "abcdef";
        QTest::newRow("more than there is") << "hearth partial file 1\none\n7\n"
                                            << "abcdef";
        QTest::newRow("more than is wanted") << "hearth partial file 1\none\n101\n"
                                             << QString(200, 'x');
        QTest::newRow("empty") << ""
                               << "abcdef";
        QTest::newRow("none") << QString() << "abcdef";
    }
    void begins_afresh() {
        QFETCH(QString, journal);
        QFETCH(QString, partial);
        if (!journal.isNull()) {
            QVERIFY(write_file(journal_, text(journal.toStdString())));
        }
        QVERIFY(write_file(partial_, text(partial.toStdString())));
        auto file = open();
        QVERIFY(file);
        QCOMPARE(file->written_bytes(), std::uint64_t{0});
        QVERIFY(!fs::exists(journal_));
        QVERIFY(read_file(partial_).empty());
    }

    // So that the rows above show what they claim.
    void the_same_journal_unharmed() {
        QVERIFY(write_file(journal_, text("hearth partial file 1\none\n3\n")));
        QVERIFY(write_file(partial_, text("abcdef")));
        auto file = open();
        QVERIFY(file);
        QCOMPARE(file->written_bytes(), std::uint64_t{3});
    }

    void cuts() {
        auto file = open();
        QVERIFY(file);
        QVERIFY(file->write(text("abcdef")));
        QVERIFY(file->cut(2));
        QVERIFY(file->write(text("X")));
        QVERIFY(file->commit());
        QVERIFY(read_file(path_) == text("abX"));
    }

    void discards() {
        auto file = open();
        QVERIFY(file);
        QVERIFY(file->write(text("abc")));
        QVERIFY(file->checkpoint());
        file->discard();
        QVERIFY(!fs::exists(partial_) && !fs::exists(journal_) && !fs::exists(path_));
    }

    void one_at_a_time() {
        auto first = open();
        QVERIFY(first);
        QVERIFY(first->write(text("abc")));
        const auto second = open();
        QVERIFY(!second);
        QVERIFY(second.error().message.find("another process") != std::string::npos);
        QVERIFY(first->commit());
        QVERIFY(read_file(path_) == text("abc"));
    }

    // Told without opening it: of this label, and no more than lies there.
    void says_what_is_kept() {
        const auto kept = [&](const char* journal) {
            return write_file(journal_, text(journal)) ? ResumableFile::kept_bytes(path_, "one")
                                                       : std::uint64_t{99};
        };
        QCOMPARE(ResumableFile::kept_bytes(path_, "one"), std::uint64_t{0});
        QVERIFY(write_file(partial_, text("abcdef")));
        QCOMPARE(kept("hearth partial file 1\none\n3\n"), std::uint64_t{3});
        QCOMPARE(kept("hearth partial file 1\none\n6\n"), std::uint64_t{6});
        QCOMPARE(kept("hearth partial file 1\none\n7\n"), std::uint64_t{0});
        QCOMPARE(kept("hearth partial file 1\ntwo\n3\n"), std::uint64_t{0});
    }

    // A part that is on the disk needs no more room; a missing one does.
    void disk_too_small() {
        std::error_code error;
        const std::uint64_t free = fs::space(dir_->path(), error).available;
        const std::uint64_t too_much = 2 * free + (std::uint64_t{1} << 40);
        QVERIFY(write_file(partial_, text("abc")));
        QVERIFY(write_file(journal_, text("hearth partial file 1\none\n3\n")));
        const auto file = open("one", too_much);
        QVERIFY(!file);
        QVERIFY(file.error().code == ErrorCode::DiskFull);
        QVERIFY2(file.error().message.find("needs " + std::to_string(too_much - 3) + " bytes") !=
                     std::string::npos,
                 file.error().message.c_str());
        QVERIFY(read_file(partial_) == text("abc"));
        QVERIFY(fs::exists(journal_));
    }

    void no_such_folder() {
        const auto file = ResumableFile::open(dir_->file("no/out"), "one", 10);
        QVERIFY(!file);
        QVERIFY(file.error().code == ErrorCode::NotFound);
    }
    void a_folder() {
        fs::create_directory(path_);
        const auto file = open();
        QVERIFY(!file);
        QVERIFY(file.error().code == ErrorCode::NotAFile);
    }
};

QTEST_APPLESS_MAIN(ResumableFileTest)
#include "resumable_file_test.moc"
