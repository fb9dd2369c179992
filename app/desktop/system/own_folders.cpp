#include "system/own_folders.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <QtGlobal>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace hearth::ui {

#ifdef Q_OS_UNIX

namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

// Folders get their rights as they are created: nobody can look in between.
void makePrivate(const QString& folder) {
    QStringList missing;
    for (QString path = folder; !QFileInfo::exists(path); path = QFileInfo(path).path()) {
        missing.prepend(path);
    }
    for (const QString& path : missing) {
        ::mkdir(QFile::encodeName(path).constData(), S_IRWXU);
    }
}

void takeFromOthers(const QString& folder) {
    const QByteArray name = QFile::encodeName(folder);
    struct stat is = {};
    if (::stat(name.constData(), &is) != 0 || is.st_uid != ::geteuid() ||
        (is.st_mode & kOthers) == 0) {
        return;
    }
    if (::chmod(name.constData(), is.st_mode & S_IRWXU) != 0) {
        qWarning("others may be able to read %s: its rights cannot be changed", name.constData());
    }
}

}  // namespace

void keepFoldersPrivate(const AppPaths& paths) {
    for (const QString& folder : {paths.dataFolder, QFileInfo(paths.settingsFile).path(),
                                  paths.crashFolder, paths.cacheFolder}) {
        makePrivate(folder);
        if (!paths.together || paths.portable) {
            takeFromOthers(folder);
        }
    }
}

#else

void keepFoldersPrivate(const AppPaths& /*paths*/) {}

#endif

}  // namespace hearth::ui
