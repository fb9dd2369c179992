#include "system/outside.h"

#include <QDesktopServices>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QUrl>
#include <optional>

namespace hearth::ui {

namespace {

std::optional<QProcessEnvironment> before;

}  // namespace

void rememberEnvironment() {
    before = QProcessEnvironment::systemEnvironment();
    // These tokens are for this start alone: a later program that raises its window with them would
    // be another one.
    for (const char* token : {"XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"}) {
        before->remove(QString::fromLatin1(token));
    }
}

bool openOutside(const QUrl& url) {
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    // If nothing was changed, Qt's way is better: on Wayland it passes on the right to come to the
    // front.
    const QString opener = QStandardPaths::findExecutable(QStringLiteral("xdg-open"));
    if (before && *before != QProcessEnvironment::systemEnvironment() && !opener.isEmpty()) {
        QProcess program;
        program.setProgram(opener);
        program.setArguments({url.toString(QUrl::FullyEncoded)});
        program.setProcessEnvironment(*before);
        return program.startDetached();
    }
#endif
    return QDesktopServices::openUrl(url);
}

}  // namespace hearth::ui
