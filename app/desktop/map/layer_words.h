// What the neuron map says of the loaded model and of its layers, in words.
#pragma once

#include <QString>
#include <optional>

#include "bridge/map_report.h"

namespace hearth::ui {

enum class MapTime {
    Never,       // no answer was watched
    Now,         // an answer is being computed
    LastAnswer,  // rates are the mean over it
};

// "Layer 3 of 32. ...": sentences. index: below report.layers.size(). rate: bytes a second that the
// disk is read with for the layer; empty: not known.
QString layerWords(const MapReport& report, int index, std::optional<double> rate, MapTime time);

// Of the whole model, a line each; empty: there is nothing to say of it.
QString placesLine(const MapReport& report);
QString memoryLine(const MapReport& report);
QString activityLine(const MapReport& report);
QString cacheLine(const MapReport& report);
QString diskLine(const MapReport& report, std::optional<double> rate, MapTime time);

// Whether the layers are a mixture's, and how often what lies on disk was in memory.
bool hasExperts(const MapReport& report);
std::optional<double> hitShare(quint64 hits, quint64 misses);
// The share of all layers' neurons that fire, in the mean; empty: no token was counted.
std::optional<double> firedShare(const MapReport& report);

}  // namespace hearth::ui
