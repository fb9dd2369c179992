#include "remote/chat_stream.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <utility>

namespace hearth::ui {

namespace {

constexpr qsizetype kMostMessage = 400;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ChatStream)
};

// One line that can be shown anywhere.
QString plainMessage(const QString& text) {
    QString line = text.left(4 * kMostMessage).simplified();
    line.removeIf([](QChar c) { return !c.isPrint() && !c.isSurrogate(); });
    if (line.size() > kMostMessage) {
        line.truncate(kMostMessage);
        if (line.back().isHighSurrogate()) {
            line.chop(1);
        }
        line += QStringLiteral("…");
    }
    return line;
}

// Servers differ: {"error": {"message"}}, {"error": "…"}, {"message"}, {"detail"}.
QString messageIn(const QJsonObject& object) {
    const QJsonValue error = object.value(QLatin1String("error"));
    for (const QJsonValue& value :
         {error.toObject().value(QLatin1String("message")), error,
          object.value(QLatin1String("message")), object.value(QLatin1String("detail"))}) {
        const QString text = plainMessage(value.toString());
        if (!text.isEmpty()) {
            return text;
        }
    }
    return {};
}

// Numbers of a server are as good as its word.
int countIn(const QJsonObject& object, const char* name) {
    const double value = object.value(QLatin1String(name)).toDouble();
    return value >= 1 && value <= 1e9 ? static_cast<int>(value) : 0;
}

bool isToolName(const QString& name) {
    return !name.isEmpty() && name.size() <= ChatStream::kMostName &&
           std::all_of(name.begin(), name.end(), [](QChar c) {
               return (c.unicode() < 0x80 && c.isLetterOrNumber()) || c == QLatin1Char('_') ||
                      c == QLatin1Char('-') || c == QLatin1Char('.');
           });
}

// Nine letters and digits: some templates take no other.
QString newCallId() {
    constexpr char kSigns[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    QString id;
    for (int i = 0; i < 9; ++i) {
        id += QLatin1Char(kSigns[QRandomGenerator::global()->bounded(36)]);
    }
    return id;
}

}  // namespace

QString errorMessageIn(const QByteArray& body) {
    return messageIn(QJsonDocument::fromJson(body).object());
}

void ChatStream::fail(const QString& sentence, bool serversOwn) {
    if (problem_.isEmpty()) {
        problem_ = sentence;
        serversOwn_ = serversOwn;
    }
}

void ChatStream::refuseLength() {
    fail(Words::tr("The server sent more than an answer can have."));
}

void ChatStream::push(const QByteArray& bytes) {
    if (done_ || !problem_.isEmpty()) {
        return;
    }
    bytes_ += bytes.size();
    events_.push({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    while (!done_ && problem_.isEmpty()) {
        const auto data = events_.next();
        if (!data) {
            break;
        }
        event(QByteArray::fromStdString(*data));
    }
    if (!done_ && (events_.is_too_long() || bytes_ > kMostBytes)) {
        refuseLength();
    }
}

void ChatStream::event(const QByteArray& data) {
    if (data.trimmed() == "[DONE]") {
        done_ = true;
        return;
    }
    const QJsonDocument json = QJsonDocument::fromJson(data);
    if (!json.isObject()) {
        fail(Words::tr("The server sent something that is no answer of a model."));
        return;
    }
    const QJsonObject object = json.object();
    if (readError(object)) {
        return;
    }
    const QJsonArray choices = object.value(QLatin1String("choices")).toArray();
    for (const QJsonValue& one : choices) {
        choice(one.toObject(), "delta");
    }
    readUsage(object.value(QLatin1String("usage")).toObject());
}

void ChatStream::pushWhole(const QByteArray& body) {
    const QJsonObject object = QJsonDocument::fromJson(body).object();
    if (readError(object)) {
        return;
    }
    const QJsonArray choices = object.value(QLatin1String("choices")).toArray();
    if (choices.isEmpty()) {
        fail(Words::tr("The server sent something that is no answer of a model."));
        return;
    }
    for (const QJsonValue& one : choices) {
        choice(one.toObject(), "message");
    }
    readUsage(object.value(QLatin1String("usage")).toObject());
    done_ = true;
}

bool ChatStream::readError(const QJsonObject& object) {
    const QJsonValue error = object.value(QLatin1String("error"));
    if (error.isUndefined() || error.isNull()) {
        return false;
    }
    const QString message = messageIn(object);
    if (message.isEmpty()) {
        fail(Words::tr("The server failed and does not say why."));
    } else {
        fail(message, true);
    }
    return true;
}

void ChatStream::choice(const QJsonObject& choice, const char* part) {
    // One answer was asked for.
    if (choice.value(QLatin1String("index")).toInt() != 0 || !problem_.isEmpty()) {
        return;
    }
    delta(choice.value(QLatin1String(part)).toObject());
    const QString finish = choice.value(QLatin1String("finish_reason")).toString();
    if (!finish.isEmpty()) {
        finish_ = finish.left(kMostName);
    }
}

void ChatStream::delta(const QJsonObject& delta) {
    // Two names for one thing; some servers send both.
    QString reasoning = delta.value(QLatin1String("reasoning_content")).toString();
    if (reasoning.isEmpty()) {
        reasoning = delta.value(QLatin1String("reasoning")).toString();
    }
    addText(reasoning, true);
    addText(delta.value(QLatin1String("content")).toString(), false);
    addText(delta.value(QLatin1String("refusal")).toString(), false);
    const QJsonArray calls = delta.value(QLatin1String("tool_calls")).toArray();
    for (const QJsonValue& piece : calls) {
        callPiece(piece.toObject());
    }
}

bool ChatStream::mayGrow(qsizetype characters) {
    characters_ += characters;
    if (characters_ > kMostText) {
        refuseLength();
    }
    return problem_.isEmpty();
}

void ChatStream::addText(const QString& text, bool isReasoning) {
    if (text.isEmpty() || !mayGrow(text.size())) {
        return;
    }
    if (isReasoning != inReasoning_) {
        text_ += isReasoning ? QStringLiteral("<think>\n") : QStringLiteral("\n</think>\n\n");
        inReasoning_ = isReasoning;
    }
    text_ += text;
    ++pieces_;
}

ChatStream::Call* ChatStream::callAt(const QJsonObject& piece) {
    const QJsonValue place = piece.value(QLatin1String("index"));
    const QString id = piece.value(QLatin1String("id")).toString();
    int index = calls_.isEmpty() ? 0 : calls_.last().index;
    if (place.isDouble()) {
        index = place.toInt(-1);
    } else if (!calls_.isEmpty() && !id.isEmpty() && id != calls_.last().id) {
        ++index;  // without numbers, another id begins another call
    }
    const auto found = std::find_if(calls_.begin(), calls_.end(),
                                    [&](const Call& call) { return call.index == index; });
    if (found != calls_.end()) {
        return &*found;
    }
    if (index < 0 || calls_.size() == kMostCalls) {
        fail(Words::tr("The server sent more calls of tools than an answer can have."));
        return nullptr;
    }
    calls_.append(Call{.index = index, .id = {}, .name = {}, .arguments = {}});
    return &calls_.last();
}

void ChatStream::callPiece(const QJsonObject& piece) {
    Call* call = problem_.isEmpty() ? callAt(piece) : nullptr;
    if (call == nullptr) {
        return;
    }
    ++pieces_;
    const QJsonObject function = piece.value(QLatin1String("function")).toObject();
    const QString id = piece.value(QLatin1String("id")).toString();
    const QString name = function.value(QLatin1String("name")).toString();
    const QJsonValue given = function.value(QLatin1String("arguments"));
    // Some servers give an object in place of its text.
    const QString arguments =
        given.isObject()
            ? QString::fromUtf8(QJsonDocument(given.toObject()).toJson(QJsonDocument::Compact))
            : given.toString();
    if (!mayGrow(name.size() + arguments.size())) {
        return;
    }
    if (call->id.isEmpty()) {
        call->id = id.left(kMostName);
    }
    // Some servers repeat the name with each piece.
    if (name != call->name) {
        call->name += name;
    }
    call->arguments += arguments;
}

void ChatStream::readUsage(const QJsonObject& usage) {
    if (usage.isEmpty()) {
        return;
    }
    promptTokens_ = countIn(usage, "prompt_tokens");
    answerTokens_ = countIn(usage, "completion_tokens");
    cachedTokens_ = std::min(
        promptTokens_,
        countIn(usage.value(QLatin1String("prompt_tokens_details")).toObject(), "cached_tokens"));
}

QString ChatStream::takeText() {
    // Half a character waits for its other half.
    const bool isHalf =
        !text_.isEmpty() && text_.back().isHighSurrogate() && !done_ && problem_.isEmpty();
    QString text = isHalf ? text_.chopped(1) : text_;
    text_ = isHalf ? text_.right(1) : QString();
    return text;
}

// Leaves calls that can be made: each has a name, an id of its own, and arguments.
void ChatStream::checkCalls() {
    if (finish_ == QLatin1String("length")) {
        calls_.clear();  // the last one is not whole
    }
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& one, const Call& other) { return one.index < other.index; });
    QSet<QString> ids;
    for (Call& call : calls_) {
        if (!isToolName(call.name)) {
            fail(Words::tr("The server sent a call of a tool that has no usable name."));
            return;
        }
        while (call.id.isEmpty() || ids.contains(call.id)) {
            call.id = newCallId();
        }
        ids.insert(call.id);
        if (call.arguments.trimmed().isEmpty()) {
            call.arguments = QStringLiteral("{}");
        }
    }
}

void ChatStream::end() {
    if (problem_.isEmpty() && finish_.isEmpty() && !done_) {
        fail(Words::tr("The connection ended before the answer was complete."));
    } else if (problem_.isEmpty() && finish_ == QLatin1String("content_filter")) {
        fail(Words::tr("A filter of the server ended this answer."));
    }
    if (problem_.isEmpty()) {
        checkCalls();
    }
    done_ = true;
    if (std::exchange(inReasoning_, false)) {
        text_ += QStringLiteral("\n</think>\n\n");
    }
}

GenerationSummary ChatStream::summary() const {
    GenerationSummary summary;
    summary.finish = finish_ == QLatin1String("length") ? GenerationSummary::Finish::Length
                                                        : GenerationSummary::Finish::Stop;
    summary.promptTokens = promptTokens_;
    summary.cachedTokens = cachedTokens_;
    summary.tokenCount = answerTokens_ > 0 ? answerTokens_ : pieces_;
    for (const Call& call : calls_) {
        summary.calls.append({call.id, call.name, call.arguments.toUtf8()});
    }
    return summary;
}

}  // namespace hearth::ui
