// The banner over the chat: one sentence at a time, and the events that remove it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include "store/conversation.h"
#include "store/store_error.h"

namespace hearth::ui {

class Notices : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString text READ text NOTIFY changed)  // empty: there is none
    Q_PROPERTY(QString kind READ kind NOTIFY changed)  // "info" "warning" "error"
    // The task of a button on the banner: "" (none), "openModel", "reloadModel",
    // "showCrash", "useModel:PATH".
    Q_PROPERTY(QString action READ action NOTIFY changed)

public:
    // The subject of a notice decides when it goes away by itself.
    enum class Topic {
        Program,       // stays until the user closes it or another one replaces it
        Change,        // likewise, and goes with the next change of the engine's settings
        Conversation,  // likewise, and goes when another conversation is shown
        Disk,          // likewise, and goes when a message is written again
        // Other notices go before these, which come back after them.
        Start,     // stays until the user closes it
        Model,     // likewise, and goes when a model is chosen
        Draft,     // a condition: drafts are not on disk
        Answer,    // a condition: an answer is not on disk
        Settings,  // a condition: settings are not on disk
        Packing,   // a condition: a model is half prepared
        Words,     // a condition: the model's words are cut as for another tokenizer
    };

    using QObject::QObject;

    QString text() const { return shown_.text; }
    QString kind() const { return shown_.kind; }
    QString action() const { return shown_.action; }

    // The user closes it.
    Q_INVOKABLE void dismiss();

    void notify(const QString& kind, const QString& text, const QString& action = {});
    // A wish for the engine was refused.
    void notifyAboutChange(const QString& text);
    // Findings of a start: one after the other, each until the user closes it. Other notices
    // go before it, and it comes back after them. aboutModel: it is no longer true once another
    // model is chosen.
    void notifyAtStart(const QString& kind, const QString& text, bool aboutModel = false);
    // A notice about the disk: it goes away once something was written.
    void notifyAboutDisk(const QString& kind, const QString& text);
    // About a conversation: over another one it would be about the wrong messages. One that cannot
    // be shown now waits until it can. It replaces what was said about that conversation before;
    // empty: that is no longer true, and nothing is.
    void notifyAbout(qint64 conversationId, bool isShown, const QString& text);
    // Another conversation will be shown, is shown, or was deleted.
    void leaveConversation();
    void enterConversation(qint64 id);
    void forgetConversation(qint64 id) { later_.remove(id); }
    // A model was chosen: notices that asked for one are settled.
    void modelChosen();

    // A condition holds from here on; it may be said again while it does. What the user has closed
    // is not shown again before the condition has ended.
    void begin(Topic condition, const QString& kind, const QString& text);
    // Notices about that topic are no longer true.
    void end(Topic topic);
    bool holds(Topic condition) const { return holding_.contains(condition); }

    // The disk refused `what`, a sentence: a message, or a condition.
    void storeFailed(const QString& what, const StoreError& error, Topic topic = Topic::Disk);
    // A message was written. A draft may fit where a message does not.
    void storeWorked() { end(Topic::Disk); }

signals:
    void changed();

private:
    struct Notice {
        QString text;
        QString kind;
        QString action;
        Topic topic = Topic::Program;
    };
    void show(const Notice& notice);
    void showNext();

    Notice shown_;
    QList<Notice> waiting_;        // those that come back, in the order in which they do
    QHash<qint64, Notice> later_;  // about conversations, until they can be shown
    qint64 here_ = kNoId;          // the conversation that is shown
    QList<Topic> holding_;         // the conditions that hold
    QList<Topic> closed_;          // of them, those that the user has closed
};

}  // namespace hearth::ui
