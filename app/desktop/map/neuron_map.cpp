#include "map/neuron_map.h"

#include <algorithm>

#include "bridge/inference_service.h"
#include "map/layer_words.h"
#include "status/active_model.h"

namespace hearth::ui {

namespace {

MapTime timeOf(const MapReport& report, const MapRates& rates) {
    return !rates.total() ? MapTime::Never : report.answering ? MapTime::Now : MapTime::LastAnswer;
}

}  // namespace

NeuronMap::NeuronMap(InferenceService& inference, ActiveModel& model, QObject* parent)
    : QObject(parent), inference_(inference), model_(model) {
    connect(&inference_, &InferenceService::mapped, this, &NeuronMap::onMapped);
    connect(&model_, &EngineStatus::changed, this, [this] {
        if (!model_.isReady()) {
            forget();
        }
        if (shown_) {
            emit changed();
        }
    });
}

void NeuronMap::setShown(bool shown) {
    if (shown == shown_) {
        return;
    }
    shown_ = shown;
    if (!shown) {
        forget();
    }
    inference_.watchMap(shown);
    emit shownChanged();
    emit changed();
}

void NeuronMap::forget() {
    selected_ = -1;
    rates_.clear();
    if (report_) {
        report_.reset();
        emit layersChanged();
    }
}

void NeuronMap::onMapped(const MapReport& report) {
    // One may be under way when the page is closed, or when another model is opened.
    if (!shown_ || !model_.isReady() || report.modelPath != model_.path()) {
        return;
    }
    if (report_ && report_->layers.size() != report.layers.size()) {
        selected_ = -1;
    }
    rates_.add(report);
    report_ = report;
    emit changed();
    emit layersChanged();
}

QString NeuronMap::sentence() const {
    if (report_ && !report_->layers.isEmpty()) {
        return {};
    }
    const QString state = model_.state();
    if (state == QLatin1String("loading")) {
        return tr("The model is being opened. Its layers are shown here as soon as it is ready.");
    }
    if (state == QLatin1String("failed")) {
        return tr("The model could not be opened, so there are no layers to show.");
    }
    if (!model_.host().isEmpty()) {
        return tr("This model is not local: it runs at %1, which says nothing of its layers.")
            .arg(model_.host());
    }
    if (state == QLatin1String("ready")) {
        return report_ ? tr("The engine says nothing of this model's layers.")
                       : tr("The engine is counting. It has no time for it before the next words "
                            "of the answer.");
    }
    return tr("No model is open. Open one, and its layers are shown here.");
}

QStringList NeuronMap::lines() const {
    if (!report_) {
        return {};
    }
    QStringList lines = {placesLine(*report_), memoryLine(*report_), activityLine(*report_),
                         cacheLine(*report_),
                         diskLine(*report_, rates_.total(), timeOf(*report_, rates_))};
    lines.removeAll(QString());
    return lines;
}

bool NeuronMap::experts() const {
    return report_ && hasExperts(*report_);
}

void NeuronMap::select(int layer) {
    const int chosen = layerCount() == 0 ? -1 : std::clamp(layer, 0, layerCount() - 1);
    if (chosen != selected_) {
        selected_ = chosen;
        emit changed();
    }
}

QString NeuronMap::selectedText() const {
    return report_ && selected_ >= 0 && selected_ < layerCount()
               ? layerWords(*report_, selected_, rates_.layer(selected_), timeOf(*report_, rates_))
               : QString();
}

}  // namespace hearth::ui
