#include "toolset/tool_shelf.h"

#include <QLoggingCategory>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "network/network_control.h"
#include "toolset/http_transport.h"
#include "toolset/mcp_client.h"
#include "toolset/stdio_transport.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcTools, "hearth.tools")

namespace {

constexpr qsizetype kMostName = 60;

// Models know names of letters, digits, _ and -.
QString nameForModels(const QString& text) {
    QString name;
    for (const QChar c : text.left(kMostName)) {
        const bool isPlain = c.unicode() < 128 && (c.isLetterOrNumber() || c == QLatin1Char('_') ||
                                                   c == QLatin1Char('-'));
        name += isPlain ? c : QLatin1Char('_');
    }
    return name;
}

}  // namespace

ToolShelf::ToolShelf(const QString& file, NetworkControl& control, NetworkDoor& door,
                     QObject* parent)
    : QObject(parent),
      file_(file),
      control_(control),
      door_(door),
      config_(readToolConfig(file)),
      builtIns_(door) {
    listen(builtIns_);
    for (const ToolServer& server : config_.servers) {
        lastServer_ = std::max(lastServer_, server.id);
        model_.append({server});
    }
    connect(&control_, &NetworkControl::rulesChanged, this, &ToolShelf::heedRules);
    // The rules of the network are there by then.
    QMetaObject::invokeMethod(this, &ToolShelf::startServers, Qt::QueuedConnection);
}

void ToolShelf::startServers() {
    forbidden_ = control_.rules().forbidAll;
    for (const ToolServer& server : std::as_const(config_.servers)) {
        if (server.on && !clients_.contains(server.id)) {
            startServer(server);
        }
    }
}

// A program keeps the network that it was started with.
void ToolShelf::heedRules() {
    if (forbidden_ == control_.rules().forbidAll) {
        return;
    }
    forbidden_ = control_.rules().forbidAll;
    const QList<ToolServer> servers = config_.servers;
    for (const ToolServer& server : servers) {
        if (clients_.contains(server.id) && server.network && !server.isAddress()) {
            setServerOn(server.id, true);
        }
    }
}

ToolShelf::~ToolShelf() {
    close();
}

void ToolShelf::close() {
    calls_.clear();
    const QList<qint64> ids = clients_.keys();
    for (const qint64 id : ids) {
        delete clients_.take(id);
    }
}

void ToolShelf::listen(ToolSource& source) {
    connect(&source, &ToolSource::done, this, &ToolShelf::onDone);
}

QVariantList ToolShelf::builtIns() const {
    QVariantList all;
    for (const OfferedTool& tool : builtIns_.tools()) {
        all.append(QVariantMap{{QStringLiteral("name"), tool.name},
                               {QStringLiteral("words"), tool.description},
                               {QStringLiteral("on"), config_.builtIns.contains(tool.name)}});
    }
    return all;
}

int ToolShelf::onCount() const {
    return static_cast<int>(offered(true).size());
}

void ToolShelf::save() {
    trouble_ = writeToolConfig(file_, config_);
    emit changed();
}

void ToolShelf::setBuiltInOn(const QString& name, bool on) {
    if (on) {
        config_.builtIns.insert(name);
    } else {
        config_.builtIns.remove(name);
    }
    save();
}

ToolServer* ToolShelf::serverOf(qint64 id) {
    const auto found = std::find_if(config_.servers.begin(), config_.servers.end(),
                                    [id](const ToolServer& server) { return server.id == id; });
    return found == config_.servers.end() ? nullptr : &*found;
}

QString ToolShelf::addServer(const QString& name, const QString& entry, bool network) {
    ToolServer server;
    server.id = lastServer_ + 1;
    server.name = name.trimmed();
    server.entry = entry.trimmed();
    server.network = network;
    if (const QString refusal = refusalOfServer(server, config_); !refusal.isEmpty()) {
        return refusal;
    }
    lastServer_ = server.id;
    config_.servers.append(server);
    model_.append({server});
    save();
    return {};
}

void ToolShelf::removeServer(qint64 serverId) {
    stopServer(serverId);
    config_.servers.removeIf([&](const ToolServer& server) { return server.id == serverId; });
    model_.remove(serverId);
    save();
}

void ToolShelf::setServerOn(qint64 serverId, bool on) {
    ToolServer* server = serverOf(serverId);
    if (server == nullptr) {
        return;
    }
    stopServer(serverId);
    server->on = on;
    if (on) {
        startServer(*server);
    }
    show(serverId);
    save();
}

void ToolShelf::setServerNetwork(qint64 serverId, bool allowed) {
    ToolServer* server = serverOf(serverId);
    if (server == nullptr || server->network == allowed) {
        return;
    }
    server->network = allowed;
    setServerOn(serverId, server->on);  // a program that runs keeps what it was started with
}

void ToolShelf::startServer(const ToolServer& server) {
    std::unique_ptr<McpTransport> transport;
    if (server.isAddress()) {
        transport = std::make_unique<HttpTransport>(door_, QUrl(server.entry, QUrl::StrictMode));
    } else {
        transport = std::make_unique<StdioTransport>(commandWords(server.entry),
                                                     server.network && !control_.rules().forbidAll
                                                         ? ChildNetwork::Allowed
                                                         : ChildNetwork::None);
    }
    auto* client = new McpClient(server.name, std::move(transport), {}, this);
    clients_.insert(server.id, client);
    listen(*client);
    connect(client, &ToolSource::changed, this, [this, id = server.id] {
        show(id);
        emit changed();
    });
    connect(client, &McpClient::said, this,
            [this, name = server.name](const QString& line) { log_.add(name, line); });
    log_.add(server.name, tr("started"));
    qCInfo(lcTools).noquote() << "server started:" << server.name;
    client->start();
    show(server.id);
}

void ToolShelf::stopServer(qint64 id) {
    McpClient* client = clients_.take(id);
    if (client == nullptr) {
        return;
    }
    // Its calls end here: nothing of it arrives any more.
    client->disconnect(this);
    const QHash<quint64, UnderWay> calls = calls_;
    for (auto call = calls.begin(); call != calls.end(); ++call) {
        if (call->from == client) {
            onDone(call.key(), {true, tr("The server was switched off.")});
        }
    }
    log_.add(client->title(), tr("ended"));
    client->deleteLater();
}

void ToolShelf::show(qint64 id) {
    const ToolServer* server = serverOf(id);
    if (server == nullptr) {
        return;
    }
    ServerListModel::Row row{*server};
    if (const McpClient* client = clients_.value(id)) {
        row.phase = client->state() == McpClient::State::Ready    ? QStringLiteral("ready")
                    : client->state() == McpClient::State::Failed ? QStringLiteral("failed")
                                                                  : QStringLiteral("starting");
        row.words = client->words();
        row.tools = client->tools();
    }
    model_.change(row);
}

QList<ShelfTool> ToolShelf::offered(bool hasFolder) const {
    QList<ShelfTool> all;
    const auto isTaken = [&](const QString& name) {
        return std::any_of(all.begin(), all.end(),
                           [&](const ShelfTool& other) { return other.name == name; });
    };
    const auto add = [&](ToolSource* from, const OfferedTool& tool) {
        QString name = nameForModels(tool.name);
        if (isTaken(name)) {
            name = nameForModels(from->title()).left(kMostName / 2) + QLatin1Char('_') + name;
        }
        const QString first = name;
        for (int i = 2; isTaken(name); ++i) {
            name = first + QLatin1Char('_') + QString::number(i);
        }
        if (all.size() < kMostOffered) {
            all.append({name, from->title(), tool, from});
        }
    };
    for (const OfferedTool& tool : builtIns_.tools()) {
        if (config_.builtIns.contains(tool.name) &&
            (hasFolder || !BuiltInTools::needsFolder(tool.name))) {
            add(const_cast<BuiltInTools*>(&builtIns_), tool);
        }
    }
    for (const ToolServer& server : config_.servers) {
        if (McpClient* client = clients_.value(server.id)) {
            for (const OfferedTool& tool : client->tools()) {
                add(client, tool);
            }
        }
    }
    return all;
}

quint64 ToolShelf::call(const ShelfTool& tool, const QByteArray& arguments,
                        const ToolPlace& place) {
    const quint64 id = ++lastCall_;
    calls_.insert(id, {tool.from.data(), tool.source, tool.tool.name});
    log_.add(tool.source, tr("%1 is called").arg(tool.tool.name));
    qCInfo(lcTools).noquote() << "called:" << tool.source << tool.tool.name << arguments.size()
                              << "bytes";
    const bool isThere = tool.from == &builtIns_ ||
                         std::any_of(clients_.begin(), clients_.end(),
                                     [&](McpClient* client) { return tool.from == client; });
    if (isThere) {
        tool.from->call(id, tool.tool.name, arguments, place);
    } else {
        QMetaObject::invokeMethod(
            this,
            [this, id] {
                onDone(id, {true, tr("The tool was switched off.")});
            },
            Qt::QueuedConnection);
    }
    return id;
}

void ToolShelf::cancel(quint64 id) {
    const auto call = calls_.constFind(id);
    if (call != calls_.constEnd() && call->from != nullptr) {
        call->from->cancel(id);
    }
}

void ToolShelf::onDone(quint64 id, const ToolOutcome& outcome) {
    const auto call = calls_.constFind(id);
    if (call == calls_.constEnd()) {
        return;
    }
    const UnderWay ended = *call;
    calls_.erase(call);
    log_.add(ended.source, outcome.failed ? tr("%1 failed").arg(ended.tool)
                                          : tr("%1 answered, %n characters", nullptr,
                                               static_cast<int>(outcome.text.size()))
                                                .arg(ended.tool));
    qCInfo(lcTools).noquote() << (outcome.failed ? "failed:" : "answered:") << ended.source
                              << ended.tool << outcome.text.size() << "characters";
    emit done(id, outcome);
}

}  // namespace hearth::ui
