// The desktop's interface to the local API: other programs of this computer ask the window's model
// over HTTP. The real server (LocalServing) and a scripted one for tests (FakeServing) implement
// it.
//
// Every member is called from, and every signal arrives on, the GUI thread. No call but shutdown()
// waits.
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>

namespace hearth::ui {

// A request to the local API. Texts are a stranger's.
struct ServedRequest {
    enum class State { Waits, IsAnswered, Ended };

    quint64 number = 0;   // names it among the requests of a server
    QString client = {};  // as it names itself; empty: it does not
    QString path = {};
    State state = State::Ended;
    int status = 0;  // of HTTP, once it has ended; 0: its client left before
    int promptTokens = 0;
    int answerTokens = 0;
    bool isCut = false;  // the answer had begun, and ended with an error
};

// Who has the model, and who waits for it.
struct ServingTurns {
    bool answers = false;      // another program is answered
    QString client = {};       // its name; empty: it has none
    bool windowWaits = false;  // a question of the window has no turn yet
    int waiting = 0;           // requests of other programs

    bool operator==(const ServingTurns&) const = default;
};

class ServingService : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // A token that nobody can guess; empty: this system has no random numbers.
    virtual QByteArray newToken() = 0;

    // Listens at the port of 127.0.0.1, after an earlier server has ended. Answers with one of
    // started() and failed(), unless stop() or another start() comes first.
    virtual void start(quint16 port, const QByteArray& token) = 0;
    // Answers under way end with an error. stopped() comes once no program has a connection.
    virtual void stop() = 0;
    // Requests bring this token from now on. Answers under way go on.
    virtual void setToken(const QByteArray& token) = 0;
    // Ends the answer of another program that is under way.
    virtual void stopAnswer() = 0;
    // Stops and waits for the end, at most timeoutMs. False: still busy. No signal comes
    // afterwards.
    virtual bool shutdown(int timeoutMs) = 0;

signals:
    void started(quint16 port);
    void failed(const QString& sentence);  // for people: why it does not listen, and what to do
    void stopped();
    void turnsChanged(const hearth::ui::ServingTurns& turns);
    // New requests and changed ones, the oldest first. Requests that come too fast to
    // be shown are left out.
    void requestsChanged(const QList<hearth::ui::ServedRequest>& requests);
};

}  // namespace hearth::ui
