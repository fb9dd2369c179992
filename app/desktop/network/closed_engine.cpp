#include "network/closed_engine.h"

#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QQmlEngine>
#include <QQmlNetworkAccessManagerFactory>

namespace hearth::ui {

namespace {

class LocalOnly : public QNetworkAccessManager {
public:
    using QNetworkAccessManager::QNetworkAccessManager;

protected:
    QNetworkReply* createRequest(Operation operation, const QNetworkRequest& request,
                                 QIODevice* data) override {
        const QString scheme = request.url().scheme();
        if (scheme == QLatin1String("qrc") || scheme == QLatin1String("data") ||
            request.url().isLocalFile()) {
            return QNetworkAccessManager::createRequest(operation, request, data);
        }
        // Qt answers an unknown scheme with an error and opens no socket.
        QNetworkRequest refused(QUrl(QStringLiteral("refused:")));
        return QNetworkAccessManager::createRequest(operation, refused, data);
    }
};

class LocalOnlyFactory : public QQmlNetworkAccessManagerFactory {
public:
    QNetworkAccessManager* create(QObject* parent) override { return new LocalOnly(parent); }
};

}  // namespace

void closeToNetwork(QQmlEngine& engine) {
    static LocalOnlyFactory factory;  // it has no state; engines share it
    engine.setNetworkAccessManagerFactory(&factory);
}

}  // namespace hearth::ui
