#include "toolset/http_transport.h"

#include <QTimer>
#include <utility>

#include "network/door_reply.h"

namespace hearth::ui {

// The outcome of one request.
struct HttpTransport::Answer {
    bool isStream = false;
    QByteArray body;  // if it is no stream
    toolbox::EventStream events{toolbox::kMostRpcBytes};
};

HttpTransport::HttpTransport(NetworkDoor& door, const QUrl& address, QObject* parent)
    : McpTransport(parent), door_(door), address_(address) {}

HttpTransport::~HttpTransport() {
    stop();
}

void HttpTransport::stop() {
    closed_ = true;
}

void HttpTransport::send(const QByteArray& message) {
    if (closed_) {
        return;
    }
    if (requests_ == kMostRequests) {
        close(tr("The server leaves too many requests without an answer."));
        return;
    }
    DoorRequest request{.url = address_,
                        .purpose = tr("A server of tools"),
                        .headers = {{"Accept", "application/json, text/event-stream"},
                                    {"Content-Type", "application/json"}},
                        .posted = message};
    if (!session_.isEmpty()) {
        request.headers.append({"Mcp-Session-Id", session_});
    }
    if (!protocol_.isEmpty()) {
        request.headers.append({"MCP-Protocol-Version", protocol_});
    }
    ++requests_;
    DoorReply* reply = door_.send(request);
    // The request ends with this object.
    connect(this, &QObject::destroyed, reply, &QObject::deleteLater);
    auto* silence = new QTimer(reply);
    silence->setSingleShot(true);
    silence->start(kSilenceMs);
    const auto answer = std::make_shared<Answer>();
    connect(silence, &QTimer::timeout, reply, [reply] { reply->cancel(); });
    connect(reply, &DoorReply::answered, this, [this, reply, answer] {
        answer->isStream = reply->header("Content-Type").startsWith("text/event-stream");
        if (session_.isEmpty() && reply->status() == 200) {
            session_ = reply->header("Mcp-Session-Id").left(1000);
        }
    });
    connect(reply, &DoorReply::bytesReady, this, [this, reply, answer, silence] {
        silence->start(kSilenceMs);
        read(reply, *answer);
    });
    connect(
        reply, &DoorReply::ended, this,
        [this, reply, answer] {
            read(reply, *answer);
            end(reply, *answer);
            reply->deleteLater();
        },
        Qt::QueuedConnection);
}

void HttpTransport::read(DoorReply* reply, Answer& answer) {
    const QByteArray bytes = reply->read(reply->bytesAvailable());
    if (closed_ || bytes.isEmpty() || reply->status() >= 400) {
        return;
    }
    if (!answer.isStream) {
        answer.body += bytes;
        if (answer.body.size() > static_cast<qsizetype>(toolbox::kMostRpcBytes)) {
            close(tr("The server sent a message that is too long."));
        }
        return;
    }
    answer.events.push({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    while (!closed_) {
        const auto event = answer.events.next();
        if (!event) {
            break;
        }
        emit received(QByteArray::fromStdString(*event));
    }
    if (answer.events.is_too_long()) {
        close(tr("The server sent a message that is too long."));
    }
}

void HttpTransport::end(DoorReply* reply, Answer& answer) {
    --requests_;
    if (closed_) {
        return;
    }
    if (reply->failure() != DoorFailure::None) {
        close(reply->text());
    } else if (reply->status() == 404 && !session_.isEmpty()) {
        close(tr("The server has forgotten this session. Switch it off and on again."));
    } else if (reply->status() >= 400) {
        close(sentenceForStatus(reply->status()));
    } else if (!answer.isStream && !answer.body.trimmed().isEmpty()) {
        emit received(answer.body);
    }
}

void HttpTransport::close(const QString& sentence) {
    if (!std::exchange(closed_, true)) {
        emit closed(sentence);
    }
}

}  // namespace hearth::ui
