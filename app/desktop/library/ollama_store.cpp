#include "library/ollama_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <filesystem>
#include <system_error>

namespace hearth::ui {

namespace {

constexpr qint64 kManifestBytesMost = 1 << 20;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(OllamaStore)
};

// "llama3.2:1b", as the application shows it: it omits its own host and namespace.
QString nameOf(const QStringList& place) {
    QStringList parts = place;
    const QString tag = parts.takeLast();
    if (parts.size() > 1 && parts.constFirst() == QLatin1String("registry.ollama.ai")) {
        parts.removeFirst();
    }
    if (parts.size() > 1 && parts.constFirst() == QLatin1String("library")) {
        parts.removeFirst();
    }
    return parts.join(QLatin1Char('/')) + QLatin1Char(':') + tag;
}

// The file of a layer. Empty: the digest is invalid and must not become a path.
QString blobOf(const QString& folder, const QString& digest) {
    static const QRegularExpression kDigest(QStringLiteral("^sha256[:-]([0-9a-f]{64})$"));
    const QRegularExpressionMatch match = kDigest.match(digest);
    return match.hasMatch() ? folder + QStringLiteral("/blobs/sha256-") + match.captured(1)
                            : QString();
}

}  // namespace

bool isOllamaStore(const QString& folder) {
    return QFileInfo(folder + QStringLiteral("/manifests")).isDir() &&
           QFileInfo(folder + QStringLiteral("/blobs")).isDir();
}

OllamaModels readOllamaStore(const QString& folder, int manifestsMost,
                             const std::atomic<bool>& cancelled) {
    OllamaModels found;
    const QDir manifests(folder + QStringLiteral("/manifests"));
    std::error_code error;
    if (const std::filesystem::directory_iterator first(
            QFileInfo(manifests.path()).filesystemFilePath(), error);
        error) {
        found.problems
            << Words::tr(
                   "Ollama's models in “%1” cannot be read. Check the permissions of the folder.")
                   .arg(QDir::toNativeSeparators(folder));
        return found;
    }
    // Follows no links: the names are those of the folders.
    QDirIterator files(manifests.path(), QDir::Files | QDir::Hidden | QDir::NoSymLinks,
                       QDirIterator::Subdirectories);
    for (int count = 0; files.hasNext() && !cancelled; ++count) {
        const QString path = files.next();
        if (count == manifestsMost) {
            found.problems << Words::tr(
                                  "Ollama's folder “%1” holds more than %2 models. The others are "
                                  "left out.")
                                  .arg(QDir::toNativeSeparators(folder))
                                  .arg(manifestsMost);
            break;
        }
        const QStringList place = manifests.relativeFilePath(path).split(QLatin1Char('/'));
        QFile file(path);
        if (place.size() < 2 || files.fileInfo().size() > kManifestBytesMost ||
            !file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QJsonArray layers = QJsonDocument::fromJson(file.read(kManifestBytesMost))
                                      .object()
                                      .value(QLatin1String("layers"))
                                      .toArray();
        const QString name = nameOf(place);
        for (const QJsonValue& value : layers) {
            const QJsonObject layer = value.toObject();
            const QString type = layer.value(QLatin1String("mediaType")).toString();
            const QString blob = blobOf(folder, layer.value(QLatin1String("digest")).toString());
            if (blob.isEmpty() || type != QLatin1String("application/vnd.ollama.image.model")) {
                continue;
            }
            const QFileInfo info(blob);
            if (!info.exists()) {
                found.problems << Words::tr(
                                      "Ollama lists %1, whose file is gone. Ask Ollama for it "
                                      "again.")
                                      .arg(name);
            } else if (fileFormatOf(blob) != FileFormat::Other) {
                found.models << FoundModel{{blob},
                                           name,
                                           QStringLiteral("Ollama"),
                                           static_cast<quint64>(info.size()),
                                           0,
                                           info.lastModified()};
            }
        }
    }
    return found;
}

}  // namespace hearth::ui
