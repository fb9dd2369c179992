#include "notices.h"

namespace hearth::ui {

void Notices::show(const Notice& notice) {
    const bool ends = notice.text.isEmpty();
    if (shown_.about == About::Start && !ends) {
        waiting_.prepend(shown_);
    }
    shown_ = ends && !waiting_.isEmpty() ? waiting_.takeFirst() : notice;
    emit changed();
}

void Notices::notify(const QString& kind, const QString& text, const QString& action) {
    show({text, kind, action, About::Program});
}

void Notices::notifyAtStart(const QString& kind, const QString& text) {
    waiting_.append({text, kind, {}, About::Start});
    if (shown_.text.isEmpty()) {
        dismiss();
    }
}

void Notices::notifyAboutDisk(const QString& kind, const QString& text) {
    show({text, kind, {}, About::Disk});
}

void Notices::notifyAbout(qint64 conversationId, bool isShown, const QString& text) {
    if (text.isEmpty()) {
        isShown ? leaveConversation() : forgetConversation(conversationId);
        return;
    }
    const Notice notice{text, QStringLiteral("info"), {}, About::Conversation};
    if (isShown) {
        show(notice);
    } else {
        later_.insert(conversationId, notice);
    }
}

void Notices::leaveConversation() {
    if (shown_.about == About::Conversation) {
        dismiss();
    }
}

void Notices::enterConversation(qint64 id) {
    const Notice waiting = later_.take(id);
    if (!waiting.text.isEmpty() && shown_.text.isEmpty()) {
        show(waiting);
    }
}

void Notices::modelChosen() {
    if (shown_.action == QLatin1String("openModel") ||
        shown_.action == QLatin1String("reloadModel")) {
        dismiss();
    }
}

void Notices::storeFailed(const QString& what, const StoreError& error) {
    notifyAboutDisk(QStringLiteral("error"), what + QLatin1Char(' ') + sentenceFor(error));
}

void Notices::draftFailed(const QString& what, const StoreError& error) {
    show({what + QLatin1Char(' ') + sentenceFor(error), QStringLiteral("error"), {}, About::Draft});
}

void Notices::draftWorked() {
    if (shown_.about == About::Draft) {
        dismiss();
    }
}

void Notices::storeWorked() {
    const bool aboutWriting = shown_.about == About::Disk || shown_.about == About::Draft;
    if (aboutWriting && !answerUnsaved_) {
        dismiss();
    }
}

}  // namespace hearth::ui
