#include "own_caches.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QUrl>
#include <optional>

namespace hearth::ui {

namespace {

// As the session gave it to us; empty: nothing was changed.
std::optional<QProcessEnvironment> before;

}  // namespace

void keepCachesIn(const QString& folder) {
    if (!before) {
        before = QProcessEnvironment::systemEnvironment();
    }
    QDir().mkpath(folder);
    const QByteArray place = QFile::encodeName(QDir::toNativeSeparators(folder));
    qputenv("QML_DISK_CACHE_PATH", place + "/qml");
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    // Qt, Mesa, AMD's and NVIDIA's drivers and fontconfig follow the first; what names a folder of
    // its own goes before it.
    qputenv("XDG_CACHE_HOME", place);
    for (const char* name :
         {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"}) {
        if (qEnvironmentVariableIsSet(name)) {
            qputenv(name, place);
        }
    }
#endif
}

bool openOutside(const QUrl& url) {
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    const QString opener = QStandardPaths::findExecutable(QStringLiteral("xdg-open"));
    if (before && !opener.isEmpty()) {
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
