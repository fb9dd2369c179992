#include "model_offers.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "app_settings.h"
#include "downloads.h"
#include "model_library.h"
#include "model_texts.h"
#include "network_rules.h"

namespace hearth::ui {

namespace {

// "/OWNER/NAME/blob/main/x.gguf", which people copy from their browser, is a page about the file;
// with "resolve" it is the file.
QUrl fileBehind(QUrl url) {
    if (url.host() == QLatin1String(kHubHost)) {
        QStringList path = url.path().split(QLatin1Char('/'));
        if (path.size() > 4 && path.at(3) == QLatin1String("blob")) {
            path[3] = QStringLiteral("resolve");
            url.setPath(path.join(QLatin1Char('/')));
        }
        url.setQuery(QString());
    }
    url.setFragment(QString());
    return url;
}

}  // namespace

ModelOffers::ModelOffers(Catalog catalog, Downloads& downloads, ModelLibrary& library,
                         AppSettings& settings, QObject* parent)
    : QObject(parent),
      catalog_(std::move(catalog)),
      downloads_(downloads),
      library_(library),
      settings_(settings) {
    states_.resize(catalog_.entries.size());
    connect(&downloads_, &Downloads::changed, this, &ModelOffers::look);
    connect(&library_, &ModelLibrary::changed, this, &ModelOffers::look);
}

QVariantList ModelOffers::list() const {
    QVariantList all;
    for (const CatalogEntry& entry : catalog_.entries) {
        QStringList facts;
        facts << (entry.exact ? sizeWords(static_cast<quint64>(entry.bytes))
                              : tr("about %1").arg(sizeWords(static_cast<quint64>(entry.bytes))));
        if (entry.sparse) {
            facts << tr("sparse");
        }
        facts << (entry.licence.isEmpty()
                      ? tr("licence: see %1").arg(entry.page().toString(QUrl::RemoveScheme).mid(2))
                      : tr("licence: %1").arg(entry.licence));
        all << QVariantMap{{QStringLiteral("title"), entry.title},
                           {QStringLiteral("about"), entry.about},
                           {QStringLiteral("facts"), facts.join(QStringLiteral(" · "))}};
    }
    return all;
}

QString ModelOffers::folder() const {
    return library_.downloadFolder();
}

QString ModelOffers::pathOf(const CatalogEntry& entry) const {
    return QDir(folder()).filePath(entry.file);
}

void ModelOffers::look() {
    QStringList states;
    for (const CatalogEntry& entry : catalog_.entries) {
        const QString path = pathOf(entry);
        states << (downloads_.willHave(path) ? QStringLiteral("coming")
                   : QFileInfo::exists(path) ? QStringLiteral("here")
                                             : QString());
    }
    if (states != states_) {
        states_ = states;
        emit changed();
    }
}

bool ModelOffers::say(const QString& why) {
    if (said_ != why) {
        said_ = why;
        emit saidChanged();
    }
    look();
    return why.isEmpty();
}

bool ModelOffers::get(int index) {
    if (index < 0 || index >= catalog_.entries.size()) {
        return false;
    }
    const CatalogEntry& entry = catalog_.entries.at(index);
    const QString refused = downloads_.add({.title = entry.title,
                                            .folder = folder(),
                                            .licence = entry.licence,
                                            .parts = {{.url = entry.url(),
                                                       .fileName = entry.file,
                                                       .bytes = entry.exact ? entry.bytes : -1,
                                                       .sha256 = entry.sha256}}});
    if (!refused.isEmpty()) {
        return say(refused);
    }
    const QString path = pathOf(entry);
    for (const auto& [key, value] : {std::pair("engine/activation", entry.activation),
                                     std::pair("engine/predictor-input", entry.predictorInput)}) {
        const QString wrong = value.isEmpty() ? QString() : settings_.set(key, value, path);
        if (!wrong.isEmpty()) {
            return say(wrong);
        }
    }
    return say({});
}

bool ModelOffers::getAddress(const QString& address) {
    const QUrl url = fileBehind(QUrl(address.trimmed(), QUrl::StrictMode));
    if (!url.isValid() || url.scheme() != QLatin1String("https") || url.host().isEmpty()) {
        return say(tr("Enter the whole address of a file, beginning with https://."));
    }
    const QString name = url.fileName();
    if (!isModelFileName(name)) {
        return say(tr("The address has to end with the name of a .gguf file."));
    }
    if (namesOfSplit(name).size() > 1) {
        return say(tr("This model comes in several files, and Hearth runs models of one file."));
    }
    return say(downloads_.add({.title = QFileInfo(name).completeBaseName(),
                               .folder = folder(),
                               .licence = {},
                               .parts = {{.url = url, .fileName = name}}}));
}

}  // namespace hearth::ui
