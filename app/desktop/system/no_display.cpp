#include "system/no_display.h"

#include <QLibrary>
#include <QLibraryInfo>
#include <QMutex>
#include <QMutexLocker>
#include <QRegularExpression>
#include <QStringList>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "system/display.h"

namespace hearth::ui {

namespace {

QMutex mutex;  // Qt's plugins start threads
QStringList held;
QtMessageHandler handlerBefore = nullptr;

void say(const QString& line) {
    std::fputs(qPrintable(line + QLatin1Char('\n')), stderr);
}

void hold(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    const bool gaveUp =
        type == QtFatalMsg && text.contains(QLatin1String("no Qt platform plugin could be"));
    QMutexLocker lock(&mutex);
    if (!gaveUp || wantsQtsWords()) {
        held.append(qFormatLogMessage(type, context, text));
    }
    if (type != QtFatalMsg) {
        return;
    }
    if (!gaveUp || wantsQtsWords()) {
        say(held.join(QLatin1Char('\n')));
    }
    if (gaveUp) {
        qInstallMessageHandler(handlerBefore);  // loading plugins also logs messages
        lock.unlock();
        say(whyNoDisplay(QLibraryInfo::path(QLibraryInfo::PluginsPath)));
        std::_Exit(EXIT_FAILURE);
    }
    // Otherwise Qt ends the process.
}

// The last file that the message of the system's loader names.
QString fileIn(const QString& words) {
    static const QRegularExpression named(QStringLiteral("([^\\s():/]+\\.so[.0-9]*):"));
    QString file;
    for (auto found = named.globalMatch(words); found.hasNext();) {
        file = found.next().captured(1);
    }
    return file;
}

// Empty: the plugin can be loaded.
QString missingFor(const QString& plugins, const QString& plugin) {
    QLibrary library(plugins + QStringLiteral("/platforms/") + plugin);
    library.setLoadHints(QLibrary::PreventUnloadHint);
    if (library.load()) {
        return {};
    }
    const QString file = fileIn(library.errorString());
    return file.isEmpty() ? plugin : file;
}

}  // namespace

DisplayWatch::DisplayWatch() {
    handlerBefore = qInstallMessageHandler(hold);
}

DisplayWatch::~DisplayWatch() {
    qInstallMessageHandler(std::exchange(handlerBefore, nullptr));
    const QMutexLocker lock(&mutex);
    if (!held.isEmpty()) {
        say(std::exchange(held, {}).join(QLatin1Char('\n')));
    }
}

QString whyNoDisplay(const QString& plugins) {
    const NamedDisplays named = namedDisplays();
    QStringList reasons;
    const auto add = [&](const char* system, const QString& display, const char* plugin) {
        if (display.isEmpty() || !named.platform.isEmpty()) {
            return;
        }
        const QString missing = missingFor(plugins, QString::fromLatin1(plugin));
        const QString name = QString::fromLatin1(system);
        reasons.append(
            missing.isEmpty()
                ? QStringLiteral("the %1 display %2 does not answer").arg(name, display)
                : QStringLiteral("%1 needs %2, which cannot be loaded here").arg(name, missing));
    };
    if (!named.platform.isEmpty()) {
        reasons.append(QStringLiteral("QT_QPA_PLATFORM=%1 cannot be used").arg(named.platform));
    }
    add("Wayland", named.wayland, "libqwayland-generic.so");
    add("X", named.x, "libqxcb.so");
    if (reasons.isEmpty()) {
        reasons.append(QStringLiteral("the platform that was asked for cannot be used"));
    }
    return QStringLiteral(
               "No window can be opened: %1. Chat in the terminal with hearth-cli run "
               "--chat")
        .arg(reasons.join(QStringLiteral(", and ")));
}

}  // namespace hearth::ui
