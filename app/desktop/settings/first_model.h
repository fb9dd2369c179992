// The model that a start opens.
#pragma once

#include <QString>

namespace hearth::ui {

class AppSettings;

struct FirstModel {
    QString path;    // empty: there is none to open
    QString notice;  // a sentence, where it is not the one that was used last; else empty
};

// named: by the arguments; it goes before all. Then the one used last, then the starter, which may
// be empty. Asks the disk whether a file is there.
FirstModel firstModel(const QString& named, const AppSettings& settings, const QString& starter);

}  // namespace hearth::ui
