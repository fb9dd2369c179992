#include "network/network_rules.h"

#include <QCoreApplication>

#include "system/this_computer.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Network)
};

int portOf(const QUrl& url) {
    return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
}

}  // namespace

QUrl hubUrl(const QString& path) {
    QUrl url;
    url.setScheme(QStringLiteral("https"));
    url.setHost(QLatin1String(kHubHost));
    url.setPath(path);
    return url;
}

QUrl throughMirror(const QUrl& url, const NetworkRules& rules) {
    const QUrl& mirror = rules.mirror;
    if (!isWebAddress(mirror) || !sameOrigin(url, hubUrl(QStringLiteral("/")))) {
        return url;
    }
    QString before = mirror.path(QUrl::FullyEncoded);
    while (before.endsWith(QLatin1Char('/'))) {
        before.chop(1);
    }
    QUrl there = url;
    there.setScheme(mirror.scheme());
    there.setHost(mirror.host());
    there.setPort(mirror.port());
    // Percent signs of `url` stay part of the path: decoded, "%2F" would become a folder.
    there.setPath(before + url.path(QUrl::FullyEncoded), QUrl::TolerantMode);
    return there;
}

QNetworkProxy proxyFor(const QUrl& url, const NetworkRules& rules) {
    if (rules.proxy) {
        return *rules.proxy;
    }
    const QList<QNetworkProxy> proxies =
        QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(url));
    return proxies.isEmpty() ? QNetworkProxy(QNetworkProxy::NoProxy) : proxies.first();
}

bool isWebAddress(const QUrl& url) {
    const bool web =
        url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http");
    return url.isValid() && web && !url.host().isEmpty() && url.userInfo().isEmpty();
}

QString refusalOfAddress(const QUrl& url) {
    if (!isWebAddress(url)) {
        return Words::tr("Enter the whole address of a file, beginning with https://.");
    }
    if (url.scheme() == QLatin1String("http") && !isThisComputer(url.host())) {
        return Words::tr(
            "An address that begins with http:// is asked on this computer alone (localhost): "
            "over a network others could change what comes unencrypted. Use https://.");
    }
    return {};
}

bool sameOrigin(const QUrl& one, const QUrl& other) {
    return one.scheme() == other.scheme() && one.host() == other.host() &&
           portOf(one) == portOf(other);
}

QString siteOf(const QUrl& url) {
    if (!isWebAddress(url)) {
        return {};
    }
    const bool secure = url.scheme() == QLatin1String("https");
    if (secure && portOf(url) == 443) {
        return url.host(QUrl::FullyEncoded);
    }
    QUrl origin;
    origin.setScheme(url.scheme());
    origin.setHost(url.host());
    origin.setPort(portOf(url));
    return origin.toString(QUrl::FullyEncoded);
}

}  // namespace hearth::ui
