#include "settings/crash_reports.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QThreadPool>
#include <utility>

namespace hearth::ui {

namespace {

const QString kNew = QStringLiteral("new-");  // not announced yet
const QString kTold = QStringLiteral("crash-");
const QString kEnd = QStringLiteral(".txt");
constexpr qint64 kMostBytes = qint64{64} * 1024;  // our reports have a tenth of that

// Names begin with the time: the last one is the latest.
QStringList reports(const QDir& folder, const QString& begin) {
    return folder.entryList({begin + QLatin1Char('*') + kEnd}, QDir::Files, QDir::Name);
}

}  // namespace

CrashReports::~CrashReports() {
    if (removing_) {
        QThreadPool::globalInstance()->waitForDone();
    }
}

QString CrashReports::prepare(const QString& folder) {
    QDir().mkpath(folder);
    return QDir(folder).filePath(
        kNew + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz-")) +
        QString::number(QCoreApplication::applicationPid()) + kEnd);
}

bool CrashReports::look(const QString& folder) {
    QDir dir(folder);
    const QStringList untold = reports(dir, kNew);
    for (const QString& name : untold) {
        const QString told = kTold + name.mid(kNew.size());
        if (dir.rename(name, told)) {
            file_ = dir.filePath(told);
        }
    }
    const QStringList all = reports(dir, kTold);
    for (qsizetype i = 0; i + kMostKept < all.size(); ++i) {
        dir.remove(all.at(i));
    }
    QFile report(file_);
    if (file_.isEmpty() || !report.open(QIODevice::ReadOnly)) {
        file_.clear();
        return false;
    }
    text_ = QString::fromUtf8(report.read(kMostBytes));
    emit changed();
    return true;
}

QString CrashReports::file() const {
    return QDir::toNativeSeparators(file_);
}

void CrashReports::remove() {
    if (file_.isEmpty() || std::exchange(removing_, true)) {
        return;
    }
    QThreadPool::globalInstance()->start([this, file = file_] {
        const bool done = QFile::remove(file) || !QFile::exists(file);
        QMetaObject::invokeMethod(this, [this, done] {
            removing_ = false;
            if (done) {
                file_.clear();
                text_.clear();
                emit changed();
            }
            emit removed(done);
        });
    });
}

}  // namespace hearth::ui
