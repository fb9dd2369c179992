// Access tokens: what a host is shown so that it knows its user. They are in the system's keychain
// where there is one, else in memory until the program ends; never in a file, a log or the list of
// requests.
//
// The keychain is asked when a person starts something that may need a token, not before: it may
// ask for its password.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <functional>
#include <memory>

namespace hearth::ui {

class NetworkControl;

// Where secrets are. Answers come once, from within or later.
class SecretStore {
public:
    virtual ~SecretStore() = default;
    virtual void read(const QString& key, std::function<void(const QString& secret)> done) = 0;
    // False: it is not kept there.
    virtual void write(const QString& key, const QString& secret,
                       std::function<void(bool kept)> done) = 0;
    virtual void remove(const QString& key, std::function<void()> done) = 0;
};

// That of the system.
std::unique_ptr<SecretStore> systemKeychain();

class TokenKeeper : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString host READ host CONSTANT)             // the hub's
    Q_PROPERTY(bool hasToken READ hasToken NOTIFY changed)  // for it
    Q_PROPERTY(QString place READ place NOTIFY changed)     // where it is, in words

public:
    // `control` outlives it, and is where doors find the tokens.
    TokenKeeper(NetworkControl& control, std::unique_ptr<SecretStore> store,
                QObject* parent = nullptr);

    // Calls back once it is known whether the keychain has one for that host: at once, from within,
    // where it was asked before. A keychain that does not answer is not waited for longer than
    // kPatienceMs.
    void load(const QString& host, QObject* context, std::function<void()> done);
    void loadAll(QObject* context, std::function<void()> done);  // of the hub

    QString host() const;
    bool hasToken() const;
    QString place() const;
    // Empty, or a sentence on what is wrong with it.
    Q_INVOKABLE QString setToken(const QString& token);
    Q_INVOKABLE void forget();
    // For the page that shows whether there is one.
    Q_INVOKABLE void look();

    static constexpr int kPatienceMs = 20'000;

signals:
    void changed();

private:
    NetworkControl& control_;
    std::unique_ptr<SecretStore> store_;
    QSet<QString> asked_;
    QHash<QString, QList<std::function<void()>>> waiting_;
    bool inKeychain_ = false;
};

}  // namespace hearth::ui
