// How the window writes numbers and dates. It changes with the language while other threads write
// some, and Qt's own default (QLocale()) may not be read then: nothing but QML and
// window_locale.cpp uses that.
#pragma once

#include <QLocale>

namespace hearth::ui {

// Any thread. Before the first setWindowLocale() it is Qt's default.
QLocale windowLocale();
// The window's thread. It becomes Qt's default, too, for QML.
void setWindowLocale(const QLocale& locale);

}  // namespace hearth::ui
