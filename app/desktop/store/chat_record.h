// A whole chat as a plain value, apart from any database: for exports and imports.
#pragma once

#include <QList>
#include <QString>

#include "store/attachment.h"
#include "store/conversation.h"

namespace hearth::ui {

// A document that was attached to a question.
struct RecordedFile {
    QString name = {};
    QString kind = {};      // "pdf", as documents/ spells it
    QString document = {};  // the name of its text among the documents; empty: it is lost
    qint64 bytes = 0;       // of the file
    qint64 characters = 0;  // of its text
    bool cut = false;       // the file has more text than was read
    int tokens = 0;
    Attachment::Use use = Attachment::Use::Undecided;

    friend bool operator==(const RecordedFile&, const RecordedFile&) = default;
};

// A passage of a document that went to the model with a question.
struct RecordedPassage {
    int message = 0;  // the place of the message that the document is attached to
    int file = 0;     // the document's place there
    int passage = 0;
    int page = 0;  // from 1; 0: the document has no pages

    friend bool operator==(const RecordedPassage&, const RecordedPassage&) = default;
};

// Places in ChatRecord::messages stand for messages; -1: none.
struct RecordedMessage {
    int parent = -1;  // comes before this one; -1: a first message of its chat
    MessageRole role = MessageRole::User;
    QString content = {};
    MessageState state = MessageState::Complete;
    QString errorText = {};
    qint64 createdMs = 0;  // since 1970, UTC
    QString model = {};
    int tokenCount = 0;
    double firstTokenMs = 0;
    double tokensPerSecond = 0;
    bool isCut = false;
    int readsFrom = -1;                    // the first message that the model read; -1: it read all
    QList<CallRecord> calls = {};          // of tools, in an answer; without ids
    QList<RecordedFile> files = {};        // of a question
    QList<RecordedPassage> passages = {};  // that went with a question; none of a project's files

    friend bool operator==(const RecordedMessage&, const RecordedMessage&) = default;
};

struct ChatRecord {
    QString title = {};
    qint64 createdMs = 0;
    qint64 updatedMs = 0;
    bool isPinned = false;
    QString instructions = {};
    QString project = {};  // its name; empty: none
    QList<RecordedMessage> messages = {};
    int shown = -1;  // the last message of the path that is shown

    friend bool operator==(const ChatRecord&, const ChatRecord&) = default;
};

// Every place is one of this chat, parents come first, and an answer that was being written counts
// as interrupted. True: it has a message. Any thread.
bool makeSound(ChatRecord* chat);

}  // namespace hearth::ui
