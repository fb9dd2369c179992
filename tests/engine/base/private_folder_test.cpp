#include "base/private_folder.h"

#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <string>

#include "base/cache_file.h"
#include "support/temp_dir.h"

using namespace hearth;

class PrivateFolderTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { umask_ = umask(022); }
    void cleanupTestCase() { umask(umask_); }

    void makesThemForTheUserAlone() {
        const test::TempDir dir;
        make_private_folder(dir.file("a/b/"));
        QCOMPARE(rights_of(dir.file("a")), 0700);
        QCOMPARE(rights_of(dir.file("a/b")), 0700);
    }

    void leavesWhatIsThere() {
        const test::TempDir dir;
        QVERIFY(std::filesystem::create_directory(dir.file("a")));
        make_private_folder(dir.file("a/b"));
        QCOMPARE(rights_of(dir.file("a")), 0755);
        QCOMPARE(rights_of(dir.file("a/b")), 0700);
    }

    // Also one that an earlier version made.
    void closesACacheFolder() {
        const test::TempDir dir;
        // Rights of an earlier folder: the group's alone, the others' alone, both. 0: none is
        // there.
        for (const mode_t rights : {mode_t{0}, mode_t{0750}, mode_t{0705}, mode_t{0755}}) {
            const std::string folder = dir.file(std::to_string(rights));
            if (rights != 0) {
                QVERIFY(std::filesystem::create_directory(folder));
                QCOMPARE(chmod(folder.c_str(), rights), 0);
            }
            QVERIFY(write_cache_file(folder, "disks.txt", "text").has_value());
            QCOMPARE(rights_of(folder), 0700);
            QCOMPARE(read_cache_file(folder, "disks.txt"), std::string("text"));
        }
    }

private:
    static int rights_of(const std::string& path) {
        struct stat is = {};
        return stat(path.c_str(), &is) == 0 ? static_cast<int>(is.st_mode & 07777U) : -1;
    }

    mode_t umask_ = 0;
};

QTEST_GUILESS_MAIN(PrivateFolderTest)
#include "private_folder_test.moc"
