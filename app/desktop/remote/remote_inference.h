// A model on another computer that speaks OpenAI's API: a second InferenceService. Loading one asks
// nobody anything; the first question does, once the user has agreed (SendConsent).
#pragma once

#include <QPointer>
#include <QSet>
#include <QTimer>
#include <memory>
#include <optional>

#include "bridge/inference_service.h"
#include "bridge/remote_path.h"
#include "remote/remote_server.h"

namespace hearth::ui {

class DoorReply;
class NetworkDoor;
class RemoteServers;
class SendConsent;
class TokenKeeper;

class RemoteInference : public InferenceService {
    Q_OBJECT

public:
    // All outlive it.
    struct Parts {
        NetworkDoor& door;
        TokenKeeper& tokens;
        RemoteServers& servers;
        SendConsent& consent;
    };
    explicit RemoteInference(const Parts& parts, QObject* parent = nullptr);
    ~RemoteInference() override;

    void loadModel(const LoadOptions& options) override;
    void unloadModel() override;
    // Fails where an answer should go on from its text: no such API knows how.
    void generate(quint64 requestId, const QList<ChatTurn>& turns,
                  const GenerationSettings& settings) override;
    // Nothing is held here: each budget is kept.
    void setBudget(const BudgetRequest& budget) override;
    // Closes the connection at once.
    void cancel() override;
    void watchMap(bool /*wanted*/) override {}
    void forget(const QString& /*conversation*/) override {}
    bool shutdown(int timeoutMs) override;

    void setPiecesInterval(int ms) { pieceTimer_.setInterval(ms); }
    // A server that is not reached is given up after connectMs, one that sends nothing after
    // silenceMs.
    void setPatience(int connectMs, int silenceMs);
    static constexpr int kConnectMs = 30'000;
    static constexpr int kSilenceMs = 600'000;

private:
    struct Question {
        quint64 id = 0;
        RemoteServer server;
        RemoteModel model;
        QList<ChatTurn> turns;
        GenerationSettings settings;
        bool asksUsage = true;
    };
    struct Answer;

    void onConsent(bool allowed);
    void bringKey();
    void send();
    void onAnswered();
    void onBytes();
    void onEnded();
    void readBytes();
    bool triesWithoutUsage(const QByteArray& body) const;
    void onSilence();
    void passPieces();
    void finish();
    void finishCancelled();
    void fail(const QString& sentence);
    void failLater(const QString& sentence);
    void linger();
    void leave();
    QString withoutKey(const QString& text) const;

    Parts parts_;
    int connectMs_ = kConnectMs;
    int silenceMs_ = kSilenceMs;
    quint64 loads_ = 0;  // the latest one counts
    std::optional<RemoteModel> loaded_;
    std::optional<Question> question_;
    std::unique_ptr<Answer> answer_;
    std::unique_ptr<QObject> keyRequest_;
    QPointer<DoorReply> reply_;
    QSet<QString> withoutUsage_;  // servers that refuse to say how many tokens they wrote
    QTimer pieceTimer_;
    QTimer silenceTimer_;
    bool ended_ = false;
};

}  // namespace hearth::ui
