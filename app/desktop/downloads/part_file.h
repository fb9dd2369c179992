// An unfinished file: FILE.part, and beside it FILE.part.journal, which names the chunks on the
// disk and their hashes. A chunk is synced before the journal names it. A named chunk is read and
// compared before it is trusted. After a crash, or after the disk lost something, only the wrong
// chunks are fetched again.
//
// The journal is lines of text. The last line may be torn, and lines after a wrong one are ignored:
//
//   hearth-part 1
//   source BYTES CHUNK_BYTES ETAG LAST_MODIFIED     the last two in base64, "-" where there is none
//   chunk INDEX HASH                                SHA-256, in hex
//   tail INDEX BYTES HASH                           the beginning of a chunk
//
// One thread. Calls take as long as the disk needs for a chunk.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QList>
#include <QString>

#include "downloads/sha256.h"
#include "system/durable_file.h"

namespace hearth::ui {

// The file of a server that this is a part of. Parts of two files are never mixed.
struct FileSource {
    qint64 bytes = -1;     // -1: the server does not say
    QByteArray etag = {};  // only a strong one
    QByteArray lastModified = {};

    bool hasValidator() const { return !etag.isEmpty() || !lastModified.isEmpty(); }
};

class PartFile {
public:
    static constexpr qint64 kChunkBytes = qint64{8} << 20;

    explicit PartFile(const QString& target, qint64 chunkBytes = kChunkBytes);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    // Continues an existing part; a journal that is none counts as missing. Creates the folder.
    DiskTrouble open();
    bool isOpen() const { return part_.isOpen() && part_.exists(); }
    bool hasSource() const { return hasSource_; }
    const FileSource& source() const { return source_; }
    // Forgets everything and begins a part of this file. Reserves room for all of it; without room
    // the part is empty and has no source.
    DiskTrouble begin(const FileSource& source);
    // Deletes both files.
    void remove();
    static void removeOf(const QString& target);

    // By the journal, which nobody has checked yet: how far an earlier run came. Changes nothing.
    struct Left {
        qint64 bytesTotal = -1;  // -1: not known
        qint64 bytesDone = 0;
    };
    static Left leftOf(const QString& target);

    // Checks one chunk that the journal names. False: no unchecked chunk is left.
    bool checkNext();
    qint64 badBytes() const { return badBytes_; }  // found wrong by checkNext(), since open()
    qint64 checkedBytes() const { return checkedBytes_; }

    // Bytes on the disk that are right, as far as they were checked.
    qint64 haveBytes() const { return have_; }
    // The first missing byte; -1: none is missing, or the size is unknown.
    qint64 nextMissing() const;
    // The end of the gap that begins at `from`: the first byte that is there again, or the end. -1:
    // unknown.
    qint64 missingEnd(qint64 from) const;
    // `from` is nextMissing() or the end of the previous write; the bytes end at missingEnd() at
    // the latest.
    DiskTrouble write(qint64 from, const QByteArray& bytes);
    // Syncs and journals the written part of an incomplete chunk.
    DiskTrouble keep();
    // How much of the file's beginning is there, up to the first byte that is missing.
    qint64 beginningBytes() const;
    // At most so many bytes of it; fewer where the disk refuses.
    QByteArray beginning(qint64 bytesMost);
    // Ends a file of unknown size: the bytes on the disk are all.
    DiskTrouble endHere();

    // Hashes the whole; most of it was hashed while it was written. Reads at most a chunk. Once
    // hashedBytes() equals the size, sha256() is that of the whole.
    DiskTrouble hashNext();
    qint64 hashedBytes() const { return hashed_; }
    QByteArray sha256() const { return whole_.result(); }

    // For a comparison with a second copy.
    qint64 chunkCount() const { return hashes_.size(); }
    qint64 chunkBegin(qint64 index) const { return index * chunkBytes_; }
    qint64 chunkEnd(qint64 index) const;
    bool sameAsChunk(qint64 index, const QByteArray& bytes) const;
    DiskTrouble replaceChunk(qint64 index, const QByteArray& bytes);

    // The file is complete: gives it its name, which no file may have, and closes it.
    DiskTrouble finish();

private:
    qint64 readJournal();  // returns the bytes of it that make sense
    qint64 journalledBytes() const;
    bool readLine(const QList<QByteArray>& words);
    void forget();
    DiskTrouble journal(const QByteArray& line);
    DiskTrouble chunkWritten();
    QByteArray readBytes(qint64 from, qint64 bytes);
    qint64 indexOf(qint64 offset) const { return offset / chunkBytes_; }

    QString target_;
    qint64 chunkBytes_;
    QFile part_;
    QFile journal_;
    bool hasSource_ = false;
    FileSource source_;
    QList<QByteArray> hashes_;  // of chunks; empty: the chunk is missing
    QList<qint64> unchecked_;   // chunks, the first one last
    qint64 have_ = 0;
    qint64 badBytes_ = 0;
    qint64 checkedBytes_ = 0;
    mutable qint64 hint_ = 0;  // all chunks before it are there
    // The incomplete chunk, if any of it is there.
    qint64 tail_ = -1;
    qint64 tailBytes_ = 0;
    QByteArray tailHash_;  // as journalled, until it is checked
    bool tailUnchecked_ = false;
    Sha256 chunkHash_;
    Sha256 whole_;
    qint64 hashed_ = 0;  // bytes that whole_ contains
};

}  // namespace hearth::ui
