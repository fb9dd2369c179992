#include "downloads/queue_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QSet>

#include "system/durable_file.h"

namespace hearth::ui {

namespace {

constexpr int kVersion = 1;
constexpr qint64 kFileBytesMost = qint64{16} << 20;

const QList<QPair<QueuedDownload::State, QString>>& stateNames() {
    using State = QueuedDownload::State;
    static const QList<QPair<State, QString>> names{
        {State::Open, QStringLiteral("open")},
        {State::Failed, QStringLiteral("failed")},
        {State::Done, QStringLiteral("done")},
        {State::Cancelled, QStringLiteral("cancelled")}};
    return names;
}

QString nameOf(QueuedDownload::State state) {
    for (const auto& [each, name] : stateNames()) {
        if (each == state) {
            return name;
        }
    }
    return {};
}

QueuedDownload::State stateOf(const QString& text) {
    for (const auto& [state, name] : stateNames()) {
        if (name == text) {
            return state;
        }
    }
    return QueuedDownload::State::Open;
}

QJsonObject toJson(const QueuedDownload& download) {
    QJsonArray parts;
    for (qsizetype i = 0; i < download.order.parts.size(); ++i) {
        const DownloadPart& part = download.order.parts.at(i);
        parts.append(
            QJsonObject{{QStringLiteral("url"), part.url.toString(QUrl::FullyEncoded)},
                        {QStringLiteral("file"), part.fileName},
                        {QStringLiteral("bytes"), part.bytes},
                        {QStringLiteral("sha256"), QString::fromLatin1(part.sha256.toHex())},
                        {QStringLiteral("about"), part.bytesAbout},
                        {QStringLiteral("model"), part.model},
                        {QStringLiteral("architecture"), part.architecture},
                        {QStringLiteral("done"), download.partsDone.value(i)}});
    }
    return {{QStringLiteral("id"), download.id},
            {QStringLiteral("title"), download.order.title},
            {QStringLiteral("folder"), download.order.folder},
            {QStringLiteral("licence"), download.order.licence},
            {QStringLiteral("state"), nameOf(download.state)},
            {QStringLiteral("text"), download.text},
            {QStringLiteral("parts"), parts}};
}

QueuedDownload fromJson(const QJsonObject& object) {
    QueuedDownload download;
    download.id = object.value(QStringLiteral("id")).toInteger();
    download.order.title = object.value(QStringLiteral("title")).toString().left(300);
    download.order.folder = object.value(QStringLiteral("folder")).toString();
    download.order.licence = object.value(QStringLiteral("licence")).toString().left(300);
    download.state = stateOf(object.value(QStringLiteral("state")).toString());
    download.text = object.value(QStringLiteral("text")).toString().left(1000);
    for (const QJsonValue& value : object.value(QStringLiteral("parts")).toArray()) {
        const QJsonObject part = value.toObject();
        download.order.parts.append(
            {QUrl(part.value(QStringLiteral("url")).toString(), QUrl::StrictMode),
             part.value(QStringLiteral("file")).toString(),
             part.value(QStringLiteral("bytes")).toInteger(-1),
             QByteArray::fromHex(part.value(QStringLiteral("sha256")).toString().toLatin1()),
             part.value(QStringLiteral("about")).toInteger(-1),
             part.value(QStringLiteral("model")).toBool(),
             part.value(QStringLiteral("architecture")).toString()});
        download.partsDone.append(part.value(QStringLiteral("done")).toBool());
    }
    return download;
}

// Nothing is lost: a person, or a later version, may still read it.
QString moveAside(const QString& path) {
    QString aside = path + QStringLiteral(".unreadable");
    for (int i = 2; QFile::exists(aside) && i < 100; ++i) {
        aside = path + QStringLiteral(".unreadable-%1").arg(i);
    }
    QFile::rename(path, aside);
    return QCoreApplication::translate("Downloads",
                                       "The list of downloads could not be read. It is kept as %1.")
        .arg(QDir::toNativeSeparators(aside));
}

}  // namespace

QueueFileContent readQueueFile(const QString& path) {
    QFile file(path);
    if (!file.exists()) {
        return {};
    }
    QueueFileContent content;
    QJsonParseError error;
    QJsonDocument document;
    if (file.open(QIODevice::ReadOnly) && file.size() <= kFileBytesMost) {
        document = QJsonDocument::fromJson(file.readAll(), &error);
    }
    file.close();
    const QJsonObject top = document.object();
    if (top.value(QStringLiteral("version")).toInt() != kVersion ||
        !top.value(QStringLiteral("downloads")).isArray()) {
        content.problem = moveAside(path);
        return content;
    }
    QSet<qint64> ids;
    for (const QJsonValue& value : top.value(QStringLiteral("downloads")).toArray()) {
        const QueuedDownload download = fromJson(value.toObject());
        if (download.id <= 0 || ids.contains(download.id) || !refusalOf(download.order).isEmpty()) {
            content.problem = QCoreApplication::translate(
                "Downloads", "Part of the list of downloads made no sense and was left out.");
            continue;
        }
        ids.insert(download.id);
        content.downloads.append(download);
    }
    return content;
}

QString writeQueueFile(const QString& path, const QList<QueuedDownload>& downloads) {
    QJsonArray all;
    for (const QueuedDownload& download : downloads) {
        all.append(toJson(download));
    }
    QDir().mkpath(QFileInfo(path).path());
    QSaveFile file(path);  // syncs, then renames
    const QByteArray text = QJsonDocument(QJsonObject{{QStringLiteral("version"), kVersion},
                                                      {QStringLiteral("downloads"), all}})
                                .toJson();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
        return QCoreApplication::translate("Downloads",
                                           "The list of downloads could not be kept (%1).")
            .arg(file.errorString());
    }
    syncFolder(QFileInfo(path).path());
    return {};
}

}  // namespace hearth::ui
