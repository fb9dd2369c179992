// The table of settings: what each may be, and that the manual says the same.
#include "settings/setting_table.h"

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

using namespace hearth::ui;

class SettingTableTest : public QObject {
    Q_OBJECT

private slots:
    void fallbacksMakeSense();
    void checks_data();
    void checks();
    void sizes_data();
    void sizes();
    void theManualSaysTheSame();
};

void SettingTableTest::fallbacksMakeSense() {
    QSet<QString> keys;
    for (const SettingSpec& spec : settingTable()) {
        const QString key = QString::fromLatin1(spec.key);
        QVERIFY2(!keys.contains(key), spec.key);
        keys.insert(key);
        QCOMPARE(findSetting(key), &spec);
        const CheckedSetting checked = checkSetting(spec, QString::fromLatin1(spec.fallback));
        QCOMPARE(checked.text.value_or(checked.wrong), QString::fromLatin1(spec.fallback));
    }
    QVERIFY(findSetting(QStringLiteral("engine/context")) ==
            findSetting(QStringLiteral("engine/ctx")));
    QVERIFY(findSetting({}) == nullptr);
    QVERIFY(findSetting(QStringLiteral("engine/warp")) == nullptr);
}

void SettingTableTest::checks_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("kept");  // "!": it may not be this
    const auto row = [](const char* key, const char* text, const char* kept) {
        QTest::addRow("%s %.30s", key, text)
            << QString::fromLatin1(key) << QString::fromUtf8(text) << QString::fromUtf8(kept);
    };
    row("engine/threads", " 4 ", "4");
    row("engine/threads", "auto", "auto");
    for (const char* text : {"0", "-1", "1025", "4.5", "four", "nan", "", "99999999999999999999"}) {
        row("engine/threads", text, "!");
    }
    row("engine/threads", "1", "1");
    row("engine/threads", "1024", "1024");
    row("engine/ctx", "16", "16");
    row("engine/ctx", "15", "!");
    row("engine/ram", "16M", "16M");
    row("engine/ram", "16777215", "!");
    row("engine/ram", "2200m", "2200M");
    row("engine/ram", "3.5G", "3.5G");
    for (const char* text : {"-1G", "1e9", "inf", "2000T", "1M", "lots"}) {
        row("engine/ram", text, "!");
    }
    row("engine/vram", "0", "0");
    row("engine/gpu", "", "auto");
    row("engine/gpu", " RTX 4060 ", "RTX 4060");
    row("engine/mode", "exact", "exact");
    row("engine/mode", "Exact", "!");
    row("engine/predictors", "/models/a.gguf", "/models/a.gguf");
    row("engine/predictors", "a.gguf", "!");
    row("engine/predictors", "/a\n/b", "!");
    row("sampling/temp", "0", "0");
    row("sampling/temp", "10", "10");
    row("sampling/top-p", "1", "1");
    row("sampling/top-p", "0.009", "!");
    row("sampling/repeat-penalty", "0.5", "0.5");
    row("sampling/repeat-penalty", "2.01", "!");
    row("sampling/typical-p", "0", "!");
    row("sampling/typical-p", "0.01", "0.01");
    row("sampling/xtc-probability", "1.1", "!");
    row("sampling/xtc-threshold", "0.51", "!");
    row("sampling/presence-penalty", "-2", "-2");
    row("sampling/presence-penalty", "2.1", "!");
    row("sampling/frequency-penalty", "-2.1", "!");
    row("sampling/repeat-last-n", "0", "0");
    row("sampling/repeat-last-n", "-1", "!");
    row("sampling/dry-multiplier", "5.1", "!");
    row("sampling/dry-base", "0.9", "!");
    row("sampling/dry-allowed-length", "0", "!");
    row("sampling/max-tokens", "0", "!");
    row("window/zoom", "2", "2");
    row("sampling/temp", "1.50", "1.5");
    for (const char* text : {"nan", "inf", "-0.1", "10.1", "1,5", "hot"}) {
        row("sampling/temp", text, "!");
    }
    row("sampling/seed", "12345678901", "12345678901");
    row("chat/system", "Be brief.\nPlease.", "Be brief.\nPlease.");
    row("chat/reasoning", "high", "high");
    row("chat/reasoning", "extreme", "!");
    row("network/allowed", "off", "false");
    row("network/allowed", " YES ", "true");
    row("network/allowed", "0", "false");
    row("network/allowed", "perhaps", "!");
    row("network/mirror", "https://mirror.example/hub/", "https://mirror.example/hub");
    row("network/mirror", "", "");
    row("network/mirror", "http://localhost:8080", "http://localhost:8080");
    for (const char* text :
         {"http://mirror.example", "ftp://x", "mirror.example", "https://",
          "https://u:p@mirror.example", "https://m.example/?a=b", "https://m.example/#a"}) {
        row("network/mirror", text, "!");
    }
    row("network/proxy", "none", "none");
    row("network/proxy", "http://proxy.example:3128", "http://proxy.example:3128");
    row("network/proxy", "socks5://[::1]:1080", "socks5://[::1]:1080");
    row("network/proxy", "http://proxy.example:1/", "http://proxy.example:1");
    row("network/proxy", "http://proxy.example:1/path", "!");
    row("network/proxy", "http://proxy.example:1?a=b", "!");
    for (const char* text : {"", "proxy.example:3128", "http://proxy.example", "http://x:0",
                             "http://u:p@proxy.example:80", "socks4://x:1", "http://x:99999"}) {
        row("network/proxy", text, "!");
    }
    row("folders/models", "/a/b/\n/c/../d\n/a/b", "/a/b\n/d");
    row("folders/models", "models", "!");
    row("folders/models", "/a\n \nb", "!");  // the second is none
    const auto paths = [](int count) {
        QStringList all;
        for (int i = 0; i < count; ++i) {
            all << QStringLiteral("/%1").arg(i);
        }
        return all.join(QLatin1Char('\n'));
    };
    for (const int count : {64, 65}) {
        QTest::addRow("%d folders", count)
            << "folders/models" << paths(count) << (count > 64 ? QStringLiteral("!") : paths(64));
    }
    for (const int count : {20'000, 20'001}) {
        const QString text(count, QLatin1Char('x'));
        QTest::addRow("%d characters", count)
            << "chat/system" << text << (count > 20'000 ? QStringLiteral("!") : text);
    }
}

void SettingTableTest::checks() {
    QFETCH(const QString, key);
    QFETCH(const QString, text);
    QFETCH(const QString, kept);
    const SettingSpec* spec = findSetting(key);
    QVERIFY(spec != nullptr);
    const CheckedSetting checked = checkSetting(*spec, text);
    QCOMPARE(checked.text.value_or(QStringLiteral("!")), kept);
    QCOMPARE(checked.wrong.isEmpty(), checked.text.has_value());
}

void SettingTableTest::sizes_data() {
    QTest::addColumn<quint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("0") << quint64{0} << "0";
    QTest::newRow("1") << quint64{1} << "1";
    QTest::newRow("1K") << quint64{1024} << "1K";
    QTest::newRow("2200M") << (quint64{2200} << 20) << "2200M";
    QTest::newRow("3G") << (quint64{3} << 30) << "3G";
    QTest::newRow("1T") << (quint64{1} << 40) << "1T";
}

void SettingTableTest::sizes() {
    QFETCH(const quint64, bytes);
    QFETCH(const QString, text);
    QCOMPARE(sizeText(bytes), text);
    QCOMPARE(bytesOf(text), std::optional<quint64>(bytes));
    QCOMPARE(bytesOf(QStringLiteral("auto")), std::optional<quint64>());
}

// docs/manual/settings.md has a row for each setting, and no other: key, default, what it may be,
// whether models may have their own.
void SettingTableTest::theManualSaysTheSame() {
    QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/docs/manual/settings.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QStringList rows;
    static const QRegularExpression kRow(
        QStringLiteral(R"(^\| `([a-z]+/[a-z-]+)` \| ([^|]*) \| ([^|]*) \| ([a-z ]+) \| \S)"));
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        const QRegularExpressionMatch match = kRow.match(line);
        if (match.hasMatch()) {
            rows << match.capturedTexts().mid(1).join(QStringLiteral(" | "));
        }
    }
    QStringList wanted;
    for (const SettingSpec& spec : settingTable()) {
        const QString fallback = QString::fromLatin1(spec.fallback);
        wanted << QStringLiteral("%1 | %2 | %3 | %4")
                      .arg(QString::fromLatin1(spec.key),
                           fallback.isEmpty() ? QStringLiteral("nothing")
                                              : QStringLiteral("`%1`").arg(fallback),
                           rangeOf(spec),
                           spec.scope == SettingSpec::Scope::Model ? QStringLiteral("only own")
                           : spec.modelsMayHaveIt()                ? QStringLiteral("own")
                                                                   : QStringLiteral("no"));
    }
    for (const QString& row : wanted) {
        QVERIFY2(rows.contains(row), qPrintable(QStringLiteral("not in the manual: ") + row));
    }
    QCOMPARE(rows.size(), wanted.size());
}

QTEST_GUILESS_MAIN(SettingTableTest)
#include "setting_table_test.moc"
