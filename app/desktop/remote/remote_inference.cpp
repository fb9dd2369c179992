#include "remote/remote_inference.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <algorithm>
#include <utility>

#include "network/door_reply.h"
#include "network/network_rules.h"
#include "network/token_keeper.h"
#include "remote/chat_request.h"
#include "remote/chat_stream.h"
#include "remote/remote_servers.h"
#include "remote/send_consent.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcRemote, "hearth.remote")

namespace {

constexpr qsizetype kMostErrorBytes = qsizetype{1} << 20;
constexpr int kSuccess = 200;
constexpr qsizetype kSlowestBytesPerMs = 16;  // at which a long question is sent
constexpr int kLingerMs = 2000;               // for the end of a connection that has said all

}  // namespace

// The answer so far.
struct RemoteInference::Answer {
    ChatStream stream;
    QByteArray body;  // of an answer that is no stream
    bool isStream = false;
    bool isTooLong = false;  // body lacks what came after it
    bool isReached = false;  // the server has the question
    QElapsedTimer since;     // the question
    qint64 firstMs = -1;
    qint64 lastMs = 0;
};

RemoteInference::RemoteInference(const Parts& parts, QObject* parent)
    : InferenceService(parent), parts_(parts) {
    pieceTimer_.setInterval(kPiecesIntervalMs);
    pieceTimer_.setTimerType(Qt::PreciseTimer);
    connect(&pieceTimer_, &QTimer::timeout, this, &RemoteInference::passPieces);
    silenceTimer_.setSingleShot(true);
    connect(&silenceTimer_, &QTimer::timeout, this, &RemoteInference::onSilence);
    connect(&parts_.consent, &SendConsent::answered, this, &RemoteInference::onConsent);
}

RemoteInference::~RemoteInference() {
    leave();
}

void RemoteInference::setPatience(int connectMs, int silenceMs) {
    connectMs_ = connectMs;
    silenceMs_ = silenceMs;
}

void RemoteInference::loadModel(const LoadOptions& options) {
    cancel();
    loaded_ = remoteModelAt(options.path);
    // Later, as an engine's thread does.
    QMetaObject::invokeMethod(
        this,
        [this, load = ++loads_, path = options.path] {
            if (load != loads_ || ended_) {
                return;  // another load replaced it
            }
            const RemoteServer* server = loaded_ ? parts_.servers.find(loaded_->server) : nullptr;
            if (server == nullptr) {
                loaded_.reset();
                emit loadFailed(
                    tr("The server of this model is no longer in the list of remote models. Add it "
                       "again, or open another model."));
                return;
            }
            ModelSummary model;
            model.path = path;
            model.name = loaded_->model;
            model.host = server->host();
            model.contextTokens = parts_.servers.contextOf(*loaded_);
            parts_.servers.noteUsed(*loaded_);
            emit loaded(model);
            EngineReport report;
            report.modelPath = path;
            report.contextTokens = model.contextTokens;
            report.hasReasoningEffort = true;  // sent where it is chosen, never by itself
            emit reported(report);
        },
        Qt::QueuedConnection);
}

void RemoteInference::unloadModel() {
    cancel();
    ++loads_;
    loaded_.reset();
}

void RemoteInference::generate(quint64 requestId, const QList<ChatTurn>& turns,
                               const GenerationSettings& settings) {
    Q_ASSERT(!question_);
    question_ = Question{.id = requestId,
                         .server = {},
                         .model = loaded_.value_or(RemoteModel()),
                         .turns = turns,
                         .settings = settings};
    const RemoteServer* server = parts_.servers.find(question_->model.server);
    if (server == nullptr) {
        failLater(
            tr("The server of this model is no longer in the list of remote models. Choose "
               "another model, then ask again."));
        return;
    }
    question_->server = *server;
    question_->asksUsage = !withoutUsage_.contains(server->id);
    if (settings.continuesLast) {
        failLater(
            tr("A model that is not local cannot go on from the text of an answer. Ask for "
               "another answer."));
        return;
    }
    if (parts_.consent.allows(server->id)) {
        bringKey();
    } else {
        parts_.consent.ask(server->id);
    }
}

void RemoteInference::onConsent(bool allowed) {
    if (!question_ || reply_ != nullptr || keyRequest_ != nullptr) {
        return;
    }
    if (allowed) {
        bringKey();
    } else {
        fail(tr("Nothing was sent to %1.").arg(question_->server.host()));
    }
}

void RemoteInference::bringKey() {
    keyRequest_ = std::make_unique<QObject>();
    // The keychain may answer from within the call, and the caller waits for no answer.
    QMetaObject::invokeMethod(
        this,
        [this, id = question_->id] {
            if (question_ && question_->id == id && keyRequest_ != nullptr) {
                parts_.tokens.load(siteOf(question_->server.address), keyRequest_.get(),
                                   [this] { send(); });
            }
        },
        Qt::QueuedConnection);
}

void RemoteInference::send() {
    const Question& question = *question_;
    // The list may have changed while the question waited for its turn: words go where the user
    // agreed, or nowhere.
    const RemoteServer* server = parts_.servers.find(question.server.id);
    if (server == nullptr || server->address != question.server.address) {
        fail(tr("The server was changed meanwhile. Nothing was sent."));
        return;
    }
    const QByteArray body =
        chatRequest(question.model.model, question.turns, question.settings, question.asksUsage);
    answer_ = std::make_unique<Answer>();
    answer_->since.start();
    reply_ = parts_.door.send(
        {.url = question.server.endpoint(QStringLiteral("/chat/completions")),
         .purpose = tr("Answer by %1").arg(question.server.name),
         .headers = {{"Accept", "text/event-stream"}, {"Content-Type", "application/json"}},
         .posted = body,
         .withToken = true,
         .direct = question.server.isHere()});
    DoorReply* reply = reply_;
    connect(reply, &DoorReply::sent, this, [this] {
        answer_->isReached = true;
        silenceTimer_.start(silenceMs_);
    });
    connect(reply, &DoorReply::answered, this, &RemoteInference::onAnswered);
    connect(reply, &DoorReply::bytesReady, this, &RemoteInference::onBytes);
    // Queued: the rest of its bytes is read first.
    connect(
        reply, &DoorReply::ended, this,
        [this, reply = QPointer<DoorReply>(reply)] {
            if (question_ && reply_ != nullptr && reply == reply_) {
                onEnded();
            }
        },
        Qt::QueuedConnection);
    silenceTimer_.start(connectMs_ + static_cast<int>(body.size() / kSlowestBytesPerMs));
    pieceTimer_.start();
}

void RemoteInference::onAnswered() {
    answer_->isReached = true;
    answer_->isStream = reply_->status() == kSuccess &&
                        !reply_->header("Content-Type").startsWith("application/json");
    silenceTimer_.start(silenceMs_);
}

void RemoteInference::onBytes() {
    silenceTimer_.start(silenceMs_);
    readBytes();
    ChatStream& stream = answer_->stream;
    if (answer_->isTooLong) {
        onEnded();  // it might never end by itself
    } else if (!stream.problem().isEmpty() || stream.isDone()) {
        finish();  // whatever follows
    }
}

void RemoteInference::readBytes() {
    const QByteArray bytes = reply_->read(reply_->bytesAvailable());
    Answer& answer = *answer_;
    if (answer.isStream) {
        answer.stream.push(bytes);
    } else if (answer.body.size() + bytes.size() <=
               (reply_->status() == kSuccess ? ChatStream::kMostText : kMostErrorBytes)) {
        answer.body += bytes;
    } else {
        answer.isTooLong = true;
    }
    if (answer.stream.hasBegun()) {
        answer.lastMs = answer.since.elapsed();
        answer.firstMs = answer.firstMs < 0 ? answer.lastMs : answer.firstMs;
    }
}

void RemoteInference::onEnded() {
    readBytes();
    const int status = reply_->status();
    if (reply_->failure() == DoorFailure::Forbidden) {
        fail(tr("%1 Allow them in the settings, under Network, then ask again.")
                 .arg(reply_->text()));
    } else if (status >= 400 || (status != kSuccess && reply_->failure() == DoorFailure::None)) {
        const QByteArray body = answer_->body;
        if (question_->asksUsage && triesWithoutUsage(body)) {
            withoutUsage_.insert(question_->server.id);
            question_->asksUsage = false;
            leave();
            bringKey();
            return;
        }
        fail(sentenceForAnswer(question_->server.host(), status, withoutKey(errorMessageIn(body)),
                               parts_.tokens.hasTokenOf(siteOf(question_->server.address))));
    } else if (reply_->failure() != DoorFailure::None && !answer_->stream.isDone()) {
        fail(answer_->stream.hasBegun()
                 ? tr("The connection ended before the answer was complete. %1").arg(reply_->text())
                 : reply_->text());
    } else {
        if (answer_->isTooLong) {
            answer_->stream.refuseLength();
        } else if (!answer_->isStream) {
            answer_->stream.pushWhole(answer_->body);
        }
        finish();
    }
}

// A server that refuses the wish is asked again without it.
bool RemoteInference::triesWithoutUsage(const QByteArray& body) const {
    return body.contains("stream_options") || body.contains("include_usage");
}

void RemoteInference::onSilence() {
    const QString host = question_ ? question_->server.host() : QString();
    fail(answer_ != nullptr && answer_->isReached
             ? tr("%1 has sent nothing for a long time, so Hearth ended the connection.").arg(host)
             : tr("%1 does not answer. Is it running, and is this computer connected to it?")
                   .arg(host));
}

void RemoteInference::passPieces() {
    const QString text = answer_ == nullptr ? QString() : answer_->stream.takeText();
    if (!text.isEmpty()) {
        emit pieces(question_->id, text);
    }
}

void RemoteInference::finish() {
    ChatStream& stream = answer_->stream;
    stream.end();
    if (!stream.problem().isEmpty()) {
        fail(stream.isServersOwn()
                 ? tr("%1 says: “%2”").arg(question_->server.host(), withoutKey(stream.problem()))
                 : stream.problem());
        return;
    }
    GenerationSummary summary = stream.summary();
    const double afterFirstS =
        static_cast<double>(answer_->lastMs - std::max<qint64>(0, answer_->firstMs)) / 1000;
    summary.firstTokenMs = static_cast<double>(std::max<qint64>(0, answer_->firstMs));
    summary.tokensPerSecond =
        afterFirstS > 0 && summary.tokenCount > 1 ? (summary.tokenCount - 1) / afterFirstS : 0;
    summary.device = question_->server.host();
    passPieces();
    const quint64 id = question_->id;
    linger();
    leave();
    question_.reset();
    emit finished(id, summary);
}

void RemoteInference::finishCancelled() {
    GenerationSummary summary;
    if (answer_ != nullptr) {
        answer_->stream.end();
        summary = answer_->stream.summary();
        summary.device = question_->server.host();
    }
    summary.calls.clear();
    summary.finish = GenerationSummary::Finish::Cancelled;
    passPieces();
    const quint64 id = question_->id;
    leave();
    question_.reset();
    emit finished(id, summary);
}

void RemoteInference::fail(const QString& sentence) {
    if (!question_) {
        return;
    }
    if (answer_ != nullptr) {
        answer_->stream.end();
    }
    passPieces();
    const quint64 id = question_->id;
    qCInfo(lcRemote) << "an answer failed";  // the words are the server's
    leave();
    question_.reset();
    emit failed(id, sentence);
}

void RemoteInference::failLater(const QString& sentence) {
    QMetaObject::invokeMethod(
        this,
        [this, id = question_->id, sentence] {
            if (question_ && question_->id == id) {
                fail(sentence);
            }
        },
        Qt::QueuedConnection);
}

void RemoteInference::cancel() {
    if (!question_) {
        return;
    }
    parts_.consent.withdraw();
    keyRequest_.reset();
    if (reply_ != nullptr) {
        reply_->disconnect(this);
        reply_->cancel();
    }
    silenceTimer_.stop();
    // Not from within the call: an engine takes a moment, too.
    QMetaObject::invokeMethod(
        this,
        [this, id = question_->id] {
            if (question_ && question_->id == id && !ended_) {
                finishCancelled();
            }
        },
        Qt::QueuedConnection);
}

void RemoteInference::setBudget(const BudgetRequest& budget) {
    QMetaObject::invokeMethod(
        this, [this, id = budget.id] { emit budgetSet(id); }, Qt::QueuedConnection);
}

// The last word is there: the connection ends by itself, and may be used again.
void RemoteInference::linger() {
    if (DoorReply* reply = std::exchange(reply_, nullptr)) {
        reply->disconnect(this);
        if (reply->hasEnded()) {
            reply->deleteLater();
            return;
        }
        connect(reply, &DoorReply::ended, reply, &QObject::deleteLater);
        QTimer::singleShot(kLingerMs, reply, &DoorReply::cancel);
    }
}

// Ends the connection, and forgets the answer.
void RemoteInference::leave() {
    silenceTimer_.stop();
    pieceTimer_.stop();
    keyRequest_.reset();
    if (DoorReply* reply = std::exchange(reply_, nullptr)) {
        reply->disconnect(this);
        reply->cancel();
        reply->deleteLater();
    }
    answer_.reset();
}

bool RemoteInference::shutdown(int /*timeoutMs*/) {
    ended_ = true;
    parts_.consent.withdraw();
    leave();
    question_.reset();
    return true;
}

// A server's words may hold the key that it was shown, and are kept with the chat.
QString RemoteInference::withoutKey(const QString& text) const {
    return parts_.tokens.withoutTokenOf(siteOf(question_->server.address), text);
}

}  // namespace hearth::ui
