#include "settings/app_settings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/settings/text_file.h"
#include "settings/setting_table.h"

using namespace hearth::ui;
using test::readText;
using test::writeText;

class AppSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void hasDefaults();
    void remembers();
    void keepsTheStarterWithoutItsPlace();
    void readsSampling();
    void resetsOldNames();
    void keepsBlanks();
    void ignoresNonsense();
    void losesNothing();
    void readsWhatPeopleWrite();
    void presetsAndValues();
    void modelsHaveTheirOwn();
    void makesLoadOptions();
    void makesGenerationSettings();
    void holdsForNow();
    void endsWhatHeldForNow();
    void leavesAloneWhatIsNoFile_data();
    void leavesAloneWhatIsNoFile();
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

// Each version brings a starter in a folder of its own.
void AppSettingsTest::keepsTheStarterWithoutItsPlace() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const auto starter = [](const char* version) {
        return QStringLiteral("/l/hearth/%1/share/hearth/starter-model/s.gguf")
            .arg(QLatin1String(version));
    };
    writeText(name,
              "[model]\npath=/l/hearth/0.1.0/share/hearth/starter-model/s.gguf\n"
              "[for-1]\npath=/l/hearth/0.1.0/share/hearth/starter-model/s.gguf\n"
              "engine\\threads=3\n");  // as earlier versions had it
    {
        AppSettings settings(name, starter("0.2.0"));
        QCOMPARE(settings.lastModelPath(), starter("0.2.0"));
        QCOMPARE(settings.loadOptions(starter("0.2.0")).threads, 3);
        settings.setLastModelPath(QStringLiteral("/m/other.gguf"));
        QCOMPARE(settings.lastModelPath(), QStringLiteral("/m/other.gguf"));
        settings.setLastModelPath(starter("0.2.0"));
    }
    QVERIFY2(!readText(name).contains("0.2.0"), readText(name).constData());
    const AppSettings settings(name, starter("0.3.0"));
    QCOMPARE(settings.lastModelPath(), starter("0.3.0"));
    QCOMPARE(settings.loadOptions(starter("0.3.0")).threads, 3);
}

void AppSettingsTest::readsSampling() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    writeText(name,
              "[sampling]\ntemperature=1.5\ntop_k=7\ntop_p=0.5\nmin_p=0.25\nseed=12345678901\n"
              "[engine]\nthreads=3\ncontext=512\n");  // as earlier versions had it
    const AppSettings settings(name);
    const GenerationSettings values = settings.generation();
    QCOMPARE(values.temperature, 1.5);
    QCOMPARE(values.topK, 7);
    QCOMPARE(values.topP, 0.5);
    QCOMPARE(values.minP, 0.25);
    QCOMPARE(values.seed, 12'345'678'901U);
    QCOMPARE(settings.loadOptions({}).threads, 3);
    QCOMPARE(settings.loadOptions({}).contextTokens, 512);
}

// A file of an earlier version has values under the names of then: reset means these too, of the
// program and of a model, and a second reset finds nothing.
void AppSettingsTest::resetsOldNames() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const QString model = QStringLiteral("/m/a.gguf");
    writeText(name,
              "[sampling]\ntemperature=1.5\ntop_k=7\n[engine]\ncontext=512\n"
              "[for-1]\npath=/m/a.gguf\nengine\\context=1024\nengine\\threads=3\n");
    {
        AppSettings settings(name);
        QSignalSpy changed(&settings, &AppSettings::changed);
        QCOMPARE(settings.generation().temperature, 1.5);
        settings.reset("sampling/temp");
        QCOMPARE(settings.generation().temperature, 0.8);
        QVERIFY(!settings.isSet("sampling/temp"));
        QCOMPARE(settings.generation().topK, 7);  // the other one stays
        QCOMPARE(changed.size(), 1);
        settings.reset("sampling/temp");
        QCOMPARE(changed.size(), 1);
        settings.reset("engine/ctx", model);
        QCOMPARE(settings.loadOptions(model).contextTokens, 512);  // the program's
        QCOMPARE(settings.loadOptions(model).threads, 3);
        settings.reset("engine/ctx");
        QCOMPARE(settings.loadOptions(model).contextTokens, 0);
        QCOMPARE(changed.size(), 3);
        // Set again, and reset again.
        QCOMPARE(settings.set("sampling/temp", QStringLiteral("1.1")), QString());
        settings.reset("sampling/temp");
        QVERIFY(!settings.isSet("sampling/temp"));
    }
    const AppSettings settings(name);
    QVERIFY(!settings.isSet("sampling/temp"));
    QVERIFY(!settings.isSet("engine/ctx") && !settings.isSet("engine/ctx", model));
    QCOMPARE(settings.generation().topK, 7);
    QVERIFY2(!readText(name).contains("temperature"), readText(name).constData());
}

// Instructions are what somebody typed, to the last blank.
void AppSettingsTest::keepsBlanks() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const QString model = QStringLiteral("/m/a.gguf");
    {
        AppSettings settings(name);
        QCOMPARE(settings.set("chat/system", QStringLiteral("Answer: ")), QString());
        QCOMPARE(settings.set("chat/system", QStringLiteral(" Briefly. \n "), model), QString());
    }
    const AppSettings settings(name);
    QCOMPARE(settings.text("chat/system"), QStringLiteral("Answer: "));
    QCOMPARE(settings.text("chat/system", model), QStringLiteral(" Briefly. \n "));
}

void AppSettingsTest::ignoresNonsense() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const QByteArray text =
        "[window]\ntheme=purple\n[sampling]\ntemperature=hot\ntop_k=-5\ntop_p=7\nmin_p=nan\n"
        "[engine]\nthreads=99999999\ncontext=-1\nram=-2G\nmode=warp\n";
    writeText(name, text);
    const AppSettings settings(name);
    QCOMPARE(settings.themeMode(), QStringLiteral("system"));
    const GenerationSettings values = settings.generation();
    QCOMPARE(values.temperature, 0.8);
    QCOMPARE(values.topK, 40);
    QCOMPARE(values.topP, 0.95);
    QCOMPARE(values.minP, 0.05);
    QCOMPARE(settings.loadOptions({}), LoadOptions());
    // Each of them is named, and stays in the file until it is changed.
    for (const char* key :
         {"window/theme", "sampling/temperature", "sampling/top_k", "sampling/top_p",
          "sampling/min_p", "engine/threads", "engine/context", "engine/ram", "engine/mode"}) {
        QCOMPARE(settings.problems().filter(QLatin1String(key)).size(), 1);
    }
    QCOMPARE(settings.problems().size(), 9);
    QVERIFY(settings.problemText().contains(QLatin1String("There are 5 more.")));
    QCOMPARE(readText(name), text);
}

void AppSettingsTest::losesNothing() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    writeText(name, "; mine\n[future]\nwarp=9 ; not yet\n[engine]\nram=much\nthreads=3\n");
    {
        AppSettings settings(name);
        QVERIFY(settings.set("engine/threads", QStringLiteral("2")).isEmpty());
        QVERIFY(settings.set("engine/vram", QStringLiteral("much"))
                    .contains(QString::fromUtf8("“much” is not auto or ")));
        QVERIFY(settings.problems().size() == 1);
    }
    const QByteArray text = readText(name);
    QVERIFY(text.startsWith("; mine\n[future]\nwarp=9 ; not yet\n"));
    QVERIFY(text.contains("ram=much"));
    QVERIFY(text.contains("threads=2"));
    QVERIFY(!text.contains("vram"));

    // What is no INI at all is kept beside it.
    const QString odd = folder.filePath(QStringLiteral("odd.ini"));
    const QByteArray bytes =
        QByteArray("this is\nno settings file\n\0\xff[engine\nthreads=4\n", 46);
    writeText(odd, bytes);
    AppSettings settings(odd);
    QCOMPARE(settings.problems().size(), 1);
    const QStringList copies =
        QDir(folder.path()).entryList({QStringLiteral("odd.ini.broken-*")}, QDir::Files);
    QCOMPARE(copies.size(), 1);
    QCOMPARE(readText(folder.filePath(copies.first())), bytes);
    QVERIFY(settings.set("engine/threads", QStringLiteral("2")).isEmpty());
    QCOMPARE(settings.loadOptions({}).threads, 2);
}

// Without quotes a comma makes a list of a text.
void AppSettingsTest::readsWhatPeopleWrite() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    writeText(name, "[chat]\nsystem=Be brief, please\n[window]\nlist=off\n[engine]\nram=3.5g\n");
    AppSettings settings(name);
    QCOMPARE(settings.systemPrompt(), QStringLiteral("Be brief, please"));
    QVERIFY(!settings.listShown());
    QCOMPARE(settings.loadOptions({}).ramBytes, std::optional<quint64>(quint64{7} << 29));
    QVERIFY(settings.set("chat/system", QString::fromUtf8("Zwei\nZeilen; “mit” = allem, [x]"))
                .isEmpty());
    QVERIFY(settings.set("folders/models", QStringLiteral("/a, b\n/c")).isEmpty());
    settings.flush();
    const AppSettings again(name);
    QCOMPARE(again.systemPrompt(), settings.systemPrompt());
    QCOMPARE(again.text("folders/models"), QStringLiteral("/a, b\n/c"));
}

void AppSettingsTest::presetsAndValues() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("s.ini")));
    QVERIFY(settings.set("sampling/preset", QStringLiteral("precise")).isEmpty());
    QCOMPARE(settings.generation().temperature, 0.2);
    QVERIFY(settings.set("sampling/temp", QStringLiteral("1.5")).isEmpty());
    QCOMPARE(settings.generation().temperature, 0.2);  // the preset's
    QVERIFY(settings.set("sampling/preset", QStringLiteral("own")).isEmpty());
    QCOMPARE(settings.generation().temperature, 1.5);
    QCOMPARE(settings.generation().maxTokens, -1);
    QVERIFY(settings.set("sampling/max-tokens", QStringLiteral("64")).isEmpty());
    QVERIFY(settings.set("sampling/repeat-penalty", QStringLiteral("1.1")).isEmpty());
    QCOMPARE(settings.generation().maxTokens, 64);
    QCOMPARE(settings.generation().repeatPenalty, 1.1);
    // A model's own style counts beside values of an earlier version, and for it alone.
    const QString name = folder.filePath(QStringLiteral("old.ini"));
    const QString model = QStringLiteral("/m/a.gguf");
    writeText(name, "[sampling]\ntop_k=7\n");
    AppSettings old(name);
    QCOMPARE(old.preset(model), QStringLiteral("own"));
    QVERIFY(old.set("sampling/preset", QStringLiteral("creative"), model).isEmpty());
    QCOMPARE(old.preset(model), QStringLiteral("creative"));
    QCOMPARE(old.generation(model).temperature, 1.2);
    QCOMPARE(old.generation(model).topK, 100);
    QCOMPARE(old.generation(model).topP, 0.98);
    QCOMPARE(old.generation(model).minP, 0.05);
    QCOMPARE(old.preset(), QStringLiteral("own"));
    QCOMPARE(old.generation().topK, 7);
}

void AppSettingsTest::modelsHaveTheirOwn() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const QString one = QString::fromUtf8("/mödels/a, b.gguf");
    const QString other = QStringLiteral("/models/c.gguf");
    {
        AppSettings settings(name);
        QSignalSpy changed(&settings, &AppSettings::changed);
        settings.set("engine/threads", QStringLiteral("3"));
        settings.set("engine/threads", QStringLiteral("2"), one);
        settings.set("engine/activation", QStringLiteral("reglu"), other);
        QCOMPARE(changed.size(), 3);
        QCOMPARE(changed.at(1).at(1).toString(), one);
    }
    AppSettings settings(name);
    QCOMPARE(settings.problems(), QStringList());
    QCOMPARE(settings.loadOptions(one).threads, 2);
    QCOMPARE(settings.loadOptions(other).threads, 3);
    QCOMPARE(settings.loadOptions(other).activation, QStringLiteral("reglu"));
    QVERIFY(settings.isSet("engine/threads", one) && !settings.isSet("engine/threads", other));
    QCOMPARE(settings.loadOptions(QStringLiteral("/mödels/../mödels/./a, b.gguf")).threads, 2);
    settings.reset("engine/threads", one);
    QCOMPARE(settings.loadOptions(one).threads, 3);
    QCOMPARE(settings.loadOptions(other).activation, QStringLiteral("reglu"));
}

void AppSettingsTest::makesLoadOptions() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("s.ini")));
    const QString model = QStringLiteral("/m/a.gguf");
    LoadOptions wanted;
    wanted.path = model;
    QCOMPARE(settings.loadOptions(model), wanted);
    const auto set = [&](const char* key, const char* text) {
        QCOMPARE(settings.set(key, QString::fromLatin1(text), model), QString());
    };
    set("engine/threads", "3");
    set("engine/ctx", "512");
    set("engine/gpu", "none");
    set("engine/ram", "2200M");
    set("engine/vram", "0");
    set("engine/mode", "predicted");
    set("engine/activation", "reglu");
    set("engine/predictor-input", "normed");
    set("engine/predictors", "/m/p.gguf");
    set("engine/thresholds", "/m/t.gguf");
    set("engine/memory-pressure", "off");
    set("engine/keep-profile", "no");
    set("engine/keep-pasts", "off");
    wanted.threads = 3;
    wanted.contextTokens = 512;
    wanted.gpu = QStringLiteral("none");
    wanted.ramBytes = quint64{2200} << 20;
    wanted.vramBytes = 0;
    wanted.mode = QStringLiteral("predicted");
    wanted.activation = QStringLiteral("reglu");
    wanted.predictorInput = QStringLiteral("normed");
    wanted.predictorsPath = QStringLiteral("/m/p.gguf");
    wanted.thresholdsPath = QStringLiteral("/m/t.gguf");
    wanted.heedsMemoryPressure = false;
    wanted.keepsProfile = false;
    wanted.keepsPasts = false;
    QCOMPARE(settings.loadOptions(model), wanted);

    // Back into texts: what the engine refuses returns to what runs.
    for (const QString& path : {model, QStringLiteral("/m/other.gguf")}) {
        const auto texts = AppSettings::textsOf(settings.loadOptions(path));
        int seen = 0;
        for (const SettingSpec& spec : settingTable()) {
            const QString key = QString::fromLatin1(spec.key);
            if (key.startsWith(QLatin1String("engine/"))) {
                QVERIFY2(texts.contains(key), spec.key);
                QCOMPARE(texts[key], settings.text(spec.key, path));
                ++seen;
            }
        }
        QCOMPARE(seen, texts.size());
    }
}

// Each of them, for one model.
void AppSettingsTest::makesGenerationSettings() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("s.ini")));
    const QString model = QStringLiteral("/m/a.gguf");
    const GenerationSettings before = settings.generation(model);
    for (const auto& [key, text] : {std::pair{"sampling/preset", "own"},
                                    {"sampling/temp", "1.5"},
                                    {"sampling/top-k", "7"},
                                    {"sampling/top-p", "0.5"},
                                    {"sampling/min-p", "0.25"},
                                    {"sampling/typical-p", "0.75"},
                                    {"sampling/xtc-probability", "0.5"},
                                    {"sampling/xtc-threshold", "0.125"},
                                    {"sampling/repeat-penalty", "1.25"},
                                    {"sampling/presence-penalty", "-0.5"},
                                    {"sampling/frequency-penalty", "1.5"},
                                    {"sampling/repeat-last-n", "300"},
                                    {"sampling/dry-multiplier", "0.75"},
                                    {"sampling/dry-base", "1.5"},
                                    {"sampling/dry-allowed-length", "3"},
                                    {"sampling/seed", "12345678901"},
                                    {"sampling/max-tokens", "64"}}) {
        QCOMPARE(settings.set(key, QString::fromLatin1(text), model), QString());
    }
    const GenerationSettings values = settings.generation(model);
    QCOMPARE(values.temperature, 1.5);
    QCOMPARE(values.topK, 7);
    QCOMPARE(values.topP, 0.5);
    QCOMPARE(values.minP, 0.25);
    QCOMPARE(values.typicalP, 0.75);
    QCOMPARE(values.xtcProbability, 0.5);
    QCOMPARE(values.xtcThreshold, 0.125);
    QCOMPARE(values.repeatPenalty, 1.25);
    QCOMPARE(values.presencePenalty, -0.5);
    QCOMPARE(values.frequencyPenalty, 1.5);
    QCOMPARE(values.repeatLastN, 300);
    QCOMPARE(values.dryMultiplier, 0.75);
    QCOMPARE(values.dryBase, 1.5);
    QCOMPARE(values.dryAllowedLength, 3);
    QCOMPARE(values.seed, 12'345'678'901U);
    QCOMPARE(values.maxTokens, 64);
    const GenerationSettings others = settings.generation(QStringLiteral("/m/other.gguf"));
    QCOMPARE(others.temperature, before.temperature);
    QCOMPARE(others.topK, before.topK);
    QCOMPARE(others.seed, before.seed);
    QCOMPARE(others.maxTokens, -1);
}

void AppSettingsTest::holdsForNow() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    {
        AppSettings settings(name);
        settings.set("engine/threads", QStringLiteral("3"));
        QCOMPARE(settings.setForNow(QStringLiteral("engine/threads=2")), QString());
        QCOMPARE(settings.setForNow(QStringLiteral("chat/system=a=b")), QString());
        QCOMPARE(settings.loadOptions({}).threads, 2);
        QCOMPARE(settings.systemPrompt(), QStringLiteral("a=b"));
        for (const char* bad :
             {"engine/threads", "engine/threads=many", "engine/warp=9", "window/x=3", "=", ""}) {
            QVERIFY2(!settings.setForNow(QString::fromLatin1(bad)).isEmpty(), bad);
        }
        settings.set("chat/system", QStringLiteral("kept"));  // a choice of the window's
    }
    const AppSettings settings(name);
    QCOMPARE(settings.loadOptions({}).threads, 3);
    QCOMPARE(settings.systemPrompt(), QStringLiteral("kept"));
}

// A choice of the window's ends it, also one that the file has already; and so does a reset.
void AppSettingsTest::endsWhatHeldForNow() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("s.ini")));
    const QString model = QStringLiteral("/m/a.gguf");
    QCOMPARE(settings.set("engine/threads", QStringLiteral("3")), QString());
    QSignalSpy changed(&settings, &AppSettings::changed);
    for (const bool resets : {false, true}) {
        changed.clear();
        QCOMPARE(settings.setForNow(QStringLiteral("engine/threads=2")), QString());
        QCOMPARE(changed.size(), 1);
        QCOMPARE(settings.loadOptions(model).threads, 2);
        if (resets) {
            settings.reset("engine/threads");
        } else {
            QCOMPARE(settings.set("engine/threads", QStringLiteral("3")), QString());
        }
        QCOMPARE(changed.size(), 2);
        QCOMPARE(settings.loadOptions(model).threads, resets ? 0 : 3);
    }
    // The same where nothing is kept.
    QVERIFY(!settings.isSet("engine/ctx"));
    QCOMPARE(settings.setForNow(QStringLiteral("engine/ctx=512")), QString());
    QVERIFY(settings.isSet("engine/ctx"));
    settings.reset("engine/ctx");
    QVERIFY(!settings.isSet("engine/ctx"));
    QCOMPARE(settings.loadOptions(model).contextTokens, 0);
}

void AppSettingsTest::leavesAloneWhatIsNoFile_data() {
    QTest::addColumn<QString>("kind");
    QTest::newRow("folder") << "folder";
    QTest::newRow("huge") << "huge";
    QTest::newRow("device") << "device";
}

void AppSettingsTest::leavesAloneWhatIsNoFile() {
    QFETCH(const QString, kind);
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    if (kind == QLatin1String("folder")) {
        QVERIFY(QDir().mkpath(name));
    } else if (kind == QLatin1String("device")) {
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), name));
    } else {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(50'000'000));
    }
    {
        AppSettings settings(name);
        QCOMPARE(settings.problems().size(), 1);
        QVERIFY(settings.set("engine/threads", QStringLiteral("2")).isEmpty());
        QCOMPARE(settings.loadOptions({}).threads, 2);
    }
    const QFileInfo after(name);
    QCOMPARE(after.isDir(), kind == QLatin1String("folder"));
    if (kind == QLatin1String("huge")) {
        QCOMPARE(after.size(), 50'000'000);
    }
    if (kind == QLatin1String("folder")) {
        QVERIFY(QDir(name).isEmpty());
    }
}

void AppSettingsTest::worksWithoutAFile() {
    AppSettings settings(QStringLiteral("/proc/nowhere/s.ini"));
    settings.setThemeMode(QStringLiteral("dark"));
    QCOMPARE(settings.themeMode(), QStringLiteral("dark"));
}

QTEST_GUILESS_MAIN(AppSettingsTest)
#include "app_settings_test.moc"
