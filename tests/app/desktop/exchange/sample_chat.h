// A chat that has something of everything: versions, states, figures, any text.
#pragma once

#include "store/chat_record.h"

namespace hearth::ui {

inline ChatRecord sampleChat() {
    ChatRecord chat;
    chat.title = QString::fromUtf8("Rain & “snow” 雪");
    chat.createdMs = 1'700'000'000'123;
    chat.updatedMs = 1'700'000'100'456;
    chat.isPinned = true;
    chat.instructions = QStringLiteral("Be brief.\n\"Always\".");
    chat.project = QString::fromUtf8("Weather “at home”");
    RecordedMessage question;
    question.content = QString::fromUtf8("What is *rain*?\n\t\\ \"é\" 🌧");
    question.createdMs = 1'700'000'000'123;
    RecordedMessage first;
    first.parent = 0;
    first.role = MessageRole::Assistant;
    first.content = QStringLiteral("<think>\nHm.\n</think>\n\nWater.");
    first.state = MessageState::Stopped;
    first.createdMs = 1'700'000'000'200;
    first.model = QStringLiteral("Alpha");
    first.tokenCount = 57;
    first.firstTokenMs = 120.25;
    first.tokensPerSecond = 41.5;
    first.isCut = true;
    RecordedMessage second = first;
    second.content = QStringLiteral("No idea");
    second.state = MessageState::Failed;
    second.errorText = QStringLiteral("It broke.");
    second.isCut = false;
    RecordedMessage more;
    more.parent = 1;
    more.content = QStringLiteral("And snow?");
    more.createdMs = 1'700'000'050'000;
    RecordedMessage last;
    last.parent = 3;
    last.role = MessageRole::Assistant;
    last.content = QStringLiteral("Frozen.");
    last.createdMs = 1'700'000'100'456;
    last.model = QStringLiteral("Beta");
    last.readsFrom = 3;
    CallRecord call;
    call.place = 3;
    call.callId = QStringLiteral("c1");
    call.tool = QStringLiteral("weather");
    call.source = QStringLiteral("Sky");
    call.arguments = QStringLiteral(R"({"where":"here"})");
    call.state = CallRecord::State::Done;
    call.result = QString::fromUtf8("−4 °C\n<|im_end|>");
    call.thought = QStringLiteral("Cold.");
    CallRecord refused = call;
    refused.round = 1;
    refused.place = 7;
    refused.state = CallRecord::State::Refused;
    last.calls = {call, refused};
    chat.messages = {question, first, second, more, last};
    chat.shown = 4;
    return chat;
}

// The same with attached files: one text is attached twice, and a later question uses passages of
// the first one's. first, second: the names of their texts.
inline ChatRecord sampleChatWithFiles(const QString& first, const QString& second) {
    ChatRecord chat = sampleChat();
    const RecordedFile book{.name = QString::fromUtf8("Wetter & Klima.pdf"),
                            .kind = QStringLiteral("pdf"),
                            .document = first,
                            .bytes = 123'456,
                            .characters = 2000,
                            .cut = true,
                            .tokens = 500,
                            .use = Attachment::Use::Passages};
    const RecordedFile note{.name = QStringLiteral("note.txt"),
                            .kind = QStringLiteral("text"),
                            .document = second,
                            .bytes = 11,
                            .characters = 11,
                            .use = Attachment::Use::Whole};
    chat.messages[0].files = {note, book};
    chat.messages[0].passages = {{.message = 0, .file = 1, .passage = 2, .page = 2}};
    chat.messages[3].files = {note};
    chat.messages[3].passages = {{.message = 0, .file = 1, .passage = 0, .page = 1},
                                 {.message = 0, .file = 1, .passage = 3, .page = 3}};
    return chat;
}

}  // namespace hearth::ui
