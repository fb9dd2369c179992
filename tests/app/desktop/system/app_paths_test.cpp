#include "system/app_paths.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class AppPathsTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        qunsetenv("HEARTH_DATA_DIR");
        program_ = std::make_unique<QTemporaryDir>();
    }
    void usesThePlacesOfTheSystem();
    void keepsEverythingBesideAPortableProgram();
    void obeysTheEnvironment();
    void obeysTheOptionFirst();
    void makesNothing();
    void findsTheStarterModel();
    void knowsStartersOfOtherVersions();

private:
    void touch(const QString& name) const {
        const QString path = program_->filePath(name);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    std::unique_ptr<QTemporaryDir> program_;
};

void AppPathsTest::usesThePlacesOfTheSystem() {
    QCoreApplication::setOrganizationName(QStringLiteral("Hearth"));
    QCoreApplication::setApplicationName(QStringLiteral("Hearth"));
    const AppPaths paths = AppPaths::find(program_->path());
    QVERIFY(!paths.portable);
    const QString generic = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    QVERIFY2(paths.dataFolder.startsWith(generic), qPrintable(paths.dataFolder));
    QVERIFY(paths.dataFolder.endsWith(QLatin1String("/Hearth")));
    QVERIFY(!paths.dataFolder.contains(QLatin1String("Hearth/Hearth")));
    QVERIFY(paths.settingsFile.startsWith(
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)));
    QVERIFY(paths.logFile.startsWith(paths.dataFolder));
    QVERIFY(!paths.together);
    QVERIFY(paths.cacheFolder.startsWith(
        QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation)));
    QVERIFY(paths.crashFolder.startsWith(paths.dataFolder + QLatin1Char('/')));
    const QString help = paths.helpText();
    for (const QString& place :
         {paths.dataFolder, paths.settingsFile, paths.logFile, paths.cacheFolder}) {
        QVERIFY2(help.contains(QDir::toNativeSeparators(place) + QLatin1Char('\n')),
                 qPrintable(help));
    }
}

void AppPathsTest::keepsEverythingBesideAPortableProgram() {
    touch(QStringLiteral("portable"));
    const AppPaths paths = AppPaths::find(program_->path());
    QVERIFY(paths.portable);
    const QString data = program_->filePath(QStringLiteral("data"));
    QCOMPARE(paths.dataFolder, data);
    QVERIFY(paths.settingsFile.startsWith(data + QLatin1Char('/')));
    QVERIFY(paths.logFile.startsWith(data + QLatin1Char('/')));
    QVERIFY(paths.cacheFolder.startsWith(data + QLatin1Char('/')));
    QVERIFY(paths.crashFolder.startsWith(data + QLatin1Char('/')));
    QVERIFY(paths.together);
}

void AppPathsTest::obeysTheEnvironment() {
    touch(QStringLiteral("portable"));
    qputenv("HEARTH_DATA_DIR", program_->filePath(QStringLiteral("e")).toUtf8());
    const AppPaths paths = AppPaths::find(program_->path());
    QCOMPARE(paths.dataFolder, program_->filePath(QStringLiteral("e")));
    QVERIFY(paths.settingsFile.startsWith(paths.dataFolder));
    QVERIFY(paths.logFile.startsWith(paths.dataFolder));
    QVERIFY(paths.crashFolder.startsWith(paths.dataFolder));
    QVERIFY(paths.cacheFolder.startsWith(paths.dataFolder));
    QVERIFY(paths.together);
    QVERIFY(!paths.portable);  // the folder is one that somebody named
}

void AppPathsTest::obeysTheOptionFirst() {
    qputenv("HEARTH_DATA_DIR", "/e");
    const AppPaths paths = AppPaths::find(program_->path(), QStringLiteral("relative/../o"));
    QCOMPARE(paths.dataFolder, QDir::currentPath() + QStringLiteral("/o"));
}

void AppPathsTest::makesNothing() {
    touch(QStringLiteral("portable"));
    AppPaths::find(program_->path());
    QCOMPARE(QDir(program_->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList({"portable"}));
}

void AppPathsTest::findsTheStarterModel() {
    touch(QStringLiteral("bin/hearth"));
    QCOMPARE(starterModel(program_->filePath(QStringLiteral("bin"))), QString());
    touch(QStringLiteral("Resources/starter-model/mac.gguf"));
    QVERIFY(starterModel(program_->filePath(QStringLiteral("bin")))
                .endsWith(QLatin1String("/Resources/starter-model/mac.gguf")));
    touch(QStringLiteral("share/hearth/starter-model/a.gguf"));
    touch(QStringLiteral("share/hearth/starter-model/MODEL_CARD.md"));
    const QString program = program_->filePath(QStringLiteral("bin"));
    QCOMPARE(starterModel(program),
             QFileInfo(program_->filePath(QStringLiteral("share/hearth/starter-model/a.gguf")))
                 .canonicalFilePath());
    touch(QStringLiteral("bin/starter-model/b.gguf"));
    QVERIFY(starterModel(program).endsWith(QLatin1String("b.gguf")));
}

void AppPathsTest::knowsStartersOfOtherVersions() {
    const QString starter = QStringLiteral("/l/hearth/0.2.0/share/hearth/starter-model/new.gguf");
    const auto is = [&](const char* path) {
        return isAStarter(QString::fromLatin1(path), starter);
    };
    QVERIFY(isAStarter(starter, starter));
    QVERIFY(is("/l/hearth/0.1.0/share/hearth/starter-model/old.gguf"));
    QVERIFY(is("/l/hearth/0.1.0/x/../share/hearth/starter-model/new.gguf"));
    QVERIFY(is("/program/starter-model/new.gguf"));
    QVERIFY(!is("/program/starter-model/mine.gguf"));
    QVERIFY(!is("/models/new.gguf"));
    QVERIFY(!is("/l/hearth/0.1.0/share/hearth/starter-model/MODEL_CARD.md"));
    QVERIFY(!is("/l/hearth/0.1.0/share/hearth/starter-model"));
    QVERIFY(!is(""));
    QVERIFY(!isAStarter({}, {}));
    QVERIFY(!isAStarter(starter, {}));
}

QTEST_GUILESS_MAIN(AppPathsTest)
#include "app_paths_test.moc"
