#include "exchange/chat_markdown.h"

#include <QCoreApplication>
#include <QStringList>

#include "markdown/reasoning.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ChatMarkdown)
};

QString heading(const RecordedMessage& message) {
    switch (message.role) {
        case MessageRole::User:
            return Words::tr("You");
        case MessageRole::Assistant:
            return message.model.isEmpty() ? QStringLiteral("Hearth") : message.model;
        case MessageRole::System:
            break;
    }
    return Words::tr("Instructions");
}

}  // namespace

QString chatToMarkdown(const ChatRecord& chat) {
    QList<const RecordedMessage*> path;
    for (int place = chat.shown; place >= 0; place = chat.messages.at(place).parent) {
        path.prepend(&chat.messages.at(place));
    }
    QStringList parts{QStringLiteral("# ") + chat.title.simplified()};
    if (!chat.project.isEmpty()) {
        parts << Words::tr("Project: %1").arg(chat.project.simplified());
    }
    if (!chat.instructions.isEmpty()) {
        parts << QStringLiteral("## ") + Words::tr("Instructions") << chat.instructions.trimmed();
    }
    for (const RecordedMessage* message : path) {
        QString text = message->content;
        if (message->role == MessageRole::Assistant) {
            Reasoning reasoning;
            reasoning.follow(text, true);
            text = reasoning.answer(text).toString();
        }
        parts << QStringLiteral("## ") + heading(*message) << text.trimmed();
        for (const RecordedFile& file : message->files) {
            parts << Words::tr("Attached: %1").arg(file.name.simplified());
        }
    }
    return parts.join(QStringLiteral("\n\n")) + QLatin1Char('\n');
}

}  // namespace hearth::ui
