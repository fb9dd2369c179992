#include "map/map_rates.h"

#include <algorithm>

namespace hearth::ui {

namespace {

bool follows(const MapReport& earlier, const MapReport& later) {
    return earlier.loads == later.loads && earlier.modelPath == later.modelPath &&
           earlier.layers.size() == later.layers.size() && earlier.takenNs < later.takenNs;
}

double perSecond(quint64 before, quint64 now, double seconds) {
    return now > before ? static_cast<double>(now - before) / seconds : 0;
}

}  // namespace

void MapRates::clear() {
    *this = {};
}

void MapRates::add(const MapReport& report) {
    if (latest_ && !follows(*latest_, report)) {
        clear();
    }
    const bool wasAnswering = latest_ && latest_->answering;
    if (wasAnswering) {
        measure(report.answering ? *latest_ : *answerBegan_, report);
    } else if (report.answering) {
        answerBegan_ = report;
        total_.reset();
        fastest_.reset();
        layers_.clear();
    }
    latest_ = report;
}

std::optional<double> MapRates::layer(int index) const {
    return index >= 0 && index < layers_.size() ? std::optional(layers_.at(index)) : std::nullopt;
}

void MapRates::measure(const MapReport& from, const MapReport& to) {
    const double seconds = static_cast<double>(to.takenNs - from.takenNs) / 1e9;
    total_ = perSecond(from.readBytes, to.readBytes, seconds);
    layers_.clear();
    for (qsizetype i = 0; i < to.layers.size(); ++i) {
        layers_ << perSecond(from.layers.at(i).readBytes, to.layers.at(i).readBytes, seconds);
    }
    fastest_ = layers_.isEmpty() ? 0 : *std::max_element(layers_.begin(), layers_.end());
}

}  // namespace hearth::ui
