// The documents of messages and projects, as the database has them.
#pragma once

#include <QString>

#include "store/conversation.h"

namespace hearth::ui {

struct Attachment {
    qint64 id = kNoId;
    qint64 messageId = kNoId;  // the question that it was sent with; kNoId: of a draft or project
    QString name;              // of the file
    QString kind;              // "pdf", as documents/ spells it
    QString hash;              // of its text, which lies in a folder beside the database
    qint64 bytes = 0;          // of the file
    qint64 characters = 0;     // of its text
    bool cut = false;          // the file has more text than was read
    int tokens = 0;
    bool tokensExact = false;  // else reckoned
    // How it goes to the model. It is decided once, so that a conversation stays as it was.
    enum class Use { Undecided, Whole, Passages };
    Use use = Use::Undecided;
    // A file in a project's folder has its path there, and when it changed, in ms since 1970.
    QString path = {};
    qint64 modifiedMs = 0;
};

// A passage of a document that went to the model with a question.
struct UsedPassage {
    static constexpr int kWhole = -1;
    qint64 questionId = kNoId;
    qint64 attachmentId = kNoId;
    int passage = 0;  // its number in the document; kWhole: all of it, a file of a project
    int page = 0;     // from 1; 0: the document has no pages
};

// How the database spells a use.
inline int useNumber(Attachment::Use use) {
    return use == Attachment::Use::Whole ? 1 : use == Attachment::Use::Passages ? 2 : 0;
}
inline Attachment::Use useFromNumber(int number) {
    return number == 1   ? Attachment::Use::Whole
           : number == 2 ? Attachment::Use::Passages
                         : Attachment::Use::Undecided;
}

}  // namespace hearth::ui
