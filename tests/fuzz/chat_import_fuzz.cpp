// Any bytes as an export of chats: Hearth's, ChatGPT's, LM Studio's, Jan's, GPT4All's.
#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstddef>
#include <cstdint>
#include <string>

#include "exchange/chat_files.h"
#include "exchange/chat_json.h"
#include "exchange/chat_markdown.h"
#include "exchange/foreign_chats.h"
#include "fuzz/fuzz_input.h"

using namespace hearth;
using namespace hearth::ui;

namespace {

QByteArray bytesOf(const std::string& text) {
    return {text.data(), static_cast<qsizetype>(text.size())};
}

// A chat that was read can be stored, exported, and read again as it is.
void check(const ChatRecord& chat) {
    FUZZ_CHECK(!chat.messages.isEmpty());
    FUZZ_CHECK(chat.shown >= 0 && chat.shown < chat.messages.size());
    for (int i = 0; i < chat.messages.size(); ++i) {
        const RecordedMessage& message = chat.messages.at(i);
        FUZZ_CHECK(message.parent >= -1 && message.parent < i);
        FUZZ_CHECK(message.readsFrom >= -1 && message.readsFrom < chat.messages.size());
        FUZZ_CHECK(message.state != MessageState::Generating);
    }
    const auto again = chatFromJson(QJsonDocument::fromJson(chatToJson(chat)).object());
    FUZZ_CHECK(again.has_value());
    FUZZ_CHECK(*again == chat);
    FUZZ_CHECK(!chatToMarkdown(chat).isEmpty());
}

void check(const std::optional<ChatRecord>& chat) {
    if (chat) {
        check(*chat);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    switch (input.byte() % 3) {
        case 0: {
            const ChatsRead read = readChats(bytesOf(input.rest()));
            FUZZ_CHECK(read.chats.isEmpty() != read.trouble.isEmpty());
            for (const ChatRecord& chat : read.chats) {
                check(chat);
            }
            break;
        }
        case 1: {
            const QJsonObject thread = QJsonDocument::fromJson(bytesOf(input.text())).object();
            check(chatFromJan(thread, bytesOf(input.rest())));
            break;
        }
        default: {
            // The number that begins the file is no challenge.
            const QByteArray bytes = QByteArray::fromHex("f5d553cc") + bytesOf(input.rest());
            FUZZ_CHECK(isGpt4All(bytes));
            check(chatFromGpt4All(bytes));
        }
    }
    return 0;
}
