// Searches all chats, as somebody types. The index is read and written on a thread of its own, in
// small steps: the window waits for neither.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <memory>

#include "conversation/search_hit_list_model.h"

namespace hearth::ui {

class Chats;
class ConversationStore;
class SearchWorker;

class ChatSearch : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // Words that a message must hold, all of them; empty: no search.
    Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)
    // The project whose chats are searched; -1: all chats are.
    Q_PROPERTY(qint64 project READ project WRITE setProject NOTIFY projectChanged)
    Q_PROPERTY(hearth::ui::SearchHitListModel* hits READ hits CONSTANT)
    // A sentence below the hits: that there are none, that there are more, what is not searched.
    Q_PROPERTY(QString says READ says NOTIFY saysChanged)

public:
    // Both outlive it. The store is open.
    ChatSearch(ConversationStore& store, Chats& chats, QObject* parent = nullptr);
    ~ChatSearch() override;

    // Hits at most: nobody reads on, and typing more narrows them down.
    static constexpr int kMostHits = 50;

    QString query() const { return query_; }
    void setQuery(const QString& query);
    qint64 project() const { return project_; }
    void setProject(qint64 id);
    SearchHitListModel* hits() { return &hits_; }
    QString says() const;

    // An answer goes on that was complete with this text.
    void reopen(qint64 messageId, const QString& former);
    // Waits for the thread, which drops what it does. Nothing may be called afterwards.
    void close();

signals:
    void queryChanged();
    void projectChanged();
    void saysChanged();

private:
    void begin();
    void ask();
    void catchUp();
    void show(quint64 number, const QList<SearchHit>& hits);
    void tell();

    ConversationStore& store_;
    SearchHitListModel hits_;
    QThread thread_;
    std::unique_ptr<SearchWorker> worker_;
    std::shared_ptr<std::atomic<quint64>> latest_;  // the number of the latest question
    QTimer rest_;                                   // after the last change, before it is taken in
    QString query_;
    qint64 project_ = kNoId;
    QString told_;  // what it said at the latest saysChanged()
    QString problem_;
    double share_ = 0;  // of the messages that can be found
    bool answered_ = true;
};

}  // namespace hearth::ui
