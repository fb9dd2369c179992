#include "network/network_door.h"

#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QPointer>
#include <QTimer>
#include <utility>

#include "network/door_reply.h"
#include "network/network_control.h"
#include "system/size_words.h"
#include "system/this_computer.h"

namespace hearth::ui {

NetworkDoor::NetworkDoor(NetworkControl& control, const QSslConfiguration& tls, QObject* parent)
    : QObject(parent), control_(control), tls_(tls) {
    tls_.setPeerVerifyMode(QSslSocket::VerifyPeer);
    connect(&control_, &NetworkControl::rulesChanged, this, [this] {
        if (!control_.rules().forbidAll) {
            return;
        }
        for (DoorReply* reply : findChildren<DoorReply*>(Qt::FindDirectChildrenOnly)) {
            reply->end(DoorFailure::Forbidden, tr("You have switched all network requests off."));
        }
    });
}

NetworkDoor::~NetworkDoor() {
    // Replies go before the manager: each of them holds a reply of it.
    qDeleteAll(findChildren<DoorReply*>(Qt::FindDirectChildrenOnly));
}

DoorReply* NetworkDoor::send(const DoorRequest& request) {
    auto* reply = new DoorReply(*this, control_, request);
    QMetaObject::invokeMethod(reply, &DoorReply::begin, Qt::QueuedConnection);
    return reply;
}

QNetworkAccessManager& NetworkDoor::managerFor(const DoorReply& reply) {
    const bool direct = reply.request().direct;
    auto& manager = direct ? directManager_ : manager_;
    if (manager == nullptr) {
        manager = std::make_unique<QNetworkAccessManager>();
        manager->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
        manager->setAutoDeleteReplies(false);
    }
    const QNetworkProxy proxy =
        direct ? QNetworkProxy(QNetworkProxy::NoProxy) : proxyFor(reply.url(), control_.rules());
    if (manager->proxy() != proxy) {
        manager->clearConnectionCache();
        manager->setProxy(proxy);
    }
    return *manager;
}

QNetworkReply* NetworkDoor::ask(const DoorReply& reply) {
    QNetworkAccessManager& manager = managerFor(reply);
    QNetworkRequest request(reply.url());
    request.setSslConfiguration(tls_);
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    // The manager has no cache, so nothing is kept; "no-cache" would only bother the servers' own
    // caches.
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute,
                         QNetworkRequest::PreferNetwork);
    for (const auto& [name, value] : reply.request().headers) {
        if (name.compare("authorization", Qt::CaseInsensitive) !=
            0) {  // tokens have a field of their own
            request.setRawHeader(name, value);
        }
    }
    request.setRawHeader("User-Agent", "Hearth/" HEARTH_VERSION);
    request.setRawHeader("Accept-Language", "*");  // Qt would name the user's
    // A range of a compressed answer would count compressed bytes.
    request.setRawHeader("Accept-Encoding", "identity");
    if (const auto& range = reply.request().range) {
        QByteArray text = "bytes=" + QByteArray::number(range->first) + '-';
        if (range->second >= 0) {
            text += QByteArray::number(range->second - 1);
        }
        request.setRawHeader("Range", text);
    }
    const bool secret =
        reply.request().withToken && !reply.tokenDropped_ &&
        (reply.url().scheme() == QLatin1String("https") || isLoopback(reply.url().host()));
    if (const QByteArray token = secret ? control_.token(siteOf(reply.url())) : QByteArray();
        !token.isEmpty()) {
        request.setRawHeader("Authorization", "Bearer " + token);
    }
    if (reply.request().posted) {
        return manager.post(request, *reply.request().posted);
    }
    return reply.request().headOnly ? manager.head(request) : manager.get(request);
}

void NetworkDoor::fetch(const DoorRequest& request, QObject* context,
                        std::function<void(const DoorAnswer&)> done) {
    DoorReply* reply = send(request);
    auto* patience = new QTimer(reply);
    patience->setSingleShot(true);
    patience->setInterval(request.timeoutMs);
    auto body = std::make_shared<QByteArray>();
    const auto failWith = [reply](DoorFailure failure, const QString& text) {
        reply->end(failure, text);
    };
    connect(patience, &QTimer::timeout, reply, [failWith] {
        failWith(DoorFailure::TimedOut, tr("The server did not answer in time."));
    });
    const auto take = [reply, body, patience, failWith, most = request.bodyBytesMost] {
        if (reply->failure() != DoorFailure::None) {
            return;
        }
        patience->start();
        *body += reply->read(most + 1 - body->size());
        if (body->size() > most) {
            failWith(DoorFailure::TooLarge,
                     tr("The server sent more than the %1 that were expected.")
                         .arg(sizeWords(static_cast<quint64>(most))));
        }
    };
    connect(reply, &DoorReply::bytesReady, reply, take);
    connect(reply, &DoorReply::answered, reply, [patience] { patience->start(); });
    connect(
        reply, &DoorReply::ended, reply,
        [reply, body, take, context = QPointer<QObject>(context), done = std::move(done)] {
            take();
            DoorAnswer answer;
            answer.failure = reply->failure();
            answer.status = reply->status();
            answer.url = reply->url();
            answer.contentRange = reply->header("Content-Range");
            answer.etag = reply->header("ETag");
            answer.lastModified = reply->header("Last-Modified");
            answer.linkedHash = reply->linkedHash();
            answer.linkedBytes = reply->linkedBytes();
            answer.text = answer.failure == DoorFailure::None ? sentenceForStatus(answer.status)
                                                              : reply->text();
            if (answer.failure == DoorFailure::None) {
                answer.body = *body;
            }
            reply->deleteLater();
            if (context != nullptr) {
                done(answer);
            }
        },
        Qt::QueuedConnection);
    connect(context, &QObject::destroyed, reply, &QObject::deleteLater);
    patience->start();
}

QString sentenceForStatus(int status) {
    if (status >= 200 && status < 300) {
        return {};
    }
    switch (status) {
        case 401:
            return NetworkDoor::tr(
                "The server asks for an access token. Enter yours, then try again.");
        case 403:
            return NetworkDoor::tr(
                "The server denies you this. Its page may ask you to accept a licence first; "
                "afterwards, enter your access token here.");
        case 404:
        case 410:
            return NetworkDoor::tr("The server has no such file; it may have been moved.");
        case 429:
            return NetworkDoor::tr("The server has too many requests and asks for a pause.");
        case 451:
            return NetworkDoor::tr("The server may not give this out, for legal reasons.");
        default:
            break;
    }
    if (status >= 500) {
        return NetworkDoor::tr("The server has an error (%1). Try again later.").arg(status);
    }
    return NetworkDoor::tr("The server refuses this (%1).").arg(status);
}

}  // namespace hearth::ui
