// Starts programs of others: browser, mail, file manager. They get the environment that Hearth was
// started in, and no variable that Hearth, its engine or its libraries set.
#pragma once

class QUrl;

namespace hearth::ui {

// Call it first in main(), before anything sets a variable.
void rememberEnvironment();
// Opens the address with the system's program for it. False: there is none.
bool openOutside(const QUrl& url);

}  // namespace hearth::ui
