// Explains a missing display to people. Qt's own words are for programmers, and Qt ends the process
// as a crash.
#pragma once

#include <QString>

namespace hearth::ui {

// Lives around the construction of the QGuiApplication; one at a time. It holds back messages until
// its end. Where Qt gives up, the process ends with status 1 and with whyNoDisplay() on standard
// error instead.
class DisplayWatch {
public:
    DisplayWatch();
    ~DisplayWatch();
    DisplayWatch(const DisplayWatch&) = delete;
    DisplayWatch& operator=(const DisplayWatch&) = delete;
};

// The fault of each display that the environment names: it does not answer, or this system lacks a
// library. plugins: Qt's folder of plugins; those of platforms are loaded to find out.
QString whyNoDisplay(const QString& plugins);

}  // namespace hearth::ui
