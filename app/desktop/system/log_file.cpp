#include "system/log_file.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <atomic>
#include <cstdio>

namespace hearth::ui {

namespace {

constexpr qsizetype kLongestLine = 2000;
std::atomic<LogFile*> current{nullptr};

const char* nameOf(QtMsgType type) {
    switch (type) {
        case QtDebugMsg:
            return "debug";
        case QtInfoMsg:
            return "info";
        case QtWarningMsg:
            return "warning";
        case QtCriticalMsg:
            return "error";
        case QtFatalMsg:
            return "fatal";
    }
    return "";
}

}  // namespace

LogFile::LogFile(const QString& file, qint64 maxBytes) : file_(file), maxBytes_(maxBytes) {
    QDir().mkpath(QFileInfo(file).path());
    if (!file_.open(QIODevice::WriteOnly | QIODevice::Append)) {
        std::fprintf(stderr, "hearth: no log file: %s\n", qPrintable(file_.errorString()));
    }
}

LogFile::~LogFile() {
    if (installed_) {
        qInstallMessageHandler(before_);
        current = nullptr;
    }
}

void LogFile::install() {
    current = this;
    installed_ = true;
    before_ = qInstallMessageHandler(&LogFile::handle);
}

void LogFile::handle(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (LogFile* log = current) {
        log->write(type, context.category, message);
    }
    if (type != QtDebugMsg && type != QtInfoMsg) {
        std::fprintf(stderr, "hearth: %s\n", qPrintable(message));
    }
}

void LogFile::write(QtMsgType type, const char* category, const QString& message) {
    QString text = message.left(kLongestLine);
    text.replace(QLatin1Char('\n'), QLatin1Char(' '));
    const QByteArray line = QStringLiteral("%1 %2 %3: %4\n")
                                .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs),
                                     QLatin1String(nameOf(type)),
                                     QLatin1String(category != nullptr ? category : ""), text)
                                .toUtf8();
    const QMutexLocker locker(&mutex_);
    if (!file_.isOpen()) {
        return;
    }
    if (file_.size() + line.size() > maxBytes_) {
        const QString name = file_.fileName();
        file_.close();
        QFile::remove(name + QStringLiteral(".1"));
        QFile::rename(name, name + QStringLiteral(".1"));
        file_.setFileName(name);
        if (!file_.open(QIODevice::WriteOnly | QIODevice::Truncate)) {
            return;
        }
    }
    file_.write(line);
    file_.flush();
}

}  // namespace hearth::ui
