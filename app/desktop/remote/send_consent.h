// Words leave this computer after a question: once for each server and start of the program, unless
// the user said "always".
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSet>
#include <QString>

namespace hearth::ui {

class RemoteServers;

class SendConsent : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(bool asking READ asking NOTIFY changed)
    Q_PROPERTY(QString host READ host NOTIFY changed)  // that words would go to; empty: not asking

public:
    // servers: outlives it.
    explicit SendConsent(RemoteServers& servers, QObject* parent = nullptr);

    bool allows(const QString& serverId) const;
    // Asks the user. answered() follows, unless withdraw() comes first.
    void ask(const QString& serverId);
    void withdraw();

    bool asking() const { return !asked_.isEmpty(); }
    QString host() const;
    Q_INVOKABLE void allow();
    Q_INVOKABLE void allowAlways();
    Q_INVOKABLE void refuse();

signals:
    void changed();
    void answered(bool allowed);

private:
    void end(bool allowed);

    RemoteServers& servers_;
    QSet<QString> allowed_;
    QString asked_;  // a server
};

}  // namespace hearth::ui
