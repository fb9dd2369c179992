#include "status/notices.h"

#include <algorithm>

namespace hearth::ui {

namespace {

bool isCondition(Notices::Topic topic) {
    return topic >= Notices::Topic::Draft;
}

bool comesBack(Notices::Topic topic) {
    return topic >= Notices::Topic::Start;
}

}  // namespace

void Notices::show(const Notice& notice) {
    if (!shown_.text.isEmpty() && comesBack(shown_.topic)) {
        waiting_.prepend(shown_);
    }
    shown_ = notice;
    emit changed();
}

void Notices::showNext() {
    shown_ = waiting_.isEmpty() ? later_.take(here_) : waiting_.takeFirst();
    emit changed();
}

void Notices::dismiss() {
    if (!shown_.text.isEmpty() && isCondition(shown_.topic)) {
        closed_.append(shown_.topic);
    }
    showNext();
}

void Notices::notify(const QString& kind, const QString& text, const QString& action) {
    show({text, kind, action, Topic::Program});
}

void Notices::notifyAboutChange(const QString& text) {
    show({text, QStringLiteral("warning"), {}, Topic::Change});
}

void Notices::notifyAtStart(const QString& kind, const QString& text, bool aboutModel) {
    waiting_.append({text, kind, {}, aboutModel ? Topic::Model : Topic::Start});
    if (shown_.text.isEmpty()) {
        showNext();
    }
}

void Notices::notifyAboutDisk(const QString& kind, const QString& text) {
    show({text, kind, {}, Topic::Disk});
}

void Notices::notifyAbout(qint64 conversationId, bool isShown, const QString& text) {
    if (text.isEmpty()) {
        forgetConversation(conversationId);
        if (isShown) {
            end(Topic::Conversation);
        }
        return;
    }
    const Notice notice{text, QStringLiteral("info"), {}, Topic::Conversation};
    if (isShown) {
        show(notice);
    } else {
        later_.insert(conversationId, notice);
    }
}

void Notices::leaveConversation() {
    here_ = kNoId;
    end(Topic::Conversation);
}

void Notices::enterConversation(qint64 id) {
    here_ = id;
    if (shown_.text.isEmpty() && later_.contains(id)) {
        showNext();
    }
}

void Notices::modelChosen() {
    end(Topic::Model);
    if (shown_.action == QLatin1String("openModel") ||
        shown_.action == QLatin1String("reloadModel")) {
        showNext();
    }
}

void Notices::begin(Topic condition, const QString& kind, const QString& text) {
    if (!holds(condition)) {
        holding_.append(condition);
    }
    if (closed_.contains(condition)) {
        return;
    }
    const Notice notice{text, kind, {}, condition};
    const auto waits = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Notice& other) { return other.topic == condition; });
    if (waits != waiting_.end()) {
        *waits = notice;
    } else if (shown_.topic != condition) {
        show(notice);
    } else if (shown_.text != text) {
        shown_ = notice;
        emit changed();
    }
}

void Notices::end(Topic topic) {
    holding_.removeAll(topic);
    closed_.removeAll(topic);
    waiting_.removeIf([&](const Notice& notice) { return notice.topic == topic; });
    if (!shown_.text.isEmpty() && shown_.topic == topic) {
        showNext();
    }
}

void Notices::storeFailed(const QString& what, const StoreError& error, Topic topic) {
    const QString kind = QStringLiteral("error");
    const QString text = what + QLatin1Char(' ') + sentenceFor(error);
    if (isCondition(topic)) {
        begin(topic, kind, text);
    } else {
        show({text, kind, {}, topic});
    }
}

}  // namespace hearth::ui
