// A message as the model is told it. An answer with calls of tools becomes several turns: text and
// calls, their results, more text.
#pragma once

#include <QList>

#include "bridge/inference_service.h"
#include "store/conversation.h"

namespace hearth::ui {

// None for an answer without text and calls.
QList<ChatTurn> turnsOf(const Message& message);

}  // namespace hearth::ui
