// The banner over the chat: one sentence at a time, and the events that remove it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include "conversation.h"
#include "store_error.h"

namespace hearth::ui {

class Notices : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString text READ text NOTIFY changed)  // empty: there is none
    Q_PROPERTY(QString kind READ kind NOTIFY changed)  // "info" "warning" "error"
    // What a button on the banner should do: "" (none), "openModel", "reloadModel",
    // "showCrash".
    Q_PROPERTY(QString action READ action NOTIFY changed)

public:
    using QObject::QObject;

    QString text() const { return shown_.text; }
    QString kind() const { return shown_.kind; }
    QString action() const { return shown_.action; }

    Q_INVOKABLE void dismiss() { notify({}, {}); }

    void notify(const QString& kind, const QString& text, const QString& action = {});
    // What a start finds out: one after the other, each until the user dismisses it. Other notices
    // go before it, and it comes back after them.
    void notifyAtStart(const QString& kind, const QString& text);
    // About the disk: it goes away once something was written.
    void notifyAboutDisk(const QString& kind, const QString& text);
    // About a conversation: over another one it would be about the wrong messages. One that is not
    // shown now keeps it until it is. It replaces what was said about that conversation before;
    // empty: that is no longer true, and nothing is.
    void notifyAbout(qint64 conversationId, bool isShown, const QString& text);
    // Another conversation will be shown, or is; one was deleted.
    void leaveConversation();
    void enterConversation(qint64 id);
    void forgetConversation(qint64 id) { later_.remove(id); }
    // A model was chosen: what asked for one is done with.
    void modelChosen();

    // The disk refused `what`, a sentence.
    void storeFailed(const QString& what, const StoreError& error);
    void draftFailed(const QString& what, const StoreError& error);
    void draftWorked();
    // A message was written: notices about writing go, unless an answer is still not on disk. A
    // draft may fit where a message does not: what it says about messages is left to messages.
    void storeWorked();
    bool answerUnsaved() const { return answerUnsaved_; }
    void setAnswerUnsaved(bool unsaved) { answerUnsaved_ = unsaved; }

signals:
    void changed();

private:
    // What a notice is about says when it goes away by itself.
    enum class About {
        Program,       // stays until it is dismissed or replaced
        Start,         // stays until it is dismissed
        Conversation,  // another conversation is shown
        Disk,          // a message is written again
        Draft,         // the draft, or a message, is written again
    };
    struct Notice {
        QString text;
        QString kind;
        QString action;
        About about = About::Program;
    };
    void show(const Notice& notice);

    Notice shown_;
    QList<Notice> waiting_;        // of the start
    QHash<qint64, Notice> later_;  // about conversations that are not shown
    bool answerUnsaved_ = false;   // a notice says so
};

}  // namespace hearth::ui
