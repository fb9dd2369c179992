#include "remote/remote_server.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "network/network_rules.h"
#include "system/this_computer.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RemoteServer)
};

bool isModelName(const QString& name) {
    return !name.isEmpty() && name.size() <= kMostModelName &&
           std::all_of(name.begin(), name.end(),
                       [](QChar c) { return c.isPrint() || c.isSurrogate(); });
}

// Each family of servers has its own word for it.
int contextOf(const QJsonObject& model) {
    for (const char* name :
         {"context_length", "max_model_len", "context_window", "max_context_length"}) {
        const double value = model.value(QLatin1String(name)).toDouble();
        if (value >= 1 && value <= 1e9) {
            return static_cast<int>(value);
        }
    }
    return 0;
}

}  // namespace

QString RemoteServer::host() const {
    // Encoded: a letter that looks like another one is seen.
    const QString host = address.host(QUrl::FullyEncoded);
    return address.port() < 0 ? host : QStringLiteral("%1:%2").arg(host).arg(address.port());
}

bool RemoteServer::isHere() const {
    return isLoopback(address.host());
}

QUrl RemoteServer::endpoint(const QString& path) const {
    QUrl url = address;
    url.setPath(url.path(QUrl::FullyEncoded) + path, QUrl::TolerantMode);
    return url;
}

QUrl serverAddress(const QString& typed) {
    QString text = typed.trimmed();
    if (!text.contains(QLatin1String("://"))) {
        const QUrl secure(QStringLiteral("https://") + text, QUrl::TolerantMode);
        text.prepend(isLoopback(secure.host()) ? QStringLiteral("http://")
                                               : QStringLiteral("https://"));
    }
    QUrl url(text, QUrl::TolerantMode);
    url.setQuery(QString());
    url.setFragment({});
    QString path = url.path(QUrl::FullyEncoded);
    for (const QString& end : {QStringLiteral("/"), QStringLiteral("/chat/completions"),
                               QStringLiteral("/models"), QStringLiteral("/")}) {
        while (path.endsWith(end)) {
            path.chop(end.size());
        }
    }
    url.setPath(path.isEmpty() ? QStringLiteral("/v1") : path, QUrl::TolerantMode);
    return url;
}

QString refusalOfServerAddress(const QUrl& address) {
    if (!isWebAddress(address)) {
        return Words::tr("Enter the address of the server's API, as in https://example.org/v1.");
    }
    if (address.scheme() == QLatin1String("http") && !isLoopback(address.host())) {
        return Words::tr(
            "Words go over a network encrypted alone: the address must begin with https://. "
            "An address with http:// is for this computer (localhost).");
    }
    return {};
}

ModelListAnswer readModelList(const QByteArray& body) {
    const QJsonDocument json = QJsonDocument::fromJson(body);
    const QJsonObject object = json.object();
    QJsonArray rows = json.array();
    for (const char* name : {"data", "models"}) {
        if (rows.isEmpty()) {
            rows = object.value(QLatin1String(name)).toArray();
        }
    }
    ModelListAnswer answer;
    const bool isList = json.isArray() || object.value(QLatin1String("data")).isArray() ||
                        object.value(QLatin1String("models")).isArray();
    if (!isList) {
        answer.problem = Words::tr(
            "This address answers, but not with a list of models: it is no API of "
            "the form that Hearth speaks.");
        return answer;
    }
    for (const QJsonValue& row : rows) {
        const QJsonObject model = row.toObject();
        const QString name = model.value(QLatin1String("id")).toString();
        const bool isKnown =
            std::any_of(answer.models.begin(), answer.models.end(),
                        [&](const ListedModel& other) { return other.name == name; });
        if (isModelName(name) && !isKnown && answer.models.size() < kMostListedModels) {
            answer.models.append({name, contextOf(model)});
        }
    }
    if (answer.models.isEmpty()) {
        answer.problem = Words::tr("The server has no model now.");
    }
    return answer;
}

QString sentenceForAnswer(const QString& host, int status, const QString& message, bool withKey) {
    QString sentence;
    if (status == 401 || status == 403) {
        sentence = withKey ? Words::tr("%1 refuses the key.").arg(host)
                           : Words::tr("%1 asks for a key.").arg(host);
    } else if (status == 404) {
        sentence = Words::tr("%1 has no such model, or no API at this address.").arg(host);
    } else if (status == 429) {
        sentence = Words::tr("%1 asks for a pause: too many requests, or none left.").arg(host);
    } else if (status >= 500) {
        sentence = Words::tr("%1 has an error (%2).").arg(host).arg(status);
    } else {
        sentence = Words::tr("%1 refuses this (%2).").arg(host).arg(status);
    }
    return message.isEmpty()
               ? sentence
               : sentence + QLatin1Char(' ') + Words::tr("It says: “%1”").arg(message);
}

}  // namespace hearth::ui
