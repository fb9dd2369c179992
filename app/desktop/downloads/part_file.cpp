#include "downloads/part_file.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

namespace hearth::ui {

namespace {

constexpr qint64 kBytesMost = qint64{1} << 50;
constexpr qint64 kChunksMost = 1 << 20;
constexpr qint64 kChunkBytesMost = qint64{1} << 30;
constexpr qint64 kJournalBytesMost = qint64{256} << 20;
const QByteArray kFirstLine = "hearth-part 1";

QByteArray coded(const QByteArray& text) {
    return text.isEmpty() ? QByteArray("-") : text.toBase64();
}

QByteArray decoded(const QByteArray& word) {
    return word == "-" ? QByteArray() : QByteArray::fromBase64(word);
}

QString partOf(const QString& target) {
    return target + QStringLiteral(".part");
}

QString journalOf(const QString& target) {
    return target + QStringLiteral(".part.journal");
}

}  // namespace

PartFile::PartFile(const QString& target, qint64 chunkBytes)
    : target_(target),
      chunkBytes_(chunkBytes),
      part_(partOf(target)),
      journal_(journalOf(target)) {}

PartFile::~PartFile() = default;

DiskTrouble PartFile::open() {
    part_.close();
    journal_.close();
    forget();
    if (!QDir().mkpath(QFileInfo(target_).path())) {
        return {DiskTrouble::Kind::Refused, QFileInfo(target_).path()};
    }
    const qint64 good = readJournal();
    if (good > 0) {  // later lines must not follow a torn one
        QFile::resize(journal_.fileName(), good);
    }
    if (!part_.open(QIODevice::ReadWrite | QIODevice::Unbuffered)) {
        return troubleOf(part_);
    }
    if (!journal_.open(QIODevice::ReadWrite | QIODevice::Append | QIODevice::Unbuffered)) {
        return troubleOf(journal_);
    }
    for (qint64 i = hashes_.size() - 1; i >= 0; --i) {
        if (!hashes_.at(i).isEmpty()) {
            unchecked_.append(i);
        }
    }
    have_ = journalledBytes();
    return {};
}

qint64 PartFile::journalledBytes() const {
    qint64 sum = tailBytes_;
    for (qint64 i = 0; i < hashes_.size(); ++i) {
        if (!hashes_.at(i).isEmpty()) {
            sum += chunkEnd(i) - chunkBegin(i);
        }
    }
    return sum;
}

PartFile::Left PartFile::leftOf(const QString& target) {
    PartFile file(target);
    if (!file.part_.exists() || file.readJournal() == 0 || !file.hasSource_) {
        return {};
    }
    return {file.source_.bytes, file.journalledBytes()};
}

void PartFile::forget() {
    hasSource_ = false;
    source_ = {};
    hashes_.clear();
    unchecked_.clear();
    have_ = 0;
    badBytes_ = 0;
    checkedBytes_ = 0;
    hint_ = 0;
    tail_ = -1;
    tailBytes_ = 0;
    tailUnchecked_ = false;
    chunkHash_.reset();
    whole_.reset();
    hashed_ = 0;
}

qint64 PartFile::readJournal() {
    QFile file(journal_.fileName());
    if (!file.open(QIODevice::ReadOnly) || file.size() > kJournalBytesMost) {
        return 0;
    }
    if (file.readLine(kFirstLine.size() + 2) != kFirstLine + '\n') {
        return 0;
    }
    qint64 good = file.pos();
    while (!file.atEnd()) {
        const QByteArray line = file.readLine(4096);
        if (!line.endsWith('\n') || !readLine(line.chopped(1).split(' '))) {
            break;
        }
        good = file.pos();
    }
    return good;
}

bool PartFile::readLine(const QList<QByteArray>& words) {
    if (words.first() == "source" && words.size() == 5 && !hasSource_) {
        bool isCount = false;
        const qint64 bytes = words.at(1).toLongLong(&isCount);
        const qint64 chunk = words.at(2).toLongLong();
        hasSource_ = isCount && bytes >= 0 && bytes <= kBytesMost && chunk > 0 &&
                     chunk <= kChunkBytesMost && bytes / chunk < kChunksMost;
        if (hasSource_) {
            source_ = {bytes, decoded(words.at(3)), decoded(words.at(4))};
            chunkBytes_ = chunk;
            hashes_.resize((bytes + chunk - 1) / chunk);
        }
        return hasSource_;
    }
    bool ok = false;
    const qint64 index = words.value(1).toLongLong(&ok);
    if (!hasSource_ || !ok || index < 0 || index >= hashes_.size()) {
        return false;
    }
    const QByteArray hash = QByteArray::fromHex(words.last());
    if (words.first() == "chunk" && words.size() == 3 && hash.size() == Sha256::kBytes) {
        hashes_[index] = hash;
        if (tail_ == index) {
            tail_ = -1;
            tailBytes_ = 0;
            tailUnchecked_ = false;
        }
        return true;
    }
    if (words.first() == "tail" && words.size() == 4 && hash.size() == Sha256::kBytes) {
        const qint64 bytes = words.at(2).toLongLong(&ok);
        if (!ok || bytes <= 0 || bytes >= chunkEnd(index) - chunkBegin(index)) {
            return false;
        }
        hashes_[index].clear();  // the chunk was bad and is fetched again
        tail_ = index;
        tailBytes_ = bytes;
        tailHash_ = hash;
        tailUnchecked_ = true;
        return true;
    }
    return false;
}

DiskTrouble PartFile::begin(const FileSource& source) {
    forget();
    // The journal goes first: it must never name bytes that are no longer there.
    if (!journal_.resize(0) || !part_.resize(0)) {
        return troubleOf(part_);
    }
    source_ = source;
    hasSource_ = true;
    if (source.bytes < 0) {
        return {};  // nothing can be resumed before the size is known
    }
    while (source.bytes / chunkBytes_ >= kChunksMost) {
        chunkBytes_ *= 2;
    }
    hashes_.resize((source.bytes + chunkBytes_ - 1) / chunkBytes_);
    const qint64 room = freeBytes(QFileInfo(target_).path());
    DiskTrouble trouble;
    if (room >= 0 && room < source.bytes) {
        trouble.kind = DiskTrouble::Kind::Full;
    } else if (source.bytes > 0) {
        trouble = reserve(part_, source.bytes);
    }
    if (trouble) {
        part_.resize(0);
        forget();
        return trouble;
    }
    return journal(kFirstLine + "\nsource " + QByteArray::number(source.bytes) + ' ' +
                   QByteArray::number(chunkBytes_) + ' ' + coded(source.etag) + ' ' +
                   coded(source.lastModified));
}

void PartFile::remove() {
    part_.close();
    journal_.close();
    forget();
    removeOf(target_);
}

void PartFile::removeOf(const QString& target) {
    QFile::remove(partOf(target));
    QFile::remove(journalOf(target));
}

qint64 PartFile::chunkEnd(qint64 index) const {
    const qint64 end = (index + 1) * chunkBytes_;
    return source_.bytes < 0 ? end : std::min(end, source_.bytes);
}

QByteArray PartFile::readBytes(qint64 from, qint64 bytes) {
    return part_.seek(from) ? part_.read(bytes) : QByteArray();
}

qint64 PartFile::beginningBytes() const {
    if (source_.bytes < 0) {
        return have_;
    }
    qint64 index = 0;
    while (index < hashes_.size() && !hashes_.at(index).isEmpty()) {
        ++index;
    }
    return index == hashes_.size() ? source_.bytes
           : index == tail_        ? chunkBegin(index) + tailBytes_
                                   : chunkBegin(index);
}

QByteArray PartFile::beginning(qint64 bytesMost) {
    return readBytes(0, std::min(bytesMost, beginningBytes()));
}

bool PartFile::checkNext() {
    const auto hashOn = [this](qint64 from, const QByteArray& bytes) {
        if (from == hashed_) {
            whole_.add(bytes);
            hashed_ += bytes.size();
        }
    };
    if (!unchecked_.isEmpty()) {
        const qint64 index = unchecked_.takeLast();
        const qint64 size = chunkEnd(index) - chunkBegin(index);
        const QByteArray bytes = readBytes(chunkBegin(index), size);
        checkedBytes_ += size;
        if (sameAsChunk(index, bytes)) {
            hashOn(chunkBegin(index), bytes);
        } else {
            hashes_[index].clear();
            have_ -= size;
            badBytes_ += size;
        }
        return true;
    }
    if (!tailUnchecked_) {
        return false;
    }
    tailUnchecked_ = false;
    const QByteArray bytes = readBytes(chunkBegin(tail_), tailBytes_);
    if (Sha256::of(bytes) == tailHash_) {
        chunkHash_.reset();
        chunkHash_.add(bytes);
        hashOn(chunkBegin(tail_), bytes);
    } else {
        have_ -= tailBytes_;
        badBytes_ += tailBytes_;
        tail_ = -1;
        tailBytes_ = 0;
    }
    return true;
}

qint64 PartFile::nextMissing() const {
    if (tail_ >= 0) {
        return chunkBegin(tail_) + tailBytes_;
    }
    if (source_.bytes < 0) {
        return have_;
    }
    while (hint_ < hashes_.size() && !hashes_.at(hint_).isEmpty()) {
        ++hint_;
    }
    return hint_ < hashes_.size() ? chunkBegin(hint_) : -1;
}

qint64 PartFile::missingEnd(qint64 from) const {
    if (source_.bytes < 0) {
        return -1;
    }
    qint64 index = indexOf(from) + 1;
    while (index < hashes_.size() && hashes_.at(index).isEmpty()) {
        ++index;
    }
    return chunkEnd(index - 1);
}

DiskTrouble PartFile::write(qint64 from, const QByteArray& bytes) {
    for (qint64 done = 0; done < bytes.size();) {
        const qint64 at = from + done;
        const qint64 index = indexOf(at);
        const qint64 size = std::min<qint64>(bytes.size() - done, chunkEnd(index) - at);
        const QByteArray piece = QByteArray::fromRawData(bytes.constData() + done, size);
        if (!part_.seek(at) || part_.write(piece) != size) {
            return troubleOf(part_);
        }
        if (tail_ != index) {
            have_ -= tailBytes_;  // an abandoned incomplete chunk begins anew
            tail_ = index;
            tailBytes_ = 0;
            chunkHash_.reset();
        }
        chunkHash_.add(piece);
        if (at == hashed_) {
            whole_.add(piece);
            hashed_ += size;
        }
        tailBytes_ += size;
        have_ += size;
        done += size;
        if (chunkBegin(tail_) + tailBytes_ == chunkEnd(tail_)) {
            if (DiskTrouble trouble = chunkWritten()) {
                return trouble;
            }
        }
    }
    return {};
}

DiskTrouble PartFile::chunkWritten() {
    const QByteArray hash = chunkHash_.result();
    const qint64 index = tail_;
    tail_ = -1;
    tailBytes_ = 0;
    if (source_.bytes < 0) {
        return {};
    }
    hashes_[index] = hash;
    if (DiskTrouble trouble = syncFile(part_)) {
        return trouble;
    }
    return journal("chunk " + QByteArray::number(index) + ' ' + hash.toHex());
}

DiskTrouble PartFile::keep() {
    if (tail_ < 0 || tailUnchecked_ || source_.bytes < 0) {
        return {};
    }
    if (DiskTrouble trouble = syncFile(part_)) {
        return trouble;
    }
    return journal("tail " + QByteArray::number(tail_) + ' ' + QByteArray::number(tailBytes_) +
                   ' ' + chunkHash_.result().toHex());
}

DiskTrouble PartFile::endHere() {
    source_.bytes = have_;
    tail_ = -1;
    tailBytes_ = 0;
    // The chunks' hashes were not kept: the whole is hashed once it is there.
    hashes_.fill(QByteArray(1, '?'), (have_ + chunkBytes_ - 1) / chunkBytes_);
    return syncFile(part_);
}

DiskTrouble PartFile::journal(const QByteArray& line) {
    const QByteArray whole = line + '\n';
    if (journal_.write(whole) != whole.size()) {
        return troubleOf(journal_);
    }
    return syncFile(journal_);
}

DiskTrouble PartFile::hashNext() {
    if (hashed_ < source_.bytes) {
        const QByteArray bytes = readBytes(hashed_, std::min(chunkBytes_, source_.bytes - hashed_));
        if (bytes.isEmpty()) {
            return {DiskTrouble::Kind::Refused, part_.errorString()};
        }
        whole_.add(bytes);
        hashed_ += bytes.size();
    }
    return {};
}

bool PartFile::sameAsChunk(qint64 index, const QByteArray& bytes) const {
    return bytes.size() == chunkEnd(index) - chunkBegin(index) &&
           Sha256::of(bytes) == hashes_.at(index);
}

DiskTrouble PartFile::replaceChunk(qint64 index, const QByteArray& bytes) {
    if (!part_.seek(chunkBegin(index)) || part_.write(bytes) != bytes.size()) {
        return troubleOf(part_);
    }
    hashes_[index] = Sha256::of(bytes);
    whole_.reset();
    hashed_ = 0;
    if (DiskTrouble trouble = syncFile(part_)) {
        return trouble;
    }
    return journal("chunk " + QByteArray::number(index) + ' ' + hashes_.at(index).toHex());
}

DiskTrouble PartFile::finish() {
    if (DiskTrouble trouble = syncFile(part_)) {
        return trouble;
    }
    part_.close();
    // rename() does not replace a file.
    if (!part_.rename(target_)) {
        return {DiskTrouble::Kind::Refused, part_.errorString()};
    }
    syncFolder(QFileInfo(target_).path());
    journal_.close();
    journal_.remove();
    return {};
}

}  // namespace hearth::ui
