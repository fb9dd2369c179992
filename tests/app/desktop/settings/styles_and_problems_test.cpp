// The named styles, value by value, and the sentences about a settings file.
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/settings/text_file.h"
#include "settings/app_settings.h"
#include "settings/first_model.h"
#include "settings/setting_list_model.h"

using namespace hearth::ui;
using test::writeText;

class StylesAndProblemsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void eachStyleHasItsValues();
    void anyValueOfAnEarlierVersionIsAnOwnStyle_data();
    void anyValueOfAnEarlierVersionIsAnOwnStyle();
    void aProblemGoesWithTheNextGoodValue();
    void saysHowManyProblems_data();
    void saysHowManyProblems();
    void saysWhyNothingIsKept();
    void saysWhatHoldsNotForNow();
    void saysWhichModelAnswersInstead();

private:
    QString ini() const { return folder_->filePath(QStringLiteral("s.ini")); }
    std::unique_ptr<QTemporaryDir> folder_;
};

void StylesAndProblemsTest::eachStyleHasItsValues() {
    AppSettings settings(ini());
    SettingListModel rows(settings);
    rows.setSection(QStringLiteral("answers"));
    const auto shown = [&](const char* key) {
        return rows.index(rows.indexOf(QString::fromLatin1(key)))
            .data(SettingListModel::ValueRole)
            .toString();
    };
    for (const auto& [style, temperature, topK, topP, minP] :
         {std::tuple{"precise", 0.2, 40, 0.9, 0.1},
          {"creative", 1.2, 100, 0.98, 0.05},
          {"balanced", 0.8, 40, 0.95, 0.05}}) {
        QCOMPARE(settings.set("sampling/preset", QString::fromLatin1(style)), QString());
        const GenerationSettings values = settings.generation();
        QCOMPARE(values.temperature, temperature);
        QCOMPARE(values.topK, topK);
        QCOMPARE(values.topP, topP);
        QCOMPARE(values.minP, minP);
        QCOMPARE(shown("sampling/preset"), QString::fromLatin1(style));
        QCOMPARE(shown("sampling/temp"), QString::number(temperature));
        QCOMPARE(shown("sampling/top-k"), QString::number(topK));
        QCOMPARE(shown("sampling/top-p"), QString::number(topP));
        QCOMPARE(shown("sampling/min-p"), QString::number(minP));
    }
}

void StylesAndProblemsTest::anyValueOfAnEarlierVersionIsAnOwnStyle_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("style");
    QTest::addRow("temperature") << QByteArray("temperature=1.5") << "own";
    QTest::addRow("top-k") << QByteArray("top_k=7") << "own";
    QTest::addRow("top-p") << QByteArray("top_p=0.5") << "own";
    QTest::addRow("min-p") << QByteArray("min_p=0.2") << "own";
    QTest::addRow("none of them") << QByteArray("seed=7") << "balanced";
    QTest::addRow("with a style") << QByteArray("min_p=0.2\npreset=creative") << "creative";
}

void StylesAndProblemsTest::anyValueOfAnEarlierVersionIsAnOwnStyle() {
    QFETCH(const QByteArray, line);
    QFETCH(const QString, style);
    writeText(ini(), "[sampling]\n" + line + '\n');
    AppSettings settings(ini());
    QCOMPARE(settings.problems(), QStringList());
    QCOMPARE(settings.preset(), style);
    QCOMPARE(settings.preset(QStringLiteral("/m/a.gguf")), style);
    SettingListModel rows(settings);
    rows.setSection(QStringLiteral("answers"));
    QCOMPARE(rows.textOf(QStringLiteral("sampling/preset")), style);
    const auto usable = rows.index(rows.indexOf(QStringLiteral("sampling/min-p")))
                            .data(SettingListModel::EnabledRole);
    QCOMPARE(usable.toBool(), style == QLatin1String("own"));
    // A model's own style stands beside values for all.
    const QString model = QStringLiteral("/m/b.gguf");
    QCOMPARE(settings.set("sampling/preset", QStringLiteral("precise"), model), QString());
    QCOMPARE(settings.preset(model), QStringLiteral("precise"));
    QCOMPARE(settings.preset(), style);
}

// Also where the value was in force before, and nothing else in the program changes by it.
void StylesAndProblemsTest::aProblemGoesWithTheNextGoodValue() {
    AppSettings settings(ini());
    SettingListModel rows(settings);
    rows.setSection(QStringLiteral("model"));
    const QString key = QStringLiteral("engine/threads");
    const auto problem = [&] {
        return rows.index(rows.indexOf(key)).data(SettingListModel::ProblemRole).toString();
    };
    QVERIFY(rows.set(key, QStringLiteral("4")));
    QVERIFY(!rows.set(key, QStringLiteral("0")));
    QVERIFY(!problem().isEmpty());
    QSignalSpy changed(&rows, &QAbstractItemModel::dataChanged);
    QVERIFY(rows.set(key, QStringLiteral("4")));
    QCOMPARE(problem(), QString());
    QCOMPARE(changed.size(), 1);
    rows.reset(key);
    QVERIFY(!rows.set(key, QStringLiteral("0")));
    changed.clear();
    rows.reset(key);  // nothing was kept
    QCOMPARE(problem(), QString());
    QCOMPARE(changed.size(), 1);
    QVERIFY(!rows.setNumber(key, qInf()));
    // No memory of a card is no size to be said twice.
    QVERIFY(rows.set(QStringLiteral("engine/vram"), QStringLiteral("0")));
    QCOMPARE(rows.index(rows.indexOf(QStringLiteral("engine/vram")))
                 .data(SettingListModel::RunsRole)
                 .toString(),
             QString());
    // The machine's facts come later and move a slider's end.
    changed.clear();
    rows.setFacts({.mostThreads = 12});
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toModelIndex().row(), rows.indexOf(key));
    QCOMPARE(changed.first().at(2).value<QList<int>>(), QList<int>{SettingListModel::MostRole});
}

void StylesAndProblemsTest::saysHowManyProblems_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("end");
    QTest::addRow("none") << 0 << "";
    QTest::addRow("one") << 1 << "engine/ctx: “x” is not auto or 16 to 16777216.";
    QTest::addRow("four") << 4 << "engine/threads: “x” is not auto or 1 to 1024.";
    QTest::addRow("five") << 5 << "There is one more.";
    QTest::addRow("six") << 6 << "There are 2 more.";
}

void StylesAndProblemsTest::saysHowManyProblems() {
    QFETCH(const int, count);
    QFETCH(const QString, end);
    QByteArray text = "[engine]\n";
    for (const char* key :
         QList<const char*>{"ctx", "mode", "ram", "threads", "vram", "memory-pressure"}.mid(
             0, count)) {
        text += key + QByteArray("=x\n");
    }
    writeText(ini(), text);
    const AppSettings settings(ini());
    QCOMPARE(settings.problems().size(), count);
    const QString said = settings.problemText();
    QCOMPARE(said.isEmpty(), count == 0);
    if (count > 0) {
        QVERIFY2(said.startsWith(QLatin1String("Some settings make no sense, so their defaults "
                                               "are used. engine/ctx: ")),
                 qPrintable(said));
        QVERIFY2(count == 6 || said.endsWith(end), qPrintable(said));
        QCOMPARE(said.contains(QLatin1String("more.")), count > 4);
        QVERIFY2(count < 5 || said.endsWith(end), qPrintable(said));
    }
}

void StylesAndProblemsTest::saysWhyNothingIsKept() {
    QVERIFY(QDir().mkpath(ini()));
    const AppSettings folder(ini());
    QCOMPARE(folder.problems(),
             QStringList(QStringLiteral("The settings in %1 are not read: it is no file, or it is "
                                        "too large. Changes are not kept now.")
                             .arg(QDir::toNativeSeparators(ini()))));
    const QString odd = folder_->filePath(QStringLiteral("odd.ini"));
    writeText(odd, "this is\nno settings file\n");
    const AppSettings broken(odd);
    QCOMPARE(broken.problems().size(), 1);
    QVERIFY2(broken.problems().first().startsWith(
                 QStringLiteral("Parts of the settings in %1 cannot be read. A copy of the file as "
                                "it was is kept as %1.broken-")
                     .arg(QDir::toNativeSeparators(odd))),
             qPrintable(broken.problems().first()));
}

void StylesAndProblemsTest::saysWhatHoldsNotForNow() {
    AppSettings settings(ini());
    const QSignalSpy changed(&settings, &AppSettings::changed);
    for (const auto& [assignment, wrong] :
         {std::pair{"engine/threads", "“engine/threads” is not KEY=VALUE."},
          {"engine/warp=9", "There is no setting “engine/warp”."},
          {"window/x=3", "There is no setting “window/x”."},
          {" engine/threads = 0", "engine/threads: “0” is not auto or 1 to 1024."}}) {
        QCOMPARE(settings.setForNow(QString::fromUtf8(assignment)), QString::fromUtf8(wrong));
    }
    QCOMPARE(changed.size(), 0);
    // An earlier version's name means the setting of today.
    QCOMPARE(settings.setForNow(QStringLiteral("engine/context = 512")), QString());
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toString(), QStringLiteral("engine/ctx"));
    QCOMPARE(settings.loadOptions({}).contextTokens, 512);
    settings.flush();
    QVERIFY(!QFile::exists(ini()));  // nothing is kept of it
}

void StylesAndProblemsTest::saysWhichModelAnswersInstead() {
    const QString starter = QStringLiteral("/opt/2/share/hearth/starter-model/s.gguf");
    AppSettings settings(ini(), starter);
    settings.setLastModelPath(QStringLiteral("/gone/m.gguf"));
    const QString gone = QStringLiteral("The model that was used last is not there any more: %1. ")
                             .arg(QDir::toNativeSeparators(QStringLiteral("/gone/m.gguf")));
    QCOMPARE(firstModel({}, settings, starter).notice,
             gone + QStringLiteral("The one that came with Hearth answers instead."));
    QCOMPARE(firstModel({}, settings, {}).notice, gone + QStringLiteral("Open another one."));
    const AppSettings fresh(folder_->filePath(QStringLiteral("fresh.ini")));
    QCOMPARE(firstModel({}, fresh, {}).notice, QString());  // nothing was used, nothing is gone
}

QTEST_GUILESS_MAIN(StylesAndProblemsTest)
#include "styles_and_problems_test.moc"
