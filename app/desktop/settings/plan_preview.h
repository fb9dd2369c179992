// The effect of the settings on the open model, before anything is loaded: where its bytes would
// lie, how fast it would answer, how much memory would stay free.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include "bridge/engine_report.h"
#include "bridge/machine_service.h"

namespace hearth::ui {

class AppSettings;

class PlanPreview : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("SettingsPage has it")
    // True while somebody looks; only then it asks.
    Q_PROPERTY(bool watched READ watched WRITE setWatched NOTIFY watchedChanged)
    Q_PROPERTY(bool busy READ busy NOTIFY changed)           // the shown plan may be an older one
    Q_PROPERTY(bool known READ known NOTIFY changed)         // there is a plan to show
    Q_PROPERTY(QString problem READ problem NOTIFY changed)  // a sentence; empty: it fits
    // Shares of all its bytes; they add up to 1.
    Q_PROPERTY(double cardShare READ cardShare NOTIFY changed)
    Q_PROPERTY(double memoryShare READ memoryShare NOTIFY changed)
    Q_PROPERTY(double diskShare READ diskShare NOTIFY changed)
    // "1.2 GB"; empty: nothing there.
    Q_PROPERTY(QString cardText READ cardText NOTIFY changed)
    Q_PROPERTY(QString memoryText READ memoryText NOTIFY changed)
    Q_PROPERTY(QString diskText READ diskText NOTIFY changed)
    Q_PROPERTY(QString speedText READ speedText NOTIFY changed)  // "12 to 18 tokens/s"
    Q_PROPERTY(QString freeText READ freeText NOTIFY changed)    // a sentence
    Q_PROPERTY(QString summary READ summary NOTIFY changed)      // all, for a screen reader

public:
    // machine: null: there is never a plan. Both outlive it.
    PlanPreview(AppSettings& settings, MachineService* machine, QObject* parent = nullptr);

    void setModel(const QString& path);
    void setRunning(const LoadOptions& options, const EngineReport& report);
    void setFacts(const MachineFacts& facts);

    bool watched() const { return watched_; }
    void setWatched(bool watched);
    bool busy() const { return asked_ != answered_ || rest_.isActive(); }
    bool known() const { return known_; }
    QString problem() const { return answer_.sentence; }
    double cardShare() const { return share(answer_.vramBytes); }
    double memoryShare() const { return share(answer_.ramBytes); }
    double diskShare() const { return share(answer_.diskBytes); }
    QString cardText() const;
    QString memoryText() const;
    QString diskText() const;
    QString speedText() const;
    QString freeText() const;
    QString summary() const;

    void setRestMs(int ms) { rest_.setInterval(ms); }
    static constexpr int kRestMs = 250;

signals:
    void changed();
    void watchedChanged();

private:
    void askSoon();
    void ask();
    void onPlanned(quint64 id, const PlanAnswer& answer);
    double share(quint64 bytes) const;

    AppSettings& settings_;
    MachineService* machine_;
    QTimer rest_;
    QString model_;
    LoadOptions running_;
    EngineReport report_;
    MachineFacts facts_;
    bool watched_ = false;
    bool known_ = false;
    quint64 asked_ = 0, answered_ = 0;
    PlanAnswer answer_;
};

}  // namespace hearth::ui
