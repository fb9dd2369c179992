// Where other applications keep models, as far as they stay at their defaults. What is found is
// offered; nothing there is ever changed.
#pragma once

#include <QList>
#include <QString>
#include <functional>
#include <span>

namespace hearth::ui {

enum class HostSystem : unsigned { Linux = 1, Windows = 2, Mac = 4 };
HostSystem hostSystem();

// A row: the application, the systems (HostSystem, added up) and the folder. {name} at its start is
// an environment variable, or one of {home}, {config}, {data}, {cache}: the user's folders there.
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

// The value of such a name, empty where there is none.
using PlaceNames = std::function<QString(const QString& name)>;
// Of this computer.
PlaceNames placeNames();

// Every place of that system, whether it is there or not.
QList<ModelPlace> modelPlaces(HostSystem system, const PlaceNames& names);
// Those that are folders. Asks the disk: not for the GUI thread.
QList<ModelPlace> modelPlacesHere();

// Whose file or folder that is: of the place that holds it. Empty: nobody's that is known.
QString appThatOwns(const QString& path, const QList<ModelPlace>& places);

}  // namespace hearth::ui
