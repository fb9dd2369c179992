#include "library/catalog.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>
#include <optional>

#include "network/network_rules.h"
#include "settings/setting_table.h"

namespace hearth::ui {

namespace {

constexpr double kBytesMost = 1e13;
constexpr int kTextMost = 200;
constexpr int kJinjaMost = 4000;
constexpr int kTypesMost = 8;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Catalog)
};

using Template = OfferTraits::Template;

// The template of each family, as OfferTraits has it.
using Templates = QHash<QString, OfferTraits>;

// Empty: it is not one.
std::optional<OfferTraits> readTemplate(const QJsonObject& json) {
    OfferTraits traits;
    traits.chatTemplate = Template::Known;
    traits.family = json.value(QLatin1String("family")).toString();
    traits.jinja = json.value(QLatin1String("jinja")).toString();
    const bool right = !traits.family.isEmpty() && traits.family.size() <= kTextMost &&
                       !traits.jinja.isEmpty() && traits.jinja.size() <= kJinjaMost;
    return right ? std::optional(traits) : std::nullopt;
}

// Reads each field with its check, so that a new field is one line.
class Entry {
public:
    Entry(const QJsonObject& json, const Templates& templates)
        : json_(json), templates_(templates) {}

    CatalogEntry read() {
        CatalogEntry entry;
        entry.title = text("title");
        entry.about = text("about");
        entry.repository = text("repository");
        require(isRepositoryName(entry.repository), "repository");
        entry.file = text("file");
        require(isModelFileName(entry.file), "file");
        entry.revision =
            json_.contains(QLatin1String("revision")) ? text("revision") : QStringLiteral("main");
        static const QRegularExpression kRevision(QStringLiteral("^(main|[0-9a-f]{40})$"));
        require(kRevision.match(entry.revision).hasMatch(), "revision");
        const double bytes = value("bytes").toDouble();
        require(bytes >= 1 && bytes <= kBytesMost, "bytes");
        entry.bytes = static_cast<qint64>(wrong_.isEmpty() ? bytes : 0);
        const double read =
            json_.contains(QLatin1String("token_bytes")) ? value("token_bytes").toDouble() : bytes;
        require(read >= 1 && read <= bytes, "token_bytes");
        entry.tokenBytes = static_cast<qint64>(wrong_.isEmpty() ? read : 0);
        const QString source = text("source");
        require(source == QLatin1String("published") || source == QLatin1String("computed"),
                "source");
        entry.computed = source == QLatin1String("computed");
        entry.exact = flag("exact");
        require(!(entry.exact && entry.computed), "exact");
        readTraits(entry.traits);
        entry.licence = textOrNull("licence");
        const QString hash = textOrNull("sha256");
        static const QRegularExpression kHash(QStringLiteral("^([0-9a-f]{64})?$"));
        require(kHash.match(hash).hasMatch(), "sha256");
        // On a branch the file may be another one tomorrow.
        require(hash.isEmpty() || entry.revision != QLatin1String("main"), "sha256");
        entry.sha256 = QByteArray::fromHex(hash.toLatin1());
        entry.sparse = flag("sparse");
        entry.suggested = json_.contains(QLatin1String("suggested")) && flag("suggested");
        entry.activation = settingOrNull("activation", "engine/activation");
        entry.predictorInput = settingOrNull("predictor_input", "engine/predictor-input");
        for (auto it = json_.begin(); it != json_.end(); ++it) {
            require(seen_.contains(it.key()) || it.key() == QLatin1String("revision"),
                    it.key().left(kTextMost).toUtf8().constData());
        }
        return entry;
    }
    // The first wrong field; empty: none.
    QString wrong() const { return wrong_; }

private:
    void readTraits(OfferTraits& traits) {
        const QString family = textOrNull("template");
        if (templates_.contains(family)) {
            traits = templates_.value(family);
        } else {
            require(family.isEmpty() || family == QLatin1String("unknown"), "template");
            traits.chatTemplate = family.isEmpty() ? Template::None : Template::Unknown;
        }
        static const QRegularExpression kWord(QStringLiteral("^[a-zA-Z0-9_-]{1,40}$"));
        traits.architecture = text("architecture");
        require(kWord.match(traits.architecture).hasMatch(), "architecture");
        const QJsonArray types = value("types").toArray();
        require(!types.isEmpty() && types.size() <= kTypesMost, "types");
        for (const QJsonValue& type : types) {
            require(kWord.match(type.toString()).hasMatch(), "types");
            traits.types << type.toString();
        }
    }
    void require(bool right, const char* field) {
        if (!right && wrong_.isEmpty()) {
            wrong_ = QString::fromUtf8(field);
        }
    }
    QJsonValue value(const char* name) {
        seen_.insert(QString::fromLatin1(name));
        return json_.value(QLatin1String(name));
    }
    QString text(const char* name) {
        const QJsonValue json = value(name);
        QString text = json.toString();
        require(json.isString() && !text.isEmpty() && text.size() <= kTextMost &&
                    text == text.simplified(),
                name);
        return text;
    }
    QString textOrNull(const char* name) {
        const QJsonValue json = value(name);
        require(json.isNull() || json.isString(), name);
        return json.isString() ? text(name) : QString();
    }
    bool flag(const char* name) {
        const QJsonValue json = value(name);
        require(json.isBool(), name);
        return json.toBool();
    }
    QString settingOrNull(const char* name, const char* key) {
        QString text = textOrNull(name);
        require(text.isEmpty() ||
                    checkSetting(*findSetting(QString::fromLatin1(key)), text).text.has_value(),
                name);
        return text;
    }

    QJsonObject json_;
    const Templates& templates_;
    QString wrong_;
    QSet<QString> seen_;
};

}  // namespace

QUrl CatalogEntry::url() const {
    return hubUrl(QStringLiteral("/%1/resolve/%2/%3").arg(repository, revision, file));
}

QUrl CatalogEntry::page() const {
    return hubUrl(QLatin1Char('/') + repository);
}

bool isRepositoryName(const QString& name) {
    static const QRegularExpression kName(
        QStringLiteral(R"(\A[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}\z)"));
    return kName.match(name).hasMatch() && !name.contains(QLatin1String(".."));
}

bool isModelFileName(const QString& name) {
    static const QRegularExpression kName(QStringLiteral(R"(\A[A-Za-z0-9][\w.+-]{0,180}\.gguf\z)"));
    return kName.match(name).hasMatch() && !name.contains(QLatin1String(".."));
}

Catalog readCatalog(const QByteArray& json) {
    Catalog catalog;
    const auto refuse = [&catalog](const QString& why) {
        catalog.entries.clear();
        catalog.problems = {
            Words::tr("The list of models to download cannot be read: %1.").arg(why)};
        return catalog;
    };
    if (json.size() > kCatalogBytesMost) {
        return refuse(Words::tr("it is too large"));
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    const QJsonObject root = document.object();
    if (error.error != QJsonParseError::NoError || !document.isObject()) {
        return refuse(error.errorString());
    }
    if (root.value(QLatin1String("version")).toInt() != 1) {
        return refuse(Words::tr("it is of another version"));
    }
    const QJsonArray models = root.value(QLatin1String("models")).toArray();
    if (models.size() > kCatalogEntriesMost) {
        return refuse(Words::tr("it is too long"));
    }
    const QJsonObject families = root.value(QLatin1String("templates")).toObject();
    Templates templates;
    for (auto it = families.begin(); it != families.end(); ++it) {
        if (const auto traits = readTemplate(it.value().toObject())) {
            templates.insert(it.key(), *traits);
        } else {
            catalog.problems << Words::tr("The chat template “%1” of the list makes no sense.")
                                    .arg(it.key().left(kTextMost));
        }
    }
    QSet<QUrl> urls;
    for (qsizetype i = 0; i < models.size(); ++i) {
        Entry reader(models.at(i).toObject(), templates);
        const CatalogEntry entry = reader.read();
        if (!reader.wrong().isEmpty()) {
            catalog.problems << Words::tr("Model %1 of the list is left out: its “%2” is wrong.")
                                    .arg(i + 1)
                                    .arg(reader.wrong());
        } else if (urls.contains(entry.url())) {
            catalog.problems
                << Words::tr("Model %1 of the list is left out: it is there twice.").arg(i + 1);
        } else {
            urls.insert(entry.url());
            catalog.entries << entry;
        }
    }
    return catalog;
}

Catalog ownCatalog() {
    QFile file(QStringLiteral(":/qt/qml/Hearth/catalog.json"));
    return file.open(QIODevice::ReadOnly) ? readCatalog(file.readAll()) : readCatalog({});
}

}  // namespace hearth::ui
