#include "remote/send_consent.h"

#include "remote/remote_servers.h"

namespace hearth::ui {

SendConsent::SendConsent(RemoteServers& servers, QObject* parent)
    : QObject(parent), servers_(servers) {
    // Another address is another place for the words.
    connect(&servers_, &RemoteServers::moved, this, [this](const QString& serverId) {
        allowed_.remove(serverId);
        if (asked_ == serverId) {
            refuse();
        }
    });
}

bool SendConsent::allows(const QString& serverId) const {
    const RemoteServer* server = servers_.find(serverId);
    return server != nullptr && (server->always || allowed_.contains(serverId));
}

void SendConsent::ask(const QString& serverId) {
    asked_ = serverId;
    emit changed();
}

void SendConsent::withdraw() {
    if (asking()) {
        asked_.clear();
        emit changed();
    }
}

QString SendConsent::host() const {
    const RemoteServer* server = servers_.find(asked_);
    return server == nullptr ? QString() : server->host();
}

void SendConsent::end(bool allowed) {
    if (!asking()) {
        return;
    }
    if (allowed) {
        allowed_.insert(asked_);
    }
    asked_.clear();
    emit changed();
    emit answered(allowed);
}

void SendConsent::allow() {
    end(true);
}

void SendConsent::allowAlways() {
    if (asking()) {
        servers_.setAlways(asked_, true);
        end(true);
    }
}

void SendConsent::refuse() {
    end(false);
}

}  // namespace hearth::ui
