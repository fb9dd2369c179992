#include "network/token_keeper.h"

#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "network/network_control.h"

namespace hearth::ui {

namespace {

QString keyOf(const QString& site) {
    return QStringLiteral("token for ") + site;
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

void TokenKeeper::load(const QString& site, QObject* context, std::function<void()> done) {
    if (asked_.contains(site) || site.isEmpty()) {
        done();
        return;
    }
    const bool first = !waiting_.contains(site);
    waiting_[site].append([context = QPointer<QObject>(context), done = std::move(done)] {
        if (context != nullptr) {
            done();
        }
    });
    if (!first) {
        return;
    }
    const auto ready = [this, site] {
        asked_.insert(site);
        for (const auto& waits : waiting_.take(site)) {
            waits();
        }
    };
    QTimer::singleShot(patienceMs_, this, ready);
    store_->read(keyOf(site),
                 [self = QPointer<TokenKeeper>(this), site, ready](const QString& secret) {
                     if (self == nullptr) {
                         return;
                     }
                     // A token that was entered or forgotten meanwhile is newer.
                     if (self->forgotten_.contains(site)) {
                         ready();
                         return;
                     }
                     if (isToken(secret) && self->control_.token(site).isEmpty()) {
                         self->control_.setToken(site, secret.toLatin1());
                         self->inKeychain_.insert(site);
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

bool TokenKeeper::hasTokenOf(const QString& site) const {
    return !control_.token(site).isEmpty();
}

QString TokenKeeper::setTokenOf(const QString& site, const QString& token) {
    const QString text = token.trimmed();
    if (!isToken(text)) {
        return tr("This is no access token: a token has letters, digits and signs, but no spaces.");
    }
    control_.setToken(site, text.toLatin1());
    inKeychain_.remove(site);
    emit changed();
    store_->write(keyOf(site), text, [self = QPointer<TokenKeeper>(this), site](bool kept) {
        if (self != nullptr && self->hasTokenOf(site)) {
            if (kept) {
                self->inKeychain_.insert(site);
            }
            emit self->changed();
        }
    });
    return {};
}

void TokenKeeper::forgetTokenOf(const QString& site) {
    control_.setToken(site, {});
    inKeychain_.remove(site);
    forgotten_.insert(site);
    asked_.insert(site);
    store_->remove(keyOf(site), [] {});
    emit changed();
}

QString TokenKeeper::withoutTokenOf(const QString& site, const QString& text) const {
    const QString token = QString::fromLatin1(control_.token(site));
    return token.isEmpty() ? text : QString(text).replace(token, QStringLiteral("…"));
}

bool TokenKeeper::hasToken() const {
    return hasTokenOf(host());
}

QString TokenKeeper::place() const {
    if (!hasToken()) {
        return {};
    }
    return isInKeychain(host()) ? tr("It is in this system's keychain.")
                                : tr("It is forgotten when Hearth ends: there is no keychain here "
                                     "that keeps it.");
}

QString TokenKeeper::setToken(const QString& token) {
    return setTokenOf(host(), token);
}

void TokenKeeper::forget() {
    forgetTokenOf(host());
}

void TokenKeeper::look() {
    load(host(), this, [] {});
}

}  // namespace hearth::ui
