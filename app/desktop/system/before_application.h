// The program's arguments and its folder before there is a QGuiApplication.
//
// QCoreApplication knows both, but must not be made for them: the end of a first application object
// drops what Qt's libraries registered when they were loaded. One of these is what makes the items
// of a window accessible, so that a screen reader would find an empty window.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

// As QCoreApplication::arguments() gives them, those that Qt itself takes included.
QStringList argumentsOf(int argc, char** argv);
// The folder of the program's file, links resolved, as QCoreApplication::applicationDirPath() gives
// it. Empty: the system does not say.
QString programFolder();

}  // namespace hearth::ui
