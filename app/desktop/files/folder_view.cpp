#include "files/folder_view.h"

#include <QCollator>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QLocale>
#include <QMutex>
#include <QStandardPaths>
#include <QStorageInfo>
#include <algorithm>
#include <thread>

#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

const QString kAll = QStringLiteral("*");

}  // namespace

struct FolderView::Link {
    QMutex mutex;
    FolderView* view;  // null: gone
};

FolderView::FolderView(QObject* parent)
    : QAbstractListModel(parent), link_(std::make_shared<Link>()) {
    link_->view = this;
}

FolderView::~FolderView() {
    const QMutexLocker locker(&link_->mutex);
    link_->view = nullptr;
}

void FolderView::setFolder(const QString& folder) {
    folder_ = QDir::cleanPath(QDir(folder).absolutePath());
    const int turn = ++turn_;
    if (!busy_) {
        busy_ = true;
        emit busyChanged();
    }
    emit folderChanged();
    // Nobody waits for this thread. A folder on a server that does not answer blocks its reader for
    // minutes, and the end of the program must not wait for that.
    std::thread([link = link_, turn, path = folder_, suffixes = suffixes_] {
        const Listing listing = list(path, suffixes);
        const QMutexLocker locker(&link->mutex);
        if (link->view != nullptr) {
            QMetaObject::invokeMethod(
                link->view, [view = link->view, turn, listing] { view->show(turn, listing); },
                Qt::QueuedConnection);
        }
    }).detach();
}

FolderView::Listing FolderView::list(const QString& folder, const QStringList& suffixes) {
    Listing listing;
    const QDir dir(folder);
    listing.readable = dir.exists() && dir.isReadable();
    if (!listing.readable) {
        return listing;
    }
    const bool all = suffixes.contains(kAll);
    QDirIterator it(folder, QDir::Dirs | QDir::Files | QDir::NoDotAndDotDot);
    while (it.hasNext()) {
        it.next();
        const QFileInfo file = it.fileInfo();
        const bool isFolder = file.isDir();
        if (!isFolder && !all && !suffixes.contains(file.suffix(), Qt::CaseInsensitive)) {
            continue;
        }
        if (listing.rows.size() >= kMostRows) {
            listing.whole = false;
            break;
        }
        listing.rows.append({file.fileName(), file.filePath(), isFolder, file.size(),
                             file.lastModified().toMSecsSinceEpoch()});
    }
    // The C locale sorts by bytes, not for people.
    QCollator order(windowLocale().language() == QLocale::C ? QLocale(QLocale::English)
                                                            : windowLocale());
    order.setNumericMode(true);
    order.setCaseSensitivity(Qt::CaseInsensitive);
    std::sort(listing.rows.begin(), listing.rows.end(), [&](const Row& a, const Row& b) {
        return a.isFolder != b.isFolder ? a.isFolder : order.compare(a.name, b.name) < 0;
    });
    return listing;
}

void FolderView::show(int turn, const Listing& listing) {
    if (turn != turn_) {
        return;  // another folder is wanted meanwhile
    }
    beginResetModel();
    rows_ = listing.rows;
    endResetModel();
    notice_ = !listing.readable ? tr("This folder does not exist or cannot be read.")
              : !listing.whole
                  ? tr("Only %1 entries of this folder are shown. Type the rest of the path above.")
                        .arg(windowLocale().toString(kMostRows))
              : !rows_.isEmpty()    ? QString()
              : suffixes_.isEmpty() ? tr("There are no folders here.")
              : suffixes_.contains(kAll)
                  ? tr("There is nothing here.")
                  : tr("There are no folders and no models (%1) here.")
                        .arg(QStringLiteral("*.") + suffixes_.join(QStringLiteral(", *.")));
    busy_ = false;
    emit busyChanged();
    emit listed();
}

QString FolderView::folderText() const {
    return QDir::toNativeSeparators(folder_);
}

bool FolderView::hasParent() const {
    return !folder_.isEmpty() && !QDir(folder_).isRoot();
}

QVariantList FolderView::places() const {
    QVariantList places;
    QStringList known;
    const auto add = [&](const QString& name, const QString& path) {
        if (!path.isEmpty() && !known.contains(path) && QFileInfo(path).isDir()) {
            known << path;
            places << QVariantMap{{QStringLiteral("name"), name}, {QStringLiteral("path"), path}};
        }
    };
    const auto standard = [](QStandardPaths::StandardLocation place) {
        return QStandardPaths::writableLocation(place);
    };
    add(tr("Home"), QDir::homePath());
    add(tr("Downloads"), standard(QStandardPaths::DownloadLocation));
    add(tr("Documents"), standard(QStandardPaths::DocumentsLocation));
    for (const QStorageInfo& volume : QStorageInfo::mountedVolumes()) {
        const QString path = volume.rootPath();
        // Adds drives: those that the user plugged in, and those of Windows.
        if (path.startsWith(QLatin1String("/media/")) || path.startsWith(QLatin1String("/mnt/")) ||
            path.startsWith(QLatin1String("/run/media/")) ||
            path.startsWith(QLatin1String("/Volumes/")) || path.endsWith(QLatin1String(":/"))) {
            add(volume.displayName().isEmpty() ? path : volume.displayName(), path);
        }
    }
    return places;
}

int FolderView::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant FolderView::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Row& row = rows_.at(index.row());
    switch (role) {
        case Qt::DisplayRole:
        case NameRole:
            return row.name.simplified();
        case PathRole:
            return row.path;
        case IsFolderRole:
            return row.isFolder;
        case DetailRole:
            return row.isFolder
                       ? QString()
                       : tr("%1, %2").arg(sizeWords(static_cast<quint64>(row.bytes)),
                                          windowLocale().toString(
                                              QDateTime::fromMSecsSinceEpoch(row.changedMs).date(),
                                              QLocale::ShortFormat));
        default:
            return {};
    }
}

QHash<int, QByteArray> FolderView::roleNames() const {
    return {
        {NameRole, "name"}, {PathRole, "path"}, {IsFolderRole, "isFolder"}, {DetailRole, "detail"}};
}

QString FolderView::folderNear(const QString& path) const {
    const QFileInfo file(path);
    const QString folder = file.isDir() ? path : file.path();
    return !path.isEmpty() && QFileInfo(folder).isDir() ? folder : QDir::homePath();
}

void FolderView::up() {
    if (hasParent()) {
        cameFrom_ = folder_;
        setFolder(QFileInfo(folder_).path());
    }
}

int FolderView::rowToChoose() const {
    for (int row = 0; row < count(); ++row) {
        if (rows_.at(row).path == cameFrom_) {
            return row;
        }
    }
    return rows_.isEmpty() ? -1 : 0;
}

int FolderView::find(const QString& begin, int row) const {
    for (int step = 1; step <= count(); ++step) {
        const int at = (std::max(row, -1) + step) % count();
        if (rows_.at(at).name.startsWith(begin, Qt::CaseInsensitive)) {
            return at;
        }
    }
    return -1;
}

QString FolderView::pathAt(int row) const {
    return row >= 0 && row < count() ? rows_.at(row).path : QString();
}

bool FolderView::isFolderAt(int row) const {
    return row >= 0 && row < count() && rows_.at(row).isFolder;
}

QString FolderView::take(const QString& typed) {
    QString path = QDir::fromNativeSeparators(typed.trimmed());
    if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/"))) {
        path = QDir::homePath() + path.mid(1);
    }
    const QFileInfo file(QDir(folder_), path);
    if (!path.isEmpty() && file.isFile() && !suffixes_.isEmpty()) {
        return file.absoluteFilePath();
    }
    if (!path.isEmpty() && file.isDir()) {
        setFolder(file.absoluteFilePath());
    } else {
        notice_ = tr("There is no file or folder at this path. Check how it is written.");
        emit listed();
    }
    return {};
}

}  // namespace hearth::ui
