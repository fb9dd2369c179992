// The system's keychain, through QtKeychain: the Secret Service or KWallet, the keychain of macOS,
// the credentials of Windows. If none of them answers, nothing is kept.
#include <qt6keychain/keychain.h>

#ifdef HEARTH_DBUS
#include <QDBusConnection>
#endif

#include "network/token_keeper.h"

namespace hearth::ui {

namespace {

const QString kService = QStringLiteral("Hearth");

class SystemKeychain : public SecretStore {
public:
    void read(const QString& key, std::function<void(const QString&)> done) override {
        if (!reachable()) {
            done({});
            return;
        }
        auto* job = new QKeychain::ReadPasswordJob(kService);
        start(job, key, [job, done = std::move(done)] {
            done(job->error() == QKeychain::NoError ? job->textData() : QString());
        });
    }
    void write(const QString& key, const QString& secret, std::function<void(bool)> done) override {
        if (!reachable()) {
            done(false);
            return;
        }
        auto* job = new QKeychain::WritePasswordJob(kService);
        job->setTextData(secret);
        start(job, key,
              [job, done = std::move(done)] { done(job->error() == QKeychain::NoError); });
    }
    void remove(const QString& key, std::function<void()> done) override {
        if (!reachable()) {
            done();
            return;
        }
        auto* job = new QKeychain::DeletePasswordJob(kService);
        start(job, key, std::move(done));
    }

private:
    // There is no keychain without a session bus, and its library would try to start one.
    static bool reachable() {
#ifdef HEARTH_DBUS
        return QDBusConnection::sessionBus().isConnected();
#else
        return true;
#endif
    }
    static void start(QKeychain::Job* job, const QString& key, std::function<void()> done) {
        job->setKey(key);
        job->setInsecureFallback(false);  // never a file that anybody could read
        QObject::connect(job, &QKeychain::Job::finished, job, std::move(done));
        job->start();
    }
};

}  // namespace

std::unique_ptr<SecretStore> systemKeychain() {
    return std::make_unique<SystemKeychain>();
}

}  // namespace hearth::ui
