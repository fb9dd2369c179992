// Access tokens show a host its user. They are in the system's keychain where there is one, else in
// memory until the program ends; never in a file, a log or the list of requests.
//
// The keychain is read when a person starts something that may need a token, not before: it may ask
// for its password.
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

// A place for secrets. Answers come once, from within the call or later.
class SecretStore {
public:
    virtual ~SecretStore() = default;
    virtual void read(const QString& key, std::function<void(const QString& secret)> done) = 0;
    // kept is false: the secret was not stored.
    virtual void write(const QString& key, const QString& secret,
                       std::function<void(bool kept)> done) = 0;
    virtual void remove(const QString& key, std::function<void()> done) = 0;
};

// The system's keychain.
std::unique_ptr<SecretStore> systemKeychain();

class TokenKeeper : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString host READ host CONSTANT)             // the hub's
    Q_PROPERTY(bool hasToken READ hasToken NOTIFY changed)  // for that host
    Q_PROPERTY(QString place READ place NOTIFY changed)     // where the token is, in words

public:
    // `control` outlives it; doors find the tokens there.
    TokenKeeper(NetworkControl& control, std::unique_ptr<SecretStore> store,
                QObject* parent = nullptr, int patienceMs = kPatienceMs);

    // Calls back once it is known whether the keychain has a token for that site (siteOf()). If it
    // was asked before, this is at once, from within the call. A keychain that does not answer is
    // awaited for at most patienceMs.
    void load(const QString& site, QObject* context, std::function<void()> done);
    void loadAll(QObject* context, std::function<void()> done);  // for the hub

    // The token of any site: kept in place of an earlier one, or forgotten for good.
    bool hasTokenOf(const QString& site) const;
    // Returns nothing, or a sentence on what is wrong with the token.
    QString setTokenOf(const QString& site, const QString& token);
    void forgetTokenOf(const QString& site);
    // The text without the token: a server's words may repeat it.
    QString withoutTokenOf(const QString& site, const QString& text) const;
    bool isInKeychain(const QString& site) const { return inKeychain_.contains(site); }

    QString host() const;
    bool hasToken() const;
    QString place() const;
    // Returns nothing, or a sentence on what is wrong with the token.
    Q_INVOKABLE QString setToken(const QString& token);
    Q_INVOKABLE void forget();
    // Called by the page that shows whether there is a token.
    Q_INVOKABLE void look();

    static constexpr int kPatienceMs = 20'000;

signals:
    void changed();

private:
    const int patienceMs_;
    NetworkControl& control_;
    std::unique_ptr<SecretStore> store_;
    QSet<QString> asked_;  // this and the following: sites
    QHash<QString, QList<std::function<void()>>> waiting_;
    QSet<QString> inKeychain_;
    QSet<QString> forgotten_;  // an answer of the keychain that comes later counts no more
};

}  // namespace hearth::ui
