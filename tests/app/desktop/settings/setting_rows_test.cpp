// The rows of the settings page in their order, their words, and the sentences on what may not be
// set.
#include <QSet>
#include <QtTest>

#include "settings/setting_table.h"

using namespace hearth::ui;

class SettingRowsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void eachRow_data();
    void eachRow();
    void slidersStayWithinWhatMayBe();
    void titlesAndWords();
    void saysWhatMayNotBe_data();
    void saysWhatMayNotBe();
};

// In the order of the page.
void SettingRowsTest::eachRow_data() {
    using C = SettingControl;
    QTest::addColumn<QString>("section");
    QTest::addColumn<int>("control");
    QTest::addColumn<QString>("label");
    QTest::addColumn<QList<double>>("range");  // of the slider: least, most, step
    QTest::addColumn<QString>("says");         // words of the row's own explanation
    const auto row = [](const char* key, const char* section, C control, const char* label,
                        const char* says, QList<double> range = {0, 0, 0}) {
        QTest::newRow(key) << QString::fromLatin1(section) << static_cast<int>(control)
                           << QString::fromLatin1(label) << range << QString::fromUtf8(says);
    };
    constexpr double kStep = 67'108'864;  // 64 MiB
    row("engine/gpu", "model", C::Choice, "Graphics card", "Which card computes");
    row("engine/vram", "model", C::Amount, "Memory of the graphics card", "take of the card",
        {0, 0, kStep});
    row("engine/ram", "model", C::Amount, "Memory", "most memory that the model may hold",
        {kStep, 0, kStep});
    row("engine/threads", "model", C::Amount, "Processor threads", "Threads that compute at once",
        {1, 0, 1});
    row("engine/ctx", "model", C::Amount, "Context", "a conversation the model sees",
        {256, 32768, 256});
    row("engine/kv", "model", C::Choice, "Memory of a conversation", "a longer context");
    row("engine/mode", "model", C::Choice, "What is computed", "Dense leaves out nothing");
    row("engine/memory-pressure", "model", C::Switch, "Give way to other programs",
        "Gives memory back");
    row("engine/keep-profile", "model", C::Switch, "Learn from use", "Counts only");
    row("engine/keep-pasts", "model", C::Switch, "Remember chats", "Off deletes all");
    row("engine/activation", "model", C::Choice, "Activation of this model", "model's neurons");
    row("engine/predictors", "model", C::File, "Predictors of this model", "mode “predicted”");
    row("engine/predictor-input", "model", C::Choice, "Input of its predictors",
        "For files with predictors");
    row("engine/thresholds", "model", C::File, "Thresholds of this model", "mode “approximate”");
    row("sampling/preset", "answers", C::Choice, "Style", "Precise keeps to the likeliest words");
    row("sampling/temp", "answers", C::Amount, "Temperature", "Higher is more varied",
        {0, 2, 0.05});
    row("sampling/top-k", "answers", C::Amount, "Likeliest words (top-k)", "0: among all",
        {0, 200, 1});
    row("sampling/top-p", "answers", C::Amount, "Share of likelihood (top-p)", "1: among all",
        {0.05, 1, 0.01});
    row("sampling/min-p", "answers", C::Amount, "Least likelihood (min-p)", "are left out. 0: none",
        {0, 0.5, 0.01});
    row("sampling/repeat-penalty", "answers", C::Amount, "Against repetition",
        "repeats itself less", {0.8, 1.5, 0.01});
    row("sampling/presence-penalty", "answers", C::Amount, "New words (presence penalty)",
        "not said yet", {-2, 2, 0.05});
    row("sampling/frequency-penalty", "answers", C::Amount, "Frequent words (frequency penalty)",
        "each time it is said", {-2, 2, 0.05});
    row("sampling/repeat-last-n", "answers", C::Amount, "Words looked back at",
        "three settings above", {0, 1024, 16});
    row("sampling/dry-multiplier", "answers", C::Amount, "Repeated passages (DRY)", "0: off",
        {0, 2, 0.05});
    row("sampling/dry-base", "answers", C::Amount, "Growth of DRY", "by this factor", {1, 4, 0.05});
    row("sampling/dry-allowed-length", "answers", C::Amount, "Repetition that DRY allows",
        "left alone", {1, 20, 1});
    row("sampling/typical-p", "answers", C::Amount, "Typical words (typical-p)", "1: among all",
        {0.05, 1, 0.01});
    row("sampling/xtc-probability", "answers", C::Amount, "Unlikely turns (XTC)", "0: never",
        {0, 1, 0.05});
    row("sampling/xtc-threshold", "answers", C::Amount, "Likely words that XTC leaves out",
        "least likely one is kept", {0, 0.5, 0.01});
    row("sampling/max-tokens", "answers", C::Amount, "Longest answer", "In tokens", {16, 4096, 16});
    row("sampling/seed", "answers", C::Text, "Seed", "0: a new one each time");
    row("chat/system", "answers", C::LongText, "Instructions", "reads them before a new chat");
    row("chat/reasoning", "answers", C::Choice, "Reasoning", "thinks before it answers");
    row("window/language", "appearance", C::Choice, "Language", "if the model knows it");
    row("window/theme", "appearance", C::Choice, "Colours", "light or dark");
    row("window/zoom", "appearance", C::Amount, "Size of the text", "1 is the usual one",
        {0.8, 2, 0.1});
    row("window/motion", "appearance", C::Choice, "Motion", "nothing moves");
    row("folders/models", "folders", C::Folders, "Folders with models", "searches these folders");
    row("folders/downloads", "folders", C::Folder, "Downloads", "downloaded models go");
    row("network/allowed", "network", C::Switch, "Allow requests", "Off: Hearth makes no request");
    row("network/mirror", "network", C::Text, "Mirror of the model hub", "instead of the hub");
    row("network/proxy", "network", C::Text, "Proxy", "socks5://host:1080");
    row("network/speed-limit", "network", C::Text, "Speed limit of downloads", "Bytes a second");
    row("api/on", "api", C::Switch, "Let other programs use the model", "Only this computer");
    row("api/port", "api", C::Text, "Port", "ends the connections");
}

void SettingRowsTest::eachRow() {
    QFETCH(const QString, section);
    QFETCH(const int, control);
    QFETCH(const QString, label);
    QFETCH(const QList<double>, range);
    QFETCH(const QString, says);
    static qsizetype place = 0;
    static QString before;  // a single row may be run alone
    const QString key = QString::fromLatin1(QTest::currentDataTag());
    const SettingSpec* found = findSetting(key);
    QVERIFY(found != nullptr && found->isOnPage());
    const SettingOnPage& page = found->page;
    QCOMPARE(QString::fromLatin1(page.section), section);
    QCOMPARE(static_cast<int>(page.control), control);
    QCOMPARE(page.labelText(), label);
    QCOMPARE(QList<double>({page.least, page.most, page.step}), range);
    QVERIFY2(page.saysText().contains(says), qPrintable(page.saysText()));
    if (!before.isEmpty()) {
        QVERIFY2(found - settingTable().data() == place + 1, qPrintable(before));
    }
    place = found - settingTable().data();
    before = key;
}

// A slider's end would be refused otherwise.
void SettingRowsTest::slidersStayWithinWhatMayBe() {
    int sliders = 0;
    for (const SettingSpec& spec : settingTable()) {
        const SettingOnPage& page = spec.page;
        if (page.control == SettingControl::Amount) {
            QVERIFY2(page.step > 0 && page.least >= spec.least && page.most <= spec.most, spec.key);
            ++sliders;
        }
    }
    QCOMPARE(sliders, 20);
}

void SettingRowsTest::titlesAndWords() {
    for (const auto& [section, title] : {std::pair{"model", "Model & machine"},
                                         {"answers", "Answers"},
                                         {"appearance", "Appearance"},
                                         {"folders", "Folders"},
                                         {"network", "Network"},
                                         {"about", "About"}}) {
        QCOMPARE(sectionTitle(QString::fromLatin1(section)), QString::fromLatin1(title));
    }
    for (const auto& [key, word, said] :
         {std::tuple{"engine/mode", "auto", "Automatic"},
          {"engine/mode", "exact", "Exact"},
          {"engine/mode", "predicted", "Predicted"},
          {"engine/mode", "dense", "Dense"},
          {"engine/mode", "approximate", "Approximate"},
          {"engine/mode", "of a later version", "of a later version"},
          {"engine/gpu", "auto", "Automatic"},
          {"engine/gpu", "none", "None"},
          {"engine/kv", "f16", "Full"},
          {"engine/kv", "q8_0", "Half"},
          {"engine/activation", "reglu", "reglu"},
          {"sampling/preset", "precise", "Precise"},
          {"sampling/preset", "balanced", "Balanced"},
          {"sampling/preset", "creative", "Creative"},
          {"sampling/preset", "own", "Own values"},
          {"chat/reasoning", "low", "Brief"},
          {"chat/reasoning", "high", "Thorough"},
          {"window/language", "system", "As the system"},
          {"window/language", "de", "Deutsch"},
          {"window/theme", "system", "As the system"},
          {"window/theme", "light", "Light"},
          {"window/theme", "dark", "Dark"}}) {
        QCOMPARE(wordText(QString::fromLatin1(key), QString::fromLatin1(word)),
                 QString::fromLatin1(said));
    }
    // Every word of a list has its own name in the window.
    for (const SettingSpec& spec : settingTable()) {
        QSet<QString> names;
        for (const QString& word : spec.wordList()) {
            names.insert(wordText(QString::fromLatin1(spec.key), word));
        }
        QCOMPARE(names.size(), spec.wordList().size());
    }
}

void SettingRowsTest::saysWhatMayNotBe_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wrong");
    const auto row = [](const char* name, const char* key, const QString& text, const char* wrong) {
        QTest::newRow(name) << QString::fromLatin1(key) << text << QString::fromUtf8(wrong);
    };
    const auto x = [](int count) { return QString(count, QLatin1Char('x')); };
    row("a number", "engine/threads", QStringLiteral("0"), "“0” is not auto or 1 to 1024");
    row("a size", "engine/ram", QStringLiteral("1M"), "“1M” is not auto or 16M to 1024T");
    row("a share", "sampling/top-p", QStringLiteral("2"), "“2” is not 0.01 to 1");
    row("a switch", "network/allowed", QStringLiteral("perhaps"), "“perhaps” is not true or false");
    row("a word of three", "window/theme", QStringLiteral("purple"),
        "“purple” is not system, light or dark");
    row("no whole path", "folders/models", QStringLiteral("models"),
        "“models” is no whole path, which begins at the root");
    row("two paths", "engine/predictors", QStringLiteral("/a\n/b"), "it is more than one path");
    QStringList many;
    for (int i = 0; i < 65; ++i) {
        many << QStringLiteral("/%1").arg(i);
    }
    row("many folders", "folders/models", many.join(QLatin1Char('\n')),
        "these are too many folders");
    const char* const secret =
        "a name or password would lie open in the settings file, so none may be in it";
    row("a password of the mirror", "network/mirror", QStringLiteral("https://u:p@m.example"),
        secret);
    row("a password of the proxy", "network/proxy", QStringLiteral("http://u:p@m.example:80"),
        secret);
    row("a mirror", "network/mirror", QStringLiteral("ftp://localhost"),
        "“ftp://localhost” is not an address that begins with https:// (with http:// only on this "
        "computer)");
    row("a proxy", "network/proxy", QStringLiteral("ftp://a:1"),
        "“ftp://a:1” is not system, none, http://HOST:PORT or socks5://HOST:PORT");
    row("no text", "chat/system", QStringLiteral("a") + QChar(u'\0'),
        "it holds characters that are no text");
    row("a long text", "chat/system", x(20'001),
        "it has 20001 characters, and at most 20000 may "
        "be");
    // A quotation is one line of at most sixty characters.
    row("quoted whole", "engine/threads", x(60),
        qPrintable(QStringLiteral("“%1” is not auto or 1 to 1024").arg(x(60))));
    row("quoted in part", "engine/threads", x(61),
        qPrintable(QStringLiteral("“%1…” is not auto or 1 to 1024").arg(x(60))));
    row("quoted on one line", "engine/threads", QStringLiteral(" a\n\tb "),
        "“a b” is not auto or 1 to 1024");
}

void SettingRowsTest::saysWhatMayNotBe() {
    QFETCH(const QString, key);
    QFETCH(const QString, text);
    QFETCH(const QString, wrong);
    const SettingSpec* spec = findSetting(key);
    QVERIFY(spec != nullptr);
    const CheckedSetting checked = checkSetting(*spec, text);
    QVERIFY(!checked.text.has_value());
    QCOMPARE(checked.wrong, wrong);
}

QTEST_GUILESS_MAIN(SettingRowsTest)
#include "setting_rows_test.moc"
