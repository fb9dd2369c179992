// Compares a served file with the facts that are known before its download, as early as possible,
// so that the rest of another file is not fetched.
#pragma once

#include <QByteArray>
#include <QString>

namespace hearth::ui {

struct HeaderExtent;

struct FileExpectation {
    qint64 bytes = -1;          // to the byte; -1: not known
    qint64 bytesAbout = -1;     // rounded: the file's size is within a tenth of it; -1: not known
    QByteArray sha256 = {};     // 32 bytes; empty: not known
    bool model = false;         // it begins with the header of a model
    QString architecture = {};  // as that header names it; empty: not known

    bool looksAtHeader() const { return model || !architecture.isEmpty(); }

    // Each is a sentence, or empty where nothing speaks against the file.
    QString wrongSize(qint64 size) const;
    // hex: SHA-256 in hex, as the server says it; what is none says nothing.
    QString wrongHash(const QByteArray& hex) const;
    // whole: no more of the file will come. `open` says whether more of it may tell.
    QString wrongHeader(const HeaderExtent& header, bool whole, bool& open) const;

    friend bool operator==(const FileExpectation&, const FileExpectation&) = default;
};

}  // namespace hearth::ui
