#include "settings/network_settings.h"

#include "settings/app_settings.h"
#include "settings/setting_table.h"

namespace hearth::ui {

NetworkSettings::NetworkSettings(AppSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings) {
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key.startsWith(QLatin1String("network/"))) {
            emit changed();
        }
    });
}

bool NetworkSettings::allowed() const {
    return settings_.text("network/allowed") == QLatin1String("true");
}

QUrl NetworkSettings::mirror() const {
    return QUrl(settings_.text("network/mirror"));
}

std::optional<QNetworkProxy> NetworkSettings::proxy() const {
    const QString text = settings_.text("network/proxy");
    if (text == QLatin1String("system")) {
        return std::nullopt;
    }
    if (text == QLatin1String("none")) {
        return QNetworkProxy(QNetworkProxy::NoProxy);
    }
    const QUrl url(text);
    return QNetworkProxy(url.scheme() == QLatin1String("socks5") ? QNetworkProxy::Socks5Proxy
                                                                 : QNetworkProxy::HttpProxy,
                         url.host(), static_cast<quint16>(url.port()));
}

std::optional<quint64> NetworkSettings::bytesPerSecond() const {
    return bytesOf(settings_.text("network/speed-limit"));
}

}  // namespace hearth::ui
