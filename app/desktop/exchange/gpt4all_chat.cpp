// GPT4All's files: a QDataStream of Qt 6.2 behind a magic number and a version.
#include <QDataStream>
#include <QIODevice>
#include <QUrl>

#include "exchange/chat_building.h"
#include "exchange/foreign_chats.h"

namespace hearth::ui {

namespace {

constexpr quint32 kMagic = 0xF5D553CC;
constexpr qint32 kFirstVersion = 11;
constexpr qint32 kLastVersion = 12;
constexpr qint64 kMostItems = 200'000;
constexpr qsizetype kHeaderBytes = 8;

class Gpt4AllReader {
public:
    Gpt4AllReader(const QByteArray& bytes, qint32 version) : stream_(bytes), version_(version) {
        stream_.setVersion(QDataStream::Qt_6_2);
        stream_.skipRawData(kHeaderBytes);
    }

    std::optional<ChatRecord> read() {
        qint64 created = 0;
        QString id, user, collection;
        quint32 collections = 0;  // one by one: a list would be made as long as the file claims
        stream_ >> created >> id >> chat_.title >> user >> model_ >> collections;
        for (quint32 i = 0; i < collections && isFine(); ++i) {
            stream_ >> collection;
        }
        chat_.createdMs = timeOf(static_cast<double>(created));
        qint32 count = 0;
        stream_ >> count;
        for (qint32 i = 0; i < count && isFine(); ++i) {
            if (i >= kMostItems || !item()) {
                return std::nullopt;
            }
        }
        return isFine() && completeChat(&chat_) ? std::optional(chat_) : std::nullopt;
    }

private:
    bool isFine() const { return stream_.status() == QDataStream::Ok; }

    // A count that cannot be: each of what it counts takes some bytes.
    bool takeCount(qint64* count) {
        stream_ >> *count;
        return isFine() && *count >= 0 && *count <= stream_.device()->bytesAvailable();
    }

    bool item() {
        if (version_ < 12) {
            qint32 id = 0;
            stream_ >> id;
        }
        QString name, value, newResponse;
        bool isCurrent = false, isStopped = false, up = false, down = false, isError = false;
        stream_ >> name >> value >> newResponse >> isCurrent >> isStopped >> up >> down;
        const bool isAnswer = name == QLatin1String("Response: ");
        if (isAnswer) {
            stream_ >> isError;
        }
        qint64 count = 0;
        if (!takeCount(&count)) {
            return false;
        }
        for (qint64 i = 0; i < count && isFine(); ++i) {  // passages of documents
            QString text;
            qint32 number = 0;
            for (int field = 0; field < 7; ++field) {
                stream_ >> text;
            }
            stream_ >> number >> number >> number;
        }
        if (!takeCount(&count)) {
            return false;
        }
        for (qint64 i = 0; i < count && isFine(); ++i) {  // attached files
            QUrl url;
            QByteArray content;
            stream_ >> url >> content;
        }
        if (version_ >= 12 && (!takeCount(&count) || count != 0)) {
            return false;  // calls of tools
        }
        if (!isFine()) {
            return false;
        }
        keep(name, value, isAnswer, isStopped, isError);
        return true;
    }

    void keep(const QString& name, const QString& value, bool isAnswer, bool isStopped,
              bool isError) {
        if (name == QLatin1String("System: ")) {
            chat_.instructions = value;
            return;
        }
        if ((!isAnswer && name != QLatin1String("Prompt: ")) || value.isEmpty()) {
            return;
        }
        RecordedMessage message;
        message.parent = static_cast<int>(chat_.messages.size()) - 1;
        message.role = isAnswer ? MessageRole::Assistant : MessageRole::User;
        message.content = value;
        message.model = isAnswer ? model_ : QString();
        message.state = isError     ? MessageState::Failed
                        : isStopped ? MessageState::Stopped
                                    : MessageState::Complete;
        chat_.messages.append(message);
    }

    QDataStream stream_;
    const qint32 version_;
    ChatRecord chat_;
    QString model_;
};

}  // namespace

bool isGpt4All(const QByteArray& bytes) {
    quint32 magic = 0;
    QDataStream stream(bytes);
    stream >> magic;
    return stream.status() == QDataStream::Ok && magic == kMagic;
}

std::optional<ChatRecord> chatFromGpt4All(const QByteArray& bytes) {
    quint32 magic = 0;
    qint32 version = 0;
    QDataStream stream(bytes);
    stream >> magic >> version;
    if (magic != kMagic || version < kFirstVersion || version > kLastVersion) {
        return std::nullopt;
    }
    return Gpt4AllReader(bytes, version).read();
}

}  // namespace hearth::ui
