#include "system/display.h"

#include <QTemporaryDir>
#include <QtTest>
#include <vector>

using namespace hearth::ui;

class DisplayTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        for (const char* name :
             {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"}) {
            qunsetenv(name);
        }
    }
    void missesADisplay_data();
    void missesADisplay();
    void namesAKeyboardFolder();
    void knowsItsBus();
    void knowsWhatTheUserChose();
};

void DisplayTest::missesADisplay_data() {
    QTest::addColumn<QByteArray>("variable");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("argument");
    QTest::addColumn<bool>("missing");
    const QByteArray none;
    QTest::addRow("nothing") << none << none << none << true;
    QTest::addRow("empty") << QByteArray("DISPLAY") << none << none << true;
    QTest::addRow("X11") << QByteArray("DISPLAY") << QByteArray(":0") << none << false;
    QTest::addRow("Wayland") << QByteArray("WAYLAND_DISPLAY") << QByteArray("wayland-0") << none
                             << false;
    QTest::addRow("Qt") << QByteArray("QT_QPA_PLATFORM") << QByteArray("offscreen") << none
                        << false;
    QTest::addRow("-platform") << none << none << QByteArray("-platform") << false;
    QTest::addRow("--platform") << none << none << QByteArray("--platform") << false;
    QTest::addRow("-display") << none << none << QByteArray("-display") << false;
    QTest::addRow("another argument") << none << none << QByteArray("--say") << true;
}

void DisplayTest::missesADisplay() {
#if !defined(Q_OS_UNIX) || defined(Q_OS_DARWIN) || defined(Q_OS_ANDROID)
    QVERIFY(!displayMissing(0, nullptr));
#else
    QFETCH(QByteArray, variable);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, argument);
    if (!variable.isEmpty()) {
        qputenv(variable.constData(), value);
    }
    std::vector<const char*> words{"hearth"};
    if (!argument.isEmpty()) {
        words.push_back(argument.constData());
    }
    QTEST(displayMissing(static_cast<int>(words.size()), words.data()), "missing");
#endif
}

void DisplayTest::namesAKeyboardFolder() {
    const QTemporaryDir folder;
    const QString missing = folder.filePath(QStringLiteral("missing"));
    qunsetenv("XKB_CONFIG_ROOT");
    nameKeyboardFolder(QStringLiteral("/opt"), folder.path());
    QVERIFY(!qEnvironmentVariableIsSet("XKB_CONFIG_ROOT"));
    nameKeyboardFolder(QStringLiteral("/opt"), missing);
    QCOMPARE(qEnvironmentVariable("XKB_CONFIG_ROOT"), QStringLiteral("/opt"));
    nameKeyboardFolder(QStringLiteral("/other"), missing);  // as if the user had named it
    QCOMPARE(qEnvironmentVariable("XKB_CONFIG_ROOT"), QStringLiteral("/opt"));
    qunsetenv("XKB_CONFIG_ROOT");
}

// To ask a bus where there is none would start one.
void DisplayTest::knowsItsBus() {
    const QTemporaryDir runtime;
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qunsetenv("XDG_RUNTIME_DIR");
    QVERIFY(!hasSessionBus());
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(runtime.path()));
    QVERIFY(!hasSessionBus());
    QFile bus(runtime.filePath(QStringLiteral("bus")));
    QVERIFY(bus.open(QIODevice::WriteOnly));
    QVERIFY(hasSessionBus());
    QVERIFY(bus.remove());
    QVERIFY(!hasSessionBus());
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    QVERIFY(hasSessionBus());
}

void DisplayTest::knowsWhatTheUserChose() {
    const QList<QByteArray> renderers{"QT_QUICK_BACKEND", "QMLSCENE_DEVICE", "QSG_RHI_BACKEND"};
    for (const QByteArray& name : renderers) {
        qunsetenv(name.constData());
    }
    QCOMPARE(rendererVariable(), QString());
    for (const QByteArray& name : renderers) {
        qputenv(name.constData(), "x");
        QCOMPARE(rendererVariable(), QString::fromLatin1(name) + QStringLiteral("=x"));
        qunsetenv(name.constData());
    }
    qputenv("WAYLAND_DISPLAY", "wayland-1");
    qputenv("DISPLAY", ":7");
    qputenv("QT_QPA_PLATFORM", "vnc");
    QCOMPARE(namedDisplays().wayland, QStringLiteral("wayland-1"));
    QCOMPARE(namedDisplays().x, QStringLiteral(":7"));
    QCOMPARE(namedDisplays().platform, QStringLiteral("vnc"));
    for (const char* name : {"QT_DEBUG_PLUGINS", "QT_LOGGING_RULES"}) {
        qunsetenv("QT_DEBUG_PLUGINS");
        qunsetenv("QT_LOGGING_RULES");
        QVERIFY(!wantsQtsWords());
        qputenv(name, "1");
        QVERIFY(wantsQtsWords());
        qunsetenv(name);
    }
    qputenv("XDG_ACTIVATION_TOKEN", "token");
    QCOMPARE(activationToken(), QStringLiteral("token"));
    qunsetenv("XDG_ACTIVATION_TOKEN");
    QCOMPARE(activationToken(), QString());
}

QTEST_GUILESS_MAIN(DisplayTest)
#include "display_test.moc"
