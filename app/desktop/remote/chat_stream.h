// Reads what a server of OpenAI's form answers to a question: the events of a stream, or one JSON
// where it does not stream. Bytes come from strangers: every size has a bound, and each mistake
// ends the answer with a sentence. Text is only text, whatever it spells: calls of tools come from
// the fields for them alone.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include "bridge/inference_service.h"
#include "toolbox/event_stream.h"

namespace hearth::ui {

class ChatStream {
public:
    static constexpr qsizetype kMostEventBytes = qsizetype{1} << 20;
    static constexpr qsizetype kMostBytes = qsizetype{256} << 20;  // of all events
    static constexpr qsizetype kMostText = qsizetype{16} << 20;    // characters, with arguments
    static constexpr int kMostCalls = 64;
    static constexpr qsizetype kMostName = 128;  // of a tool or a call

    // The bytes of a stream, cut anywhere.
    void push(const QByteArray& bytes);
    // The whole answer of a server that does not stream.
    void pushWhole(const QByteArray& body);
    // More bytes came than an answer can have.
    void refuseLength();
    // No more bytes come. An answer that has not said that it is complete fails.
    void end();

    // The text since the last time, reasoning between <think> and </think>. Whole characters.
    QString takeText();
    // Something came that the model wrote: text, or a call.
    bool hasBegun() const { return pieces_ > 0; }
    // The server says that nothing follows.
    bool isDone() const { return done_; }
    // A sentence, or the server's own words (isServersOwn()); empty: nothing is wrong so far.
    QString problem() const { return problem_; }
    bool isServersOwn() const { return serversOwn_; }
    // Precondition: end() was called, and there is no problem. Speeds are the caller's.
    GenerationSummary summary() const;

private:
    struct Call {
        int index = 0;
        QString id;
        QString name;
        QString arguments;
    };

    void event(const QByteArray& data);
    void choice(const QJsonObject& choice, const char* part);
    void delta(const QJsonObject& delta);
    void callPiece(const QJsonObject& piece);
    Call* callAt(const QJsonObject& piece);
    void addText(const QString& text, bool isReasoning);
    bool mayGrow(qsizetype characters);
    void readUsage(const QJsonObject& usage);
    bool readError(const QJsonObject& object);
    void checkCalls();
    void fail(const QString& sentence, bool serversOwn = false);

    toolbox::EventStream events_{static_cast<std::size_t>(kMostEventBytes)};
    qsizetype bytes_ = 0;
    qsizetype characters_ = 0;
    QString text_;  // not taken yet
    bool inReasoning_ = false;
    int pieces_ = 0;
    QList<Call> calls_;
    QString finish_;  // the server's word; empty: it has not ended
    bool done_ = false;
    int promptTokens_ = 0;
    int cachedTokens_ = 0;
    int answerTokens_ = 0;
    QString problem_;
    bool serversOwn_ = false;
};

// The message in a server's JSON about an error, {"error": {"message": "…"}} and the like: one
// line, cut to a few hundred characters. Empty: there is none.
QString errorMessageIn(const QByteArray& body);

}  // namespace hearth::ui
