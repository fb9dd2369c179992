// The local API of the window, answered by its engine. Only a model of this computer is served:
// this knows no other engine than LocalInference.
//
// The server has a thread of its own; its jobs come to the engine's thread through EngineTurns. One
// more thread starts and stops it, since stopping waits for the end of an answer.
#pragma once

#include <QThreadPool>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "bridge/serving_service.h"

namespace hearth::server {
class LocalApi;
struct RequestNote;
}  // namespace hearth::server

namespace hearth::ui {

class LocalInference;

class LocalServing : public ServingService {
    Q_OBJECT

public:
    // inference outlives it, and is shut down after it.
    explicit LocalServing(LocalInference& inference, QObject* parent = nullptr);
    ~LocalServing() override;  // waits as long as it takes: call shutdown() first

    QByteArray newToken() override;
    void start(quint16 port, const QByteArray& token) override;
    void stop() override;
    void setToken(const QByteArray& token) override;
    void stopAnswer() override;
    bool shutdown(int timeoutMs) override;

    // Requests that are kept for requestsChanged() while the window is busy.
    static constexpr std::size_t kMostNotes = 100;

private:
    void end();
    void listen(quint16 port, quint64 call);
    void note(const server::RequestNote& note, quint64 call);
    void passNotes();
    void passTurns();

    LocalInference& inference_;
    quint64 call_ = 0;  // of start() and stop(): answers to earlier ones are dropped
    bool ended_ = false;
    ServingTurns turns_;
    std::atomic<bool> turnsDue_ = false;  // passTurns() is on its way
    QThreadPool changes_;                 // one thread
    std::mutex mutex_;                    // for the next two
    std::unique_ptr<server::LocalApi> api_;
    std::string token_;
    std::mutex notesMutex_;  // for the next
    std::deque<ServedRequest> notes_;
};

}  // namespace hearth::ui
