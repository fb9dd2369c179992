#include "system/hand_over.h"

#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <QLoggingCategory>
#include <QStandardPaths>
#include <QTimer>
#include <QUrl>
#include <algorithm>

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcStart, "hearth.start")

namespace {

constexpr qint64 kLongestLine = qint64{16} * 1024 * 1024;  // more than a command line holds
constexpr int kPatienceMs = 10'000;  // with a start that does not finish its line
const QByteArray kTaken = "taken\n";
const QByteArray kRefused = "refused\n";

// The socket lies in the data folder: only somebody who may write there can put a socket there.
// Windows has names instead, each user's own.
QString socketName(const QString& dataFolder) {
    const QString folder = QDir(dataFolder).absolutePath();
    const QString hashed =
        QStringLiteral("hearth-") +
        QString::fromLatin1(
            QCryptographicHash::hash((QDir::homePath() + QLatin1Char('\n') + folder).toUtf8(),
                                     QCryptographicHash::Sha256)
                .toHex()
                .left(32));
#ifdef Q_OS_UNIX
    // The system's limit is 104 bytes or more, and Qt first binds in a folder beside it.
    constexpr qsizetype kLongestName = 88;
    QString file = QDir(folder).filePath(QStringLiteral("hearth.socket"));
    if (QFile::encodeName(file).size() <= kLongestName) {
        return file;
    }
    const QString runtime = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    return runtime.isEmpty() ? QString() : QDir(runtime).filePath(hashed);
#else
    return hashed;
#endif
}

}  // namespace

QString modelPath(const QString& argument) {
    const QUrl url(argument.startsWith(QLatin1String("file://")) ? QUrl(argument) : QUrl());
    return QFileInfo(url.isLocalFile() ? url.toLocalFile() : argument).absoluteFilePath();
}

QByteArray toLine(const StartRequest& request) {
    const QJsonObject object{{QStringLiteral("model"), request.model},
                             {QStringLiteral("say"), QJsonArray::fromStringList(request.texts)},
                             {QStringLiteral("token"), request.activationToken}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<StartRequest> requestFrom(const QByteArray& line) {
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QJsonValue texts = object.value(QStringLiteral("say"));
    StartRequest request;
    request.model = object.value(QStringLiteral("model")).toString();
    request.activationToken = object.value(QStringLiteral("token")).toString();
    if (!object.value(QStringLiteral("model")).isString() || !texts.isArray()) {
        return std::nullopt;
    }
    for (const QJsonValue& text : texts.toArray()) {
        if (!text.isString()) {
            return std::nullopt;
        }
        request.texts.append(text.toString());
    }
    return request;
}

HandOver handOver(const QString& dataFolder, const StartRequest& request, int timeoutMs) {
    const QString name = socketName(dataFolder);
    const QDeadlineTimer deadline(timeoutMs);
    const auto left = [&] {
        return static_cast<int>(std::max<qint64>(1, deadline.remainingTime()));
    };
    QLocalSocket socket;
    socket.connectToServer(name);
    if (name.isEmpty() || !socket.waitForConnected(left())) {
        return HandOver::NobodyThere;
    }
    socket.write(toLine(request));
    QByteArray answer;
    while (!answer.contains('\n') && !deadline.hasExpired()) {
        if (socket.bytesToWrite() > 0) {
            socket.waitForBytesWritten(left());
        } else if (!socket.waitForReadyRead(left())) {
            break;
        }
        answer += socket.readAll();
    }
    return answer == kTaken ? HandOver::Taken : HandOver::NoAnswer;
}

bool StartServer::listen(const QString& dataFolder) {
    const QString name = socketName(dataFolder);
    connect(&server_, &QLocalServer::newConnection, this, &StartServer::serve);
    server_.setSocketOptions(QLocalServer::UserAccessOption);
    // With these options Qt binds beside the name and then takes it, whatever a killed start left
    // there.
    if (name.isEmpty() || !server_.listen(name)) {
        qCWarning(lcStart).noquote()
            << "a second start will not find this one:" << server_.errorString();
        return false;
    }
    return true;
}

void StartServer::serve() {
    while (QLocalSocket* socket = server_.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        QTimer::singleShot(kPatienceMs, socket, &QLocalSocket::abort);
        const auto read = [this, socket] {
            if (!socket->canReadLine()) {
                if (socket->bytesAvailable() > kLongestLine) {
                    socket->abort();
                }
                return;
            }
            const std::optional<StartRequest> request = requestFrom(socket->readLine(kLongestLine));
            socket->write(request ? kTaken : kRefused);
            socket->disconnectFromServer();
            if (request) {
                qCInfo(lcStart) << "a second start hands over:" << request->texts.size()
                                << "messages, model named:" << !request->model.isEmpty();
                emit asked(*request);
            }
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        read();
    }
}

}  // namespace hearth::ui
