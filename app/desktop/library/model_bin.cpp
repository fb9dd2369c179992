#include "library/model_bin.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelBin)
};

QString named(const QString& path) {
    return QFileInfo(path).fileName();
}

// Removes the note of the freedesktop.org bin about the file's old place; without it the desktop
// shows no such entry.
void forgetNote(const QString& inBin) {
    const QFileInfo file(inBin);
    QFile::remove(
        QDir(file.path()).filePath(QStringLiteral("../info/%1.trashinfo").arg(file.fileName())));
}

// Moves the file to the bin by Qt's function. Without a bin that one moves files into the program's
// working folder and reports success; this moves them back and fails.
bool trash(QFile& file) {
    const QString path = file.fileName();
    QDir().mkpath(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation));
    if (!file.moveToTrash()) {
        return false;
    }
    if (file.fileName().isEmpty() || QDir::isAbsolutePath(file.fileName())) {
        return true;
    }
    const QString stray = QDir::current().absoluteFilePath(file.fileName());
    if (QFile::rename(stray, path)) {
        forgetNote(stray);
        QDir().rmdir(QStringLiteral("info"));
        QDir().rmdir(QStringLiteral("files"));
    }
    return false;
}

}  // namespace

BinOutcome moveToBin(const QStringList& paths) {
    BinOutcome outcome;
    for (const QString& path : paths) {
        QFile file(path);
        if (!trash(file)) {
            const QString why = QFileInfo::exists(path)
                                    ? Words::tr(
                                          "“%1” could not be moved to the bin of the system. It "
                                          "stays where it is.")
                                          .arg(named(path))
                                    : Words::tr("“%1” is not there any more.").arg(named(path));
            const QString back = bringBack(outcome.files);
            return {{}, back.isEmpty() ? why : why + QLatin1Char(' ') + back};
        }
        // Systems that do not name the new place keep the file out of our reach.
        if (!file.fileName().isEmpty() && file.fileName() != path) {
            outcome.files << BinnedFile{path, file.fileName()};
        }
    }
    return outcome;
}

QString bringBack(const QList<BinnedFile>& files) {
    for (const BinnedFile& file : files) {
        if (QFileInfo::exists(file.path)) {
            return Words::tr("“%1” stays in the bin: another file has its name by now.")
                .arg(named(file.path));
        }
        if (!QFile::rename(file.inBin, file.path)) {
            return Words::tr(
                       "“%1” could not be brought back. It may have been removed from the bin.")
                .arg(named(file.path));
        }
        forgetNote(file.inBin);
    }
    return {};
}

}  // namespace hearth::ui
