#include "system/no_display.h"

#include <QDir>
#include <QLibraryInfo>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class NoDisplayTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
            qunsetenv(name);
        }
    }

    void saysWhichDisplayIsSilent() {
        qputenv("DISPLAY", ":5");
        const QString plugins = QLibraryInfo::path(QLibraryInfo::PluginsPath);
        if (!QFileInfo::exists(plugins + QStringLiteral("/platforms/libqxcb.so"))) {
            QSKIP("Qt has no plugin for X here");
        }
        QCOMPARE(whyNoDisplay(plugins),
                 QStringLiteral("No window can be opened: the X display :5 does not answer. Chat "
                                "in the terminal with hearth-cli run --chat"));
    }

    // Not a library, as one is none that lacks another.
    void saysWhatCannotBeLoaded() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("platforms")));
        for (const char* name : {"libqxcb.so", "libqwayland-generic.so"}) {
            QFile file(folder.filePath(QStringLiteral("platforms/") + QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
        }
        qputenv("DISPLAY", ":5");
        qputenv("WAYLAND_DISPLAY", "wayland-0");
        const QString words = whyNoDisplay(folder.path());
        QVERIFY2(words.contains(QStringLiteral(
                     "Wayland needs libqwayland-generic.so, which cannot be loaded here, and X "
                     "needs libqxcb.so, which cannot be loaded here.")),
                 qPrintable(words));
    }

    void namesWhatTheUserChose() {
        qputenv("DISPLAY", ":5");
        qputenv("QT_QPA_PLATFORM", "paper");
        const QString words = whyNoDisplay(QStringLiteral("/nowhere"));
        QVERIFY2(words.contains(QStringLiteral(": QT_QPA_PLATFORM=paper cannot be used.")),
                 qPrintable(words));
        qunsetenv("DISPLAY");
        qunsetenv("QT_QPA_PLATFORM");  // an argument -platform
        QVERIFY(whyNoDisplay(QStringLiteral("/nowhere"))
                    .contains(QStringLiteral(": the platform that was asked for cannot")));
    }
};

QTEST_GUILESS_MAIN(NoDisplayTest)
#include "no_display_test.moc"
