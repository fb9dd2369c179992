// The calls of tools within one answer: each is written to the disk, asked about, made, and its
// result is written, before the model goes on.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "bridge/inference_service.h"
#include "conversation/round_text.h"
#include "store/conversation.h"
#include "toolset/tool_shelf.h"

namespace hearth::ui {

class ChatTools;
class Chats;
class ConversationStore;
class Notices;

class ToolRounds : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // A call waits for the user, in the shown chat. The other properties are about it.
    Q_PROPERTY(bool asking READ asking NOTIFY questionChanged)
    Q_PROPERTY(QString tool READ tool NOTIFY questionChanged)
    Q_PROPERTY(QString source READ source NOTIFY questionChanged)
    Q_PROPERTY(QString arguments READ arguments NOTIFY questionChanged)
    // "Always" would allow this: "time", or the host of a page.
    Q_PROPERTY(QString always READ always NOTIFY questionChanged)
    // The chat belongs to a project, in which it can be allowed.
    Q_PROPERTY(bool inProject READ inProject NOTIFY questionChanged)

public:
    // All parts outlive it.
    struct Parts {
        ConversationStore& store;
        Notices& notices;
        Chats& chats;
        ChatTools& chatTools;
        ToolShelf& shelf;
    };
    explicit ToolRounds(const Parts& parts, QObject* parent = nullptr);

    bool asking() const;
    QString tool() const;
    QString source() const;
    QString arguments() const;
    QString always() const;
    bool inProject() const;
    Q_INVOKABLE void allowOnce();
    Q_INVOKABLE void allowAlways();  // in this chat
    Q_INVOKABLE void allowInProject();
    Q_INVOKABLE void refuse();

    // An answer begins.
    void begin(qint64 conversationId, qint64 messageId);
    // The model is about to write: the tools that it may call now. None at the limit.
    QList<ModelTool> offer(bool hasText);
    // The part of the text that goes on with the answer.
    QString take(const QString& piece);
    QString finishText();
    // The model has written calls: roundDone() follows once all of them have ended. place:
    // characters of the answer so far. False: the disk refused, and nothing is called.
    bool makeCalls(const QList<ModelCall>& calls, qsizetype place);
    bool isUnderWay() const { return underWay_; }
    // The answer's, in their order.
    const QList<CallRecord>& calls() const { return calls_; }
    // The answer ends, whatever is under way.
    void end();

    static constexpr int kMostCalls = 20;  // of an answer

signals:
    void questionChanged();
    void roundDone();

private:
    const CallRecord* asked() const;
    const ShelfTool* offeredTool(const QString& name) const;
    QString permissionOf(const CallRecord& call) const;
    CallRecord recordOf(const ModelCall& call, qsizetype place) const;
    void next();
    void ask();
    void run();
    void endCall(CallRecord::State state, const QString& result);
    void keep(const CallRecord& call);
    void show();

    Parts parts_;
    qint64 conversationId_ = kNoId;
    qint64 messageId_ = kNoId;
    QList<CallRecord> calls_;
    QList<ShelfTool> offered_;
    RoundText text_;
    int round_ = 0;
    qsizetype at_ = 0;  // of calls_: the call whose turn it is
    bool underWay_ = false;
    bool waits_ = false;  // for the user
    quint64 running_ = 0;
};

}  // namespace hearth::ui
