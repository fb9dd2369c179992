// A chat as a text that people read: the shown path, with its instructions first.
#pragma once

#include <QString>

#include "store/chat_record.h"

namespace hearth::ui {

// Any thread. Answers are named after their models, and without their reasoning.
QString chatToMarkdown(const ChatRecord& chat);

}  // namespace hearth::ui
