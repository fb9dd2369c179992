// The main() of a test that drives the real program on an X server of its own.
#pragma once

#include <QGuiApplication>
#include <QSettings>
#include <QTest>
#include <cstdio>

#include "app/ui/virtual_display.h"

namespace hearth::ui::test {

// Not QTEST_MAIN: the server has to be there before the application is.
template <typename Test>
int mainOnDisplay(int argc, char** argv) {
    VirtualDisplay display;
    if (!display.start(1280, 960)) {
        std::fprintf(stderr, "FAIL: %s\n", qPrintable(display.reason()));
        return 1;
    }
    qputenv("DISPLAY", display.name());
    qputenv("QT_QPA_PLATFORM", "xcb");
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    QGuiApplication application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

// Before the program of that folder starts.
inline void setSetting(const QString& dataFolder, const char* key, const QVariant& value) {
    QSettings(dataFolder + QStringLiteral("/hearth.ini"), QSettings::IniFormat)
        .setValue(QLatin1String(key), value);
}

}  // namespace hearth::ui::test
