#include "system/own_caches.h"

#include <QDir>
#include <QFile>

namespace hearth::ui {

void keepCachesIn(const QString& folder) {
    QDir().mkpath(folder);
    const QByteArray place = QFile::encodeName(QDir::toNativeSeparators(folder));
    qputenv("QML_DISK_CACHE_PATH", place + "/qml");
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
    // Qt, Mesa, the drivers of AMD and NVIDIA and fontconfig follow the first variable. The
    // variables that name a single folder override it.
    qputenv("XDG_CACHE_HOME", place);
    for (const char* name :
         {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"}) {
        if (qEnvironmentVariableIsSet(name)) {
            qputenv(name, place);
        }
    }
#endif
}

}  // namespace hearth::ui
