#include "library/folder_scan.h"

#include <QCoreApplication>
#include <QDir>
#include <QMap>
#include <QSet>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "library/ollama_store.h"

namespace hearth::ui {

namespace {

constexpr int kPartsMost = 1000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FolderScan)
};

QString shown(const QString& path) {
    return QDir::toNativeSeparators(path);
}

// The hub's cache: snapshots/REVISION/NAME.gguf links to blobs/HASH.
bool isHubModel(const QString& folder) {
    return QFileInfo(folder + QStringLiteral("/snapshots")).isDir() &&
           QFileInfo(folder + QStringLiteral("/blobs")).isDir();
}

class Scan {
public:
    Scan(const QList<ModelPlace>& places, const std::atomic<bool>& cancelled,
         const ScanLimits& limits)
        : places_(places), cancelled_(cancelled), limits_(limits) {}

    void folder(const QString& path);
    ScanReport take() { return std::move(report_); }

private:
    struct Below {
        QString path;
        int depth;
        QString app;
    };
    void look(const Below& folder, QList<Below>& below);
    void list(const QString& folder, QList<QFileInfo>& entries);
    bool countOne();
    void file(const QFileInfo& info, const QString& app, QMap<QString, QStringList>& split);
    void add(FoundModel model);
    void joinParts(const QMap<QString, QStringList>& split, const QString& app);

    const QList<ModelPlace>& places_;
    const std::atomic<bool>& cancelled_;
    ScanLimits limits_;
    ScanReport report_;
    QSet<QString> foldersSeen_;  // by their real paths, so that a loop of links ends
    QSet<QString> filesSeen_;
    QString top_;
    int entries_ = 0;
    bool full_ = false;
};

void Scan::folder(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists()) {
        report_.problems << Words::tr(
                                "The folder “%1” is not there. Attach its disk, or take it off the "
                                "list of folders.")
                                .arg(shown(path));
        return;
    }
    if (!info.isDir()) {
        report_.problems
            << Words::tr("“%1” is not a folder. Take it off the list of folders.").arg(shown(path));
        return;
    }
    top_ = path;
    entries_ = 0;
    full_ = false;
    QList<Below> below{{QDir::cleanPath(path), 0, appThatOwns(path, places_)}};
    while (!below.isEmpty() && !full_ && !cancelled_) {
        const Below next = below.takeLast();
        look(next, below);
    }
}

bool Scan::countOne() {
    if (++entries_ <= limits_.entries) {
        return true;
    }
    if (!std::exchange(full_, true)) {
        report_.problems << Words::tr(
                                "“%1” holds more than %2 files. Not all of them were looked at; "
                                "name the folder inside it that has the models.")
                                .arg(shown(top_))
                                .arg(limits_.entries);
    }
    return false;
}

void Scan::look(const Below& folder, QList<Below>& below) {
    const QFileInfo info(folder.path);
    const QString truth = info.canonicalFilePath();
    if (truth.isEmpty() || foldersSeen_.contains(truth)) {
        return;
    }
    foldersSeen_.insert(truth);
    if (folder.depth > limits_.depth) {
        report_.problems << Words::tr("The folder “%1” is nested too deep and was left out.")
                                .arg(shown(folder.path));
        return;
    }
    if (isOllamaStore(folder.path)) {
        OllamaModels found = readOllamaStore(folder.path, limits_.entries - entries_, cancelled_);
        for (FoundModel& model : found.models) {
            add(std::move(model));
        }
        report_.problems << found.problems;
        return;
    }
    if (isHubModel(folder.path)) {
        below << Below{folder.path + QStringLiteral("/snapshots"), folder.depth + 1,
                       QStringLiteral("Hugging Face")};
        return;
    }
    QList<QFileInfo> entries;
    list(folder.path, entries);
    // Sorted by name: the system gives them in any order, and the first of two links gets the file.
    std::sort(entries.begin(), entries.end(),
              [](const QFileInfo& a, const QFileInfo& b) { return a.fileName() < b.fileName(); });
    QMap<QString, QStringList> split;  // parts by the model that they belong to
    const qsizetype first = below.size();
    for (const QFileInfo& entry : entries) {
        if (cancelled_) {
            return;
        }
        if (entry.isDir()) {
            QString app = folder.app;
            if (app.isEmpty()) {
                app = appThatOwns(entry.filePath(), places_);
            }
            below.insert(first, Below{entry.filePath(), folder.depth + 1, app});
        } else {
            file(entry, folder.app, split);
        }
    }
    joinParts(split, folder.app);
}

// The standard library says why a folder cannot be read; QDir returns an empty list.
void Scan::list(const QString& folder, QList<QFileInfo>& entries) {
    std::error_code error;
    std::filesystem::directory_iterator next(QFileInfo(folder).filesystemFilePath(), error);
    const std::filesystem::directory_iterator end;
    while (!error && next != end && !cancelled_ && countOne()) {
        entries << QFileInfo(next->path());
        next.increment(error);
    }
    if (error) {
        report_.problems
            << (error == std::errc::permission_denied
                    ? Words::tr("The folder “%1” cannot be read. Check its permissions.")
                    : Words::tr("The folder “%1” could not be read to its end. Check the "
                                "disk it lies on."))
                   .arg(shown(folder));
    }
}

void Scan::file(const QFileInfo& info, const QString& app, QMap<QString, QStringList>& split) {
    // An unfinished download or packing has its header, but not its weights.
    const QString name = info.fileName();
    if (name.endsWith(QLatin1String(".part")) || name.endsWith(QLatin1String(".partial")) ||
        fileFormatOf(info.filePath()) == FileFormat::Other) {
        return;
    }
    if (const auto part = filePart(name); part && part->count <= kPartsMost) {
        split[QStringLiteral("%1-of-%2").arg(part->whole).arg(part->count)] << info.filePath();
        return;
    }
    add({{info.filePath()},
         info.completeBaseName(),
         app,
         static_cast<quint64>(info.size()),
         0,
         info.lastModified()});
}

void Scan::add(FoundModel model) {
    // The first part stands for all parts.
    const QString truth = QFileInfo(model.path()).canonicalFilePath();
    if (truth.isEmpty() || filesSeen_.contains(truth)) {
        return;
    }
    filesSeen_.insert(truth);
    if (model.app.isEmpty()) {
        model.app = appThatOwns(truth, places_);  // a link into another application's folder
    }
    report_.models << model;
}

void Scan::joinParts(const QMap<QString, QStringList>& split, const QString& app) {
    for (const QStringList& paths : split) {
        FoundModel model;
        model.paths = paths;  // sorted, because their numbers have five digits each
        model.app = app;
        int count = 0;
        for (const QString& path : paths) {
            const QFileInfo info(path);
            const auto part = filePart(info.fileName());
            model.name = part->whole;
            count = part->count;
            model.bytes += static_cast<quint64>(info.size());
            model.changed = std::max(model.changed, info.lastModified());
        }
        model.partsMissing = count - static_cast<int>(paths.size());
        add(std::move(model));
    }
}

}  // namespace

ScanReport scanFolders(const QStringList& folders, const QList<ModelPlace>& places,
                       const std::atomic<bool>& cancelled, const ScanLimits& limits) {
    Scan scan(places, cancelled, limits);
    for (const QString& folder : folders) {
        if (!cancelled) {
            scan.folder(folder);
        }
    }
    return scan.take();
}

std::optional<FoundModel> scanFile(const QString& path, const QList<ModelPlace>& places) {
    if (fileFormatOf(path) == FileFormat::Other) {
        return std::nullopt;
    }
    const QFileInfo info(path);
    QString app = appThatOwns(info.filePath(), places);
    if (app.isEmpty()) {
        app = appThatOwns(info.canonicalFilePath(), places);
    }
    return FoundModel{
        {info.filePath()},  info.completeBaseName(), app, static_cast<quint64>(info.size()), 0,
        info.lastModified()};
}

}  // namespace hearth::ui
