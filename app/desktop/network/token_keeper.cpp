#include "network/token_keeper.h"

#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "network/network_control.h"

namespace hearth::ui {

namespace {

QString keyOf(const QString& host) {
    return QStringLiteral("token for ") + host;
}

// True for text that a header can carry: no spaces, no line ends.
bool isToken(const QString& text) {
    return !text.isEmpty() && text.size() <= 1000 &&
           std::all_of(text.begin(), text.end(),
                       [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; });
}

}  // namespace

TokenKeeper::TokenKeeper(NetworkControl& control, std::unique_ptr<SecretStore> store,
                         QObject* parent, int patienceMs)
    : QObject(parent), patienceMs_(patienceMs), control_(control), store_(std::move(store)) {}

void TokenKeeper::load(const QString& host, QObject* context, std::function<void()> done) {
    if (asked_.contains(host) || host.isEmpty()) {
        done();
        return;
    }
    const bool first = !waiting_.contains(host);
    waiting_[host].append([context = QPointer<QObject>(context), done = std::move(done)] {
        if (context != nullptr) {
            done();
        }
    });
    if (!first) {
        return;
    }
    const auto ready = [this, host] {
        asked_.insert(host);
        for (const auto& waits : waiting_.take(host)) {
            waits();
        }
    };
    QTimer::singleShot(patienceMs_, this, ready);
    store_->read(keyOf(host),
                 [self = QPointer<TokenKeeper>(this), host, ready](const QString& secret) {
                     if (self == nullptr) {
                         return;
                     }
                     // A token that was entered or forgotten meanwhile is newer.
                     if (self->forgotten_ && host == self->host()) {
                         ready();
                         return;
                     }
                     if (isToken(secret) && self->control_.token(host).isEmpty()) {
                         self->control_.setToken(host, secret.toLatin1());
                         self->inKeychain_ = self->inKeychain_ || host == self->host();
                         emit self->changed();
                     }
                     ready();
                 });
}

void TokenKeeper::loadAll(QObject* context, std::function<void()> done) {
    load(host(), context, std::move(done));
}

QString TokenKeeper::host() const {
    return QLatin1String(kHubHost);
}

bool TokenKeeper::hasToken() const {
    return !control_.token(host()).isEmpty();
}

QString TokenKeeper::place() const {
    if (!hasToken()) {
        return {};
    }
    return inKeychain_ ? tr("It is in this system's keychain.")
                       : tr("It is forgotten when Hearth ends: there is no keychain here that "
                            "keeps it.");
}

QString TokenKeeper::setToken(const QString& token) {
    const QString text = token.trimmed();
    if (!isToken(text)) {
        return tr("This is no access token: a token has letters, digits and signs, but no spaces.");
    }
    control_.setToken(host(), text.toLatin1());
    inKeychain_ = false;
    emit changed();
    store_->write(keyOf(host()), text, [self = QPointer<TokenKeeper>(this)](bool kept) {
        if (self != nullptr && self->hasToken()) {
            self->inKeychain_ = kept;
            emit self->changed();
        }
    });
    return {};
}

void TokenKeeper::forget() {
    control_.setToken(host(), {});
    inKeychain_ = false;
    forgotten_ = true;
    asked_.insert(host());
    store_->remove(keyOf(host()), [] {});
    emit changed();
}

void TokenKeeper::look() {
    load(host(), this, [] {});
}

}  // namespace hearth::ui
