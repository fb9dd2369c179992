#include "settings/language.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QtTest>

#include "bridge/engine_status.h"
#include "markdown/long_text.h"
#include "settings/app_settings.h"
#include "settings/setting_table.h"
#include "system/size_words.h"

using namespace hearth::ui;

class LanguageTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { qunsetenv("HEARTH_LANGUAGE"); }

    void choosesFromTheSystem_data() {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QStringList>("wanted");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const char* setting, const QStringList& wanted,
                            const char* code) {
            QTest::newRow(name) << QString::fromLatin1(setting) << wanted
                                << QString::fromLatin1(code);
        };
        row("the setting decides", "de", {"zh-CN"}, "de");
        row("Austria", "system", {"de-AT", "de"}, "de");
        row("the first that is there", "system", {"fr-FR", "zh-Hans-CN", "de"}, "zh_CN");
        row("China, in short", "system", {"zh-CN"}, "zh_CN");
        row("English before German", "system", {"en-GB", "de"}, "en");
        row("Traditional Chinese is another", "system", {"zh-Hant-TW", "zh-TW"}, "en");
        row("none that is there", "system", {"fr-FR", "ar"}, "en");
        row("no language", "system", {"C"}, "en");
        row("nothing", "system", {}, "en");
        row("of a later version", "tlh", {"de"}, "de");
        row("for developers", "pseudo", {"de"}, "pseudo");
    }
    void choosesFromTheSystem() {
        QFETCH(QString, setting);
        QFETCH(QStringList, wanted);
        QFETCH(QString, code);
        QCOMPARE(Language::chosen(setting, wanted), code);
    }

    void writesNumbersAsTheLanguageDoes() {
        const QLocale austria(QLocale::German, QLocale::Austria);
        QCOMPARE(Language::localeFor(QStringLiteral("de"), austria), austria);
        QCOMPARE(Language::localeFor(QStringLiteral("en"), QLocale::c()), QLocale::c());
        QCOMPARE(Language::localeFor(QStringLiteral("en"), austria).language(), QLocale::English);
        QCOMPARE(Language::localeFor(QStringLiteral("de"), QLocale::c()).language(),
                 QLocale::German);
        const QLocale taiwan(QLocale::Chinese, QLocale::TraditionalHanScript, QLocale::Taiwan);
        QCOMPARE(Language::localeFor(QStringLiteral("zh_CN"), taiwan).script(),
                 QLocale::SimplifiedHanScript);
    }

    // English, German, Chinese and back, in one program.
    void followsTheSetting() {
        const QLocale before;
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        QCOMPARE(settings.set("window/language", QStringLiteral("en")), QString());
        {
            Language language(settings);
            QSignalSpy changed(&language, &Language::changed);
            QCOMPARE(sectionTitle(QStringLiteral("appearance")), QStringLiteral("Appearance"));
            QCOMPARE(settings.set("window/language", QStringLiteral("de")), QString());
            QCOMPARE(changed.size(), 1);
            QCOMPARE(language.code(), QStringLiteral("de"));
            QCOMPARE(sectionTitle(QStringLiteral("appearance")),
                     QStringLiteral("Erscheinungsbild"));
            QCOMPARE(sizeWords(1'500'000'000, 1), QStringLiteral("1,5 GB"));
            QCOMPARE(settings.set("window/language", QStringLiteral("zh_CN")), QString());
            QCOMPARE(sectionTitle(QStringLiteral("appearance")), QStringLiteral("外观"));
            QCOMPARE(sizeWords(1'500'000'000, 1), QStringLiteral("1.5 GB"));
            QVERIFY(!settings.set("window/language", QStringLiteral("xx")).isEmpty());
            QCOMPARE(language.code(), QStringLiteral("zh_CN"));
            QCOMPARE(settings.set("window/zoom", QStringLiteral("1.5")), QString());
            QCOMPARE(settings.set("window/language", QStringLiteral("en")), QString());
            QCOMPARE(sectionTitle(QStringLiteral("appearance")), QStringLiteral("Appearance"));
            QCOMPARE(changed.size(), 3);
            QCOMPARE(settings.set("window/language", QStringLiteral("de")), QString());
        }
        // Its end takes the words with it.
        QCOMPARE(sectionTitle(QStringLiteral("appearance")), QStringLiteral("Appearance"));
        QCOMPARE(QLocale(), before);
        settings.flush();
        AppSettings again(folder.filePath(QStringLiteral("hearth.ini")));  // the next start
        const Language next(again);
        QCOMPARE(next.code(), QStringLiteral("de"));
    }

    void countsInEachLanguage() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        settings.set("window/language", QStringLiteral("en"));
        Language language(settings);
        const QString one = QStringLiteral("abc");
        const QString two = QStringLiteral("abc\nd");
        QCOMPARE(describeSize(one), QStringLiteral("3 characters in one line"));
        QCOMPARE(describeSize(two), QStringLiteral("5 characters, 2 lines"));
        settings.set("window/language", QStringLiteral("de"));
        QCOMPARE(describeSize(one), QStringLiteral("3 Zeichen in einer Zeile"));
        QCOMPARE(describeSize(two), QStringLiteral("5 Zeichen, 2 Zeilen"));
        settings.set("window/language", QStringLiteral("zh_CN"));
        QCOMPARE(describeSize(one), QStringLiteral("3 个字符，1 行"));
        QCOMPARE(describeSize(two), QStringLiteral("5 个字符，2 行"));
    }

    void theEnvironmentGoesFirst() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        settings.set("window/language", QStringLiteral("de"));
        qputenv("HEARTH_LANGUAGE", "pseudo");
        Language language(settings);
        QCOMPARE(language.code(), QStringLiteral("pseudo"));
        QVERIFY(sectionTitle(QStringLiteral("answers")).startsWith(QChar(u'⟦')));
        QVERIFY(describeSize(QStringLiteral("a")).contains(QStringLiteral("ļîñé~")));
        qputenv("HEARTH_LANGUAGE", "pseudo-rtl");
        const Language mirrored(settings);
        QCOMPARE(QCoreApplication::translate("QGuiApplication", "QT_LAYOUT_DIRECTION"),
                 QStringLiteral("RTL"));
    }

    // Numbers that were kept are worded when they are asked for; and faults of the settings are in
    // the language that they name.
    void keptWordsFollow() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("hearth.ini")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[engine]\nthreads=many\n[window]\nlanguage=de\n");
        file.close();
        AppSettings settings(file.fileName());
        QVERIFY(settings.problemText().contains(QStringLiteral("“many” is not auto or 1 to")));
        EngineStatus status;
        ModelSummary model;
        model.contextTokens = 1024;
        model.threads = 1;
        status.setReady(model);
        QCOMPARE(status.detail(), QStringLiteral("context 1024 · 1 thread"));
        const Language language(settings);
        QCOMPARE(status.detail(), QStringLiteral("Kontext 1024 · 1 Thread"));
        QVERIFY2(
            settings.problemText().contains(QStringLiteral("“many” ist nicht auto oder 1 bis")),
            qPrintable(settings.problemText()));
    }
};

QTEST_GUILESS_MAIN(LanguageTest)
#include "language_test.moc"
