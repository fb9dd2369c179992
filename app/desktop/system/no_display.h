// A sentence where Qt finds no display that it can use. Its own words are for programmers, and it
// ends the process as a crash.
#pragma once

#include <QString>

namespace hearth::ui {

// Around the construction of the QGuiApplication; one at a time. Messages wait for its end. Where
// Qt gives up, the process ends with status 1 and whyNoDisplay() on standard error instead.
class DisplayWatch {
public:
    DisplayWatch();
    ~DisplayWatch();
    DisplayWatch(const DisplayWatch&) = delete;
    DisplayWatch& operator=(const DisplayWatch&) = delete;
};

// What is wrong with each display that the environment names: it does not answer, or this system
// lacks a library. plugins: Qt's folder of them; those of platforms are loaded to find out.
QString whyNoDisplay(const QString& plugins);

}  // namespace hearth::ui
