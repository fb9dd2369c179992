// Where Qt, graphics drivers and fontconfig keep what they can make again.
#pragma once

#include <QString>

class QUrl;

namespace hearth::ui {

// All of them keep it in `folder` from here on, and so do child processes of ours. Call it before
// the QGuiApplication: drivers look once. Makes the folder.
void keepCachesIn(const QString& folder);
// Opens the address with the system's program for it, which keeps its caches where it always does.
// False: there is none.
bool openOutside(const QUrl& url);

}  // namespace hearth::ui
