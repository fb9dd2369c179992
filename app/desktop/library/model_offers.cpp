#include "library/model_offers.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "downloads/downloads.h"
#include "library/catalog_words.h"
#include "library/found_model.h"
#include "library/model_library.h"
#include "network/network_rules.h"
#include "settings/app_settings.h"
#include "system/size_words.h"

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

// The file of that name in the same folder.
QUrl besides(QUrl url, const QString& name) {
    url.setPath(url.path().section(QLatin1Char('/'), 0, -2) + QLatin1Char('/') + name);
    return url;
}

// The title of the whole for a part of it.
QString titleOf(const QUrl& url) {
    const auto part = filePart(url.fileName());
    return part ? part->whole : QFileInfo(url.fileName()).completeBaseName();
}

// Why it would not chat here, or that nobody knows.
QString missingIn(const OfferTraits& traits) {
    const QString missing = whatIsMissing(traits);
    return missing.isEmpty() && traits.chatTemplate == OfferTraits::Template::Unknown
               ? ModelOffers::tr(
                     "It is not known beforehand whether its file has a chat template. "
                     "“How would it run here?” looks.")
               : missing;
}

}  // namespace

ModelOffers::ModelOffers(Catalog catalog, const Parts& parts, const QString& headerFolder,
                         QObject* parent)
    : QObject(parent),
      catalog_(std::move(catalog)),
      parts_(parts),
      check_(parts.door, parts.library.plans(), headerFolder) {
    std::stable_partition(
        catalog_.entries.begin(), catalog_.entries.end(),
        [](const CatalogEntry& entry) { return missingIn(entry.traits).isEmpty(); });
    states_.resize(catalog_.entries.size());
    checks_.resize(catalog_.entries.size() + 1);
    connect(&check_, &OfferCheck::done, this, &ModelOffers::onChecked);
    connect(&parts_.settings, &AppSettings::changed, this,
            [this](const QString& key, const QString& of) {
                if (of.isEmpty() && key.startsWith(QLatin1String("engine/"))) {
                    forgetForecasts();
                    choose();
                }
            });
    if (parts_.machine != nullptr) {
        connect(parts_.machine, &MachineService::facts, this, [this](const MachineFacts& facts) {
            facts_ = facts;
            choose();
        });
    }
    connect(&parts_.downloads, &Downloads::changed, this, &ModelOffers::lookForFiles);
    connect(&parts_.library, &ModelLibrary::changed, this, &ModelOffers::lookForFiles);
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
        if (entry.sha256.isEmpty()) {
            facts << tr("cannot be verified: no SHA-256 is known");
        }
        all << QVariantMap{{QStringLiteral("title"), entry.title},
                           {QStringLiteral("missing"), missingIn(entry.traits)},
                           {QStringLiteral("about"), catalogWords(entry.about)},
                           {QStringLiteral("facts"), facts.join(QStringLiteral(" · "))}};
    }
    return all;
}

QString ModelOffers::folder() const {
    return parts_.library.downloadFolder();
}

QString ModelOffers::pathOf(const CatalogEntry& entry) const {
    return QDir(folder()).filePath(entry.file);
}

void ModelOffers::look() {
    if (!facts_ && parts_.machine != nullptr) {
        parts_.machine->askFacts(false);
    }
    lookForFiles();
}

void ModelOffers::lookForFiles() {
    QStringList states;
    for (const CatalogEntry& entry : catalog_.entries) {
        const QString path = pathOf(entry);
        states << (parts_.downloads.willHave(path) ? QStringLiteral("coming")
                   : QFileInfo::exists(path)       ? QStringLiteral("here")
                                                   : QString());
    }
    if (states != states_) {
        states_ = states;
        emit changed();
    }
}

void ModelOffers::choose() {
    if (!facts_) {
        return;
    }
    memory_ = memoryFor(*facts_, parts_.settings.loadOptions({}));
    choice_ = chooseOffer(catalog_.entries, memory_);
    emit suggestionChanged();
}

QString ModelOffers::suggestion() const {
    if (choice_.index < 0) {
        return {};
    }
    const CatalogEntry& entry = catalog_.entries.at(choice_.index);
    const QString size = sizeWords(static_cast<quint64>(entry.bytes));
    if (choice_.together) {
        return tr("For this computer: %1 (%2). The memory that this computer and %3 can spare "
                  "holds "
                  "it together, %4 and %5.")
            .arg(entry.title, size, memory_.card, sizeWords(memory_.ramBytes),
                 sizeWords(memory_.cardBytes));
    }
    return choice_.onCard
               ? tr("For this computer: %1 (%2). It fits whole into the memory that %3 can spare, "
                    "%4.")
                     .arg(entry.title, size, memory_.card, sizeWords(memory_.cardBytes))
               : tr("For this computer: %1 (%2). It fits into the memory that this computer can "
                    "spare, %3, and the processor answers with it.")
                     .arg(entry.title, size, sizeWords(memory_.ramBytes));
}

bool ModelOffers::say(const QString& why) {
    if (said_ != why) {
        said_ = why;
        emit saidChanged();
    }
    lookForFiles();
    return why.isEmpty();
}

bool ModelOffers::get(int index) {
    if (index < 0 || index >= catalog_.entries.size()) {
        return false;
    }
    const CatalogEntry& entry = catalog_.entries.at(index);
    const QString refused =
        parts_.downloads.add({.title = entry.title,
                              .folder = folder(),
                              .licence = entry.licence,
                              .parts = {{.url = entry.url(),
                                         .fileName = entry.file,
                                         .bytes = entry.exact ? entry.bytes : -1,
                                         .sha256 = entry.sha256,
                                         .bytesAbout = entry.bytes,
                                         .model = true,
                                         .architecture = entry.traits.architecture}}});
    if (!refused.isEmpty()) {
        return say(refused);
    }
    const QString path = pathOf(entry);
    for (const auto& [key, value] : {std::pair("engine/activation", entry.activation),
                                     std::pair("engine/predictor-input", entry.predictorInput)}) {
        const QString wrong = value.isEmpty() ? QString() : parts_.settings.set(key, value, path);
        if (!wrong.isEmpty()) {
            return say(wrong);
        }
    }
    return say({});
}

// Empty: it is no address of a model, and said() says why.
QUrl ModelOffers::fileAt(const QString& address) {
    QUrl url = fileBehind(QUrl(address.trimmed(), QUrl::StrictMode));
    if (const QString why = refusalOfAddress(url); !why.isEmpty()) {
        say(why);
        return {};
    }
    const QString name = url.fileName();
    if (!isModelFileName(name)) {
        say(tr("The address has to end with the name of a .gguf file."));
        return {};
    }
    if (namesOfSplit(name).isEmpty()) {
        say(tr("The address names a part of a model that cannot be: %1.").arg(name));
        return {};
    }
    return url;
}

bool ModelOffers::getAddress(const QString& address) {
    const QUrl url = fileAt(address);
    if (url.isEmpty()) {
        return false;
    }
    DownloadOrder order{.title = titleOf(url), .folder = folder(), .licence = {}, .parts = {}};
    for (const QString& name : namesOfSplit(url.fileName())) {
        order.parts.append({.url = besides(url, name), .fileName = name, .model = true});
    }
    return say(parts_.downloads.add(order));
}

void ModelOffers::check(int index) {
    if (index < 0 || index >= catalog_.entries.size()) {
        return;
    }
    const CatalogEntry& entry = catalog_.entries.at(index);
    OfferCheck::Question question{.urls = {entry.url()},
                                  .title = entry.title,
                                  .options = parts_.settings.loadOptions(pathOf(entry)),
                                  .expected = {.bytes = entry.exact ? entry.bytes : -1,
                                               .bytesAbout = entry.bytes,
                                               .sha256 = entry.sha256,
                                               .model = true,
                                               .architecture = entry.traits.architecture}};
    // The same values that get() keeps.
    if (!entry.activation.isEmpty()) {
        question.options.activation = entry.activation;
    }
    if (!entry.predictorInput.isEmpty()) {
        question.options.predictorInput = entry.predictorInput;
    }
    begin(index, question);
}

bool ModelOffers::checkAddress(const QString& address) {
    const QUrl url = fileAt(address);
    if (url.isEmpty()) {
        return false;
    }
    say({});
    const QStringList names = namesOfSplit(url.fileName());
    OfferCheck::Question question{
        .urls = {},
        .title = titleOf(url),
        .options = parts_.settings.loadOptions(QDir(folder()).filePath(names.constFirst())),
        .expected = {.model = true}};
    for (const QString& name : names) {
        question.urls << besides(url, name);
    }
    begin(static_cast<int>(checks_.size()) - 1, question);
    return true;
}

void ModelOffers::begin(int index, const OfferCheck::Question& question) {
    cancelCheck();
    checked_ = index;
    checks_[index] = {QStringLiteral("asking"), {}};
    emit checksChanged();
    check_.start(question);
}

void ModelOffers::cancelCheck() {
    check_.cancel();
    if (checked_ >= 0) {
        checks_[std::exchange(checked_, -1)] = {};
        emit checksChanged();
    }
}

void ModelOffers::forgetAddress() {
    if (checked_ == checks_.size() - 1) {
        cancelCheck();
    } else if (!checks_.last().state.isEmpty()) {
        checks_.last() = {};
        emit checksChanged();
    }
}

// With another budget they would be others. One that is being made is with the budget of before.
void ModelOffers::forgetForecasts() {
    cancelCheck();
    checks_.fill({});
    emit checksChanged();
}

void ModelOffers::onChecked(const OfferVerdict& verdict) {
    if (checked_ >= 0) {
        checks_[std::exchange(checked_, -1)] = {
            verdict.wrong.isEmpty() ? QStringLiteral("known") : QStringLiteral("wrong"), verdict};
        emit checksChanged();
    }
}

QVariantMap ModelOffers::shown(const Check& check) {
    const OfferVerdict& verdict = check.verdict;
    return {{QStringLiteral("state"), check.state},
            {QStringLiteral("fit"), fitWord(verdict.fit.kind)},
            {QStringLiteral("text"), verdict.wrong.isEmpty() ? verdict.fit.text : verdict.wrong},
            {QStringLiteral("facts"), verdict.facts}};
}

QVariantList ModelOffers::checks() const {
    QVariantList all;
    for (const Check& check : checks_) {
        all << shown(check);
    }
    all.removeLast();
    return all;
}

QVariantMap ModelOffers::addressCheck() const {
    return shown(checks_.last());
}

}  // namespace hearth::ui
