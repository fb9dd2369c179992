#include "library/pack_note.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include "settings/setting_table.h"

namespace hearth::ui {

namespace {

constexpr int kVersion = 1;
constexpr qint64 kBytesMost = 64 << 10;
constexpr qsizetype kTextMost = 8 << 10;

// The file beside it may be removed, so only a model's path is accepted.
bool isTarget(const QString& path) {
    return QDir::isAbsolutePath(path) && path.endsWith(QLatin1String(".gguf")) &&
           QDir::cleanPath(path) == path;
}

bool isSetting(const char* key, const QString& text) {
    return text.isEmpty() ||
           checkSetting(*findSetting(QString::fromLatin1(key)), text).text.has_value();
}

}  // namespace

std::optional<PackNote> readPackNote(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly) || file.size() > kBytesMost) {
        return std::nullopt;
    }
    const QJsonObject json = QJsonDocument::fromJson(file.read(kBytesMost)).object();
    const auto text = [&json](const char* name) {
        return json.value(QLatin1String(name)).toString().left(kTextMost);
    };
    PackNote note{text("name"),
                  {.source = text("source"),
                   .target = text("target"),
                   .activation = text("activation"),
                   .predictorInput = text("predictor_input")}};
    const bool right = json.value(QLatin1String("version")).toInt() == kVersion &&
                       QDir::isAbsolutePath(note.job.source) && isTarget(note.job.target) &&
                       isSetting("engine/activation", note.job.activation) &&
                       isSetting("engine/predictor-input", note.job.predictorInput);
    return right ? std::optional(note) : std::nullopt;
}

QString writePackNote(const QString& path, const PackNote& note) {
    if (path.isEmpty()) {
        return {};
    }
    QDir().mkpath(QFileInfo(path).path());
    QSaveFile file(path);
    const QByteArray text =
        QJsonDocument(QJsonObject{{QStringLiteral("version"), kVersion},
                                  {QStringLiteral("name"), note.name},
                                  {QStringLiteral("source"), note.job.source},
                                  {QStringLiteral("target"), note.job.target},
                                  {QStringLiteral("activation"), note.job.activation},
                                  {QStringLiteral("predictor_input"), note.job.predictorInput}})
            .toJson();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
        return QCoreApplication::translate("ModelPacking",
                                           "%1 could not be written (%2), so nothing was begun.")
            .arg(QDir::toNativeSeparators(path), file.errorString());
    }
    return {};
}

}  // namespace hearth::ui
