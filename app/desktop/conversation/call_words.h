// Calls of tools as the window shows them.
#pragma once

#include <QString>
#include <QVariantMap>

#include "store/conversation.h"

namespace hearth::ui {

// JSON in lines; what is no JSON stays as it is.
QString readableArguments(const QString& json);
// callId, tool, source, arguments, result, thought, state.
QVariantMap callWords(const CallRecord& call);

}  // namespace hearth::ui
