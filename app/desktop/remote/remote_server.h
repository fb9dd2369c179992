// A server of models elsewhere, as the user enters it.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace hearth::ui {

struct ListedModel {
    QString name;
    int contextTokens = 0;  // 0: the server does not say

    friend bool operator==(const ListedModel&, const ListedModel&) = default;
};

struct RemoteServer {
    QString id;                    // eight hexadecimal digits, never used again
    QString name;                  // the user's
    QUrl address;                  // "https://example.org/v1", without a slash at its end
    bool always = false;           // words go there without a question
    QList<ListedModel> used = {};  // that have answered, the latest first
    QString section = {};          // of the settings file

    // "example.org", with its port unless that is the usual one.
    QString host() const;
    // Asked past the proxy: what goes to this computer must not leave it.
    bool isHere() const;
    QUrl endpoint(const QString& path) const;  // "/models" below the address
};

inline constexpr int kMostRemoteServers = 20;
inline constexpr qsizetype kMostServerName = 100;
inline constexpr qsizetype kMostModelName = 200;
inline constexpr qsizetype kMostUsedModels = 20;
inline constexpr qsizetype kMostListedModels = 1000;

// The address of an API that a person typed: completed with https:// (http:// for this computer)
// and with /v1 where no path is given, without what people copy with it (/chat/completions, a slash
// at the end). It may still be refused.
QUrl serverAddress(const QString& typed);

// The reason why words may not go to the address, a sentence; empty: they may. Others read what
// passes a network unencrypted, so that http is for the loopback addresses of this computer alone.
QString refusalOfServerAddress(const QUrl& address);

// The answer to GET /models. problem: a sentence.
struct ModelListAnswer {
    QList<ListedModel> models = {};
    QString problem = {};
};
// At most kMostListedModels; names that are too long or not printable are left out.
ModelListAnswer readModelList(const QByteArray& body);

// An answer of HTTP that is none of a model, as a sentence. message: the server's own words, or
// empty. withKey: a key was shown.
QString sentenceForAnswer(const QString& host, int status, const QString& message, bool withKey);

}  // namespace hearth::ui
