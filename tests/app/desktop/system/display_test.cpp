#include "display.h"

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

QTEST_GUILESS_MAIN(DisplayTest)
#include "display_test.moc"
