#include "library/model_places.h"

#include <QTemporaryDir>
#include <QtTest>

namespace hearth::ui {

class ModelPlacesTest : public QObject {
    Q_OBJECT

private slots:
    void everySystemHasEveryApplication_data() {
        QTest::addColumn<HostSystem>("system");
        QTest::newRow("Linux") << HostSystem::Linux;
        QTest::newRow("Windows") << HostSystem::Windows;
        QTest::newRow("macOS") << HostSystem::Mac;
    }
    void everySystemHasEveryApplication() {
        QFETCH(const HostSystem, system);
        QSet<QString> apps;
        for (const ModelPlace& place : modelPlaces(system, user())) {
            apps << place.app;
            QVERIFY2(place.path.startsWith(QLatin1Char('/')), qPrintable(place.path));
            QVERIFY2(!place.path.contains(QLatin1Char('{')), qPrintable(place.path));
        }
        QCOMPARE(apps, QSet<QString>({QStringLiteral("Ollama"), QStringLiteral("LM Studio"),
                                      QStringLiteral("Jan"), QStringLiteral("GPT4All"),
                                      QStringLiteral("Hugging Face")}));
    }

    void places_data() {
        QTest::addColumn<HostSystem>("system");
        QTest::addColumn<QString>("app");
        QTest::addColumn<QString>("path");
        const auto row = [](HostSystem system, const char* app, const char* path) {
            QTest::addRow("%s", path)
                << system << QString::fromLatin1(app) << QString::fromLatin1(path);
        };
        row(HostSystem::Linux, "Ollama", "/usr/share/ollama/.ollama/models");
        row(HostSystem::Linux, "GPT4All", "/u/data/nomic.ai/GPT4All");
        row(HostSystem::Linux, "Hugging Face", "/u/cache/huggingface/hub");
        row(HostSystem::Linux, "Hugging Face", "/u/hf/hub");
        row(HostSystem::Windows, "GPT4All", "/u/local/nomic.ai/GPT4All");
        row(HostSystem::Windows, "LM Studio", "/u/.lmstudio/models");
        row(HostSystem::Mac, "Jan", "/u/Library/Application Support/Jan/data/llamacpp/models");
        row(HostSystem::Mac, "Ollama", "/u/.ollama/models");
    }
    void places() {
        QFETCH(const HostSystem, system);
        QFETCH(const QString, app);
        QFETCH(const QString, path);
        const QList<ModelPlace> all = modelPlaces(system, user());
        QVERIFY(all.contains(ModelPlace{app, path}));
    }

    // A variable that is not set, or holds a relative folder, names no place.
    void variables() {
        const PlaceNames nothing = [](const QString&) { return QString(); };
        for (const ModelPlace& place : modelPlaces(HostSystem::Linux, nothing)) {
            QVERIFY2(place.path == QLatin1String("/usr/share/ollama/.ollama/models") ||
                         place.path == QLatin1String("/var/lib/ollama/models"),
                     qPrintable(place.path));
        }
        const PlaceNames relative = [](const QString& name) {
            return name == QLatin1String("OLLAMA_MODELS") ? QStringLiteral("models") : QString();
        };
        QCOMPARE(modelPlaces(HostSystem::Linux, relative).size(), 2);
    }

    void thisComputer() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("store")));
        qputenv("OLLAMA_MODELS", (folder.path() + QStringLiteral("/store")).toUtf8());
        qputenv("HF_HUB_CACHE", (folder.path() + QStringLiteral("/missing")).toUtf8());
        const QList<ModelPlace> here = modelPlacesHere();
        qunsetenv("OLLAMA_MODELS");
        qunsetenv("HF_HUB_CACHE");
        QVERIFY(here.contains(
            ModelPlace{QStringLiteral("Ollama"), folder.path() + QStringLiteral("/store")}));
        for (const ModelPlace& place : here) {
            QVERIFY2(QFileInfo(place.path).isDir(), qPrintable(place.path));
        }
    }

    void owners() {
        const QList<ModelPlace> places = {{QStringLiteral("Jan"), QStringLiteral("/u/jan")}};
        QCOMPARE(appThatOwns(QStringLiteral("/u/jan/a/b.gguf"), places), QStringLiteral("Jan"));
        QCOMPARE(appThatOwns(QStringLiteral("/u/jan"), places), QStringLiteral("Jan"));
        QCOMPARE(appThatOwns(QStringLiteral("/u/january/b.gguf"), places), QString());
        QCOMPARE(appThatOwns(QStringLiteral("/u/jan/../mine/b.gguf"), places), QString());
    }

private:
    static PlaceNames user() {
        return [](const QString& name) {
            static const QHash<QString, QString> kNames = {
                {QStringLiteral("home"), QStringLiteral("/u")},
                {QStringLiteral("config"), QStringLiteral("/u/config")},
                {QStringLiteral("data"), QStringLiteral("/u/data")},
                {QStringLiteral("cache"), QStringLiteral("/u/cache")},
                {QStringLiteral("APPDATA"), QStringLiteral("/u/roaming")},
                {QStringLiteral("LOCALAPPDATA"), QStringLiteral("/u/local")},
                {QStringLiteral("HF_HOME"), QStringLiteral("/u/hf")}};
            return kNames.value(name);
        };
    }
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelPlacesTest)
#include "model_places_test.moc"
