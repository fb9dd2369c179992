#include "system/own_folders.h"

#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class OwnFoldersTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { umask_ = ::umask(022); }
    void cleanupTestCase() { ::umask(umask_); }

    void makesThemForTheUserAlone() {
        const QTemporaryDir home;
        const AppPaths paths = placesIn(home.filePath(QStringLiteral("share/Hearth")));
        keepFoldersPrivate(paths);
        for (const QString& folder : foldersOf(paths)) {
            QCOMPARE(rightsOf(folder), 0700);
        }
        QCOMPARE(rightsOf(home.filePath(QStringLiteral("share"))), 0700);
    }

    void closesThoseOfEarlierVersions() {
        const QTemporaryDir home;
        const AppPaths paths = placesIn(home.filePath(QStringLiteral("share/Hearth")));
        for (const QString& folder : foldersOf(paths)) {
            QVERIFY(QDir().mkpath(folder));
            QCOMPARE(rightsOf(folder), 0755);
        }
        keepFoldersPrivate(paths);
        for (const QString& folder : foldersOf(paths)) {
            QCOMPARE(rightsOf(folder), 0700);
        }
        QCOMPARE(rightsOf(home.filePath(QStringLiteral("share"))), 0755);  // not ours
    }

    // Whoever names a folder may want others to read it.
    void leavesANamedFolderAsItIs() {
        const QTemporaryDir home;
        const QString folder = home.filePath(QStringLiteral("named"));
        QVERIFY(QDir().mkdir(folder));
        AppPaths paths = AppPaths::find({}, folder);
        keepFoldersPrivate(paths);
        QCOMPARE(rightsOf(folder), 0755);
        QCOMPARE(rightsOf(paths.crashFolder), 0700);
        QCOMPARE(rightsOf(paths.cacheFolder), 0700);

        paths = AppPaths::find({}, home.filePath(QStringLiteral("new")));
        keepFoldersPrivate(paths);
        QCOMPARE(rightsOf(paths.dataFolder), 0700);
    }

    // The folder beside a portable program is Hearth's own, as those of the system are.
    void closesAPortableFolder() {
        const QTemporaryDir home;
        AppPaths paths = placesIn(home.filePath(QStringLiteral("data")));
        paths.together = true;
        paths.portable = true;
        QVERIFY(QDir().mkpath(paths.dataFolder));
        QCOMPARE(rightsOf(paths.dataFolder), 0755);
        keepFoldersPrivate(paths);
        for (const QString& folder : foldersOf(paths)) {
            QCOMPARE(rightsOf(folder), 0700);
        }
    }

    void makesNothingWhereAFileLies() {
        const QTemporaryDir home;
        QFile file(home.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        keepFoldersPrivate(AppPaths::find({}, file.fileName()));
        QVERIFY(QFileInfo(file.fileName()).isFile());
        QCOMPARE(rightsOf(file.fileName()), 0644);
    }

private:
    static AppPaths placesIn(const QString& folder) {
        AppPaths paths;
        paths.dataFolder = folder;
        paths.settingsFile = folder + QStringLiteral("-settings/hearth.ini");
        paths.crashFolder = folder + QStringLiteral("/crashes");
        paths.cacheFolder = folder + QStringLiteral("-cache");
        return paths;
    }

    static QStringList foldersOf(const AppPaths& paths) {
        return {paths.dataFolder, QFileInfo(paths.settingsFile).path(), paths.crashFolder,
                paths.cacheFolder};
    }

    static int rightsOf(const QString& path) {
        struct stat is = {};
        return ::stat(QFile::encodeName(path).constData(), &is) == 0
                   ? static_cast<int>(is.st_mode & 07777U)
                   : -1;
    }

    mode_t umask_ = 0;
};

QTEST_GUILESS_MAIN(OwnFoldersTest)
#include "own_folders_test.moc"
