// Carries messages to a server of tools and back. GUI thread; no call waits.
#pragma once

#include <QByteArray>
#include <QObject>

namespace hearth::ui {

class McpTransport : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void start() = 0;
    // The server is left at once; closed() does not come for it.
    virtual void stop() = 0;
    // message: one line of JSON. Ignored before start() and after closed().
    virtual void send(const QByteArray& message) = 0;
    // The version of the protocol that both sides agreed on.
    virtual void setProtocol(const QByteArray& /*version*/) {}

signals:
    void received(const QByteArray& message);
    // Once. sentence: for people; the reason why no more messages can be carried.
    void closed(const QString& sentence);
    void said(const QString& line);  // by the server, for the log
};

}  // namespace hearth::ui
