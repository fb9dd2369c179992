// Reads a server's answer and decides how FileDownload continues.
#include <QFileInfo>

#include "downloads/file_download.h"
#include "downloads/http_fields.h"
#include "downloads/retry_plan.h"
#include "network/door_reply.h"
#include "network/network_door.h"

namespace hearth::ui {

void FileDownload::onAnswered() {
    answered_ = true;
    const int status = reply_->status();
    const QByteArray encoding = reply_->header("Content-Encoding").trimmed().toLower();
    if (status < 300 && !encoding.isEmpty() && encoding != "identity") {
        stop(Reason::Refused, tr("The server sends the file compressed (%1), although Hearth asked "
                                 "for it uncompressed.")
                                  .arg(QString::fromLatin1(encoding.left(20))));
    } else if (status == 200) {
        onWhole();
    } else if (status == 206) {
        onPart();
    } else if (status == 416) {
        onRangeRefused();
    } else if (status == 408 || status == 425 || status == 429 || status >= 500) {
        fault(sentenceForStatus(status),
              retryAfterMs(reply_->header("Retry-After"), tools_.clock.date()));
    } else {
        stop(Reason::Refused, status < 300 ? tr("The server answers with nothing (%1).").arg(status)
                                           : sentenceForStatus(status));
    }
}

void FileDownload::onEnded() {
    if (answered_) {
        pump();
    } else {
        drained();
    }
}

FileSource FileDownload::sourceOfReply(qint64 bytes) const {
    return {bytes, strongEtag(reply_->header("ETag")),
            reply_->header("Last-Modified").trimmed().left(100)};
}

bool FileDownload::sameFile(const FileSource& source) const {
    const FileSource& ours = part_.source();
    if (!part_.hasSource() || ours.bytes < 0 || ours.bytes != source.bytes) {
        return false;
    }
    if (!ours.etag.isEmpty() || !source.etag.isEmpty()) {
        return ours.etag == source.etag;
    }
    if (ours.lastModified != source.lastModified) {
        return false;
    }
    return ours.hasValidator() || !order_.sha256.isEmpty();
}

void FileDownload::onWhole() {
    const qint64 bytes = byteCount(reply_->header("Content-Length"));
    const FileSource source = sourceOfReply(bytes);
    if (sameFile(source)) {
        skip_ = from_;  // the server knows no ranges
    } else {
        QString why = expected_.wrongSize(bytes);
        if (why.isEmpty()) {
            why = expected_.wrongHash(reply_->linkedHash());
        }
        if (!why.isEmpty()) {  // what is there already stays: the server may be right again later
            stop(Reason::WrongFile, why);
            return;
        }
        if (!countBeginning()) {
            return;
        }
        dropped_ += part_.haveBytes();
        comparing_ = false;
        headerOpen_ = expected_.looksAtHeader();
        headerWanted_ = kHeaderBytesFirst;
        if (const DiskTrouble trouble = part_.begin(source)) {
            stop(trouble);
            return;
        }
        from_ = at_ = skip_ = 0;
        end_ = bytes;
    }
    promised_ = bytes;
    enter(comparing_ ? State::Comparing : State::Receiving);
    if (end_ == 0) {
        rangeDone();
    } else {
        pump();
    }
}

void FileDownload::onPart() {
    const std::optional<ContentRange> range = contentRange(reply_->header("Content-Range"));
    const qint64 length = byteCount(reply_->header("Content-Length"));
    if (!ranged_) {
        rangeLie(tr("Hearth asked for the whole file, and the server sends only a part."));
    } else if (!range || range->from != from_ ||
               (length >= 0 && length != range->end - range->from)) {
        rangeLie(tr("The server sends another part of the file than Hearth asked for."));
    } else {
        FileSource source = sourceOfReply(range->total < 0 ? part_.source().bytes : range->total);
        // A partial answer may leave out what the first answer said.
        if (source.etag.isEmpty() && source.lastModified.isEmpty()) {
            source.etag = part_.source().etag;
            source.lastModified = part_.source().lastModified;
        }
        if (!sameFile(source)) {
            beginAnew();
            return;
        }
        promised_ = range->end;
        enter(comparing_ ? State::Comparing : State::Receiving);
        pump();
    }
}

void FileDownload::onRangeRefused() {
    const std::optional<ContentRange> range = contentRange(reply_->header("Content-Range"));
    if (range && range->total >= 0 && range->total != part_.source().bytes) {
        beginAnew();  // the file has become shorter
    } else {
        rangeLie(tr("The server says that this part of the file does not exist."));
    }
}

void FileDownload::rangeLie(const QString& text) {
    if (++lies_ >= kLiesMost) {
        noRanges_ = true;
    }
    fault(text);
}

bool FileDownload::countBeginning() {
    if (++beginnings_ <= kBeginningsMost) {
        return true;
    }
    stop(Reason::Refused,
         tr("The download started over %1 times: the file on the server changes, or the connection "
            "breaks off and this server cannot go on where it was. Try again later.")
             .arg(kBeginningsMost));
    return false;
}

void FileDownload::beginAnew() {
    leaveReply();
    dropped_ += part_.haveBytes();
    comparing_ = false;
    part_.remove();
    if (const DiskTrouble trouble = part_.open()) {
        stop(trouble);
        return;
    }
    ask();  // the answer to this counts as a beginning
}

}  // namespace hearth::ui
