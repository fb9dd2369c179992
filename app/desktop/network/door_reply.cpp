#include "network/door_reply.h"

#include <QNetworkReply>
#include <QSslSocket>
#include <utility>

#include "network/network_control.h"

namespace hearth::ui {

namespace {

bool isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

DoorFailure failureOf(QNetworkReply::NetworkError error, int status) {
    switch (error) {
        case QNetworkReply::NoError:
            return DoorFailure::None;
        case QNetworkReply::HostNotFoundError:
            return DoorFailure::NoHost;
        case QNetworkReply::SslHandshakeFailedError:
            return DoorFailure::Untrusted;
        case QNetworkReply::OperationCanceledError:
            return DoorFailure::Cancelled;
        default:
            break;
    }
    if (error > QNetworkReply::UnknownNetworkError && error <= QNetworkReply::UnknownProxyError) {
        return DoorFailure::Proxy;
    }
    // 4xx and 5xx are answers, and the caller judges them. Their error codes follow those of the
    // proxy.
    return status >= 400 && error > QNetworkReply::UnknownProxyError ? DoorFailure::None
                                                                     : DoorFailure::Dropped;
}

}  // namespace

DoorReply::DoorReply(NetworkDoor& door, NetworkControl& control, const DoorRequest& request)
    : QObject(&door), door_(door), control_(control), request_(request), url_(request.url) {}

DoorReply::~DoorReply() {
    if (!ended_ && logId_ > 0) {
        control_.log().end(logId_, status_, tr("broken off"));
    }
    leave();
}

QByteArray DoorReply::header(const QByteArray& name) const {
    return reply_ == nullptr ? QByteArray() : reply_->rawHeader(name);
}

qint64 DoorReply::bytesAvailable() const {
    return reply_ == nullptr || !answered_ ? 0 : reply_->bytesAvailable();
}

QByteArray DoorReply::read(qint64 bytesMost) {
    if (bytesAvailable() == 0 || bytesMost <= 0) {
        return {};
    }
    QByteArray bytes = reply_->read(bytesMost);
    control_.log().received(logId_, bytes.size());
    return bytes;
}

void DoorReply::cancel() {
    end(DoorFailure::Cancelled, tr("It was stopped."));
}

void DoorReply::begin() {
    if (!request_.posted) {
        url_ = throughMirror(url_, control_.rules());
    }
    hop();
}

void DoorReply::hop() {
    if (ended_) {
        return;
    }
    status_ = 0;
    logId_ = control_.log().begin(request_.posted     ? QStringLiteral("POST")
                                  : request_.headOnly ? QStringLiteral("HEAD")
                                                      : QStringLiteral("GET"),
                                  url_, request_.purpose);
    if (control_.rules().forbidAll) {
        end(DoorFailure::Forbidden, tr("You have switched all network requests off."));
        return;
    }
    if (!isWebAddress(url_)) {
        end(DoorFailure::BadAddress,
            tr("This is no address of a web server; it should begin with https://."));
        return;
    }
    if (url_.scheme() == QLatin1String("https") && !QSslSocket::supportsSsl()) {
        end(DoorFailure::Untrusted,
            tr("This system has no library for secure connections (OpenSSL 3)."));
        return;
    }
    reply_ = door_.ask(*this);
    reply_->setReadBufferSize(kBufferBytes);
    connect(reply_, &QNetworkReply::sslErrors, this, [this](const QList<QSslError>& errors) {
        tlsDoubt_ = errors.isEmpty() ? QString() : errors.first().errorString();
    });
    connect(reply_, &QNetworkReply::requestSent, this, &DoorReply::sent);
    connect(reply_, &QNetworkReply::metaDataChanged, this, &DoorReply::metaData);
    connect(reply_, &QNetworkReply::readyRead, this, [this] {
        if (answered_ && !ended_) {
            emit bytesReady();
        }
    });
    connect(reply_, &QNetworkReply::finished, this, &DoorReply::finished);
}

void DoorReply::metaData() {
    if (answered_ || ended_) {
        return;
    }
    status_ = reply_->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (status_ == 0) {
        return;
    }
    if (reply_->hasRawHeader("X-Linked-Etag")) {
        linkedHash_ = reply_->rawHeader("X-Linked-Etag").replace('"', "");
        bool ok = false;
        const qint64 bytes = reply_->rawHeader("X-Linked-Size").toLongLong(&ok);
        linkedBytes_ = ok && bytes >= 0 ? bytes : -1;
    }
    if (isRedirect(status_) && reply_->hasRawHeader("Location")) {
        if (followRedirect()) {
            QMetaObject::invokeMethod(this, &DoorReply::hop, Qt::QueuedConnection);
        }
        return;
    }
    answered_ = true;
    emit answered();
}

bool DoorReply::followRedirect() {
    const QUrl next = url_.resolved(QUrl::fromEncoded(reply_->rawHeader("Location")));
    if (!isWebAddress(next)) {
        end(DoorFailure::BadRedirect,
            tr("The server redirected the request to something that is no web address."));
        return false;
    }
    if (url_.scheme() == QLatin1String("https") && next.scheme() != QLatin1String("https")) {
        end(DoorFailure::BadRedirect,
            tr("The server redirected the request to an address that is not secure (%1).")
                .arg(next.host()));
        return false;
    }
    if (request_.posted) {
        end(DoorFailure::BadRedirect, tr("The server redirected the request to another address."));
        return false;
    }
    if (++hops_ > NetworkDoor::kRedirectsMost) {
        end(DoorFailure::BadRedirect, tr("The servers redirected the request too often."));
        return false;
    }
    // The token does not come back either on a redirect home: the server in between has seen the
    // request.
    tokenDropped_ = tokenDropped_ || !sameOrigin(url_, next);
    control_.log().end(logId_, status_, tr("redirected to %1").arg(next.host()));
    logId_ = 0;
    leave();
    url_ = next;
    return true;
}

void DoorReply::finished() {
    if (ended_) {
        return;
    }
    metaData();  // for an answer without a body
    if (ended_ || reply_ == nullptr) {
        return;
    }
    DoorFailure failure = failureOf(reply_->error(), status_);
    // Qt reports a missing proxy like a missing server.
    const auto type = proxyFor(url_, control_.rules()).type();
    if (status_ == 0 && !request_.direct && type != QNetworkProxy::NoProxy &&
        type != QNetworkProxy::DefaultProxy &&
        (failure == DoorFailure::Dropped || failure == DoorFailure::NoHost)) {
        failure = DoorFailure::Proxy;
    }
    switch (failure) {
        case DoorFailure::None:
            end(failure, {});
            break;
        case DoorFailure::NoHost:
            end(failure, tr("%1 cannot be found. Is this computer connected to a network?")
                             .arg(url_.host()));
            break;
        case DoorFailure::Untrusted:
            end(failure,
                tr("The connection to %1 is not safe: %2. Nothing was fetched.")
                    .arg(url_.host(), tlsDoubt_.isEmpty() ? reply_->errorString() : tlsDoubt_));
            break;
        case DoorFailure::Proxy:
            end(failure, tr("The proxy refuses the connection. Check the proxy in the settings."));
            break;
        default:
            end(failure, tr("The connection to %1 was lost.").arg(url_.host()));
            break;
    }
}

void DoorReply::end(DoorFailure failure, const QString& text) {
    if (std::exchange(ended_, true)) {
        return;
    }
    failure_ = failure;
    text_ = text;
    if (logId_ > 0) {
        const QString words = failure == DoorFailure::Forbidden   ? tr("not sent: switched off")
                              : failure == DoorFailure::Cancelled ? tr("broken off")
                              : failure == DoorFailure::None
                                  ? (status_ < 400 ? tr("done") : sentenceForStatus(status_))
                                  : text;
        control_.log().end(logId_, status_, words);
    }
    if (failure == DoorFailure::Forbidden || failure == DoorFailure::Cancelled ||
        failure == DoorFailure::TimedOut || failure == DoorFailure::TooLarge ||
        failure == DoorFailure::BadRedirect) {
        leave();  // the caller may go on by itself
    }
    emit ended();
}

void DoorReply::leave() {
    if (QNetworkReply* reply = std::exchange(reply_, nullptr)) {
        reply->disconnect(this);
        // The reply is deleted later: it may be in the middle of a signal to us.
        QMetaObject::invokeMethod(
            reply,
            [reply] {
                reply->abort();
                reply->deleteLater();
            },
            Qt::QueuedConnection);
    }
}

}  // namespace hearth::ui
