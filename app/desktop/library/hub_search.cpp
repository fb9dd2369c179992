#include "library/hub_search.h"

#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QRegularExpression>
#include <QUrlQuery>
#include <QVariantMap>
#include <algorithm>
#include <utility>

#include "bridge/offer_traits.h"
#include "downloads/downloads.h"
#include "library/model_library.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "network/token_keeper.h"
#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kWordsMost = 200;

// By the engine's own table. A file's name says "Q4_K_M" where most weights are Q4_K. It is no
// proof, so it is said and not forbidden. IQ2_M, IQ3_M and IQ3_XS are mixes too.
bool runsType(const QString& type) {
    static const QRegularExpression kMix(QStringLiteral("(?<=_K)_[A-Z]+$"));
    static const QRegularExpression kSmallMix(QStringLiteral("^(IQ[23])_(?:M|XS|XL)$"));
    const QString named = QString(type).remove(kMix).replace(kSmallMix, QStringLiteral("\\1_S"));
    return type.isEmpty() ||
           whatIsMissing({.architecture = QStringLiteral("llama"), .types = {named}}).isEmpty();
}

QString warningOf(const HubItem& item) {
    const QString name = item.parts.constFirst().fileName;
    if (!item.whole) {
        return HubSearch::tr("Some of its files are missing on the hub.");
    }
    if (name.contains(QLatin1String("mmproj"), Qt::CaseInsensitive)) {
        return HubSearch::tr(
            "The part of another model that looks at pictures; Hearth cannot use "
            "it.");
    }
    if (name.contains(QLatin1String("imatrix"), Qt::CaseInsensitive)) {
        return HubSearch::tr("Notes about the making of other files, and no model.");
    }
    if (!runsType(item.type)) {
        return HubSearch::tr("Hearth cannot run weights of the type %1 yet.").arg(item.type);
    }
    return {};
}

QString licenceWords(const QString& licence) {
    return licence.isEmpty() ? HubSearch::tr("licence: see its page")
                             : HubSearch::tr("licence: %1").arg(licence);
}

}  // namespace

HubSearch::HubSearch(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
    pool_.setMaxThreadCount(1);
    connect(&parts_.control, &NetworkControl::rulesChanged, this, &HubSearch::changed);
    connect(&parts_.downloads, &Downloads::changed, this, &HubSearch::look);
    connect(&parts_.library, &ModelLibrary::changed, this, &HubSearch::look);
}

HubSearch::~HubSearch() {
    asking_.reset();
    pool_.clear();
    pool_.waitForDone();
}

QString HubSearch::host() const {
    return throughMirror(hubUrl(QStringLiteral("/")), parts_.control.rules()).host();
}

template <typename Found>
void HubSearch::ask(const QUrl& url, const QString& purpose, qint64 bytesMost, bool withToken,
                    std::function<Found(const QByteArray&)> read,
                    std::function<void(const Found&)> show) {
    asking_ = std::make_unique<QObject>();
    QObject* const asking = asking_.get();
    wrong_.clear();
    emit changed();
    const auto take = [this, asking, read, show](const DoorAnswer& answer) {
        if (!answer.ok()) {
            fail(answer.text);
            return;
        }
        pool_.start([this, guard = QPointer<QObject>(asking), read, show, body = answer.body] {
            const Found found = read(body);
            QMetaObject::invokeMethod(this, [this, guard, show, found] {
                if (guard == nullptr) {  // nobody wants the answer any more
                    return;
                }
                if (!found.wrong.isEmpty()) {
                    fail(found.wrong);
                    return;
                }
                asking_.reset();
                show(found);
                emit changed();
            });
        });
    };
    const auto send = [this, asking, url, purpose, bytesMost, withToken, take] {
        parts_.door.fetch(
            {.url = url, .purpose = purpose, .withToken = withToken, .bodyBytesMost = bytesMost},
            asking, take);
    };
    if (withToken) {
        parts_.tokens.load(siteOf(url), asking, send);
    } else {
        send();
    }
}

void HubSearch::fail(const QString& why) {
    asking_.release()->deleteLater();  // it may be our caller
    wrong_ = why;
    emit changed();
}

void HubSearch::search(const QString& words) {
    const QString asked = words.simplified().left(kWordsMost);
    if (asked.isEmpty()) {
        return;
    }
    clear();
    QUrl url = hubUrl(QStringLiteral("/api/models"));
    QUrlQuery query;
    const auto add = [&query](const char* name, const QString& value) {
        query.addQueryItem(QString::fromLatin1(name),
                           QString::fromLatin1(QUrl::toPercentEncoding(value)));
    };
    add("search", asked);
    add("filter", QStringLiteral("gguf"));
    add("sort", QStringLiteral("downloads"));
    add("direction", QStringLiteral("-1"));
    add("limit", QString::number(kAskedFor));
    // Requests only the shown fields: complete entries are a hundred times as large.
    for (const char* field : {"downloads", "gated", "tags"}) {
        add("expand", QString::fromLatin1(field));
    }
    url.setQuery(query);
    // Sends no token: the search is public, and the keychain may ask for its password.
    ask<HubFound>(url, tr("Search for models: %1").arg(asked), kHubSearchBytesMost, false,
                  readHubSearch, [this](const HubFound& found) { showModels(found); });
}

void HubSearch::showModels(const HubFound& found) {
    searched_ = true;
    models_ = found.models;
    line_ =
        models_.isEmpty() ? tr("No model with GGUF files was found for these words.")
        : models_.size() >= kAskedFor
            ? tr("These are the %1 most downloaded. Add words to find fewer.").arg(models_.size())
            : tr("%n found.", nullptr, static_cast<int>(models_.size()));
    if (found.leftOut > 0) {
        line_ += QLatin1Char(' ') + tr("%n left out: the hub's data about them make no sense.",
                                       nullptr, found.leftOut);
    }
}

void HubSearch::open(int index) {
    if (index < 0 || index >= models_.size()) {
        return;
    }
    const QString repository = models_.at(index).repository;
    QUrl url = hubUrl(QStringLiteral("/api/models/") + repository);
    url.setQuery(QStringLiteral("blobs=true"));
    ask<HubRepository>(
        url, tr("Files of %1").arg(repository), kHubRepositoryBytesMost, true,
        [repository](const QByteArray& json) { return readHubRepository(json, repository); },
        [this](const HubRepository& found) { showRepository(found); });
}

void HubSearch::showRepository(const HubRepository& found) {
    repository_ = found;
    // Files that run come first.
    std::stable_partition(repository_.items.begin(), repository_.items.end(),
                          [](const HubItem& item) { return warningOf(item).isEmpty(); });
    line_ = found.items.isEmpty() ? tr("It has no GGUF file that can be downloaded.") : QString();
    if (found.leftOut > 0) {
        line_ = (line_ + QLatin1Char(' ') +
                 tr("%n of its files left out: the hub's data about them make no sense.", nullptr,
                    found.leftOut))
                    .trimmed();
    }
    look();
}

void HubSearch::back() {
    asking_.reset();
    wrong_.clear();
    repository_ = {};
    states_.clear();
    HubFound found;
    found.models = models_;
    showModels(found);
    emit statesChanged();
    emit changed();
}

void HubSearch::stop() {
    asking_.reset();
    emit changed();
}

void HubSearch::clear() {
    asking_.reset();
    searched_ = false;
    line_.clear();
    wrong_.clear();
    models_.clear();
    repository_ = {};
    states_.clear();
    emit statesChanged();
    emit changed();
}

QVariantList HubSearch::models() const {
    QVariantList all;
    for (const HubModel& model : models_) {
        QStringList facts;
        if (model.downloads >= 0) {
            facts << tr("%1 downloads lately").arg(windowLocale().toString(model.downloads));
        }
        facts << licenceWords(model.licence);
        if (model.gated) {
            facts << tr("only with a token");
        }
        all << QVariantMap{{QStringLiteral("repository"), model.repository},
                           {QStringLiteral("facts"), facts.join(QStringLiteral(" · "))}};
    }
    return all;
}

QString HubSearch::page() const {
    return repository_.repository.isEmpty()
               ? QString()
               : hubUrl(QLatin1Char('/') + repository_.repository).toString();
}

QString HubSearch::terms() const {
    if (repository_.repository.isEmpty()) {
        return {};
    }
    QString licence = repository_.licence.isEmpty()
                          ? tr("The hub names no licence; its page may.")
                          : tr("Licence: %1. Its page has the full text.").arg(repository_.licence);
    if (!repository_.gated) {
        return licence;
    }
    return licence + QLatin1Char(' ') +
           (parts_.tokens.hasToken()
                ? tr("Its makers ask you to accept its terms on that page first; your token shows "
                     "that you did.")
                : tr("Its makers ask you to accept its terms on that page first, and to show who "
                     "you are: enter your access token under “Network”."));
}

QVariantList HubSearch::files() const {
    QVariantList all;
    for (const HubItem& item : repository_.items) {
        QStringList facts;
        if (!item.type.isEmpty()) {
            facts << item.type;
        }
        facts << (item.bytes() < 0 ? tr("size not known")
                                   : sizeWords(static_cast<quint64>(item.bytes())));
        if (item.parts.size() > 1) {
            facts << tr("%n files", nullptr, static_cast<int>(item.parts.size()));
        }
        all << QVariantMap{{QStringLiteral("title"), item.title},
                           {QStringLiteral("facts"), facts.join(QStringLiteral(" · "))},
                           {QStringLiteral("warning"), warningOf(item)},
                           {QStringLiteral("address"), addressOf(item.parts.first()).toString()}};
    }
    return all;
}

QUrl HubSearch::addressOf(const HubPart& part) const {
    return hubUrl(QStringLiteral("/%1/resolve/%2/%3")
                      .arg(repository_.repository, repository_.revision, part.path));
}

void HubSearch::look() {
    const QDir folder(parts_.library.downloadFolder());
    QStringList states;
    for (const HubItem& item : repository_.items) {
        const QString path = folder.filePath(item.parts.constFirst().fileName);
        states << (parts_.downloads.willHave(path) ? QStringLiteral("coming")
                   : QFileInfo::exists(path)       ? QStringLiteral("here")
                                                   : QString());
    }
    if (states != states_) {
        states_ = states;
        emit statesChanged();
    }
}

bool HubSearch::get(int index) {
    if (index < 0 || index >= repository_.items.size()) {
        return false;
    }
    const HubItem& item = repository_.items.at(index);
    DownloadOrder order{.title = item.title.section(QLatin1Char('/'), -1),
                        .folder = parts_.library.downloadFolder(),
                        .licence = repository_.licence,
                        .parts = {}};
    for (const HubPart& part : item.parts) {
        order.parts << DownloadPart{.url = addressOf(part),
                                    .fileName = part.fileName,
                                    .bytes = part.bytes,
                                    .sha256 = part.sha256,
                                    .model = true};
    }
    wrong_ = item.whole ? parts_.downloads.add(order) : warningOf(item);
    emit changed();
    look();
    return wrong_.isEmpty();
}

}  // namespace hearth::ui
