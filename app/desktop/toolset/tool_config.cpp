#include "toolset/tool_config.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUrl>
#include <algorithm>

#include "network/network_rules.h"
#include "system/durable_file.h"
#include "toolset/stdio_transport.h"

namespace hearth::ui {

namespace {

constexpr int kVersion = 1;
constexpr qint64 kMostFileBytes = qint64{1} << 20;
constexpr qsizetype kMostName = 100;
constexpr qsizetype kMostEntry = 4000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ToolConfig)
};

}  // namespace

bool ToolServer::isAddress() const {
    return entry.startsWith(QLatin1String("https://"), Qt::CaseInsensitive) ||
           entry.startsWith(QLatin1String("http://"), Qt::CaseInsensitive);
}

QString refusalOfServer(const ToolServer& server, const ToolConfig& config) {
    if (server.name.trimmed().isEmpty() || server.name.size() > kMostName) {
        return Words::tr("Give the server a name of at most 100 characters.");
    }
    if (std::any_of(config.servers.begin(), config.servers.end(),
                    [&](const ToolServer& other) { return other.name == server.name; })) {
        return Words::tr("There is a server of this name already.");
    }
    if (config.servers.size() >= kMostServers) {
        return Words::tr("There are %1 servers already, and no more can be added.")
            .arg(kMostServers);
    }
    if (server.entry.size() > kMostEntry) {
        return Words::tr("The command line is too long.");
    }
    if (server.isAddress()) {
        return refusalOfAddress(QUrl(server.entry, QUrl::StrictMode));
    }
    return commandWords(server.entry).isEmpty()
               ? Words::tr("Enter a command line, or an address that begins with https://.")
               : QString();
}

ToolConfig readToolConfig(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QJsonObject root =
        QJsonDocument::fromJson(file.size() > kMostFileBytes ? QByteArray() : file.readAll())
            .object();
    file.close();
    if (root.value(QStringLiteral("version")).toInt() != kVersion) {
        QFile::remove(path + QStringLiteral(".damaged"));
        QFile::rename(path, path + QStringLiteral(".damaged"));
        return {};
    }
    ToolConfig config;
    for (const QJsonValue& name : root.value(QStringLiteral("builtIns")).toArray()) {
        config.builtIns.insert(name.toString().left(kMostName));
    }
    for (const QJsonValue& value : root.value(QStringLiteral("servers")).toArray()) {
        const QJsonObject object = value.toObject();
        ToolServer server;
        server.id = config.servers.size() + 1;
        server.name = object.value(QStringLiteral("name")).toString();
        server.entry = object.value(QStringLiteral("entry")).toString();
        server.network = object.value(QStringLiteral("network")).toBool();
        server.on = object.value(QStringLiteral("on")).toBool();
        if (refusalOfServer(server, config).isEmpty()) {
            config.servers.append(server);
        }
    }
    return config;
}

QString writeToolConfig(const QString& path, const ToolConfig& config) {
    if (path.isEmpty()) {
        return {};  // nothing is kept
    }
    QStringList names(config.builtIns.begin(), config.builtIns.end());
    names.sort();
    QJsonArray servers;
    for (const ToolServer& server : config.servers) {
        servers.append(QJsonObject{{QStringLiteral("name"), server.name},
                                   {QStringLiteral("entry"), server.entry},
                                   {QStringLiteral("network"), server.network},
                                   {QStringLiteral("on"), server.on}});
    }
    const QJsonObject root{{QStringLiteral("version"), kVersion},
                           {QStringLiteral("builtIns"), QJsonArray::fromStringList(names)},
                           {QStringLiteral("servers"), servers}};
    QSaveFile file(path);
    // A command line may hold a key of the user's.
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner) &&
                         file.write(QJsonDocument(root).toJson()) >= 0 && file.commit();
    if (!written) {
        return Words::tr("What you set about tools is not saved: %1").arg(file.errorString());
    }
    syncFolder(QFileInfo(path).path());
    return {};
}

}  // namespace hearth::ui
