#include "toolset/mcp_client.h"

#include <utility>

namespace hearth::ui {

using toolbox::RpcJson;
using toolbox::RpcMessage;

namespace {

QString textOf(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

McpClient::McpClient(const QString& title, std::unique_ptr<McpTransport> transport,
                     const Patience& patience, QObject* parent)
    : ToolSource(parent), title_(title), transport_(std::move(transport)), patience_(patience) {
    connect(transport_.get(), &McpTransport::received, this, &McpClient::onMessage);
    connect(transport_.get(), &McpTransport::closed, this, &McpClient::fail);
    connect(transport_.get(), &McpTransport::said, this, &McpClient::said);
    startTimer_.setSingleShot(true);
    connect(&startTimer_, &QTimer::timeout, this,
            [this] { fail(tr("The server did not answer in time.")); });
}

McpClient::~McpClient() {
    transport_->disconnect(this);
}

void McpClient::start() {
    startTimer_.start(patience_.startMs);
    transport_->start();
    if (state_ == State::Failed) {
        return;
    }
    ask(Asked::Introduction, "initialize", toolbox::initialize_params(HEARTH_VERSION));
}

void McpClient::ask(Asked asked, const std::string& method, RpcJson params, quint64 callId) {
    questions_.insert(++lastId_, {asked, callId});
    transport_->send(
        QByteArray::fromStdString(toolbox::rpc_request(lastId_, method, std::move(params))));
}

void McpClient::askForTools(const std::string& cursor) {
    listsTools_ = true;
    ask(Asked::Tools, "tools/list",
        cursor.empty() ? RpcJson::object() : RpcJson{{"cursor", cursor}});
}

void McpClient::call(quint64 id, const QString& tool, const QByteArray& arguments,
                     const ToolPlace& /*place*/) {
    auto* timer = new QTimer(this);
    timer->setSingleShot(true);
    connect(timer, &QTimer::timeout, this, [this, id] {
        endCall(id, {true, tr("The tool did not answer in time.")});
    });
    callTimers_.insert(id, timer);
    auto json = server::read_json_object(arguments.toStdString());
    if (state_ != State::Ready || !json) {
        endSoon(id, state_ == State::Failed ? words_ : tr("The server is not ready."));
        return;
    }
    timer->start(patience_.callMs);
    ask(Asked::Call, "tools/call", {{"name", tool.toStdString()}, {"arguments", std::move(*json)}},
        id);
}

void McpClient::cancel(quint64 id) {
    endSoon(id, tr("Stopped."));
}

void McpClient::endSoon(quint64 callId, const QString& why) {
    QMetaObject::invokeMethod(
        this,
        [this, callId, why] {
            endCall(callId, {true, why});
        },
        Qt::QueuedConnection);
}

// A server that answers a call later answers nothing then.
void McpClient::endCall(quint64 callId, const ToolOutcome& outcome) {
    QTimer* timer = callTimers_.take(callId);
    if (timer == nullptr) {
        return;
    }
    timer->deleteLater();
    for (auto question = questions_.begin(); question != questions_.end(); ++question) {
        if (question->asked == Asked::Call && question->callId == callId) {
            const qint64 id = question.key();
            questions_.erase(question);
            transport_->send(QByteArray::fromStdString(
                toolbox::rpc_notice("notifications/cancelled", {{"requestId", id}})));
            break;
        }
    }
    emit done(callId, outcome);
}

void McpClient::onMessage(const QByteArray& bytes) {
    if (state_ == State::Failed) {
        return;
    }
    if (++unasked_ > kMostUnasked) {
        fail(tr("The server floods Hearth with messages and was ended."));
        return;
    }
    const auto message =
        toolbox::read_rpc({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (!message) {
        emit said(tr("A message was left out: %1").arg(textOf(message.error().message)));
        return;
    }
    const bool answers =
        message->kind == RpcMessage::Kind::Answer || message->kind == RpcMessage::Kind::Failure;
    const auto question = answers ? questions_.constFind(message->id) : questions_.constEnd();
    if (!answers) {
        onOtherMessage(*message);
        return;
    }
    if (question == questions_.constEnd()) {
        emit said(tr("An answer to no question was left out."));
        return;
    }
    const Question asked = *question;
    questions_.erase(question);
    unasked_ = 0;
    if (message->kind == RpcMessage::Kind::Answer) {
        onAnswer(asked, message->body);
    } else if (asked.asked == Asked::Call) {
        endCall(asked.callId, {true, textOf(message->text)});
    } else {
        fail(tr("The server refuses: %1").arg(textOf(message->text)));
    }
}

void McpClient::onAnswer(const Question& question, const RpcJson& result) {
    if (question.asked == Asked::Call) {
        const auto outcome = toolbox::read_call_outcome(result, kMostResultBytes);
        if (!outcome) {
            endCall(question.callId, {true, textOf(outcome.error().message)});
            return;
        }
        QString text = textOf(outcome->text);
        if (outcome->is_cut) {
            text += tr("\n[The result is longer. It ends here.]");
        }
        endCall(question.callId, {outcome->is_error, text});
    } else if (question.asked == Asked::Tools) {
        onTools(result);
    } else {
        const auto facts = toolbox::read_initialize(result);
        if (!facts) {
            fail(tr("Hearth cannot speak with the server: %1").arg(textOf(facts.error().message)));
            return;
        }
        words_ = (textOf(facts->name) + QLatin1Char(' ') + textOf(facts->version)).trimmed();
        transport_->setProtocol(QByteArray::fromStdString(facts->protocol));
        transport_->send(QByteArray::fromStdString(
            toolbox::rpc_notice("notifications/initialized", RpcJson::object())));
        if (facts->has_tools) {
            askForTools({});
        } else {
            fail(tr("The server has no tools."));
        }
    }
}

void McpClient::onTools(const RpcJson& result) {
    const auto page = toolbox::read_tool_page(result);
    if (!page) {
        fail(textOf(page.error().message));
        return;
    }
    int leftOut = page->left_out;
    for (const toolbox::ServerTool& tool : page->tools) {
        if (listed_.size() == static_cast<qsizetype>(toolbox::kMostServerTools)) {
            ++leftOut;
            continue;
        }
        listed_.append({textOf(tool.name), textOf(tool.description),
                        QByteArray::fromStdString(server::to_bytes(tool.schema))});
    }
    if (leftOut > 0) {
        emit said(tr("Tools that were left out: %1").arg(leftOut));
    }
    if (!page->next_cursor.empty() && ++pages_ < kMostPages) {
        askForTools(page->next_cursor);
        return;
    }
    pages_ = 0;
    tools_ = std::exchange(listed_, {});
    listsTools_ = false;
    startTimer_.stop();
    state_ = State::Ready;
    if (std::exchange(listIsOld_, false)) {
        askForTools({});
    }
    emit changed();
}

void McpClient::onOtherMessage(const RpcMessage& message) {
    if (message.kind == RpcMessage::Kind::Request) {
        transport_->send(QByteArray::fromStdString(
            message.method == "ping"
                ? toolbox::rpc_answer(message.their_id, RpcJson::object())
                : toolbox::rpc_failure(message.their_id, toolbox::kNoSuchMethod,
                                       "Hearth does not do this")));
    } else if (message.method == "notifications/tools/list_changed" && state_ == State::Ready) {
        if (listsTools_) {
            listIsOld_ = true;
        } else {
            askForTools({});
        }
    }
}

void McpClient::fail(const QString& sentence) {
    if (state_ == State::Failed) {
        return;
    }
    state_ = State::Failed;
    words_ = sentence;
    startTimer_.stop();
    transport_->stop();
    tools_.clear();
    questions_.clear();
    const QList<quint64> calls = callTimers_.keys();
    for (const quint64 call : calls) {
        endCall(call, {true, sentence});
    }
    emit said(sentence);
    emit changed();
}

}  // namespace hearth::ui
