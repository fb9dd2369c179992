// What somebody asks to be downloaded. One order is one row of the page: a model in several files
// ("-00001-of-00003.gguf") is one.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QUrl>

namespace hearth::ui {

struct DownloadPart {
    QUrl url;                // kept on the disk until it is done: no secrets in it
    QString fileName;        // in the order's folder; no path
    qint64 bytes = -1;       // -1: not known before
    QByteArray sha256 = {};  // 32 bytes; empty: not known
};

struct DownloadOrder {
    QString title;    // for people: "Llama 3.2 1B, Q4_0"
    QString folder;   // absolute; made where it is missing
    QString licence;  // as it was shown before: "apache-2.0"
    QList<DownloadPart> parts;

    qint64 bytes() const;  // -1: not known
    QStringList paths() const;
};

// Why it cannot be done, as a sentence; empty: it can. Catalogues and hubs may say anything.
QString refusalOf(const DownloadOrder& order);

// Of a model's file in several: all names, in order; of another file: that one. "" where the name
// says "-00001-of-00000" and the like.
QStringList namesOfSplit(const QString& fileName);

}  // namespace hearth::ui
