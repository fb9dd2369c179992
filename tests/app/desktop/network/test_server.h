// A web server on this computer that does as a test tells it: HTTP/1.1, with TLS if wanted. In the
// thread of the test, so that a test needs no lock.
#pragma once

#include <QHash>
#include <QList>
#include <QSslConfiguration>
#include <QTcpServer>
#include <functional>
#include <memory>
#include <optional>

namespace hearth::ui::test {

// A certificate authority of this run, made by the openssl program, and a certificate of it.
struct TestAuthority {
    QSslConfiguration server;  // what a server shows
    QSslConfiguration client;  // trusts this authority, beside nothing
    // `subject` names whom the certificate is for, as openssl writes an alternative name. Null:
    // openssl is not here.
    static std::optional<TestAuthority> make(
        const QString& subject = QStringLiteral("IP:127.0.0.1"));
};

struct ServerRequest {
    QByteArray method;
    QByteArray target;                      // "/file?x=y"; a proxy is given the whole address
    QHash<QByteArray, QByteArray> headers;  // names in lower case
    QByteArray body = {};                   // of Content-Length
    QByteArray path() const { return target.split('?').first(); }
    // "bytes=5-9" is {5, 10}, "bytes=5-" {5, -1}.
    std::optional<QPair<qint64, qint64>> range() const;
};

struct ServerAnswer {
    enum class Then {
        Stay,   // the next request may come
        Close,  // in an orderly way
        Reset,  // as a crash would
        Stall,  // neither more bytes nor an end
    };
    int status = 200;
    QList<QPair<QByteArray, QByteArray>> headers = {};
    QByteArray body = {};
    qint64 bodyBytesSent = -1;  // so many of them only, then `then`; negative: all
    qint64 saidLength = -1;     // in Content-Length; negative: the body's
    bool chunked = false;       // no Content-Length
    bool silent = false;        // not even a status: `then` at once
    Then then = Then::Stay;
};

class TestServer : public QTcpServer {
    Q_OBJECT

public:
    using Handler = std::function<ServerAnswer(const ServerRequest&)>;

    explicit TestServer(Handler handler);
    ~TestServer() override;
    // Before start().
    void useTls(const QSslConfiguration& tls) { tls_ = tls; }
    bool start() { return listen(QHostAddress::LocalHost); }
    // By its address: a machine without /etc/hosts cannot look `localhost` up.
    QString base() const;

    const QList<ServerRequest>& requests() const { return requests_; }
    int connections() const { return connections_; }
    // Of the body of the latest answer: handed to the socket.
    qint64 bodyBytesOfLatest() const { return latestBody_; }
    // The latest answer is one that stalls.
    bool stalls() const { return stalls_; }
    qint64 bodyBytesInAll() const { return allBody_; }

protected:
    void incomingConnection(qintptr handle) override;

private:
    class Connection;
    Handler handler_;
    std::unique_ptr<QObject> all_;  // parent of the connections
    std::optional<QSslConfiguration> tls_;
    QList<ServerRequest> requests_;
    int connections_ = 0;
    qint64 latestBody_ = 0;
    qint64 allBody_ = 0;
    bool stalls_ = false;
};

}  // namespace hearth::ui::test
