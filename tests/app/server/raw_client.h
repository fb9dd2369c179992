// A client of HTTP that sends what a test writes, byte by byte.
#pragma once

#include <QByteArray>
#include <QJsonValue>
#include <QList>
#include <QTcpSocket>

namespace hearth::test {

struct RawAnswer {
    int status = 0;  // 0: the connection ended without an answer
    QByteArray head;
    QByteArray body;  // chunks joined
    bool is_whole = false;

    QJsonValue json() const;
    // The data of each event, in order, without [DONE].
    QList<QJsonValue> events() const;
    bool has_header(const QByteArray& line) const { return head.contains("\r\n" + line + "\r\n"); }
    QByteArray text() const;  // for QVERIFY2
};

class RawClient {
public:
    explicit RawClient(quint16 port);

    void send(const QByteArray& bytes);
    // method, path, body; `headers` are whole lines. The host is this server's unless they name
    // one.
    static QByteArray request(const QByteArray& method, const QByteArray& path,
                              const QByteArray& body, const QByteArray& headers, quint16 port);
    RawAnswer ask(const QByteArray& method, const QByteArray& path, const QByteArray& body = {},
                  const QByteArray& headers = {});
    // The next answer of the connection. is_head: it has no body whatever its length says.
    RawAnswer read(bool is_head = false);
    // Waits until the bytes stand in what comes in.
    bool wait_for(const QByteArray& bytes);
    bool wait_for_end();  // of the connection
    void leave() { socket_.abort(); }

private:
    bool more();

    quint16 port_;
    QTcpSocket socket_;
    QByteArray in_;
};

}  // namespace hearth::test
