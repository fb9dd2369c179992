// How fast the disk is read for each layer, from reports that follow each other.
#pragma once

#include <QList>
#include <optional>

#include "bridge/map_report.h"

namespace hearth::ui {

class MapRates {
public:
    // Forgets all reports.
    void clear();
    // Reports of another load begin anew.
    void add(const MapReport& report);

    // While an answer is computed: since the report before. Afterwards: the mean over that answer,
    // as far as it was watched. Empty: not known.
    std::optional<double> total() const { return total_; }           // bytes a second
    std::optional<double> layer(int index) const;                    // likewise
    std::optional<double> fastestLayer() const { return fastest_; }  // of all layers

private:
    void measure(const MapReport& from, const MapReport& to);

    std::optional<MapReport> latest_;
    std::optional<MapReport> answerBegan_;
    std::optional<double> total_;
    std::optional<double> fastest_;
    QList<double> layers_;
};

}  // namespace hearth::ui
