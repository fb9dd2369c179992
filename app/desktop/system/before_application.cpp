#include "system/before_application.h"

#include <QFile>
#include <QFileInfo>
#include <QtGlobal>

#if defined(Q_OS_WIN)
#include <windows.h>

#include <shellapi.h>
#elif defined(Q_OS_DARWIN)
#include <mach-o/dyld.h>
#endif

#include <array>
#include <cstdint>

namespace hearth::ui {

#if defined(Q_OS_WIN)

// The C library's argv has lost what the system's code page lacks.
QStringList argumentsOf(int /*argc*/, char** /*argv*/) {
    QStringList arguments;
    int count = 0;
    if (wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count)) {
        for (int i = 0; i < count; ++i) {
            arguments.append(QString::fromWCharArray(words[i]));
        }
        LocalFree(words);
    }
    return arguments;
}

QString programFolder() {
    std::array<wchar_t, 32768> path{};  // the longest that Windows has
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    const QString file = QString::fromWCharArray(path.data(), static_cast<int>(length));
    return file.isEmpty() ? QString() : QFileInfo(file).path();
}

#else

QStringList argumentsOf(int argc, char** argv) {
    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        arguments.append(QString::fromLocal8Bit(argv[i]));
    }
    return arguments;
}

QString programFolder() {
#if defined(Q_OS_DARWIN)
    std::array<char, 4096> path{};
    auto size = static_cast<std::uint32_t>(path.size());
    const bool known = _NSGetExecutablePath(path.data(), &size) == 0;
    const QString file = known ? QFile::decodeName(path.data()) : QString();
#else
    const QString file = QStringLiteral("/proc/self/exe");
#endif
    const QString real = QFileInfo(file).canonicalFilePath();
    return real.isEmpty() ? QString() : QFileInfo(real).path();
}

#endif

}  // namespace hearth::ui
