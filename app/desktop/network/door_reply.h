// An answer that streams. It reads at most bufferBytes ahead, so that a slow disk or a speed limit
// slows the sender.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QUrl>

#include "network/network_door.h"

namespace hearth::ui {

class DoorReply : public QObject {
    Q_OBJECT

public:
    ~DoorReply() override;

    const DoorRequest& request() const { return request_; }

    // Known from answered() on; the last hop's.
    int status() const { return status_; }
    QByteArray header(const QByteArray& name) const;  // empty: there is none
    QUrl url() const { return url_; }
    // From the hub's own answer, where it redirected us to a store: see DoorAnswer.
    QByteArray linkedHash() const { return linkedHash_; }
    qint64 linkedBytes() const { return linkedBytes_; }

    qint64 bytesAvailable() const;
    QByteArray read(qint64 bytesMost);
    bool atEnd() const { return ended_ && bytesAvailable() == 0; }

    // Known from ended() on.
    bool hasEnded() const { return ended_; }
    DoorFailure failure() const { return failure_; }
    QString text() const { return text_; }  // a sentence for people, where it failed

    // Ends the answer with Cancelled, unless it has ended; ended() comes at once.
    void cancel();

    static constexpr qint64 kBufferBytes = qint64{1} << 20;

signals:
    void sent();      // the server is reached and has the request, of each hop
    void answered();  // status and headers are there, redirects are followed
    void bytesReady();
    void ended();  // no more bytes will come; those at hand can still be read

private:
    friend class NetworkDoor;
    DoorReply(NetworkDoor& door, NetworkControl& control, const DoorRequest& request);

    void begin();
    void hop();
    void metaData();
    void finished();
    bool followRedirect();
    void end(DoorFailure failure, const QString& text);
    void leave();

    NetworkDoor& door_;
    NetworkControl& control_;
    DoorRequest request_;
    QUrl url_;
    QNetworkReply* reply_ = nullptr;
    QString tlsDoubt_;
    QByteArray linkedHash_;
    qint64 linkedBytes_ = -1;
    bool tokenDropped_ = false;
    int hops_ = 0;
    qint64 logId_ = 0;
    int status_ = 0;
    bool answered_ = false;
    bool ended_ = false;
    DoorFailure failure_ = DoorFailure::None;
    QString text_;
};

}  // namespace hearth::ui
