// The network settings, for the code that makes requests. Makes none itself.
#pragma once

#include <QNetworkProxy>
#include <QObject>
#include <QUrl>
#include <optional>

namespace hearth::ui {

class AppSettings;

class NetworkSettings : public QObject {
    Q_OBJECT

public:
    explicit NetworkSettings(AppSettings& settings, QObject* parent = nullptr);

    // False: no request may be made, and requests under way end.
    bool allowed() const;
    // The server that replaces the model hub, without a slash at its end. Empty: there is none.
    QUrl mirror() const;
    // Empty: the system's own, which may differ from one address to the next
    // (QNetworkProxyFactory::systemProxyForQuery).
    std::optional<QNetworkProxy> proxy() const;
    // The limit of all downloads together, bytes a second. Empty: none.
    std::optional<quint64> bytesPerSecond() const;

signals:
    void changed();

private:
    AppSettings& settings_;
};

}  // namespace hearth::ui
