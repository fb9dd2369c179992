#include "bridge/past_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace hearth::ui {
namespace {

const QString kEnding = QStringLiteral(".past");

}  // namespace

QString PastFiles::pathOf(const QString& conversation) const {
    const bool plain = std::all_of(conversation.begin(), conversation.end(), [](QChar letter) {
        return letter.unicode() < 128 && letter.isLetterOrNumber();
    });
    return folder_.isEmpty() || conversation.isEmpty() || !plain
               ? QString()
               : folder_ + QLatin1Char('/') + conversation + kEnding;
}

void PastFiles::remove(const QString& conversation) const {
    if (const QString path = pathOf(conversation); !path.isEmpty()) {
        QFile::remove(path);
    }
}

void PastFiles::trim(qint64 most) const {
    if (folder_.isEmpty()) {
        return;
    }
    const QFileInfoList files =
        QDir(folder_).entryInfoList({QLatin1Char('*') + kEnding}, QDir::Files, QDir::Time);
    qint64 bytes = 0;
    for (const QFileInfo& file : files) {  // the latest first
        bytes += file.size();
        if (bytes > most) {
            QFile::remove(file.filePath());
        }
    }
}

}  // namespace hearth::ui
