#include "catalog.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>

#include "network_rules.h"
#include "setting_table.h"

namespace hearth::ui {

namespace {

constexpr double kBytesMost = 1e13;
constexpr int kTextMost = 200;

QString tr(const char* text) {
    return QCoreApplication::translate("Catalog", text);
}

// Each field with its check, so that a new one is a line.
class Entry {
public:
    explicit Entry(const QJsonObject& json) : json_(json) {}

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
        const QString source = text("source");
        require(source == QLatin1String("published") || source == QLatin1String("computed"),
                "source");
        entry.computed = source == QLatin1String("computed");
        entry.exact = flag("exact");
        require(!(entry.exact && entry.computed), "exact");
        entry.licence = textOrNull("licence");
        const QString hash = textOrNull("sha256");
        static const QRegularExpression kHash(QStringLiteral("^([0-9a-f]{64})?$"));
        require(kHash.match(hash).hasMatch(), "sha256");
        // On a branch the file may be another one tomorrow.
        require(hash.isEmpty() || entry.revision != QLatin1String("main"), "sha256");
        entry.sha256 = QByteArray::fromHex(hash.toLatin1());
        entry.sparse = flag("sparse");
        entry.activation = settingOrNull("activation", "engine/activation");
        entry.predictorInput = settingOrNull("predictor_input", "engine/predictor-input");
        for (auto it = json_.begin(); it != json_.end(); ++it) {
            require(seen_.contains(it.key()) || it.key() == QLatin1String("revision"),
                    it.key().left(kTextMost).toUtf8().constData());
        }
        return entry;
    }
    // The first field that is wrong; empty: none is.
    QString wrong() const { return wrong_; }

private:
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
        const QString text = json.toString();
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
        const QString text = textOrNull(name);
        require(text.isEmpty() ||
                    checkSetting(*findSetting(QString::fromLatin1(key)), text).text.has_value(),
                name);
        return text;
    }

    QJsonObject json_;
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
        catalog.problems = {tr("The list of models to download cannot be read: %1.").arg(why)};
        return catalog;
    };
    if (json.size() > kCatalogBytesMost) {
        return refuse(tr("it is too large"));
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    const QJsonObject root = document.object();
    if (error.error != QJsonParseError::NoError || !document.isObject()) {
        return refuse(error.errorString());
    }
    if (root.value(QLatin1String("version")).toInt() != 1) {
        return refuse(tr("it is of another version"));
    }
    const QJsonArray models = root.value(QLatin1String("models")).toArray();
    if (models.size() > kCatalogEntriesMost) {
        return refuse(tr("it is too long"));
    }
    QSet<QUrl> urls;
    for (qsizetype i = 0; i < models.size(); ++i) {
        Entry reader(models.at(i).toObject());
        const CatalogEntry entry = reader.read();
        if (!reader.wrong().isEmpty()) {
            catalog.problems << tr("Model %1 of the list is left out: its “%2” is wrong.")
                                    .arg(i + 1)
                                    .arg(reader.wrong());
        } else if (urls.contains(entry.url())) {
            catalog.problems
                << tr("Model %1 of the list is left out: it is there twice.").arg(i + 1);
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
