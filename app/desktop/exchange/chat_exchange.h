// Exports chats to files, and imports them from Hearth's and other programs' files. Another thread
// reads and writes the files, and reads the chats that go; the window's thread writes those that
// come, a part of one in a turn. What became of it is a notice.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <optional>

#include "exchange/chat_files.h"
#include "store/conversation_store.h"

namespace hearth::ui {

class Attachments;
class Chats;
class Notices;

class ChatExchange : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // An export or an import is under way: another one is refused with a notice.
    Q_PROPERTY(bool busy READ busy NOTIFY busyChanged)

public:
    // All outlive it.
    ChatExchange(ConversationStore& store, Chats& chats, Attachments& attachments, Notices& notices,
                 QObject* parent = nullptr);
    ~ChatExchange() override;

    bool busy() const { return busy_; }

    // Writes a chat into a folder, in a new file named after its title. asJson: whole, in Hearth's
    // own form; else the shown path as Markdown.
    Q_INVOKABLE void exportChat(qint64 conversationId, const QString& folder, bool asJson);
    // Writes all chats into an archive.
    Q_INVOKABLE void exportAll(const QString& folder);
    // Adds all chats of a file; the chat is shown if it is one.
    Q_INVOKABLE void importFile(const QString& path);

signals:
    void busyChanged();

private:
    bool begin();
    void end(const QString& kind, const QString& sentence);
    // Runs `work` on the other thread, and `then` with its result on this one.
    template <typename Work, typename Then>
    void away(Work work, Then then);
    void collectNext();
    void writeAll(const QList<qint64>& ids, const QList<ChatRecord>& chats);
    void addNext();

    ConversationStore& store_;
    Chats& chats_;
    Attachments& attachments_;
    Notices& notices_;
    QThreadPool threads_;  // one
    std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
    // A part of a chat in a turn of the event loop: the window goes on meanwhile.
    QTimer turn_;
    std::function<void()> onTurn_;
    QList<qint64> wanted_;     // to be exported, where they are in memory alone
    QList<ChatRecord> taken_;  // of them, so far; or to be imported
    std::optional<ConversationStore::ComingChat> coming_;  // the one that is being imported
    QString folder_;
    int added_ = 0;
    int refused_ = 0;
    int lostFiles_ = 0;
    qint64 lastAdded_ = kNoId;
    bool busy_ = false;
    bool holdsShelf_ = false;
};

// A name for a file of a chat, without an ending: no character that a file system refuses, and not
// too long. For tests.
QString fileNameFor(const QString& title);

}  // namespace hearth::ui
