// The models that Hearth proposes: resources/catalog.json, which is inside the program. An error in
// it costs the entry that it is in, and adds a sentence.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>
#include <QUrl>

#include "bridge/offer_traits.h"

namespace hearth::ui {

struct CatalogEntry {
    QString title;
    QString about;
    QString repository;  // on the model hub: "OWNER/NAME"
    QString revision;    // "main", or a commit, so that the SHA-256 is that of this very file
    QString file;        // in the repository; no folders
    qint64 bytes = 0;
    qint64 tokenBytes = 0;  // of the weights that a token reads: of a mixture not all
    bool computed = false;  // from shapes: nobody published the size
    bool exact = false;     // to the byte; else the size is rounded
    QString licence;        // as its page says: "apache-2.0"; empty: it says none
    QByteArray sha256;      // 32 bytes; empty: unknown
    bool sparse = false;
    bool suggested = false;  // for somebody who does not want to choose; it chats
    OfferTraits traits = {};
    // Values that the file leaves open, as the settings spell them; empty: the file says them, or
    // the default is right.
    QString activation;      // "reglu"
    QString predictorInput;  // "residual"

    QUrl url() const;   // of the file, on the hub
    QUrl page() const;  // for people
};

struct Catalog {
    QList<CatalogEntry> entries;  // in the catalogue's order: sparse ones first
    QStringList problems;         // a sentence each
};

constexpr qsizetype kCatalogBytesMost = 1 << 20;
constexpr qsizetype kCatalogEntriesMost = 500;

Catalog readCatalog(const QByteArray& json);
// The catalogue inside the program.
Catalog ownCatalog();

// "OWNER/NAME" of letters, digits, '.', '-' and '_'.
bool isRepositoryName(const QString& name);
// A file name without folders that ends in ".gguf".
bool isModelFileName(const QString& name);

}  // namespace hearth::ui
