// The servers of models elsewhere: the user's list, kept in the settings file without their keys,
// which are in the keychain. A server is asked for its models when the user wants to see them,
// never by itself.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QObject>
#include <QVariantList>
#include <memory>

#include "bridge/remote_path.h"
#include "remote/remote_server.h"

namespace hearth::ui {

class AppSettings;
class NetworkDoor;
class TokenKeeper;
struct DoorAnswer;

class RemoteServers : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // Each has id, name, address, host, always, hasKey, keyPlace, asking, wrong, and models: the
    // listed ones, or those that were used, each with name and path.
    Q_PROPERTY(QVariantList list READ list NOTIFY changed)
    // Models that have answered, the latest first, of all servers: name and path.
    Q_PROPERTY(QVariantList recent READ recent NOTIFY changed)

public:
    // All outlive it.
    struct Parts {
        AppSettings& settings;
        NetworkDoor& door;
        TokenKeeper& tokens;
    };
    explicit RemoteServers(const Parts& parts, QObject* parent = nullptr);
    ~RemoteServers() override;

    QVariantList list() const;
    QVariantList recent() const;

    // Returns nothing, or a sentence on what is wrong. key: empty: none. The models are asked for
    // at once.
    Q_INVOKABLE QString add(const QString& name, const QString& address, const QString& key);
    // key: empty: the earlier one stays.
    Q_INVOKABLE QString change(const QString& serverId, const QString& name, const QString& address,
                               const QString& key);
    Q_INVOKABLE void remove(const QString& serverId);
    Q_INVOKABLE void setAlways(const QString& serverId, bool always);
    // Asks the server for its models.
    Q_INVOKABLE void ask(const QString& serverId);
    // Called by the page that shows them: looks for their keys.
    Q_INVOKABLE void look();

    const RemoteServer* find(const QString& serverId) const;
    bool knows(const QString& path) const;
    int contextOf(const RemoteModel& model) const;  // tokens; 0: the server did not say
    void noteUsed(const RemoteModel& model);

signals:
    void changed();
    void moved(const QString& serverId);  // its address has changed, or it is gone

private:
    // Kept for this run alone.
    struct Asked {
        bool asking = false;
        QString wrong = {};
        QList<ListedModel> models = {};
        std::shared_ptr<QObject> request = nullptr;  // ends with it
    };
    RemoteServer* findMutable(const QString& serverId);
    QString refusalOf(const RemoteServer& server) const;
    void onList(const QString& serverId, const DoorAnswer& answer);
    void forgetKeyOf(const QString& site);
    QString freeSection() const;
    void keep(const RemoteServer& server);

    Parts parts_;
    QList<RemoteServer> servers_;
    QHash<QString, Asked> asked_;
};

}  // namespace hearth::ui
