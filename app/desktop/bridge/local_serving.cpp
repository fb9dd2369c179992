#include "bridge/local_serving.h"

#include <QLoggingCategory>
#include <algorithm>
#include <utility>

#include "bridge/engine_turns.h"
#include "bridge/error_text.h"
#include "bridge/local_inference.h"
#include "bridge/served_engine.h"
#include "server/access_rules.h"
#include "server/local_api.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcServing, "hearth.serving")

namespace {

QString nameOf(const std::string& client) {
    return QString::fromStdString(server::client_name(client));
}

// call: that started the server, which counts its requests from 1.
ServedRequest requestOf(const server::RequestNote& note, quint64 call) {
    using State = server::RequestNote::State;
    return {.number = call << 32U | note.number,
            .client = nameOf(note.client),
            .path = QString::fromStdString(note.path),
            .state = note.state == State::Waits        ? ServedRequest::State::Waits
                     : note.state == State::IsAnswered ? ServedRequest::State::IsAnswered
                                                       : ServedRequest::State::Ended,
            .status = note.status,
            .promptTokens = note.prompt_tokens,
            .answerTokens = note.answer_tokens,
            .isCut = note.is_cut};
}

QString whyNot(const Error& error, quint16 port) {
    if (error.field == "port" && error.code == ErrorCode::Unsupported) {
        return LocalServing::tr(
                   "Port %1 is used by another program. Choose another port, or end that program.")
            .arg(port);
    }
    if (error.field == "port") {
        return LocalServing::tr(
                   "The system does not let Hearth listen at port %1. Choose one above 1023.")
            .arg(port);
    }
    return LocalServing::tr("The local API could not start: %1.")
        .arg(QString::fromStdString(error.message));
}

}  // namespace

LocalServing::LocalServing(LocalInference& inference, QObject* parent)
    : ServingService(parent), inference_(inference) {
    changes_.setMaxThreadCount(1);
    inference_.turns().watch([this](const EngineTurns::State&) {
        if (!turnsDue_.exchange(true)) {
            QMetaObject::invokeMethod(this, &LocalServing::passTurns, Qt::QueuedConnection);
        }
    });
}

LocalServing::~LocalServing() {
    shutdown(-1);
}

QByteArray LocalServing::newToken() {
    return QByteArray::fromStdString(server::make_token());
}

void LocalServing::start(quint16 port, const QByteArray& token) {
    setToken(token);
    changes_.start([this, port, call = ++call_] {
        end();
        listen(port, call);
    });
}

// The thread of changes, as the next.
void LocalServing::listen(quint16 port, quint64 call) {
    std::unique_lock lock(mutex_);
    auto api = server::LocalApi::start(
        {.endpoint = {.ipv6 = false, .port = port},
         .token = token_,
         .watcher = [this, call](const server::RequestNote& one) { note(one, call); }},
        inference_.served(), inference_.turns());
    const quint16 given = api ? (*api)->port() : 0;
    const QString sentence = api ? QString() : whyNot(api.error(), port);
    if (api) {
        api_ = std::move(*api);
        qCInfo(lcServing) << "the local API listens at port" << given;
    } else {
        qCWarning(lcServing).noquote() << "the local API:" << logLineFor(api.error());
    }
    lock.unlock();
    QMetaObject::invokeMethod(this, [this, call, given, sentence] {
        if (call != call_ || ended_) {
            return;
        }
        if (sentence.isEmpty()) {
            emit started(given);
        } else {
            emit failed(sentence);
        }
    });
}

void LocalServing::end() {
    std::unique_lock lock(mutex_);
    const std::unique_ptr<server::LocalApi> old = std::move(api_);
    lock.unlock();
    if (old != nullptr) {
        old->stop();
        qCInfo(lcServing) << "the local API has ended";
    }
}

void LocalServing::stop() {
    changes_.start([this, call = ++call_] {
        end();
        QMetaObject::invokeMethod(this, [this, call] {
            if (call == call_ && !ended_) {
                emit stopped();
            }
        });
    });
}

void LocalServing::setToken(const QByteArray& token) {
    const std::lock_guard lock(mutex_);
    token_ = token.toStdString();
    if (api_ != nullptr) {
        api_->set_token(token_);
    }
}

void LocalServing::stopAnswer() {
    inference_.served().stopAnswer();
}

bool LocalServing::shutdown(int timeoutMs) {
    if (!std::exchange(ended_, true)) {
        inference_.turns().watch(nullptr);
        changes_.start([this] { end(); });
    }
    return changes_.waitForDone(timeoutMs);
}

// Any thread.
void LocalServing::note(const server::RequestNote& note, quint64 call) {
    const std::lock_guard lock(notesMutex_);
    const ServedRequest request = requestOf(note, call);
    const auto known = std::find_if(notes_.begin(), notes_.end(), [&](const ServedRequest& other) {
        return other.number == request.number;
    });
    if (known != notes_.end()) {
        *known = request;
        return;  // passNotes() is on its way
    }
    if (notes_.size() >= kMostNotes) {
        notes_.pop_front();
    }
    notes_.push_back(request);
    if (notes_.size() == 1) {
        QMetaObject::invokeMethod(this, &LocalServing::passNotes, Qt::QueuedConnection);
    }
}

void LocalServing::passNotes() {
    QList<ServedRequest> requests;
    {
        const std::lock_guard lock(notesMutex_);
        requests = QList<ServedRequest>(notes_.begin(), notes_.end());
        notes_.clear();
    }
    if (!ended_ && !requests.isEmpty()) {
        emit requestsChanged(requests);
    }
}

void LocalServing::passTurns() {
    turnsDue_ = false;
    const EngineTurns::State state = inference_.turns().state();
    const ServingTurns now{.answers = !state.client.empty(),
                           .client = nameOf(state.client),
                           .windowWaits = state.windowWaits,
                           .waiting = static_cast<int>(state.waiting)};
    if (!ended_ && now != turns_) {
        turns_ = now;
        emit turnsChanged(turns_);
    }
}

}  // namespace hearth::ui
