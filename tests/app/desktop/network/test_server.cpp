#include "test_server.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <QTemporaryDir>

namespace hearth::ui::test {

namespace {

bool openssl(const QTemporaryDir& folder, const QStringList& arguments) {
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.start(QStringLiteral("openssl"), arguments);
    return process.waitForStarted() && process.waitForFinished() && process.exitCode() == 0;
}

QByteArray fileOf(const QTemporaryDir& folder, const char* name) {
    QFile file(folder.filePath(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

std::optional<TestAuthority> TestAuthority::make(const QString& subject) {
    const QTemporaryDir folder;
    const QStringList common{"req",    "-x509",    "-newkey",
                             "ec",     "-pkeyopt", "ec_paramgen_curve:P-256",
                             "-nodes", "-days",    "2"};
    const bool made =
        openssl(folder, common + QStringList{"-keyout", "ca.key", "-out", "ca.pem", "-subj",
                                             "/CN=Test authority", "-addext",
                                             "keyUsage=critical,keyCertSign"}) &&
        openssl(folder, common + QStringList{"-keyout", "server.key", "-out", "server.pem", "-subj",
                                             "/CN=Test server", "-CA", "ca.pem", "-CAkey", "ca.key",
                                             "-addext", "basicConstraints=critical,CA:FALSE",
                                             "-addext", "subjectAltName=" + subject});
    if (!made) {
        return std::nullopt;
    }
    const QSslCertificate authority(fileOf(folder, "ca.pem"));
    TestAuthority all;
    all.server = QSslConfiguration::defaultConfiguration();
    all.server.setLocalCertificate(QSslCertificate(fileOf(folder, "server.pem")));
    all.server.setPrivateKey(QSslKey(fileOf(folder, "server.key"), QSsl::Ec));
    all.server.setPeerVerifyMode(QSslSocket::VerifyNone);  // of clients, who show none
    all.client = QSslConfiguration::defaultConfiguration();
    all.client.setCaCertificates({authority});
    return all;
}

std::optional<QPair<qint64, qint64>> ServerRequest::range() const {
    const QByteArray text = headers.value("range");
    if (!text.startsWith("bytes=")) {
        return std::nullopt;
    }
    const QList<QByteArray> ends = text.mid(6).split('-');
    return std::pair(ends.value(0).toLongLong(),
                     ends.value(1).isEmpty() ? -1 : ends.value(1).toLongLong() + 1);
}

// Reads requests and answers one after the other.
class TestServer::Connection : public QObject {
public:
    Connection(TestServer& server, QTcpSocket* socket)
        : QObject(server.all_.get()), server_(server), socket_(socket) {
        socket_->setParent(this);
        connect(socket_, &QTcpSocket::readyRead, this, &Connection::read);
        connect(socket_, &QTcpSocket::bytesWritten, this, &Connection::feed);
        connect(socket_, &QTcpSocket::disconnected, this, &QObject::deleteLater);
    }

private:
    static constexpr qint64 kBlock = 32 * 1024;

    void read() {
        input_ += socket_->readAll();
        if (busy_ || !input_.contains("\r\n\r\n")) {
            return;
        }
        const qsizetype end = input_.indexOf("\r\n\r\n");
        const QList<QByteArray> lines = input_.left(end).split('\n');
        ServerRequest request;
        const QList<QByteArray> words = lines.first().trimmed().split(' ');
        request.method = words.value(0);
        request.target = words.value(1);
        for (const QByteArray& line : lines.mid(1)) {
            const qsizetype colon = line.indexOf(':');
            request.headers.insert(line.left(colon).toLower(), line.mid(colon + 1).trimmed());
        }
        const qsizetype length = request.headers.value("content-length").toLongLong();
        if (input_.size() < end + 4 + length) {
            return;
        }
        request.body = input_.mid(end + 4, length);
        input_.remove(0, end + 4 + length);
        server_.requests_.append(request);
        answer(request);
    }

    void answer(const ServerRequest& request) {
        answer_ = server_.handler_(request);
        busy_ = true;
        sent_ = 0;
        server_.latestBody_ = 0;
        server_.stalls_ = answer_.then == ServerAnswer::Then::Stall;
        if (answer_.silent) {
            last();
            return;
        }
        QByteArray head = "HTTP/1.1 " + QByteArray::number(answer_.status) + " As told\r\n";
        for (const auto& [name, value] : answer_.headers) {
            head += name + ": " + value + "\r\n";
        }
        head += answer_.chunked
                    ? QByteArray("Transfer-Encoding: chunked\r\n")
                    : "Content-Length: " +
                          QByteArray::number(answer_.saidLength >= 0 ? answer_.saidLength
                                                                     : answer_.body.size()) +
                          "\r\n";
        socket_->write(head + "\r\n");
        if (request.method == "HEAD") {
            answer_.bodyBytesSent = 0;
        }
        feed();
    }

    // A little at a time: a client that does not read is noticed.
    void feed() {
        if (!busy_ || answer_.silent) {
            return;
        }
        const qint64 whole = answer_.bodyBytesSent < 0
                                 ? answer_.body.size()
                                 : std::min<qint64>(answer_.bodyBytesSent, answer_.body.size());
        while (sent_ < whole && socket_->bytesToWrite() < kBlock) {
            const QByteArray block = answer_.body.mid(sent_, std::min(kBlock, whole - sent_));
            sent_ += block.size();
            server_.latestBody_ += block.size();
            server_.allBody_ += block.size();
            socket_->write(answer_.chunked
                               ? QByteArray::number(block.size(), 16) + "\r\n" + block + "\r\n"
                               : block);
        }
        if (sent_ == whole && socket_->bytesToWrite() == 0) {
            last();
        }
    }

    void last() {
        if (answer_.chunked && answer_.then == ServerAnswer::Then::Stay && !ended_) {
            ended_ = true;
            socket_->write("0\r\n\r\n");
            return;  // feed() comes back
        }
        ended_ = false;
        switch (answer_.then) {
            case ServerAnswer::Then::Stay:
                busy_ = false;
                if (!input_.isEmpty()) {
                    QMetaObject::invokeMethod(this, &Connection::read, Qt::QueuedConnection);
                }
                break;
            case ServerAnswer::Then::Close:
                socket_->disconnectFromHost();
                break;
            case ServerAnswer::Then::Reset:
                // Not within a call of the socket's own, which TLS does not survive.
                QMetaObject::invokeMethod(
                    this,
                    [this] {
                        socket_->abort();
                        deleteLater();
                    },
                    Qt::QueuedConnection);
                break;
            case ServerAnswer::Then::Stall:
                break;
        }
    }

    TestServer& server_;
    QTcpSocket* socket_;
    QByteArray input_;
    ServerAnswer answer_;
    qint64 sent_ = 0;
    bool busy_ = false;
    bool ended_ = false;
};

TestServer::TestServer(Handler handler)
    : handler_(std::move(handler)), all_(std::make_unique<QObject>()) {}

TestServer::~TestServer() = default;

QString TestServer::base() const {
    return QStringLiteral("%1://127.0.0.1:%2")
        .arg(tls_ ? QStringLiteral("https") : QStringLiteral("http"))
        .arg(serverPort());
}

void TestServer::incomingConnection(qintptr handle) {
    ++connections_;
    if (tls_) {
        auto* socket = new QSslSocket;
        socket->setSocketDescriptor(handle);
        socket->setSslConfiguration(*tls_);
        new Connection(*this, socket);
        socket->startServerEncryption();
    } else {
        auto* socket = new QTcpSocket;
        socket->setSocketDescriptor(handle);
        new Connection(*this, socket);
    }
}

}  // namespace hearth::ui::test
