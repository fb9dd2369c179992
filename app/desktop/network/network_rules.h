// What the user allows of the network, as plain values, and what follows from them for an address.
#pragma once

#include <QNetworkProxy>
#include <QString>
#include <QUrl>
#include <optional>

namespace hearth::ui {

struct NetworkRules {
    bool forbidAll = false;  // no request leaves this computer
    QUrl mirror = {};        // stands in for the model hub: https://models.example/hub; or empty
    std::optional<QNetworkProxy> proxy = {};  // empty: the system's, which may differ by address
    qint64 bytesPerSecondMost = 0;            // of all downloads together; 0: as fast as it goes

    bool operator==(const NetworkRules&) const = default;
};

// The model hub: where models are searched and fetched, unless a mirror stands in for it.
inline constexpr char kHubHost[] = "huggingface.co";
QUrl hubUrl(const QString& path);

// The address that is really asked: the mirror's where `url` is the hub's. Others stay. The
// mirror's own path comes before the one of `url`.
QUrl throughMirror(const QUrl& url, const NetworkRules& rules);

// The one that leads to `url`.
QNetworkProxy proxyFor(const QUrl& url, const NetworkRules& rules);

// Whether a request may go there at all: http or https, with a host, without a name and password.
bool isWebAddress(const QUrl& url);

// Scheme, host and port are the same: what was secret between us and the one is the other's too.
bool sameOrigin(const QUrl& one, const QUrl& other);

}  // namespace hearth::ui
