// Reads the answers of the model hub (https://huggingface.co/docs/hub/api) as a stranger's text:
// bounded, checked field by field. Odd entries are left out and counted.
// Pure functions, for any thread. The largest answers take some ten milliseconds.
// Pure functions, for any thread. The largest answers take some ten milliseconds.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace hearth::ui {

constexpr qsizetype kHubSearchBytesMost = 2 << 20;
constexpr qsizetype kHubRepositoryBytesMost = 8 << 20;
constexpr qsizetype kHubModelsMost = 50;
constexpr qsizetype kHubFilesMost = 20'000;  // files of a repository that are looked at
constexpr qsizetype kHubItemsMost = 120;     // models of a repository that are shown

struct HubModel {
    QString repository;     // "OWNER/NAME"
    qint64 downloads = -1;  // recent ones; -1: unknown
    QString licence;        // "apache-2.0"; empty: unknown
    bool gated = false;     // only for people who accepted its terms on its page

    friend bool operator==(const HubModel&, const HubModel&) = default;
};

struct HubFound {
    QString wrong;  // a sentence; empty: the rest is valid
    QList<HubModel> models;
    int leftOut = 0;
};

// Reads the answer to GET /api/models?search=…
HubFound readHubSearch(const QByteArray& json);

struct HubPart {
    QString path;      // in the repository: "Q8_0/model-00001-of-00002.gguf"
    QString fileName;  // its last part
    qint64 bytes = -1;
    QByteArray sha256;  // 32 bytes; empty: unknown

    friend bool operator==(const HubPart&, const HubPart&) = default;
};

// A model that can be downloaded: a file, or all files of a split one.
struct HubItem {
    QString title;         // its path without number and extension: "llama-7b-q4_0"
    QString type;          // of its weights, by its name: "Q4_0"; empty: the name has none
    QList<HubPart> parts;  // in order
    bool whole = true;     // no file is missing

    qint64 bytes() const;  // -1: unknown
};

struct HubRepository {
    QString wrong;  // a sentence; empty: the rest is valid
    QString repository;
    QString revision;  // a commit, or "main"
    QString licence;
    bool gated = false;
    QList<HubItem> items;  // by name
    int leftOut = 0;       // files with odd names, sizes or hashes
};

// Reads the answer to GET /api/models/OWNER/NAME?blobs=true. repository: the requested one.
HubRepository readHubRepository(const QByteArray& json, const QString& repository);

// "Q4_K_M" for "llama-7b.q4_k_m"; empty: the name has none.
QString typeInName(const QString& name);

}  // namespace hearth::ui
