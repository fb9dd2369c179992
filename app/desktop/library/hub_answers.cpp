#include "library/hub_answers.h"

#include <QCoreApplication>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "downloads/download_order.h"
#include "library/catalog.h"

namespace hearth::ui {

namespace {

constexpr double kFileBytesMost = 1e13;
constexpr qsizetype kTextMost = 60;
constexpr qsizetype kPathMost = 300;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(HubSearch)
};

// Text for people: without characters that would reverse or break the line.
QString plainText(const QJsonValue& value) {
    QString text;
    for (const QChar letter : value.toString().left(4 * kTextMost)) {
        if (letter.isPrint()) {
            text += letter;
        } else if (letter.isSpace()) {
            text += QLatin1Char(' ');
        }
    }
    return text.simplified().left(kTextMost);
}

// A whole number that can be a file's size. -1: none is given. Empty: it makes no sense.
std::optional<qint64> sizeIn(const QJsonValue& value) {
    if (value.isUndefined() || value.isNull()) {
        return -1;
    }
    const double size = value.toDouble(-1);
    if (!(size >= 1 && size <= kFileBytesMost) || size != std::floor(size)) {
        return std::nullopt;
    }
    return static_cast<qint64>(size);
}

QByteArray hashIn(const QJsonValue& value) {
    static const QRegularExpression kHash(QStringLiteral("\\A[0-9a-fA-F]{64}\\z"));
    const QString text = value.toString();
    return kHash.match(text).hasMatch() ? QByteArray::fromHex(text.toLatin1()) : QByteArray();
}

QString licenceIn(const QJsonObject& json) {
    const QJsonObject card = json.value(QLatin1String("cardData")).toObject();
    QJsonValue said = card.value(QLatin1String("license"));
    if (said.isArray()) {
        said = said.toArray().at(0);
    }
    QString licence = plainText(said);
    if (licence == QLatin1String("other")) {
        const QString name = plainText(card.value(QLatin1String("license_name")));
        licence = name.isEmpty() ? licence : name;
    }
    const QJsonArray tags = json.value(QLatin1String("tags")).toArray();
    const qsizetype looked = std::min<qsizetype>(tags.size(), 500);
    for (qsizetype i = 0; i < looked && licence.isEmpty(); ++i) {
        const QString tag = tags.at(i).toString();
        if (tag.startsWith(QLatin1String("license:"))) {
            licence = plainText(tag.mid(8));
        }
    }
    return licence;
}

// The value is false, "auto" or "manual".
bool gatedIn(const QJsonObject& json) {
    const QJsonValue gated = json.value(QLatin1String("gated"));
    return gated.isString() ? gated.toString() != QLatin1String("false") : gated.toBool();
}

// Accepts folders of plain names, with no way out of the repository.
bool isPathInRepository(const QString& path) {
    static const QRegularExpression kPath(
        QStringLiteral(R"(\A(?:[A-Za-z0-9_][\w.+-]*/){0,8}[A-Za-z0-9][\w.+-]*\z)"));
    return path.size() <= kPathMost && kPath.match(path).hasMatch() &&
           !path.contains(QLatin1String("..")) &&
           isModelFileName(path.section(QLatin1Char('/'), -1));
}

QJsonValue parse(const QByteArray& json, qsizetype bytesMost, QString& wrong) {
    if (json.size() > bytesMost) {
        wrong = Words::tr("The hub's answer is too large. Try again later.");
        return {};
    }
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error != QJsonParseError::NoError) {
        wrong = Words::tr(
            "The hub's answer could not be read. Try again later; if a mirror is set, check "
            "its address in the settings.");
        return {};
    }
    return document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
}

std::optional<HubPart> partIn(const QJsonObject& json) {
    HubPart part;
    part.path = json.value(QLatin1String("rfilename")).toString();
    part.fileName = part.path.section(QLatin1Char('/'), -1);
    const QJsonObject lfs = json.value(QLatin1String("lfs")).toObject();
    const auto size = sizeIn(json.value(QLatin1String("size")));
    const auto stored = sizeIn(lfs.value(QLatin1String("size")));
    if (!isPathInRepository(part.path) || !size || !stored ||
        (*size >= 0 && *stored >= 0 && *size != *stored)) {
        return std::nullopt;
    }
    part.bytes = std::max(*size, *stored);
    part.sha256 = hashIn(lfs.value(QLatin1String("sha256")));
    return part;
}

// The path of the first part, which all parts of one model share. Empty: the name counts impossible
// parts.
QString setOf(const HubPart& part) {
    const QStringList names = namesOfSplit(part.fileName);
    return names.isEmpty() ? QString() : part.path.chopped(part.fileName.size()) + names.first();
}

HubItem itemOf(const QHash<QString, HubPart>& parts, const HubPart& any) {
    const QStringList names = namesOfSplit(any.fileName);
    HubItem item;
    for (const QString& name : names) {
        const auto found = parts.constFind(name);
        item.whole = item.whole && found != parts.constEnd();
        if (found != parts.constEnd()) {
            item.parts << *found;
        }
    }
    item.title = any.path.chopped(any.fileName.size()) + names.constFirst().chopped(5);  // ".gguf"
    if (names.size() > 1) {
        item.title.chop(QStringLiteral("-00001-of-00002").size());
    }
    item.type = typeInName(item.title);
    return item;
}

}  // namespace

qint64 HubItem::bytes() const {
    qint64 sum = 0;
    for (const HubPart& part : parts) {
        if (part.bytes < 0) {
            return -1;
        }
        sum += part.bytes;
    }
    return sum;
}

QString typeInName(const QString& name) {
    static const QRegularExpression kType(
        QStringLiteral("(?:\\A|[-._/])((?:IQ|Q|TQ)[1-9](?:_[A-Z0-9]{1,3}){0,3}|MXFP4|BF16|F16|F32|"
                       "FP16|FP32)(?=[-./]|\\z)"),
        QRegularExpression::CaseInsensitiveOption);
    QString last;
    auto matches = kType.globalMatch(name);
    while (matches.hasNext()) {
        last = matches.next().captured(1).toUpper();
    }
    if (last.startsWith(QLatin1String("FP"))) {
        last.remove(1, 1);
    }
    return last;
}

HubFound readHubSearch(const QByteArray& json) {
    HubFound found;
    const QJsonValue answer = parse(json, kHubSearchBytesMost, found.wrong);
    if (!found.wrong.isEmpty()) {
        return found;
    }
    if (!answer.isArray()) {
        found.wrong = Words::tr(
            "The hub's answer is no list of models. Try again later; if a mirror is "
            "set, it may have no search.");
        return found;
    }
    QSet<QString> names;
    for (const QJsonValue& value : answer.toArray()) {
        const QJsonObject entry = value.toObject();
        HubModel model;
        model.repository = entry.value(QLatin1String("id")).toString();
        if (!isRepositoryName(model.repository) || names.contains(model.repository) ||
            names.size() >= kHubModelsMost) {
            ++found.leftOut;
            continue;
        }
        names.insert(model.repository);
        const double downloads = entry.value(QLatin1String("downloads")).toDouble(-1);
        model.downloads = downloads >= 0 && downloads < 1e15 ? static_cast<qint64>(downloads) : -1;
        model.licence = licenceIn(entry);
        model.gated = gatedIn(entry);
        found.models << model;
    }
    return found;
}

HubRepository readHubRepository(const QByteArray& json, const QString& repository) {
    HubRepository found;
    found.repository = repository;
    const QJsonValue answer = parse(json, kHubRepositoryBytesMost, found.wrong);
    if (!found.wrong.isEmpty()) {
        return found;
    }
    const QJsonObject entry = answer.toObject();
    const QJsonValue files = entry.value(QLatin1String("siblings"));
    if (!files.isArray() || files.toArray().size() > kHubFilesMost) {
        found.wrong = Words::tr(
                          "The hub does not say which files %1 has. Try again later, or enter the "
                          "address of a file.")
                          .arg(repository);
        return found;
    }
    static const QRegularExpression kCommit(QStringLiteral("\\A[0-9a-f]{40}\\z"));
    const QString commit = entry.value(QLatin1String("sha")).toString();
    found.revision = kCommit.match(commit).hasMatch() ? commit : QStringLiteral("main");
    found.licence = licenceIn(entry);
    found.gated = gatedIn(entry);
    QHash<QString, QHash<QString, HubPart>> sets;
    for (const QJsonValue& value : files.toArray()) {
        const QJsonObject file = value.toObject();
        const QJsonValue name = file.value(QLatin1String("rfilename"));
        if (name.isString() && !name.toString().endsWith(QLatin1String(".gguf"))) {
            continue;  // other files of a repository
        }
        const auto part = partIn(file);
        const QString set = part ? setOf(*part) : QString();
        if (set.isEmpty() || sets.value(set).contains(part->fileName) ||
            (!sets.contains(set) && sets.size() >= kHubItemsMost)) {
            ++found.leftOut;
            continue;
        }
        sets[set].insert(part->fileName, *part);
    }
    QStringList order = sets.keys();
    order.sort(Qt::CaseInsensitive);
    for (const QString& set : std::as_const(order)) {
        found.items << itemOf(sets.value(set), sets.value(set).constBegin().value());
    }
    return found;
}

}  // namespace hearth::ui
