// The index for searching all chats: a file beside the conversations, made from them alone. Nothing
// is lost with it: a file that is missing, damaged, of another version or of other conversations is
// made anew. It holds messages that are complete, of chats that are not in the bin, without the
// reasoning before an answer.
//
// One thread, which may be another than the store's: it reads the conversations through a
// connection of its own, so that neither waits for the other. docs/decisions/0092 has the reasons.
#pragma once

#include <QDateTime>
#include <QList>
#include <QString>
#include <QVariantList>
#include <functional>

#include "store/conversation.h"
#include "store/search_text.h"
#include "store/store_error.h"

class QSqlDatabase;
class QSqlQuery;

namespace hearth::ui {

struct SearchHit {
    qint64 messageId = kNoId;
    qint64 conversationId = kNoId;
    QString title;  // of the conversation
    MessageRole role = MessageRole::User;
    QDateTime at;
    FoundLine line;
};

class SearchIndex {
public:
    // fullText: the module of SQLite's that indexes.
    explicit SearchIndex(QString fullText = QStringLiteral("fts5"));
    ~SearchIndex();
    SearchIndex(const SearchIndex&) = delete;
    SearchIndex& operator=(const SearchIndex&) = delete;

    // Opens search.db in the folder of the conversations, or makes it. mayWrite: false: it is used
    // as it is. False: chats cannot be searched, and problem() says why.
    bool open(const QString& folder, bool mayWrite);
    void close();
    // A sentence for people; empty: none.
    QString problem() const { return problem_; }

    // Takes in some more of what was written since, a few milliseconds' worth where messages are of
    // usual size. True: there is more, call it again. False: all is in, or problem() says what
    // stopped it.
    bool step();
    // An answer that was complete goes on: it is looked at again once it is complete anew. former:
    // its text until now, which is taken out.
    void reopen(qint64 messageId, const QString& former);
    // The share of messages that is in, 0 to 1.
    double share();

    // The latest first, at most `most`. projectId: only chats of this project; kNoId: all chats.
    // stop: asked between messages; true ends the search early.
    QList<SearchHit> find(const QString& query, int most, qint64 projectId = kNoId,
                          const std::function<bool()>& stop = {});

private:
    QSqlDatabase index() const;
    QSqlDatabase chats() const;
    bool openFile(QSqlDatabase database);
    bool openChats();
    bool openIndex();
    bool create();
    bool belongsToChats();
    void removeFile();
    bool run(QSqlQuery& query, const QString& sql, const QVariantList& values = {});
    bool change(const QString& sql, const QVariantList& values = {});
    QVariant ask(const QSqlDatabase& database, const QString& sql, const QVariantList& values = {});
    QList<qint64> ids(const QSqlDatabase& database, const QString& sql,
                      const QVariantList& values = {});
    bool takeIn(qint64 messageId, const QString& shown);
    bool takeOut(qint64 messageId, const QString& shown);
    bool followBin();
    bool takeWaiting();
    bool takeNew(bool* more);
    bool takeChat(qint64 conversationId, bool in);
    bool forgetPurged(bool* more);

    const QString fullText_;
    QString file_;
    QString indexName_;  // of the connections
    QString chatsName_;
    bool mayWrite_ = false;
    QString problem_;
    StoreError error_;
};

}  // namespace hearth::ui
