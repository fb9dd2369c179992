// A chat as the body of OpenAI's POST /chat/completions.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include "bridge/inference_service.h"

namespace hearth::ui {

// Sent of the settings: temperature, top_p, the presence and frequency penalties, the seed, the
// most tokens, and a kind of effort. No others: a server may refuse a whole question for one field
// that it does not know. Former reasoning is not sent, tools and their calls are.
// asksUsage: the stream shall end with the number of tokens.
QByteArray chatRequest(const QString& model, const QList<ChatTurn>& turns,
                       const GenerationSettings& settings, bool asksUsage);

}  // namespace hearth::ui
