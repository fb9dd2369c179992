// Fetches the header of a model that is not downloaded, by ranges, and writes it as a file that is
// as long as the whole. The header is real, and so is the activation profile where the header names
// one; the rest is a hole. tools::plan() makes the same forecast of it as of the model, since it
// reads nothing else.
// A profile comes as a whole or not at all. If its ranges do not arrive within a minute, or not at
// all (profile_ranges.h has limits, servers refuse, files change), the plan counts every neuron and
// its forecast is too low.
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

#include "downloads/gguf_extent.h"
#include "library/profile_ranges.h"

namespace hearth::ui {

class NetworkDoor;
struct DoorAnswer;

struct ServedHeader {
    QString wrong = {};      // a sentence; empty: the rest is valid
    QString path = {};       // of the file, which the caller removes
    qint64 bytes = 0;        // of the whole model
    qint64 header = 0;       // bytes of its header
    qint64 fetched = 0;      // bytes of its header and of its profile
    QByteArray sha256 = {};  // 32 bytes, by the hub; empty: it gives none
};

class HeaderFetch : public QObject {
    Q_OBJECT

public:
    static constexpr qint64 kHeaderBytesMost = qint64{64} << 20;
    static constexpr qint64 kFileBytesMost = qint64{4} << 40;

    // `door` outlives it. folder: created where it is missing.
    HeaderFetch(NetworkDoor& door, const QString& folder, QObject* parent = nullptr);

    // Waits for the write under way.
    ~HeaderFetch() override;

    // One at a time: a later call ends the one before, which gets no answer. title: for the list of
    // requests. Another thread writes the file, as `name`, or else under a name that no other has.
    void start(const QUrl& url, const QString& title, const QString& name = {});
    void cancel();

    // For tests: the size of the first request, the longest header, and the time allowed for a
    // profile.
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
    std::unique_ptr<QObject> asking_;  // holds back the answer under way; deleting it ends the
                                       // request
    QUrl url_;
    QString title_;
    QString name_;
    QByteArray have_;  // the file's beginning: at least its header, once that is complete
    qint64 total_ = -1;
    qint64 header_ = 0;
    QByteArray etag_, lastModified_;  // from the first answer
    QByteArray sha256_;
    QList<ByteRange> wanted_;  // ranges of the profile
    QList<Piece> profile_;     // their bytes so far
    QTimer patience_;          // the time allowed for the profile
    qint64 firstBytes_ = qint64{1} << 20;
    qint64 headerBytesMost_ = kHeaderBytesMost;
    qint64 want_ = 0;
    int files_ = 0;  // files written so far
    QThreadPool pool_;
};

}  // namespace hearth::ui
