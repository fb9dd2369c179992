#include "raw_client.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace hearth::test {
namespace {

constexpr int kPatienceMs = 60'000;  // a hang fails the test; nothing is measured

}  // namespace

QJsonValue RawAnswer::json() const {
    return QJsonDocument::fromJson(body).object();
}

QList<QJsonValue> RawAnswer::events() const {
    QList<QJsonValue> all;
    for (const QByteArray& line : body.split('\n')) {
        if (line.startsWith("data: ") && line != "data: [DONE]") {
            all << QJsonDocument::fromJson(line.mid(6)).object();
        }
    }
    return all;
}

QByteArray RawAnswer::text() const {
    return QByteArray::number(status) + "\n" + head.left(500) + "\n" + body.left(2000);
}

RawClient::RawClient(quint16 port) : port_(port) {
    socket_.connectToHost("127.0.0.1", port);
    socket_.waitForConnected(kPatienceMs);
}

void RawClient::send(const QByteArray& bytes) {
    socket_.write(bytes);
    while (socket_.bytesToWrite() > 0 && socket_.waitForBytesWritten(kPatienceMs)) {}
}

QByteArray RawClient::request(const QByteArray& method, const QByteArray& path,
                              const QByteArray& body, const QByteArray& headers, quint16 port) {
    QByteArray text = method + " " + path + " HTTP/1.1\r\n" + headers;
    if (!headers.toLower().contains("host:")) {
        text += "Host: 127.0.0.1:" + QByteArray::number(port) + "\r\n";
    }
    if (!body.isEmpty()) {
        text +=
            "Content-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) +
            "\r\n";
    }
    return text + "\r\n" + body;
}

RawAnswer RawClient::ask(const QByteArray& method, const QByteArray& path, const QByteArray& body,
                         const QByteArray& headers) {
    send(request(method, path, body, headers, port_));
    return read(method == "HEAD");
}

bool RawClient::more() {
    if (socket_.bytesAvailable() == 0 && !socket_.waitForReadyRead(kPatienceMs)) {
        return false;
    }
    in_ += socket_.readAll();
    return true;
}

bool RawClient::wait_for(const QByteArray& bytes) {
    while (!in_.contains(bytes)) {
        if (!more()) {
            return false;
        }
    }
    return true;
}

bool RawClient::wait_for_end() {
    while (more()) {}
    return socket_.state() == QAbstractSocket::UnconnectedState;
}

RawAnswer RawClient::read(bool is_head) {
    RawAnswer answer;
    while (true) {
        if (!wait_for("\r\n\r\n")) {
            return answer;
        }
        const qsizetype end = in_.indexOf("\r\n\r\n") + 4;
        answer.head = in_.left(end);
        in_.remove(0, end);
        answer.status = answer.head.mid(9, 3).toInt();
        if (answer.status != 100) {
            break;
        }
    }
    if (is_head || answer.status == 204) {
        answer.is_whole = true;
        return answer;
    }
    const QByteArray head = answer.head.toLower();
    if (head.contains("\r\ntransfer-encoding: chunked\r\n")) {
        while (wait_for("\r\n")) {
            const qsizetype line = in_.indexOf("\r\n");
            const qsizetype size = in_.left(line).toLongLong(nullptr, 16);
            while (in_.size() < line + size + 4) {
                if (!more()) {
                    return answer;
                }
            }
            answer.body += in_.mid(line + 2, size);
            in_.remove(0, line + size + 4);
            if (size == 0) {
                answer.is_whole = true;
                break;
            }
        }
        return answer;
    }
    const qsizetype at = head.indexOf("\r\ncontent-length: ");
    if (at < 0) {  // to the end of the connection
        wait_for_end();
        answer.body = std::exchange(in_, {});
        answer.is_whole = true;
        return answer;
    }
    const qsizetype size = head.mid(at + 18, head.indexOf("\r\n", at + 18) - at - 18).toLongLong();
    while (in_.size() < size) {
        if (!more()) {
            return answer;
        }
    }
    answer.body = in_.left(size);
    in_.remove(0, size);
    answer.is_whole = true;
    return answer;
}

}  // namespace hearth::test
