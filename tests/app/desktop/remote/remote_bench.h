// Remote models on scripted servers of this computer, with a keychain in memory.
#pragma once

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "app/desktop/network/test_server.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "network/token_keeper.h"
#include "remote/remote_inference.h"
#include "remote/remote_servers.h"
#include "remote/send_consent.h"
#include "settings/app_settings.h"

namespace hearth::ui::test {

class MemoryStore : public SecretStore {
public:
    explicit MemoryStore(QHash<QString, QString>& kept) : kept_(kept) {}
    void read(const QString& key, std::function<void(const QString&)> done) override {
        done(kept_.value(key));
    }
    void write(const QString& key, const QString& secret, std::function<void(bool)> done) override {
        kept_[key] = secret;
        done(true);
    }
    void remove(const QString& key, std::function<void()> done) override {
        kept_.remove(key);
        done();
    }

private:
    QHash<QString, QString>& kept_;
};

class RemoteBench {
public:
    explicit RemoteBench(const QSslConfiguration& tls = QSslConfiguration::defaultConfiguration())
        : tls_(tls) {
        start();
    }
    // The next start of the program.
    void start() {
        inference.reset();
        consent.reset();
        servers.reset();
        tokens.reset();
        door.reset();
        settings.reset();  // writes what is not in the file yet
        control = std::make_unique<NetworkControl>();
        settings = std::make_unique<AppSettings>(iniFile());
        door = std::make_unique<NetworkDoor>(*control, tls_);
        tokens = std::make_unique<TokenKeeper>(*control, std::make_unique<MemoryStore>(keychain));
        servers = std::make_unique<RemoteServers>(RemoteServers::Parts{*settings, *door, *tokens});
        consent = std::make_unique<SendConsent>(*servers);
        inference = std::make_unique<RemoteInference>(
            RemoteInference::Parts{*door, *tokens, *servers, *consent});
    }
    QString iniFile() const { return folder.filePath(QStringLiteral("hearth.ini")); }
    QByteArray iniText() {
        settings->flush();
        QFile file(iniFile());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QVariantMap row(qsizetype index = 0) const { return servers->list().value(index).toMap(); }
    QString id(qsizetype index = 0) const {
        return row(index).value(QStringLiteral("id")).toString();
    }

    QTemporaryDir folder;
    QHash<QString, QString> keychain;
    std::unique_ptr<NetworkControl> control;
    std::unique_ptr<AppSettings> settings;
    std::unique_ptr<NetworkDoor> door;
    std::unique_ptr<TokenKeeper> tokens;
    std::unique_ptr<RemoteServers> servers;
    std::unique_ptr<SendConsent> consent;
    std::unique_ptr<RemoteInference> inference;

private:
    QSslConfiguration tls_;
};

}  // namespace hearth::ui::test
