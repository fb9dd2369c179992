// The default places of models of other applications. Models found there are offered; nothing there
// is ever changed.
#pragma once

#include <QList>
#include <QString>
#include <functional>
#include <span>

namespace hearth::ui {

enum class HostSystem : unsigned { Linux = 1, Windows = 2, Mac = 4 };
HostSystem hostSystem();

// A row: the application, the systems (HostSystem, added up) and the folder. A leading {name} is an
// environment variable, or one of {home}, {config}, {data}, {cache}: the user's folders.
struct ModelPlaceRow {
    const char* app;
    unsigned systems;
    const char* path;
};
std::span<const ModelPlaceRow> modelPlaceTable();

struct ModelPlace {
    QString app;
    QString path;  // absolute, clean

    friend bool operator==(const ModelPlace&, const ModelPlace&) = default;
};

// The value of such a name, or empty.
using PlaceNames = std::function<QString(const QString& name)>;
// The names of this computer.
PlaceNames placeNames();

// Every place of that system, existing or not.
QList<ModelPlace> modelPlaces(HostSystem system, const PlaceNames& names);
// The existing folders among this computer's places. Asks the disk: not for the GUI thread.
QList<ModelPlace> modelPlacesHere();

// The application whose place holds that file or folder. Empty: no known application.
QString appThatOwns(const QString& path, const QList<ModelPlace>& places);

}  // namespace hearth::ui
