// The words of the neuron map: about the loaded model, and about its layers.
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

// Lines about the whole model; empty: there is nothing to say.
QString placesLine(const MapReport& report);
QString memoryLine(const MapReport& report);
QString activityLine(const MapReport& report);
QString cacheLine(const MapReport& report);
QString diskLine(const MapReport& report, std::optional<double> rate, MapTime time);

// True if there are mixtures among the layers.
bool hasExperts(const MapReport& report);
// How often memory had neurons, or experts, that lie on disk; empty: none was needed.
std::optional<double> hitShare(quint64 hits, quint64 misses);
// The share of all layers' neurons that fire, in the mean; empty: no token was counted.
std::optional<double> firedShare(const MapReport& report);

}  // namespace hearth::ui
