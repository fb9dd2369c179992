#include "library/model_places.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

#include "system/app_paths.h"

namespace hearth::ui {

namespace {

constexpr auto kLinux = static_cast<unsigned>(HostSystem::Linux);
constexpr auto kWindows = static_cast<unsigned>(HostSystem::Windows);
constexpr auto kMac = static_cast<unsigned>(HostSystem::Mac);
constexpr unsigned kAll = kLinux | kWindows | kMac;

constexpr ModelPlaceRow kTable[] = {
    {"Ollama", kAll, "{OLLAMA_MODELS}"},
    {"Ollama", kAll, "{home}/.ollama/models"},
    {"Ollama", kLinux, "/usr/share/ollama/.ollama/models"},  // as a service of the system
    {"Ollama", kLinux, "/var/lib/ollama/models"},
    {"LM Studio", kAll, "{home}/.lmstudio/models"},
    {"LM Studio", kAll, "{home}/.cache/lm-studio/models"},  // before 0.3.6
    {"Jan", kAll, "{home}/jan/models"},                     // before 0.5
    {"Jan", kLinux, "{config}/Jan/data/models"},
    {"Jan", kLinux, "{config}/Jan/data/llamacpp/models"},
    {"Jan", kLinux, "{data}/Jan/data/models"},
    {"Jan", kLinux, "{data}/Jan/data/llamacpp/models"},
    {"Jan", kWindows, "{APPDATA}/Jan/data/models"},
    {"Jan", kWindows, "{APPDATA}/Jan/data/llamacpp/models"},
    {"Jan", kMac, "{home}/Library/Application Support/Jan/data/models"},
    {"Jan", kMac, "{home}/Library/Application Support/Jan/data/llamacpp/models"},
    {"GPT4All", kLinux, "{data}/nomic.ai/GPT4All"},
    {"GPT4All", kWindows, "{LOCALAPPDATA}/nomic.ai/GPT4All"},
    {"GPT4All", kMac, "{home}/Library/Application Support/nomic.ai/GPT4All"},
    {"Hugging Face", kAll, "{HF_HUB_CACHE}"},
    {"Hugging Face", kAll, "{HUGGINGFACE_HUB_CACHE}"},
    {"Hugging Face", kAll, "{HF_HOME}/hub"},
    {"Hugging Face", kLinux, "{cache}/huggingface/hub"},
    {"Hugging Face", kWindows | kMac, "{home}/.cache/huggingface/hub"},
};

// Empty: the leading name means nothing here.
QString expanded(const QString& path, const PlaceNames& names) {
    if (!path.startsWith(QLatin1Char('{'))) {
        return path;
    }
    const qsizetype end = path.indexOf(QLatin1Char('}'));
    const QString value = names(path.mid(1, end - 1));
    // A relative folder would change with each change of directory.
    return value.isEmpty() || !QDir::isAbsolutePath(value) ? QString() : value + path.mid(end + 1);
}

}  // namespace

HostSystem hostSystem() {
#if defined(Q_OS_WIN)
    return HostSystem::Windows;
#elif defined(Q_OS_MACOS)
    return HostSystem::Mac;
#else
    return HostSystem::Linux;
#endif
}

std::span<const ModelPlaceRow> modelPlaceTable() {
    return kTable;
}

PlaceNames placeNames() {
    return [](const QString& name) {
        if (name == QLatin1String("home")) {
            return QDir::homePath();
        }
        using Kind = QStandardPaths::StandardLocation;
        const auto folder = [](Kind kind) { return QStandardPaths::writableLocation(kind); };
        if (name == QLatin1String("config")) {
            return folder(Kind::GenericConfigLocation);
        }
        if (name == QLatin1String("data")) {
            return folder(Kind::GenericDataLocation);
        }
        if (name == QLatin1String("cache")) {
            return folder(Kind::GenericCacheLocation);
        }
        return environmentText(name);
    };
}

QList<ModelPlace> modelPlaces(HostSystem system, const PlaceNames& names) {
    QList<ModelPlace> places;
    for (const ModelPlaceRow& row : kTable) {
        if ((row.systems & static_cast<unsigned>(system)) == 0) {
            continue;
        }
        const QString path = expanded(QString::fromLatin1(row.path), names);
        ModelPlace place{QString::fromLatin1(row.app), QDir::cleanPath(path)};
        if (!path.isEmpty() && !places.contains(place)) {
            places << place;
        }
    }
    return places;
}

QList<ModelPlace> modelPlacesHere() {
    QList<ModelPlace> places = modelPlaces(hostSystem(), placeNames());
    const auto gone = std::remove_if(places.begin(), places.end(), [](const ModelPlace& place) {
        return !QFileInfo(place.path).isDir();
    });
    places.erase(gone, places.end());
    return places;
}

QString appThatOwns(const QString& path, const QList<ModelPlace>& places) {
    const QString clean = QDir::cleanPath(path);
    for (const ModelPlace& place : places) {
        if (clean == place.path || clean.startsWith(place.path + QLatin1Char('/'))) {
            return place.app;
        }
    }
    return {};
}

}  // namespace hearth::ui
