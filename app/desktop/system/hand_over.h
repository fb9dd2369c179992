// One program for each data folder: a second start hands what it was asked for to the first one,
// over a local socket in that folder, and ends.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

namespace hearth::ui {

// What a start was asked for.
struct StartRequest {
    QString model;  // an absolute path; empty: none was named
    QStringList texts;
    QString activationToken;  // Wayland's permission to come to the front; may be empty

    friend bool operator==(const StartRequest&, const StartRequest&) = default;
};

// The absolute path of a model that a start names: by any path, or by an address, file://…, as some
// file managers do.
QString modelPath(const QString& argument);

// One line of JSON and back. Empty: it is none, or it has the wrong types.
QByteArray toLine(const StartRequest& request);
std::optional<StartRequest> requestFrom(const QByteArray& line);

enum class HandOver {
    NobodyThere,
    Taken,
    NoAnswer,  // somebody listens and says nothing, or refuses
};
// Blocks, at most timeoutMs.
HandOver handOver(const QString& dataFolder, const StartRequest& request, int timeoutMs);

// The first start: takes requests from then on.
class StartServer : public QObject {
    Q_OBJECT

public:
    // The caller holds the folder's lock: a socket that is there was left behind, and is replaced.
    // False: nobody will find us, the log says why. A second start then shows a window that only
    // reads.
    bool listen(const QString& dataFolder);

signals:
    void asked(const hearth::ui::StartRequest& request);

private:
    void serve();

    QLocalServer server_;
};

}  // namespace hearth::ui
