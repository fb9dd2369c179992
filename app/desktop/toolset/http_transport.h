// A server of tools at an address (streamable HTTP): each message is a request through the door,
// and the answer is one message or a stream of them.
#pragma once

#include <QUrl>
#include <memory>

#include "network/network_door.h"
#include "toolbox/event_stream.h"
#include "toolbox/rpc_message.h"
#include "toolset/mcp_transport.h"

namespace hearth::ui {

class DoorReply;

class HttpTransport : public McpTransport {
    Q_OBJECT

public:
    // door: outlives it.
    HttpTransport(NetworkDoor& door, const QUrl& address, QObject* parent = nullptr);
    ~HttpTransport() override;

    void start() override {}
    void stop() override;
    void send(const QByteArray& message) override;
    void setProtocol(const QByteArray& version) override { protocol_ = version; }

    static constexpr int kMostRequests = 32;    // at once
    static constexpr int kSilenceMs = 180'000;  // of one request

private:
    struct Answer;
    void read(DoorReply* reply, Answer& answer);
    void end(DoorReply* reply, Answer& answer);
    void close(const QString& sentence);

    NetworkDoor& door_;
    QUrl address_;
    QByteArray protocol_;
    QByteArray session_;  // that the server began
    int requests_ = 0;
    bool closed_ = false;
};

}  // namespace hearth::ui
