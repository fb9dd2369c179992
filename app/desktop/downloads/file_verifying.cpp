// Compares the received file with the promise, and handles a difference.
#include <QFileInfo>
#include <numeric>

#include "downloads/file_download.h"

namespace hearth::ui {

namespace {

// For the first few replaced chunks the whole is checked again at once: mostly one chunk was wrong,
// and the rest need not be fetched then.
constexpr int kLooksAtOnce = 3;

}  // namespace

void FileDownload::verify() {
    if (!headerIsExpected()) {
        return;
    }
    if (order_.sha256.isEmpty()) {
        finish();
        return;
    }
    enter(State::Verifying);
    post(&FileDownload::verifyStep);
}

void FileDownload::verifyStep() {
    if (const DiskTrouble trouble = part_.hashNext()) {
        stop(trouble);
    } else if (part_.hashedBytes() < part_.source().bytes) {
        emit changed();
        post(&FileDownload::verifyStep);
    } else if (part_.sha256() == order_.sha256) {
        finish();
    } else {
        wholeIsWrong();
    }
}

void FileDownload::wholeIsWrong() {
    if (!comparing_) {
        comparing_ = true;
        round_ = 1;
        replaced_ = 0;
        copy_.clear();
        differed_.clear();
        toCompare_.resize(part_.chunkCount());
        std::iota(toCompare_.begin(), toCompare_.end(), 0);
    } else if (toCompare_.isEmpty()) {
        if (round_ == 2 || differed_.isEmpty()) {
            part_.remove();
            comparing_ = false;
            stop(Reason::WrongFile, tr("The server's file is not the one that was promised: its "
                                       "SHA-256 differs. Nothing of it was kept."));
            return;
        }
        round_ = 2;
        toCompare_.swap(differed_);
        differed_.clear();
    }
    compareNext();
}

void FileDownload::compareNext() {
    if (toCompare_.isEmpty()) {
        verify();
        return;
    }
    qsizetype run = 1;
    while (run < toCompare_.size() && toCompare_.at(run) == toCompare_.at(run - 1) + 1) {
        ++run;
    }
    send(part_.chunkBegin(toCompare_.first()) + copy_.size(),
         part_.chunkEnd(toCompare_.at(run - 1)));
}

DiskTrouble FileDownload::compare(const QByteArray& bytes) {
    compared_ += bytes.size();
    for (qsizetype done = 0; done < bytes.size();) {
        const qint64 index = toCompare_.first();
        const qint64 size = part_.chunkEnd(index) - part_.chunkBegin(index);
        const qsizetype more = std::min<qsizetype>(bytes.size() - done, size - copy_.size());
        copy_ += bytes.mid(done, more);
        done += more;
        if (copy_.size() < size) {
            break;
        }
        if (!part_.sameAsChunk(index, copy_)) {
            if (DiskTrouble trouble = part_.replaceChunk(index, copy_)) {
                return trouble;
            }
            differed_.append(index);
            lookNow_ = ++replaced_ <= kLooksAtOnce || lookNow_;
        }
        copy_.clear();
        toCompare_.removeFirst();
    }
    return {};
}

void FileDownload::finish() {
    if (QFileInfo::exists(order_.target)) {
        stop(Reason::Refused, tr("There is a file named %1 already. Move it away, then try again.")
                                  .arg(QFileInfo(order_.target).fileName()));
        return;
    }
    if (const DiskTrouble trouble = part_.finish()) {
        stop(trouble);
        return;
    }
    comparing_ = false;
    enter(State::Done);
    emit stopped();
}

}  // namespace hearth::ui
