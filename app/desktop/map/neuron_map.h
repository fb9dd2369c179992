// The page that shows where each layer's weights lie and what answers do with them. The engine is
// asked only while the page is shown.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "bridge/map_report.h"
#include "map/map_rates.h"

namespace hearth::ui {

class ActiveModel;
class InferenceService;

class NeuronMap : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(bool shown READ shown WRITE setShown NOTIFY shownChanged)
    // Why there are no layers, a sentence; empty: there are.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    Q_PROPERTY(int layerCount READ layerCount NOTIFY changed)
    Q_PROPERTY(QStringList lines READ lines NOTIFY changed)  // of the whole model
    Q_PROPERTY(bool experts READ experts NOTIFY changed)     // a mixture's layers
    Q_PROPERTY(bool answering READ answering NOTIFY changed)
    // The layer whose numbers are said; -1: none.
    Q_PROPERTY(int selected READ selected WRITE select NOTIFY changed)
    Q_PROPERTY(QString selectedText READ selectedText NOTIFY changed)

public:
    // Both outlive this.
    NeuronMap(InferenceService& inference, ActiveModel& model, QObject* parent = nullptr);

    bool shown() const { return shown_; }
    void setShown(bool shown);
    QString sentence() const;
    int layerCount() const { return report_ ? static_cast<int>(report_->layers.size()) : 0; }
    QStringList lines() const;
    bool experts() const;
    bool answering() const { return report_ && report_->answering; }
    int selected() const { return selected_; }
    // Beyond the ends: the first, or the last; without layers: none.
    void select(int layer);
    QString selectedText() const;

    // Empty: there is none to show.
    const std::optional<MapReport>& report() const { return report_; }
    const MapRates& rates() const { return rates_; }

signals:
    void shownChanged();
    void changed();
    void layersChanged();  // what is drawn of them

private:
    void onMapped(const MapReport& report);
    void forget();

    InferenceService& inference_;
    ActiveModel& model_;
    bool shown_ = false;
    int selected_ = -1;
    std::optional<MapReport> report_;
    MapRates rates_;
};

}  // namespace hearth::ui
