#include "app_settings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class AppSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void hasDefaults();
    void remembers();
    void readsSampling();
    void ignoresNonsense();
    void worksWithoutAFile();
};

void AppSettingsTest::hasDefaults() {
    const QTemporaryDir folder;
    const AppSettings settings(folder.filePath(QStringLiteral("s.ini")));
    QCOMPARE(settings.themeMode(), QStringLiteral("system"));
    QCOMPARE(settings.lastModelPath(), QString());
    const GenerationSettings values = settings.generation();
    QCOMPARE(values.temperature, 0.8);
    QCOMPARE(values.topK, 40);
    QCOMPARE(values.topP, 0.95);
    QCOMPARE(values.minP, 0.05);
    QCOMPARE(values.seed, 0U);
    QCOMPARE(values.maxTokens, -1);
}

void AppSettingsTest::remembers() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("sub/s.ini"));
    {
        AppSettings settings(file);
        settings.setLastModelPath(QString::fromUtf8("/mödels/a;b, c.gguf"));
        settings.setThemeMode(QStringLiteral("dark"));
    }
    const AppSettings settings(file);
    QCOMPARE(settings.lastModelPath(), QString::fromUtf8("/mödels/a;b, c.gguf"));
    QCOMPARE(settings.themeMode(), QStringLiteral("dark"));
    QVERIFY(QFile::exists(file));
}

void AppSettingsTest::readsSampling() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "[sampling]\ntemperature=1.5\ntop_k=7\ntop_p=0.5\nmin_p=0.25\nseed=12345678901\n"
        "[engine]\nthreads=3\ncontext=512\n");
    file.close();
    const AppSettings settings(name);
    const GenerationSettings values = settings.generation();
    QCOMPARE(values.temperature, 1.5);
    QCOMPARE(values.topK, 7);
    QCOMPARE(values.topP, 0.5);
    QCOMPARE(values.minP, 0.25);
    QCOMPARE(values.seed, 12'345'678'901U);
    QCOMPARE(settings.threads(), 3);
    QCOMPARE(settings.contextTokens(), 512);
}

void AppSettingsTest::ignoresNonsense() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "[window]\ntheme=purple\n[sampling]\ntemperature=hot\ntop_k=-5\ntop_p=7\nmin_p=nan\n"
        "[engine]\nthreads=99999999\ncontext=-1\n");
    file.close();
    const AppSettings settings(name);
    QCOMPARE(settings.themeMode(), QStringLiteral("system"));
    const GenerationSettings values = settings.generation();
    QCOMPARE(values.temperature, 0.8);
    QCOMPARE(values.topK, 40);
    QCOMPARE(values.topP, 0.95);
    QCOMPARE(values.minP, 0.05);
    QCOMPARE(settings.threads(), 0);
    QCOMPARE(settings.contextTokens(), 0);
}

void AppSettingsTest::worksWithoutAFile() {
    AppSettings settings(QStringLiteral("/proc/nowhere/s.ini"));
    settings.setThemeMode(QStringLiteral("dark"));
    QCOMPARE(settings.themeMode(), QStringLiteral("dark"));
}

QTEST_GUILESS_MAIN(AppSettingsTest)
#include "app_settings_test.moc"
