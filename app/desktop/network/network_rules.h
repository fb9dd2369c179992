// The user's rules for the network, as plain values, and their consequences for an address.
#pragma once

#include <QNetworkProxy>
#include <QString>
#include <QUrl>
#include <optional>

namespace hearth::ui {

struct NetworkRules {
    bool forbidAll = false;  // no request leaves this computer
    QUrl mirror = {};        // replaces the model hub: https://models.example/hub; or empty
    std::optional<QNetworkProxy> proxy = {};  // empty: the system's, which may differ by address
    qint64 bytesPerSecondMost = 0;            // of all downloads together; 0: no limit

    bool operator==(const NetworkRules&) const = default;
};

// The model hub: models are searched and downloaded there, unless a mirror replaces it.
inline constexpr char kHubHost[] = "huggingface.co";
QUrl hubUrl(const QString& path);

// The address that is really asked: the mirror's for an address of the hub, else `url` itself. The
// mirror's own path comes before that of `url`.
QUrl throughMirror(const QUrl& url, const NetworkRules& rules);

// The proxy for `url`.
QNetworkProxy proxyFor(const QUrl& url, const NetworkRules& rules);

// True if a request may go to `url` at all: http or https, with a host, without a name and
// password.
bool isWebAddress(const QUrl& url);

// The reason why a model may not be fetched from the address, a sentence; empty: it may. Others can
// read and change unencrypted http on its way, so it is for this computer alone.
QString refusalOfAddress(const QUrl& url);

// True if scheme, host and port are the same: a secret shared with the one is then shared with the
// other.
bool sameOrigin(const QUrl& one, const QUrl& other);

// The origin of an address, as secrets for it are kept: "huggingface.co" for https at its usual
// port, "https://host:8443" or "http://127.0.0.1:8080" for others. Empty: it is no address of the
// web.
QString siteOf(const QUrl& url);

}  // namespace hearth::ui
