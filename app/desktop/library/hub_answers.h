// What the model hub answers (https://huggingface.co/docs/hub/api), read as what a stranger says:
// bounded, checked field by field. An entry that is odd is left out and counted.
//
// Pure functions, for any thread. The largest answers take some ten milliseconds.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace hearth::ui {

constexpr qsizetype kHubSearchBytesMost = 2 << 20;
constexpr qsizetype kHubRepositoryBytesMost = 8 << 20;
constexpr qsizetype kHubModelsMost = 50;
constexpr qsizetype kHubFilesMost = 20'000;  // of a repository, looked at
constexpr qsizetype kHubItemsMost = 120;     // of them, shown

struct HubModel {
    QString repository;     // "OWNER/NAME"
    qint64 downloads = -1;  // lately; -1: it does not say
    QString licence;        // "apache-2.0"; empty: it does not say
    bool gated = false;     // only for those who accepted its terms on its page

    friend bool operator==(const HubModel&, const HubModel&) = default;
};

struct HubFound {
    QString wrong;  // a sentence; empty: the rest holds
    QList<HubModel> models;
    int leftOut = 0;
};

// to GET /api/models?search=…
HubFound readHubSearch(const QByteArray& json);

struct HubPart {
    QString path;      // in the repository: "Q8_0/model-00001-of-00002.gguf"
    QString fileName;  // its last part
    qint64 bytes = -1;
    QByteArray sha256;  // 32 bytes; empty: not known

    friend bool operator==(const HubPart&, const HubPart&) = default;
};

// A model that can be downloaded: a file, or all files of a split one.
struct HubItem {
    QString title;         // its path without number and ending: "llama-7b-q4_0"
    QString type;          // of its weights, as the name has it: "Q4_0"; empty: it says none
    QList<HubPart> parts;  // in order
    bool whole = true;     // none of its files is missing

    qint64 bytes() const;  // -1: not known
};

struct HubRepository {
    QString wrong;  // a sentence; empty: the rest holds
    QString repository;
    QString revision;  // a commit, or "main"
    QString licence;
    bool gated = false;
    QList<HubItem> items;  // by name
    int leftOut = 0;       // files with odd names, sizes or hashes
};

// to GET /api/models/OWNER/NAME?blobs=true. repository: the one that was asked for.
HubRepository readHubRepository(const QByteArray& json, const QString& repository);

// "Q4_K_M" of "llama-7b.q4_k_m"; empty: the name has none.
QString typeInName(const QString& name);

}  // namespace hearth::ui
