#include "documents/folder_survey.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "documents/document_reader.h"

namespace hearth::ui {

namespace {

struct Folder {
    QString path;  // within the root; empty: the root
    int depth = 0;
};

}  // namespace

bool isDocumentName(const QString& name) {
    static const QStringList texts =
        QStringLiteral("txt text log csv tsv rst adoc org srt conf cfg properties pdf docx odt")
            .split(QLatin1Char(' '));
    static const QStringList bare =
        QStringLiteral("README LICENSE CHANGELOG NEWS TODO AUTHORS").split(QLatin1Char(' '));
    return kindOfText(name) != DocumentKind::Text || bare.contains(name) ||
           texts.contains(QFileInfo(name).suffix().toLower());
}

bool standsInFolder(const QString& root, const QString& path) {
    const QString here = QDir(root).filePath(path);
    const QFileInfo info(here);
    return info.isFile() && !info.isSymLink() && info.canonicalFilePath() == here;
}

FolderSurvey surveyFolder(const QString& root, const std::function<bool()>& stopped,
                          const SurveyBounds& bounds) {
    FolderSurvey survey;
    const QFileInfo top(root);
    survey.there = top.isDir() && top.isReadable() && top.canonicalFilePath() == root;
    if (!survey.there) {
        return survey;
    }
    int entries = 0;
    qint64 bytes = 0;
    QList<Folder> folders{{}};
    for (qsizetype next = 0; next < folders.size() && !survey.cut && !stopped(); ++next) {
        const Folder folder = folders.at(next);
        const QDir here(folder.path.isEmpty() ? root : QDir(root).filePath(folder.path));
        if (!QFileInfo(here.path()).isReadable()) {
            ++survey.closed;
            continue;
        }
        QList<SurveyedFile> files;
        QStringList below;
        QDirIterator iterator(here.path(),
                              QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks);
        while (iterator.hasNext() && !survey.cut && !stopped()) {
            iterator.next();
            const QFileInfo info = iterator.fileInfo();
            survey.cut = ++entries > bounds.mostEntries;
            const QString path = folder.path.isEmpty()
                                     ? info.fileName()
                                     : folder.path + QLatin1Char('/') + info.fileName();
            if (info.isDir()) {
                below.append(path);
            } else if (info.isFile() && isDocumentName(info.fileName())) {
                if (info.size() > bounds.mostFileBytes) {
                    ++survey.tooLarge;
                } else {
                    files.append({path, info.size(), info.lastModified().toMSecsSinceEpoch()});
                }
            }
        }
        std::sort(files.begin(), files.end(),
                  [](const SurveyedFile& a, const SurveyedFile& b) { return a.path < b.path; });
        for (const SurveyedFile& file : std::as_const(files)) {
            bytes += file.bytes;
            if (survey.files.size() >= bounds.mostFiles || bytes > bounds.mostBytes) {
                survey.cut = true;
                break;
            }
            survey.files.append(file);
        }
        below.sort();
        if (folder.depth < bounds.deepest) {
            for (const QString& path : std::as_const(below)) {
                folders.append({path, folder.depth + 1});
            }
        } else {
            survey.cut = survey.cut || !below.isEmpty();
        }
    }
    return survey;
}

}  // namespace hearth::ui
