#include "conversation/tool_rounds.h"

#include <algorithm>
#include <utility>

#include "conversation/call_words.h"
#include "conversation/chat_tools.h"
#include "conversation/chats.h"
#include "status/notices.h"
#include "store/conversation_store.h"

namespace hearth::ui {

using State = CallRecord::State;

ToolRounds::ToolRounds(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
    connect(&parts_.shelf, &ToolShelf::done, this, [this](quint64 id, const ToolOutcome& outcome) {
        if (running_ != 0 && id == running_) {
            running_ = 0;
            endCall(outcome.failed ? State::Failed : State::Done, outcome.text);
        }
    });
    connect(&parts_.chats, &Chats::currentChanged, this, &ToolRounds::questionChanged);
    connect(&parts_.chats, &Chats::currentProjectChanged, this, &ToolRounds::questionChanged);
}

void ToolRounds::begin(qint64 conversationId, qint64 messageId) {
    end();
    conversationId_ = conversationId;
    messageId_ = messageId;
    // An answer that goes on has made calls before.
    const QList<Message> path = parts_.store.pathTo(messageId);
    calls_ = path.isEmpty() ? QList<CallRecord>() : path.last().calls;
    round_ = 0;
    at_ = calls_.size();
}

QList<ModelTool> ToolRounds::offer(bool hasText) {
    text_ = RoundText(hasText);
    offered_.clear();
    if (calls_.size() >= kMostCalls) {
        return {};
    }
    offered_ = parts_.shelf.offered(!parts_.chatTools.folderOf(conversationId_).isEmpty());
    QList<ModelTool> tools;
    for (const ShelfTool& one : std::as_const(offered_)) {
        tools.append({one.name, one.tool.description, one.tool.schema});
    }
    return tools;
}

QString ToolRounds::take(const QString& piece) {
    return round_ == 0 ? piece : text_.take(piece);
}

QString ToolRounds::finishText() {
    if (round_ == 0) {
        return {};
    }
    const QString rest = text_.finish();
    if (!text_.thought().isEmpty() && !calls_.isEmpty()) {
        calls_.last().thought = text_.thought();
        keep(calls_.last());
        show();
    }
    return rest;
}

const ShelfTool* ToolRounds::offeredTool(const QString& name) const {
    const auto found = std::find_if(offered_.begin(), offered_.end(),
                                    [&](const ShelfTool& one) { return one.name == name; });
    return found == offered_.end() ? nullptr : &*found;
}

CallRecord ToolRounds::recordOf(const ModelCall& call, qsizetype place) const {
    CallRecord record;
    record.place = place;
    record.callId = call.id;
    record.tool = call.name;
    record.arguments = QString::fromUtf8(call.arguments);
    if (const ShelfTool* tool = offeredTool(call.name)) {
        record.source = tool->source;
    } else {
        record.state = State::Failed;
        record.result = tr("There is no such tool.");
    }
    return record;
}

bool ToolRounds::makeCalls(const QList<ModelCall>& calls, qsizetype place) {
    const int round = calls_.isEmpty() ? 0 : calls_.last().round + 1;
    for (const ModelCall& call : calls) {
        CallRecord record = recordOf(call, place);
        record.round = round;
        if (calls_.size() >= kMostCalls && !record.hasEnded()) {
            record.state = State::Refused;
            record.result =
                tr("Not called: an answer may call tools %1 times.").arg(int{kMostCalls});
        }
        const auto id = parts_.store.addToolCall(messageId_, record);
        if (!id) {
            return false;
        }
        record.id = *id;
        calls_.append(record);
    }
    ++round_;
    underWay_ = true;
    show();
    next();
    return true;
}

// From the event loop where nothing waits: the model goes on as after any other result.
void ToolRounds::next() {
    while (at_ < calls_.size() && calls_.at(at_).hasEnded()) {
        ++at_;
    }
    if (at_ < calls_.size()) {
        ask();
        return;
    }
    QMetaObject::invokeMethod(
        this,
        [this, message = messageId_] {
            if (underWay_ && message == messageId_ && at_ == calls_.size()) {
                underWay_ = false;
                emit roundDone();
            }
        },
        Qt::QueuedConnection);
}

QString ToolRounds::permissionOf(const CallRecord& call) const {
    const ShelfTool* tool = offeredTool(call.tool);
    if (tool == nullptr || tool->from == nullptr) {
        return {};
    }
    return tool->source + QLatin1Char('/') +
           tool->from->permissionOf(tool->tool.name, call.arguments.toUtf8());
}

void ToolRounds::ask() {
    const QString permission = permissionOf(calls_.at(at_));
    if (!permission.isEmpty() && parts_.chatTools.allows(conversationId_, permission)) {
        run();
        return;
    }
    waits_ = true;
    emit questionChanged();
    if (parts_.chats.currentId() != conversationId_) {
        parts_.notices.notifyAbout(conversationId_, false,
                                   tr("The model wants to call a tool and waits for your answer."));
    }
}

void ToolRounds::run() {
    CallRecord& call = calls_[at_];
    call.state = State::Running;
    keep(call);
    show();
    const ShelfTool* tool = offeredTool(call.tool);
    if (tool == nullptr) {
        endCall(State::Failed, tr("There is no such tool."));
        return;
    }
    running_ = parts_.shelf.call(*tool, call.arguments.toUtf8(),
                                 {parts_.chatTools.folderOf(conversationId_)});
}

void ToolRounds::endCall(State state, const QString& result) {
    CallRecord& call = calls_[at_];
    call.state = state;
    call.result = result;
    keep(call);
    show();
    next();
}

void ToolRounds::keep(const CallRecord& call) {
    if (!parts_.store.setToolCall(call)) {
        parts_.notices.storeFailed(tr("A result of a tool is not saved."), parts_.store.lastError(),
                                   Notices::Topic::Answer);
    }
}

void ToolRounds::show() {
    parts_.chats.messages()->setCalls(messageId_, calls_);
}

void ToolRounds::allowOnce() {
    if (std::exchange(waits_, false)) {
        emit questionChanged();
        run();
    }
}

void ToolRounds::allowAlways() {
    if (waits_) {
        if (const QString permission = permissionOf(calls_.at(at_)); !permission.isEmpty()) {
            parts_.chatTools.allow(conversationId_, permission);
        }
        allowOnce();
    }
}

void ToolRounds::allowInProject() {
    if (waits_) {
        if (const QString permission = permissionOf(calls_.at(at_)); !permission.isEmpty()) {
            parts_.chatTools.allowInProject(conversationId_, permission);
        }
        allowOnce();
    }
}

void ToolRounds::refuse() {
    if (std::exchange(waits_, false)) {
        emit questionChanged();
        endCall(State::Refused, tr("The user refused this call."));
    }
}

void ToolRounds::end() {
    if (running_ != 0) {
        parts_.shelf.cancel(std::exchange(running_, 0));
    }
    const bool waited = std::exchange(waits_, false);
    if (std::exchange(underWay_, false)) {
        for (; at_ < calls_.size(); ++at_) {
            CallRecord& call = calls_[at_];
            if (!call.hasEnded()) {
                call.state = State::Interrupted;
                keep(call);
            }
        }
        show();
    }
    if (waited) {
        emit questionChanged();
    }
}

const CallRecord* ToolRounds::asked() const {
    return waits_ && at_ < calls_.size() ? &calls_.at(at_) : nullptr;
}

bool ToolRounds::asking() const {
    return asked() != nullptr && parts_.chats.currentId() == conversationId_;
}

QString ToolRounds::tool() const {
    return asked() == nullptr ? QString() : asked()->tool;
}

QString ToolRounds::source() const {
    return asked() == nullptr ? QString() : asked()->source;
}

QString ToolRounds::arguments() const {
    return asked() == nullptr ? QString() : readableArguments(asked()->arguments);
}

bool ToolRounds::inProject() const {
    return asked() != nullptr && parts_.chatTools.hasProject(conversationId_);
}

QString ToolRounds::always() const {
    if (asked() == nullptr) {
        return {};
    }
    const QString host = permissionOf(*asked()).section(QLatin1Char('@'), 1);
    return host.isEmpty() ? asked()->tool : host;
}

}  // namespace hearth::ui
