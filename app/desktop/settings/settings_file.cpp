#include "settings/settings_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>
#include <utility>

#include "settings/ini_text.h"
#include "system/durable_file.h"

namespace hearth::ui {

namespace {

constexpr qint64 kLeftAfterS = 3600;  // no write takes so long

// Removes the file that a kill during a write left behind, under a name that QSaveFile made up: six
// letters, small and large ones mixed. "backup" or "Backup" is a name that somebody gave.
void removeLeftovers(const QFileInfo& file) {
    static const QRegularExpression madeUp(
        QStringLiteral("\\.(?=[A-Za-z]{6}$)[A-Za-z]*[a-z][A-Z]"));
    const QDateTime before = QDateTime::currentDateTime().addSecs(-kLeftAfterS);
    const QFileInfoList others = file.dir().entryInfoList(
        {file.fileName() + QStringLiteral(".??????")}, QDir::Files | QDir::Hidden);
    for (const QFileInfo& other : others) {
        if (other.lastModified() < before && madeUp.match(other.fileName()).hasMatch()) {
            QFile::remove(other.filePath());
        }
    }
}

}  // namespace

SettingsFile::SettingsFile(const QString& file, QObject* parent) : QObject(parent), file_(file) {
    thread_.setMaxThreadCount(1);
}

SettingsFile::~SettingsFile() {
    flush();
}

void SettingsFile::set(const QString& key, const QStringList& values) {
    change(key, values);
}

void SettingsFile::remove(const QString& key) {
    change(key, std::nullopt);
}

void SettingsFile::change(const QString& key, const std::optional<QStringList>& values) {
    const QMutexLocker locker(&mutex_);
    pending_.insert(key, values);
    if (!std::exchange(working_, true)) {
        thread_.start([this] { work(); });
    }
}

void SettingsFile::flush() {
    thread_.waitForDone();
    {
        const QMutexLocker locker(&mutex_);
        if (pending_.isEmpty()) {
            return;
        }
        working_ = true;
    }
    thread_.start([this] { work(); });
    thread_.waitForDone();
}

void SettingsFile::work() {
    for (;;) {
        Changes changes;
        {
            const QMutexLocker locker(&mutex_);
            if (pending_.isEmpty()) {
                working_ = false;
                break;
            }
            changes = std::exchange(pending_, {});
        }
        const QString wrong = write(changes);
        if (!wrong.isEmpty()) {
            emit failed(wrong);
            const QMutexLocker locker(&mutex_);
            changes.insert(pending_);  // later changes replace earlier ones
            pending_ = changes;
            working_ = false;
            return;
        }
    }
    emit worked();
}

QString SettingsFile::write(const Changes& changes) const {
    const QString begin = tr("What you changed in the settings is not kept: %1 cannot be written.")
                              .arg(QDir::toNativeSeparators(file_)) +
                          QLatin1Char(' ');
    QFile before(file_);
    QByteArray bytes;
    if (before.exists()) {
        // An unreadable file must not be replaced.
        if (!before.open(QIODevice::ReadOnly)) {
            return begin + before.errorString();
        }
        bytes = before.readAll();
    } else {
        QDir().mkpath(QFileInfo(file_).path());
    }
    IniText text(bytes);
    for (auto change = changes.begin(); change != changes.end(); ++change) {
        if (*change) {
            text.set(change.key(), **change);
        } else {
            text.remove(change.key());
        }
    }
    const QByteArray after = text.text();
    if (after == bytes) {
        return {};
    }
    QSaveFile file(file_);
    if (!file.open(QIODevice::WriteOnly) || file.write(after) != after.size() || !file.flush()) {
        return begin + file.errorString();
    }
    if (const DiskTrouble trouble = syncFile(file)) {
        return begin + trouble.sentence();
    }
    if (!file.commit()) {
        return begin + file.errorString();
    }
    syncFolder(QFileInfo(file_).path());
    removeLeftovers(QFileInfo(file_));
    return {};
}

}  // namespace hearth::ui
