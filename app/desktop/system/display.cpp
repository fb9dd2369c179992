#include "system/display.h"

#include <QFile>
#include <QFileInfo>
#include <QtGlobal>
#include <cstring>

namespace hearth::ui {

bool displayMissing([[maybe_unused]] int argc, [[maybe_unused]] const char* const* argv) {
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN) && !defined(Q_OS_ANDROID)
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"}) {
        if (!qEnvironmentVariableIsEmpty(name)) {
            return false;
        }
    }
    // Qt accepts its own options with one dash or two.
    for (int i = 1; i < argc; ++i) {
        const char* word = argv[i];
        word += std::strncmp(word, "--", 2) == 0 ? 1 : 0;
        if (std::strcmp(word, "-platform") == 0 || std::strcmp(word, "-display") == 0) {
            return false;
        }
    }
    return true;
#else
    return false;
#endif
}

QString rendererVariable() {
    for (const char* name : {"QT_QUICK_BACKEND", "QMLSCENE_DEVICE", "QSG_RHI_BACKEND"}) {
        if (!qEnvironmentVariableIsEmpty(name)) {
            return QString::fromLatin1(name) + QLatin1Char('=') + qEnvironmentVariable(name);
        }
    }
    return {};
}

NamedDisplays namedDisplays() {
    return {qEnvironmentVariable("WAYLAND_DISPLAY"), qEnvironmentVariable("DISPLAY"),
            qEnvironmentVariable("QT_QPA_PLATFORM")};
}

bool wantsQtsWords() {
    return !qEnvironmentVariableIsEmpty("QT_DEBUG_PLUGINS") ||
           !qEnvironmentVariableIsEmpty("QT_LOGGING_RULES");
}

bool hasSessionBus() {
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
           (!runtime.isEmpty() && QFileInfo::exists(runtime + QStringLiteral("/bus")));
}

void nameKeyboardFolder(const QString& otherwise, const QString& usual) {
    if (!qEnvironmentVariableIsSet("XKB_CONFIG_ROOT") && !QFileInfo(usual).isDir()) {
        qputenv("XKB_CONFIG_ROOT", QFile::encodeName(otherwise));
    }
}

QString activationToken() {
    return qEnvironmentVariable("XDG_ACTIVATION_TOKEN");
}

}  // namespace hearth::ui
