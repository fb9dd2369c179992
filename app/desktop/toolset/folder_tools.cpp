#include "toolset/folder_tools.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace hearth::ui {

namespace {

constexpr qint64 kMostFileBytes = qint64{16} << 20;
constexpr qint64 kMostSearchedBytes = qint64{128} << 20;
constexpr int kMostSearchedFiles = 20'000;
constexpr int kMostHits = 100;
constexpr int kMostEntries = 500;
constexpr int kMostLineWords = 300;  // characters of a line that a search shows

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FolderTools)
};

ToolOutcome failure(const QString& text) {
    return {true, text};
}

ToolOutcome notThere(const QString& path) {
    return failure(Words::tr("There is no \"%1\" in the folder of this chat.").arg(path.left(300)));
}

bool isText(const QByteArray& bytes) {
    return !bytes.left(8192).contains('\0');
}

}  // namespace

QString pathWithin(const QString& folder, const QString& path) {
    const QString root = folder.isEmpty() ? QString() : QFileInfo(folder).canonicalFilePath();
    if (root.isEmpty() || path.contains(QChar(u'\0'))) {
        return {};
    }
    const QString here = QFileInfo(QDir(root).filePath(path.isEmpty() ? QStringLiteral(".") : path))
                             .canonicalFilePath();
    const QString within = root.endsWith(QLatin1Char('/')) ? root : root + QLatin1Char('/');
    return here == root || here.startsWith(within) ? here : QString();
}

ToolOutcome readFile(const QString& folder, const QString& path, int firstLine, int lines) {
    const QString here = pathWithin(folder, path);
    const QFileInfo info(here);
    if (here.isEmpty() || !info.isFile()) {
        return notThere(path);
    }
    if (info.size() > kMostFileBytes) {
        return failure(Words::tr("The file is larger than 16 MiB, too large to be read here."));
    }
    QFile file(here);
    if (!file.open(QIODevice::ReadOnly)) {
        return failure(Words::tr("The file cannot be read: %1").arg(file.errorString()));
    }
    QString text;
    int line = 0;
    int shown = 0;
    bool isCut = false;
    qint64 bytes = 0;
    while (!file.atEnd() && !isCut) {
        const QByteArray read = file.readLine(kMostFileBytes);
        if (!isText(read)) {
            return failure(Words::tr("The file is no text."));
        }
        bytes += read.size();
        if (read.isEmpty() || bytes > kMostFileBytes) {
            break;
        }
        if (++line < firstLine) {
            continue;
        }
        isCut = shown == lines || text.size() + read.size() > kMostResultBytes;
        if (!isCut) {
            text += QString::fromUtf8(read);
            ++shown;
        }
    }
    if (shown == 0 && isCut) {
        return failure(Words::tr("Line %1 is too long to be shown.").arg(line));
    }
    if (isCut) {
        text += Words::tr("[The file goes on at line %1.]").arg(firstLine + shown);
    }
    return {false, text.isEmpty() ? Words::tr("[There is nothing here.]") : text};
}

ToolOutcome listFolder(const QString& folder, const QString& path) {
    const QString here = pathWithin(folder, path);
    if (here.isEmpty() || !QFileInfo(here).isDir()) {
        return notThere(path);
    }
    QStringList names;
    QDirIterator entries(here, QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System);
    while (entries.hasNext() && names.size() <= kMostEntries) {
        entries.next();
        const QFileInfo info = entries.fileInfo();
        names.append(info.isDir() && !info.isSymLink()
                         ? info.fileName() + QLatin1Char('/')
                         : Words::tr("%1 (%2 bytes)").arg(info.fileName()).arg(info.size()));
    }
    const bool isCut = names.size() > kMostEntries;
    std::sort(names.begin(), names.end());
    if (isCut) {
        names.removeLast();
        names.append(Words::tr("[There are more.]"));
    }
    return {false,
            names.isEmpty() ? Words::tr("[The folder is empty.]") : names.join(QLatin1Char('\n'))};
}

ToolOutcome searchFiles(const QString& folder, const QString& text, const QString& names,
                        const std::atomic<bool>& stopped) {
    const QString root = pathWithin(folder, {});
    if (root.isEmpty()) {
        return notThere(QStringLiteral("."));
    }
    if (text.trimmed().isEmpty()) {
        return failure(Words::tr("There is no text to search for."));
    }
    QString hits;
    int count = 0;
    int files = 0;
    qint64 bytes = 0;
    bool isWhole = true;
    QDirIterator entries(root, names.isEmpty() ? QStringList() : QStringList{names},
                         QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
    while (isWhole && entries.hasNext()) {
        if (stopped) {
            return failure(Words::tr("Stopped."));
        }
        const QString path = entries.next();
        const QString shown = QDir(root).relativeFilePath(path);
        if (shown.startsWith(QLatin1Char('.')) || shown.contains(QLatin1String("/."))) {
            continue;
        }
        isWhole = ++files <= kMostSearchedFiles && bytes <= kMostSearchedBytes;
        QFile file(path);
        if (!isWhole || file.size() > kMostFileBytes || pathWithin(root, path).isEmpty() ||
            !file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QByteArray content = file.read(kMostFileBytes);
        bytes += content.size();
        if (!isText(content)) {
            continue;
        }
        int line = 0;
        for (const QByteArray& one : content.split('\n')) {
            ++line;
            const QString words = QString::fromUtf8(one);
            if (!words.contains(text, Qt::CaseInsensitive)) {
                continue;
            }
            const QString hit = QStringLiteral("%1:%2: ").arg(shown).arg(line) +
                                words.trimmed().left(kMostLineWords) + QLatin1Char('\n');
            isWhole = count < kMostHits && hits.size() + hit.size() <= kMostResultBytes / 2;
            if (!isWhole) {
                break;
            }
            hits += hit;
            ++count;
        }
    }
    if (!isWhole) {
        hits += Words::tr("[The search ended here; there may be more.]");
    }
    return {false, hits.isEmpty() ? Words::tr("[Nothing was found.]") : hits};
}

}  // namespace hearth::ui
