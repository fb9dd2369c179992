#include "downloads/file_download.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "downloads/gguf_extent.h"
#include "downloads/http_fields.h"
#include "downloads/retry_plan.h"
#include "downloads/speed_limit.h"
#include "network/door_reply.h"
#include "network/network_door.h"

namespace hearth::ui {

namespace {

constexpr qint64 kPieceBytes = qint64{256} * 1024;
constexpr qint64 kAtOnceBytes = qint64{1024} * 1024;  // then other work has its turn

}  // namespace

FileDownload::FileDownload(const DownloadTools& tools, const FileOrder& order, QObject* parent)
    : QObject(parent),
      tools_(tools),
      order_(order),
      expected_(order.expected()),
      part_(order.target, tools.chunkBytes),
      stallAlarm_(tools.clock.alarm([this] {
          leaveReply();
          fault(tr("Nothing came from the server for %1 seconds.").arg(kStallMs / 1000));
      })),
      waitAlarm_(tools.clock.alarm([this] { comparing_ ? compareNext() : ask(); })),
      limitAlarm_(tools.clock.alarm([this] { pump(); })) {}

FileDownload::~FileDownload() {
    leaveReply();
}

qint64 FileDownload::bytesTotal() const {
    return part_.hasSource() && part_.source().bytes >= 0 ? part_.source().bytes : order_.bytes;
}

qint64 FileDownload::bytesDone() const {
    return state_ == State::Done ? bytesTotal() : part_.haveBytes();
}

qint64 FileDownload::stepBytes() const {
    return state_ == State::Checking    ? part_.checkedBytes()
           : state_ == State::Verifying ? part_.hashedBytes()
           : state_ == State::Comparing && !toCompare_.isEmpty()
               ? part_.chunkBegin(toCompare_.first()) + copy_.size()
               : 0;
}

void FileDownload::start() {
    if (state_ != State::Idle && state_ != State::Stopped) {
        return;
    }
    ++generation_;
    reason_ = Reason::None;
    text_.clear();
    tries_ = beginnings_ = lies_ = 0;
    noRanges_ = false;
    if (QFileInfo::exists(order_.target)) {
        stop(Reason::Refused, tr("There is a file named %1 already. Move it away, or choose "
                                 "another folder.")
                                  .arg(QFileInfo(order_.target).fileName()));
        return;
    }
    if (part_.isOpen()) {  // paused in this run: the bytes on the disk were checked
        comparing_ ? compareNext() : ask();
        return;
    }
    comparing_ = false;
    headerOpen_ = expected_.looksAtHeader();
    headerWanted_ = kHeaderBytesFirst;
    if (const DiskTrouble trouble = part_.open()) {
        stop(trouble);
        return;
    }
    enter(State::Checking);
    post(&FileDownload::checkStep);
}

void FileDownload::checkStep() {
    const qint64 bad = part_.badBytes();
    if (part_.checkNext()) {
        dropped_ += part_.badBytes() - bad;
        emit changed();
        post(&FileDownload::checkStep);
        return;
    }
    ask();
}

void FileDownload::pause() {
    if (state_ == State::Done || state_ == State::Stopped) {
        return;
    }
    stop(Reason::Paused, {});
}

void FileDownload::ask() {
    const qint64 from = part_.hasSource() ? part_.nextMissing() : 0;
    if (from < 0) {
        verify();
        return;
    }
    // Two files are never mixed: a download that could not tell them apart begins anew.
    const bool canGoOn =
        part_.source().bytes >= 0 && (part_.source().hasValidator() || !order_.sha256.isEmpty());
    if (part_.haveBytes() > 0 && !canGoOn) {
        beginAnew();
        return;
    }
    send(from, part_.hasSource() ? part_.missingEnd(from) : -1);
}

void FileDownload::send(qint64 from, qint64 end) {
    leaveReply();
    from_ = at_ = from;
    end_ = end;
    skip_ = 0;
    promised_ = -1;
    answered_ = false;
    const FileSource& source = part_.source();
    ranged_ = !noRanges_ && part_.hasSource() && (from > 0 || (end >= 0 && end < source.bytes));
    DoorRequest request{.url = order_.url, .purpose = order_.purpose, .withToken = true};
    if (ranged_) {
        request.range = {from, end};
        if (source.hasValidator()) {
            request.headers.append(
                {"If-Range", source.etag.isEmpty() ? source.lastModified : source.etag});
        }
    }
    reply_ = tools_.door.send(request);
    connect(reply_, &DoorReply::answered, this, &FileDownload::onAnswered);
    connect(reply_, &DoorReply::bytesReady, this, &FileDownload::pump);
    connect(reply_, &DoorReply::ended, this, &FileDownload::onEnded);
    stallAlarm_->set(kStallMs);
    enter(comparing_ ? State::Comparing : State::Asking);
}

void FileDownload::pump() {
    limitAlarm_->clear();
    for (qint64 left = kAtOnceBytes; reply_ != nullptr && reply_->bytesAvailable() > 0;) {
        if (left <= 0) {
            post(&FileDownload::pump);
            emit changed();
            return;
        }
        const qint64 allowed = tools_.limit.take(std::min(kPieceBytes, reply_->bytesAvailable()));
        if (allowed == 0) {
            stallAlarm_->clear();
            limitAlarm_->set(SpeedLimit::kPauseMs);
            break;
        }
        const QByteArray bytes = reply_->read(allowed);
        received_ += bytes.size();
        left -= bytes.size();
        if (!take(bytes)) {
            return;
        }
    }
    if (reply_ == nullptr) {
        return;
    }
    if (!limitAlarm_->isSet()) {
        if (reply_->hasEnded()) {
            drained();
            return;
        }
        stallAlarm_->set(kStallMs);
    }
    if (tools_.clock.nowMs() - tailKeptMs_ >= kTailEveryMs) {
        tailKeptMs_ = tools_.clock.nowMs();
        if (const DiskTrouble trouble = part_.keep()) {
            stop(trouble);
            return;
        }
    }
    emit changed();
}

bool FileDownload::take(const QByteArray& bytes) {
    const qint64 unwanted = std::min<qint64>(skip_, bytes.size());
    skip_ -= unwanted;
    QByteArray wanted = bytes.mid(unwanted);
    if (end_ >= 0) {
        wanted.truncate(std::min<qint64>(wanted.size(), end_ - at_));  // beyond the request
    }
    skipped_ += bytes.size() - wanted.size();
    if (!wanted.isEmpty()) {
        tries_ = lies_ = 0;
        if (const DiskTrouble trouble = comparing_ ? compare(wanted) : part_.write(at_, wanted)) {
            stop(trouble);
            return false;
        }
        at_ += wanted.size();
    }
    if (!headerIsExpected()) {
        return false;
    }
    if (std::exchange(lookNow_, false)) {
        leaveReply();
        verify();
        return false;
    }
    if (end_ >= 0 && at_ >= end_) {
        rangeDone();
        return false;
    }
    return true;
}

// False: what has come is of another file, and all has stopped.
bool FileDownload::headerIsExpected() {
    const qint64 there = headerOpen_ ? part_.beginningBytes() : 0;
    const bool whole = there > 0 && there == part_.source().bytes;
    if (!headerOpen_ || (there < headerWanted_ && !whole)) {
        return true;
    }
    headerWanted_ = 2 * there;
    const QString why = expected_.wrongHeader(
        headerExtent(part_.beginning(std::min(there, kHeaderBytesMost))), whole, headerOpen_);
    headerOpen_ = headerOpen_ && there < kHeaderBytesMost;
    if (!why.isEmpty()) {
        refuseFile(why);
    }
    return why.isEmpty();
}

void FileDownload::refuseFile(const QString& why) {
    leaveReply();
    dropped_ += part_.haveBytes();
    part_.remove();
    comparing_ = false;
    stop(Reason::WrongFile, why);
}

void FileDownload::rangeDone() {
    leaveReply();
    comparing_ ? compareNext() : ask();
}

// Handles an answer that ended before its range was complete.
void FileDownload::drained() {
    const DoorFailure failure = reply_->failure();
    const QString text = reply_->text();
    leaveReply();
    switch (failure) {
        case DoorFailure::None:
            break;
        case DoorFailure::Forbidden:
            stop(Reason::Forbidden, text);
            return;
        case DoorFailure::BadAddress:
        case DoorFailure::BadRedirect:
        case DoorFailure::Untrusted:
            stop(Reason::Refused, text);
            return;
        default:
            fault(text);
            return;
    }
    if (end_ < 0 && answered_) {  // the length was unknown
        if (const DiskTrouble trouble = part_.endHere()) {
            stop(trouble);
        } else if (const QString why = expected_.wrongSize(part_.source().bytes); !why.isEmpty()) {
            refuseFile(why);
        } else {
            verify();
        }
    } else if (at_ > from_ && at_ == promised_) {
        rangeDone();  // the server sent less than was requested, as it may
    } else {
        fault(tr("The server stopped before the end of the file."));
    }
}

void FileDownload::wait(qint64 ms, const QString& text) {
    text_ = text;
    waitsUntilMs_ = tools_.clock.nowMs() + ms;
    waitAlarm_->set(ms);
    enter(State::Waiting);
}

void FileDownload::fault(const QString& text, qint64 waitMs) {
    leaveReply();
    if (++tries_ > kTriesMost) {
        stop(Reason::Unreachable,
             tr("%1 It was tried %2 times; try again later.").arg(text).arg(kTriesMost));
        return;
    }
    wait(std::max(waitMs, backOffMs(tries_, tools_.random())), text);
}

void FileDownload::stop(const DiskTrouble& trouble) {
    stop(Reason::Disk, trouble.sentence());
}

void FileDownload::stop(Reason reason, const QString& text) {
    ++generation_;
    leaveReply();
    waitAlarm_->clear();
    // If the disk refuses this too, this run loses what it wrote of a chunk, and no more.
    if (part_.isOpen()) {
        static_cast<void>(part_.keep());
    }
    reason_ = reason;
    text_ = text;
    enter(State::Stopped);
    emit stopped();
}

void FileDownload::enter(State state) {
    if (state != State::Waiting && state != State::Stopped) {
        text_.clear();
    }
    state_ = state;
    emit changed();
}

void FileDownload::post(void (FileDownload::*step)()) {
    QMetaObject::invokeMethod(
        this,
        [this, step, generation = generation_] {
            if (generation == generation_) {
                (this->*step)();
            }
        },
        Qt::QueuedConnection);
}

void FileDownload::leaveReply() {
    stallAlarm_->clear();
    limitAlarm_->clear();
    if (DoorReply* reply = std::exchange(reply_, nullptr)) {
        reply->disconnect(this);
        reply->cancel();
        reply->deleteLater();
    }
}

}  // namespace hearth::ui
