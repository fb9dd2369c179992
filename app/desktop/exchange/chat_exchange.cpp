#include "exchange/chat_exchange.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QPointer>
#include <utility>

#include "conversation/attachments.h"
#include "conversation/chats.h"
#include "exchange/chat_archive.h"
#include "exchange/chat_documents.h"
#include "exchange/chat_json.h"
#include "exchange/chat_markdown.h"
#include "status/notices.h"
#include "system/durable_file.h"

namespace hearth::ui {

namespace {

struct Written {
    QString path = {};
    QString trouble = {};  // for people; empty: it was written
};

// A path in the folder that is not taken: "Rain.md", "Rain (2).md".
QString freePath(const QString& folder, const QString& name, const QString& ending) {
    const QDir where(folder);
    QString path = where.filePath(name + ending);
    for (int number = 2; QFile::exists(path); ++number) {
        path = where.filePath(QStringLiteral("%1 (%2)%3").arg(name).arg(number).arg(ending));
    }
    return path;
}

Written writeNew(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        return {path, troubleOf(file).sentence()};
    }
    DiskTrouble trouble;
    if (file.write(bytes) != bytes.size() || !file.flush()) {
        trouble = troubleOf(file);
    } else {
        trouble = syncFile(file);
    }
    if (trouble) {
        file.close();
        file.remove();
        return {path, trouble.sentence()};
    }
    syncFolder(QFileInfo(path).path());
    return {path, {}};
}

// The chats that an export asks for one after the other, on its thread: of the disk, or taken
// before.
class ChatSource {
public:
    // folder: of the store; empty: they were taken before.
    ChatSource(const QString& folder, QList<qint64> ids, QList<ChatRecord> taken)
        : ids_(std::move(ids)), taken_(std::move(taken)) {
        isOpen_ = folder.isEmpty() || store_.openBeside(folder);
    }
    bool isOpen() const { return isOpen_; }
    QString trouble() const { return sentenceFor(store_.lastError()); }
    // Empty: there are no more.
    std::optional<ChatRecord> next() {
        while (!ids_.isEmpty()) {
            auto chat = store_.record(ids_.takeFirst());
            if (chat && !chat->messages.isEmpty()) {
                ++count_;
                return chat;
            }
        }
        if (taken_.isEmpty()) {
            return std::nullopt;
        }
        ++count_;
        return taken_.takeFirst();
    }
    int count() const { return count_; }

private:
    ConversationStore store_;
    QList<qint64> ids_;
    QList<ChatRecord> taken_;
    bool isOpen_ = false;
    int count_ = 0;
};

}  // namespace

QString fileNameFor(const QString& title) {
    constexpr qsizetype kLongest = 80;
    QString name;
    for (const QChar letter : title.simplified().left(kLongest)) {
        const bool isRefused = letter.unicode() < 0x20 || letter.unicode() == 0x7F ||
                               letter.category() == QChar::Other_Format ||
                               QStringLiteral("/\\:*?\"<>|").contains(letter);
        name += isRefused ? QLatin1Char('-') : letter;
    }
    if (!name.isEmpty() && name.back().isHighSurrogate()) {
        name.chop(1);
    }
    while (name.startsWith(QLatin1Char('.'))) {
        name.remove(0, 1);
    }
    while (name.endsWith(QLatin1Char('.')) || name.endsWith(QLatin1Char(' '))) {
        name.chop(1);
    }
    return name.isEmpty() ? QStringLiteral("chat") : name;
}

ChatExchange::ChatExchange(ConversationStore& store, Chats& chats, Attachments& attachments,
                           Notices& notices, QObject* parent)
    : QObject(parent), store_(store), chats_(chats), attachments_(attachments), notices_(notices) {
    threads_.setMaxThreadCount(1);
    turn_.setInterval(0);
    connect(&turn_, &QTimer::timeout, this, [this] { onTurn_(); });
}

ChatExchange::~ChatExchange() {
    *cancelled_ = true;
    threads_.waitForDone();
}

template <typename Work, typename Then>
void ChatExchange::away(Work work, Then then) {
    threads_.start([this, work = std::move(work), then = std::move(then)] {
        auto result = work();
        // The destructor waits for this thread; what is posted goes with the object.
        QMetaObject::invokeMethod(
            this, [then, result = std::move(result)] { then(result); }, Qt::QueuedConnection);
    });
}

bool ChatExchange::begin() {
    if (busy_) {
        notices_.notify(QStringLiteral("warning"),
                        tr("Another export or import is still under way."));
        return false;
    }
    busy_ = true;
    emit busyChanged();
    return true;
}

void ChatExchange::end(const QString& kind, const QString& sentence) {
    turn_.stop();
    wanted_.clear();
    taken_.clear();
    if (std::exchange(holdsShelf_, false)) {
        attachments_.holdShelf(false);
    }
    busy_ = false;
    emit busyChanged();
    notices_.notify(kind, sentence);
}

void ChatExchange::exportChat(qint64 conversationId, const QString& folder, bool asJson) {
    if (!begin()) {
        return;
    }
    const QString refused = tr("The chat could not be exported.");
    if (!store_.summary(conversationId)) {
        end(QStringLiteral("warning"), refused);
        return;
    }
    QList<ChatRecord> taken;
    if (store_.isInMemory()) {
        if (auto chat = store_.record(conversationId)) {
            taken.append(std::move(*chat));
        }
    }
    away(
        [conversationId, taken, folder, asJson,
         data = store_.isInMemory() ? QString() : store_.folder(), shelf = attachments_.shelf(),
         refused] {
            ChatSource chats(data, data.isEmpty() ? QList<qint64>() : QList<qint64>{conversationId},
                             taken);
            const auto chat = chats.next();
            if (!chat) {
                return Written{{}, refused};
            }
            const QByteArray bytes = asJson ? chatToJson(*chat, documentsOf(*chat, shelf))
                                            : chatToMarkdown(*chat).toUtf8();
            return writeNew(freePath(folder, fileNameFor(chat->title),
                                     asJson ? QStringLiteral(".json") : QStringLiteral(".md")),
                            bytes);
        },
        [this](const Written& written) {
            written.trouble.isEmpty()
                ? end(QStringLiteral("info"),
                      tr("The chat is exported to %1.").arg(QDir::toNativeSeparators(written.path)))
            : written.path.isEmpty()
                ? end(QStringLiteral("warning"), written.trouble)
                : end(QStringLiteral("error"),
                      tr("The chat could not be exported. %1").arg(written.trouble));
        });
}

void ChatExchange::exportAll(const QString& folder) {
    if (!begin()) {
        return;
    }
    folder_ = folder;
    QList<qint64> ids;
    for (const ConversationSummary& row : chats_.conversations()->rows()) {
        ids.prepend(row.id);  // the oldest first: so they come back in their order
    }
    if (ids.isEmpty()) {
        end(QStringLiteral("warning"), tr("There is no chat to export."));
    } else if (store_.isInMemory()) {  // no other thread can read them
        wanted_ = ids;
        onTurn_ = [this] { collectNext(); };
        turn_.start();
    } else {
        writeAll(ids, {});
    }
}

void ChatExchange::collectNext() {
    if (wanted_.isEmpty()) {
        turn_.stop();
        writeAll({}, std::exchange(taken_, {}));
    } else if (const auto chat = store_.record(wanted_.takeFirst());
               chat && !chat->messages.isEmpty()) {
        taken_.append(*chat);
    }
}

void ChatExchange::writeAll(const QList<qint64>& ids, const QList<ChatRecord>& chats) {
    const QString name = QStringLiteral("Hearth %1")
                             .arg(QDate::currentDate().toString(QStringLiteral("yyyy-MM-dd")));
    away(
        [ids, chats, folder = folder_, name, data = ids.isEmpty() ? QString() : store_.folder(),
         shelf = attachments_.shelf(), cancelled = cancelled_] {
            ChatSource source(data, ids, chats);
            const QString path = freePath(folder, name, QStringLiteral(".zip"));
            const QString trouble =
                source.isOpen() ? writeChatArchive(
                                      path, [&] { return source.next(); }, shelf, *cancelled)
                                : source.trouble();
            return std::pair(Written{path, trouble}, source.count());
        },
        [this](const std::pair<Written, int>& done) {
            const QString path = QDir::toNativeSeparators(done.first.path);
            done.first.trouble.isEmpty()
                ? end(QStringLiteral("info"),
                      tr("%n chats are exported to %1.", nullptr, done.second).arg(path))
                : end(QStringLiteral("error"), done.first.trouble);
        });
}

void ChatExchange::importFile(const QString& path) {
    if (!chats_.mayWrite() || !begin()) {
        return;
    }
    attachments_.holdShelf(true);
    holdsShelf_ = true;
    away([path, shelf = attachments_.shelf(),
          cancelled = cancelled_] { return readChatFile(path, &shelf, *cancelled); },
         [this, name = QFileInfo(path).fileName()](const ChatsRead& read) {
             if (!read.trouble.isEmpty()) {
                 end(QStringLiteral("error"),
                     tr("%1 was not imported. %2").arg(name, read.trouble));
                 return;
             }
             taken_ = read.chats;
             added_ = 0;
             refused_ = read.refused;
             lostFiles_ = read.lostFiles;
             onTurn_ = [this] { addNext(); };
             turn_.start();
         });
}

void ChatExchange::addNext() {
    if (!coming_ && !taken_.isEmpty()) {
        coming_ = ConversationStore::ComingChat{taken_.takeFirst()};
    }
    if (coming_) {
        if (!store_.addPart(&*coming_)) {
            store_.dropParts(*coming_);
            coming_.reset();
            chats_.written(false, tr("The chats were not imported."));
            const QString sentence =
                added_ == 0 ? tr("No chat was imported.")
                            : tr("%n chats were imported, the others not.", nullptr, added_);
            end(QStringLiteral("error"),
                sentence + QLatin1Char(' ') + sentenceFor(store_.lastError()));
        } else if (coming_->there) {
            ++added_;
            lastAdded_ = coming_->id;
            coming_.reset();
            chats_.written(true, {});
            chats_.refreshSummary(lastAdded_);
        }
        return;
    }
    QString sentence = tr("%n chats are imported.", nullptr, added_);
    if (refused_ > 0) {
        sentence += QLatin1Char(' ') + tr("%n more could not be read.", nullptr, refused_);
    }
    if (lostFiles_ > 0) {
        sentence += QLatin1Char(' ') +
                    tr("The texts of %n attached files are missing.", nullptr, lostFiles_);
    }
    if (added_ == 1) {
        chats_.select(lastAdded_);
    }
    end(refused_ > 0 || lostFiles_ > 0 ? QStringLiteral("warning") : QStringLiteral("info"),
        sentence);
}

}  // namespace hearth::ui
