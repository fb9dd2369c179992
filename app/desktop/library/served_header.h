// The header of a model that is not downloaded, fetched by ranges and written as a file that is as
// long as the whole: the header is real, and so is the activation profile where the header names
// one; the rest is a hole. tools::plan() makes of it the forecast that it would make of the model,
// since it reads nothing else.
//
// A profile comes as a whole or not at all. Where its ranges cannot be had within a minute, or at
// all (profile_ranges.h has limits, servers refuse, files change), the plan counts every neuron and
// its forecast is too low.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <QUrl>
#include <memory>

#include "gguf_extent.h"
#include "profile_ranges.h"

namespace hearth::ui {

class NetworkDoor;
struct DoorAnswer;

struct ServedHeader {
    QString wrong = {};      // a sentence; empty: the rest holds
    QString path = {};       // of the file, which is the caller's to remove
    qint64 bytes = 0;        // of the whole model
    qint64 header = 0;       // bytes of its header
    qint64 fetched = 0;      // and of its profile
    QByteArray sha256 = {};  // 32 bytes, as the hub says it; empty: it does not
};

class HeaderFetch : public QObject {
    Q_OBJECT

public:
    static constexpr qint64 kHeaderBytesMost = qint64{64} << 20;
    static constexpr qint64 kFileBytesMost = qint64{4} << 40;

    // `door` outlives it. folder: made where it is missing.
    HeaderFetch(NetworkDoor& door, const QString& folder, QObject* parent = nullptr);

    // Waits for what is being written.
    ~HeaderFetch() override;

    // One at a time: a later call ends the one before, which is not answered. title: for the list
    // of requests. The file is written on another thread, as `name`, or else under one that no
    // other has.
    void start(const QUrl& url, const QString& title, const QString& name = {});
    void cancel();

    // For tests: what is asked for first, the longest header, and how long a profile may take.
    void setLimits(qint64 firstBytes, qint64 headerBytesMost, int profileMs = 60'000) {
        firstBytes_ = firstBytes;
        headerBytesMost_ = headerBytesMost;
        patience_.setInterval(profileMs);
    }

signals:
    void done(const hearth::ui::ServedHeader& header);

private:
    struct Piece {
        qint64 from = 0;
        QByteArray bytes;
    };
    static QString writeFile(const QString& folder, const ServedHeader& header,
                             const QList<Piece>& pieces);

    void ask();
    void take(const DoorAnswer& answer);
    bool sameFile(const DoorAnswer& answer) const;
    void nextOfProfile();
    void takeProfile(const DoorAnswer& answer);
    void goWithoutProfile();
    void finish(const ServedHeader& header);
    void write();

    NetworkDoor& door_;
    QString folder_;
    std::unique_ptr<QObject> asking_;  // what it holds back when it goes
    QUrl url_;
    QString title_;
    QString name_;
    QByteArray have_;  // the file's beginning: at least its header, once that is whole
    qint64 total_ = -1;
    qint64 header_ = 0;
    QByteArray etag_, lastModified_;  // of the first answer
    QByteArray sha256_;
    QList<ByteRange> wanted_;  // of the profile
    QList<Piece> profile_;     // what came of it
    QTimer patience_;          // with the profile
    qint64 firstBytes_ = qint64{1} << 20;
    qint64 headerBytesMost_ = kHeaderBytesMost;
    qint64 want_ = 0;
    int files_ = 0;  // written so far
    QThreadPool pool_;
};

}  // namespace hearth::ui
