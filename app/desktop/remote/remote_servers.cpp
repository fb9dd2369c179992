#include "remote/remote_servers.h"

#include <QRandomGenerator>
#include <algorithm>

#include "network/network_door.h"
#include "network/network_rules.h"
#include "network/token_keeper.h"
#include "remote/chat_stream.h"
#include "settings/app_settings.h"

namespace hearth::ui {

namespace {

const QString kSection = QStringLiteral("remote-");
constexpr qint64 kMostListBytes = qint64{4} << 20;

QString newId() {
    return QStringLiteral("%1").arg(QRandomGenerator::system()->generate(), 8, 16,
                                    QLatin1Char('0'));
}

QString one(const AppSettings& settings, const QString& section, const char* name) {
    return settings.keptIn(section, QString::fromLatin1(name)).join(QStringLiteral(", "));
}

QVariantMap rowOf(const RemoteServer& server, const ListedModel& model) {
    return {{QStringLiteral("name"), model.name},
            {QStringLiteral("path"), remotePath({server.id, model.name})}};
}

}  // namespace

RemoteServers::RemoteServers(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
    const AppSettings& settings = parts_.settings;
    for (const QString& section : settings.sectionsOf(kSection)) {
        RemoteServer server;
        server.section = section;
        server.id = one(settings, section, "id");
        server.name = one(settings, section, "name");
        server.address = serverAddress(one(settings, section, "address"));
        server.always = one(settings, section, "always") == QLatin1String("true");
        const QStringList contexts = settings.keptIn(section, QStringLiteral("contexts"));
        const QStringList models = settings.keptIn(section, QStringLiteral("models"));
        for (qsizetype i = 0; i < std::min(models.size(), kMostUsedModels); ++i) {
            server.used.append(
                {models.at(i).left(kMostModelName), std::max(0, contexts.value(i).toInt())});
        }
        // The file may have been changed by hand.
        const bool isId =
            remoteModelAt(remotePath({server.id, QStringLiteral("model")})).has_value();
        if (isId && find(server.id) == nullptr && refusalOf(server).isEmpty()) {
            servers_.append(server);
        }
    }
    connect(&parts_.tokens, &TokenKeeper::changed, this, &RemoteServers::changed);
}

RemoteServers::~RemoteServers() = default;

QVariantList RemoteServers::list() const {
    QVariantList rows;
    for (const RemoteServer& server : servers_) {
        const Asked asked = asked_.value(server.id);
        const QString site = siteOf(server.address);
        QVariantList models;
        for (const ListedModel& model : asked.models.isEmpty() ? server.used : asked.models) {
            models << rowOf(server, model);
        }
        rows << QVariantMap{
            {QStringLiteral("id"), server.id},
            {QStringLiteral("name"), server.name},
            {QStringLiteral("address"), server.address.toString(QUrl::FullyEncoded)},
            {QStringLiteral("host"), server.host()},
            {QStringLiteral("always"), server.always},
            {QStringLiteral("hasKey"), parts_.tokens.hasTokenOf(site)},
            {QStringLiteral("keyIsKept"), parts_.tokens.isInKeychain(site)},
            {QStringLiteral("asking"), asked.asking},
            {QStringLiteral("wrong"), asked.wrong},
            {QStringLiteral("models"), models}};
    }
    return rows;
}

QVariantList RemoteServers::recent() const {
    constexpr qsizetype kShown = 3;  // of each server
    QVariantList rows;
    for (const RemoteServer& server : servers_) {
        for (const ListedModel& model : server.used.mid(0, kShown)) {
            QVariantMap row = rowOf(server, model);
            row.insert(QStringLiteral("name"), notLocal(model.name));
            rows << row;
        }
    }
    return rows;
}

const RemoteServer* RemoteServers::find(const QString& serverId) const {
    const auto found =
        std::find_if(servers_.begin(), servers_.end(),
                     [&](const RemoteServer& server) { return server.id == serverId; });
    return found == servers_.end() ? nullptr : &*found;
}

RemoteServer* RemoteServers::findMutable(const QString& serverId) {
    const auto found =
        std::find_if(servers_.begin(), servers_.end(),
                     [&](const RemoteServer& server) { return server.id == serverId; });
    return found == servers_.end() ? nullptr : &*found;
}

bool RemoteServers::knows(const QString& path) const {
    const auto model = remoteModelAt(path);
    return model && find(model->server) != nullptr;
}

QString RemoteServers::refusalOf(const RemoteServer& server) const {
    if (server.name.trimmed().isEmpty() || server.name.size() > kMostServerName) {
        return tr("Give the server a name of at most %1 characters.").arg(kMostServerName);
    }
    const bool isTaken =
        std::any_of(servers_.begin(), servers_.end(), [&](const RemoteServer& other) {
            return other.id != server.id &&
                   (other.name == server.name || other.address == server.address);
        });
    if (isTaken) {
        return tr("There is a server of this name or address already.");
    }
    if (find(server.id) == nullptr && servers_.size() >= kMostRemoteServers) {
        return tr("There are %1 servers already, and no more can be added.")
            .arg(kMostRemoteServers);
    }
    return refusalOfServerAddress(server.address);
}

QString RemoteServers::add(const QString& name, const QString& address, const QString& key) {
    RemoteServer server;
    server.id = newId();
    server.address = serverAddress(address);
    server.name = name.trimmed().isEmpty() ? server.host() : name.trimmed();
    QString wrong = refusalOf(server);
    if (wrong.isEmpty() && !key.isEmpty()) {
        wrong = parts_.tokens.setTokenOf(siteOf(server.address), key);
    }
    if (!wrong.isEmpty()) {
        return wrong;
    }
    server.section = freeSection();
    servers_.append(server);
    keep(server);
    emit changed();
    ask(server.id);
    return {};
}

QString RemoteServers::change(const QString& serverId, const QString& name, const QString& address,
                              const QString& key) {
    RemoteServer* server = findMutable(serverId);
    if (server == nullptr) {
        return tr("This server is no longer in the list.");
    }
    RemoteServer next = *server;
    next.address = serverAddress(address);
    next.name = name.trimmed().isEmpty() ? next.host() : name.trimmed();
    const bool moves = next.address != server->address;
    if (moves) {
        next.always = false;
        next.used.clear();
    }
    QString wrong = refusalOf(next);
    if (wrong.isEmpty() && !key.isEmpty()) {
        wrong = parts_.tokens.setTokenOf(siteOf(next.address), key);
    }
    if (!wrong.isEmpty()) {
        return wrong;
    }
    const QString before = siteOf(server->address);
    *server = next;
    keep(next);
    if (moves) {
        forgetKeyOf(before);
        emit moved(serverId);
    }
    asked_.remove(serverId);
    emit changed();
    ask(serverId);
    return {};
}

void RemoteServers::remove(const QString& serverId) {
    const RemoteServer* server = find(serverId);
    if (server == nullptr) {
        return;
    }
    const QString site = siteOf(server->address);
    parts_.settings.removeSection(server->section);
    servers_.removeAt(server - servers_.constData());
    asked_.remove(serverId);
    forgetKeyOf(site);
    emit moved(serverId);
    emit changed();
}

// The key of a site stays as long as a server of the list is there. The hub's is not ours.
void RemoteServers::forgetKeyOf(const QString& site) {
    const bool isUsed =
        std::any_of(servers_.begin(), servers_.end(),
                    [&](const RemoteServer& server) { return siteOf(server.address) == site; });
    if (!isUsed && site != parts_.tokens.host()) {
        parts_.tokens.forgetTokenOf(site);
    }
}

void RemoteServers::setAlways(const QString& serverId, bool always) {
    RemoteServer* server = findMutable(serverId);
    if (server != nullptr && server->always != always) {
        server->always = always;
        keep(*server);
        emit changed();
    }
}

void RemoteServers::look() {
    for (const RemoteServer& server : std::as_const(servers_)) {
        parts_.tokens.load(siteOf(server.address), this, [] {});
    }
    emit changed();
}

void RemoteServers::ask(const QString& serverId) {
    const RemoteServer* server = find(serverId);
    if (server == nullptr) {
        return;
    }
    Asked& asked = asked_[serverId];
    asked.asking = true;
    asked.wrong.clear();
    asked.request = std::make_shared<QObject>();
    QObject* request = asked.request.get();
    const DoorRequest question{.url = server->endpoint(QStringLiteral("/models")),
                               .purpose = tr("Models of %1").arg(server->name),
                               .withToken = true,
                               .direct = server->isHere(),
                               .bodyBytesMost = kMostListBytes};
    parts_.tokens.load(siteOf(server->address), request, [this, serverId, request, question] {
        parts_.door.fetch(question, request,
                          [this, serverId](const DoorAnswer& answer) { onList(serverId, answer); });
    });
    emit changed();
}

void RemoteServers::onList(const QString& serverId, const DoorAnswer& answer) {
    const RemoteServer* server = find(serverId);
    const auto asked = asked_.find(serverId);
    if (server == nullptr || asked == asked_.end()) {
        return;
    }
    const QString site = siteOf(server->address);
    asked->asking = false;
    if (answer.failure == DoorFailure::Forbidden) {
        asked->wrong = tr("%1 Allow them in the settings, under Network.").arg(answer.text);
    } else if (answer.failure != DoorFailure::None) {
        asked->wrong = answer.text;
    } else if (!sameOrigin(answer.url, server->address)) {
        asked->wrong = tr("%1 sends Hearth on to %2. Enter the address where the API really is.")
                           .arg(server->host(), answer.url.host());
    } else if (answer.status != 200) {
        asked->wrong =
            sentenceForAnswer(server->host(), answer.status,
                              parts_.tokens.withoutTokenOf(site, errorMessageIn(answer.body)),
                              parts_.tokens.hasTokenOf(site));
    } else {
        const ModelListAnswer list = readModelList(answer.body);
        asked->models = list.models;
        asked->wrong = list.problem;
    }
    emit changed();
}

int RemoteServers::contextOf(const RemoteModel& model) const {
    const RemoteServer* server = find(model.server);
    if (server == nullptr) {
        return 0;
    }
    for (const QList<ListedModel>& all : {asked_.value(model.server).models, server->used}) {
        for (const ListedModel& one : all) {
            if (one.name == model.model && one.contextTokens > 0) {
                return one.contextTokens;
            }
        }
    }
    return 0;
}

void RemoteServers::noteUsed(const RemoteModel& model) {
    RemoteServer* server = findMutable(model.server);
    if (server == nullptr) {
        return;
    }
    const ListedModel used{model.model, contextOf(model)};
    if (!server->used.isEmpty() && server->used.first() == used) {
        return;
    }
    server->used.removeIf([&](const ListedModel& other) { return other.name == used.name; });
    server->used.prepend(used);
    server->used = server->used.mid(0, kMostUsedModels);
    keep(*server);
    emit changed();
}

QString RemoteServers::freeSection() const {
    const QStringList taken = parts_.settings.sectionsOf(kSection);
    int number = 1;
    while (taken.contains(kSection + QString::number(number))) {
        ++number;
    }
    return kSection + QString::number(number);
}

void RemoteServers::keep(const RemoteServer& server) {
    const auto put = [&](const char* name, const QStringList& values) {
        parts_.settings.keepIn(server.section, QString::fromLatin1(name), values);
    };
    QStringList models;
    QStringList contexts;
    for (const ListedModel& model : server.used) {
        models << model.name;
        contexts << QString::number(model.contextTokens);
    }
    put("id", {server.id});
    put("name", {server.name});
    put("address", {server.address.toString(QUrl::FullyEncoded)});
    put("always", server.always ? QStringList(QStringLiteral("true")) : QStringList());
    put("models", models);
    put("contexts", contexts);
}

}  // namespace hearth::ui
