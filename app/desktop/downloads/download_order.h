// An order to download something. One order is one row of the page: a model in several files
// ("-00001-of-00003.gguf") is one order.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QUrl>

namespace hearth::ui {

struct DownloadPart {
    QUrl url;                // kept on the disk until the download is done: no secrets in it
    QString fileName;        // in the order's folder; no path
    qint64 bytes = -1;       // -1: unknown so far
    QByteArray sha256 = {};  // 32 bytes; empty: unknown
    // As FileExpectation has them.
    qint64 bytesAbout = -1;
    bool model = false;
    QString architecture = {};
};

struct DownloadOrder {
    QString title;    // for people: "Llama 3.2 1B, Q4_0"
    QString folder;   // absolute; created where it is missing
    QString licence;  // as the offer showed it: "apache-2.0"
    QList<DownloadPart> parts;

    qint64 bytes() const;  // -1: unknown
    QStringList paths() const;
    // Every part has a SHA-256 that what came was compared with.
    bool hasAllHashes() const;
};

// Returns nothing, or a sentence on why the order is refused. Catalogues and hubs may contain
// anything.
QString refusalOf(const DownloadOrder& order);

// All file names of a split model, in order; for any other file its own name. Empty where the name
// is "-00001-of-00000" and the like.
QStringList namesOfSplit(const QString& fileName);

}  // namespace hearth::ui
