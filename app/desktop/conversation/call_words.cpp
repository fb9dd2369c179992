#include "conversation/call_words.h"

#include <QJsonDocument>

namespace hearth::ui {

QString readableArguments(const QString& json) {
    const QJsonDocument document = QJsonDocument::fromJson(json.toUtf8());
    return document.isNull()
               ? json
               : QString::fromUtf8(document.toJson(QJsonDocument::Indented)).trimmed();
}

QVariantMap callWords(const CallRecord& call) {
    return {{QStringLiteral("callId"), call.id},
            {QStringLiteral("tool"), call.tool},
            {QStringLiteral("source"), call.source},
            {QStringLiteral("arguments"), readableArguments(call.arguments)},
            {QStringLiteral("result"), call.result},
            {QStringLiteral("thought"), call.thought},
            {QStringLiteral("state"), toString(call.state)}};
}

}  // namespace hearth::ui
