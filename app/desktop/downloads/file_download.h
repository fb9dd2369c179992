// Downloads one file, from the first request to its name on the disk. It continues by itself after
// lost connections, busy servers, and files that changed meanwhile. It stops with a sentence where
// only a person can help.
//
//   check what is there -> ask -> receive -> … -> hash the whole -> name
//                          ^  wait, longer each time, after what may pass
//
// Received bytes are written at once and hashed on the way (PartFile), so that a lost connection
// costs nothing that was received. A range is accepted only if the server says which bytes it
// sends, and that they belong to the file that was begun: its strong ETag, else its Last-Modified.
// If a server says neither, the whole file is requested again, unless its SHA-256 is known, which
// detects a mix.
//
// If the whole has another SHA-256 than promised, the disk holds what the server sent (the journal
// proves it), and nobody can know which part was wrong. The whole is then fetched a second time and
// compared by chunk. Differing chunks are replaced, and the hash is checked again. A second round
// covers the replaced chunks alone. After that nothing more is fetched: a server that sends the
// same twice has another file.
//
// A server that has another file under the name is found out before the rest comes, where anything
// is known of the file beforehand (FileExpectation): by the size and the hash that the answer
// names, then by the header of the model. Nothing of such a file is kept.
//
// It runs on one thread, which also writes and hashes: a few ms for each piece, at most for a
// chunk.
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>
#include <QUrl>
#include <functional>
#include <memory>

#include "downloads/clock.h"
#include "downloads/file_expectation.h"
#include "downloads/part_file.h"

namespace hearth::ui {

class DoorReply;
class NetworkDoor;
class SpeedLimit;

// The tools that a file's download needs. All of them outlive it.
struct DownloadTools {
    NetworkDoor& door;
    Clock& clock;
    SpeedLimit& limit;
    std::function<double()> random;  // 0 to 1
    qint64 chunkBytes = PartFile::kChunkBytes;
};

struct FileOrder {
    QUrl url;
    QString target;          // the full path; no such file may exist
    qint64 bytes = -1;       // -1: unknown so far
    QByteArray sha256 = {};  // 32 bytes; empty: unknown
    QString purpose;         // for the list of requests
    // As FileExpectation has them.
    qint64 bytesAbout = -1;
    bool model = false;
    QString architecture = {};

    FileExpectation expected() const { return {bytes, bytesAbout, sha256, model, architecture}; }
};

class FileDownload : public QObject {
    Q_OBJECT

public:
    enum class State {
        Idle,
        Checking,  // checks what an earlier run left
        Asking,
        Receiving,
        Waiting,    // until waitsUntilMs(); text() says for what
        Verifying,  // the SHA-256 of the whole
        Comparing,  // with a second copy: see above
        Done,
        Stopped,  // text() says why; start() continues
    };
    enum class Reason { None, Paused, Forbidden, Disk, Refused, WrongFile, Unreachable };

    static constexpr qint64 kStallMs = 30'000;  // without a byte
    static constexpr int kTriesMost = 9;        // in a row without a byte
    static constexpr int kBeginningsMost = 5;   // of a file that changes during the download
    static constexpr int kLiesMost = 3;         // wrong ranges, before no range is requested any
                                                // more
    static constexpr qint64 kHeaderBytesFirst = qint64{64} << 10;  // then twice as many each time
    static constexpr qint64 kHeaderBytesMost = qint64{64} << 20;
    static constexpr int kTailEveryMs = 5000;  // a kill costs no more than this much time of a
                                               // chunk

    FileDownload(const DownloadTools& tools, const FileOrder& order, QObject* parent = nullptr);
    ~FileDownload() override;

    // Starts from Idle or Stopped.
    void start();
    // Syncs and journals the received bytes.
    void pause();
    // Deletes what a download of `target` left.
    static void discard(const QString& target) { PartFile::removeOf(target); }

    State state() const { return state_; }
    Reason reason() const { return reason_; }
    QString text() const { return text_; }
    qint64 waitsUntilMs() const { return waitsUntilMs_; }  // by the clock
    qint64 bytesTotal() const;                             // -1: unknown
    qint64 bytesDone() const;
    // Progress of Checking, Verifying and Comparing.
    qint64 stepBytes() const;

    // All bytes taken from servers; they determine the speed.
    qint64 bytesReceived() const { return received_; }
    // The part of these that was thrown away, because a server sent more than was requested.
    qint64 bytesSkipped() const { return skipped_; }
    // The part of these that was a second copy, to find the fault in the first.
    qint64 bytesCompared() const { return compared_; }
    // Lost bytes, as far as found out: bad on the disk, or of a file that changed.
    qint64 bytesDropped() const { return dropped_; }

signals:
    void changed();
    void stopped();  // Done or Stopped

private:
    void checkStep();
    void ask();
    void send(qint64 from, qint64 end);
    // Steps after the server's answer.
    void onAnswered();
    void onWhole();
    void onPart();
    void onRangeRefused();
    void onEnded();
    FileSource sourceOfReply(qint64 bytes) const;
    bool sameFile(const FileSource& source) const;
    bool countBeginning();
    void beginAnew();
    void rangeLie(const QString& text);
    // Steps with the bytes that it sends.
    void pump();
    bool take(const QByteArray& bytes);
    bool headerIsExpected();
    void refuseFile(const QString& why);
    void drained();
    void rangeDone();
    // file_verifying.cpp
    void verify();
    void verifyStep();
    DiskTrouble compare(const QByteArray& bytes);
    void compareNext();
    void wholeIsWrong();
    void finish();

    void wait(qint64 ms, const QString& text);
    void fault(const QString& text, qint64 waitMs = -1);
    void stop(Reason reason, const QString& text);
    void stop(const DiskTrouble& trouble);
    void enter(State state);
    void post(void (FileDownload::*step)());
    void leaveReply();

    DownloadTools tools_;
    FileOrder order_;
    FileExpectation expected_;
    PartFile part_;
    State state_ = State::Idle;
    Reason reason_ = Reason::None;
    QString text_;
    quint64 generation_ = 0;  // posted steps of an earlier generation do nothing

    DoorReply* reply_ = nullptr;
    qint64 from_ = 0;  // of the requested range
    qint64 end_ = -1;  // -1: to the end, wherever that is
    bool answered_ = false;
    bool ranged_ = false;
    bool noRanges_ = false;  // the server sent wrong ranges: from now on the whole file is
                             // requested
    int lies_ = 0;
    qint64 skip_ = 0;          // bytes before from_, from a server that sends everything
    qint64 at_ = 0;            // the next byte that counts
    bool headerOpen_ = false;  // nobody has judged it yet
    qint64 headerWanted_ = 0;  // bytes of the beginning, before it is looked at again
    qint64 promised_ = -1;     // the byte after the last one of this answer

    std::unique_ptr<Alarm> stallAlarm_;
    std::unique_ptr<Alarm> waitAlarm_;
    std::unique_ptr<Alarm> limitAlarm_;
    qint64 waitsUntilMs_ = 0;
    qint64 tailKeptMs_ = 0;
    int tries_ = 0;
    int beginnings_ = 0;

    // For the comparison: chunks still to compare, in order, and those that differed.
    bool comparing_ = false;
    int round_ = 0;
    QList<qint64> toCompare_;
    QList<qint64> differed_;
    QByteArray copy_;  // of the chunk under comparison
    int replaced_ = 0;
    bool lookNow_ = false;  // a chunk was replaced: check the hash now

    qint64 received_ = 0;
    qint64 skipped_ = 0;
    qint64 compared_ = 0;
    qint64 dropped_ = 0;
};

}  // namespace hearth::ui
