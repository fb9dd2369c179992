// One program runs for each data folder. A second start hands its request to the first one, over a
// local socket in that folder, and ends.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

namespace hearth::ui {

// The request of a start.
struct StartRequest {
    QString model;  // an absolute path; empty: none was named
    QStringList texts;
    QString activationToken;  // Wayland's permission to come to the front; may be empty

    friend bool operator==(const StartRequest&, const StartRequest&) = default;
};

// The absolute path of the model that a start names. The argument is a path of any form, or an
// address (file://…), as some file managers pass it.
QString modelPath(const QString& argument);

// To one line of JSON and back. Empty: the line is no request, or has the wrong types.
QByteArray toLine(const StartRequest& request);
std::optional<StartRequest> requestFrom(const QByteArray& line);

enum class HandOver {
    NobodyThere,
    Taken,
    NoAnswer,  // somebody listens but says nothing, or refuses
};
// Sends the request. Blocks for at most timeoutMs.
HandOver handOver(const QString& dataFolder, const StartRequest& request, int timeoutMs);

// Takes requests of later starts, in the first one.
class StartServer : public QObject {
    Q_OBJECT

public:
    // The caller holds the folder's lock, so an existing socket was left behind and is replaced.
    // False: no later start will find this program; the log says why. A second start then shows a
    // window that only reads.
    bool listen(const QString& dataFolder);

signals:
    void asked(const hearth::ui::StartRequest& request);

private:
    void serve();

    QLocalServer server_;
};

}  // namespace hearth::ui
