// Prepares a model for this computer: makes a copy of it that reads well from the disk
// (PackService). One at a time; it continues while its dialog is closed.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <optional>

#include "downloads/speed_meter.h"
#include "library/pack_note.h"

namespace hearth::ui {

class AppSettings;
class ModelLibrary;

class ModelPacking : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // "": nothing. "looking": the cost is being found out. "ready": it can begin. "refused": it
    // cannot. "running", "stopping". "done", "failed". "interrupted": the program ended meanwhile,
    // and the written part waits.
    Q_PROPERTY(QString state READ state NOTIFY changed)
    Q_PROPERTY(QString name READ name NOTIFY changed)         // of the model
    Q_PROPERTY(QStringList facts READ facts NOTIFY changed)   // its cost, a sentence each
    Q_PROPERTY(QString wrong READ wrong NOTIFY changed)       // refused, failed: a sentence
    Q_PROPERTY(QString target READ target NOTIFY changed)     // the copy's path
    Q_PROPERTY(double progress READ progress NOTIFY changed)  // 0 to 1; -1: unknown
    Q_PROPERTY(QString line READ line NOTIFY changed)  // "1.2 GB of 4.0 GB written · 2 min left"

public:
    // service: null: nothing can be prepared. noteFile keeps the packing for the next start; empty:
    // nothing is kept. All of them outlive it.
    ModelPacking(ModelLibrary& library, AppSettings& settings, PackService* service,
                 const QString& noteFile, QObject* parent = nullptr);

    // Finds out the cost of preparing that model of the library; does nothing while another is
    // under way.
    Q_INVOKABLE void consider(const QString& path);
    Q_INVOKABLE void begin();    // ready, interrupted
    Q_INVOKABLE void stop();     // running; removes the written part
    Q_INVOKABLE void discard();  // interrupted; removes the written part
    Q_INVOKABLE void dismiss();  // any state that does not run

    QString state() const { return state_; }
    QString name() const { return note_.name; }
    QStringList facts() const;
    QString wrong() const { return wrong_; }
    QString target() const { return note_.job.target; }
    double progress() const;
    QString line() const;

    // The places for the copy of a model, best first.
    QStringList targetsFor(const QString& path) const;

signals:
    void changed();
    void done(const QString& name, const QString& target);
    void failed(const QString& name, const QString& wrong);

private:
    void onOutlook(quint64 id, const PackOutlook& outlook);
    void onStep(const PackStep& step);
    void onEnded(const PackOutcome& outcome);
    void enter(const char* state, const QString& wrong = {});
    void forgetNote();

    ModelLibrary& library_;
    AppSettings& settings_;
    PackService* service_;
    const QString noteFile_;
    QString state_;
    PackNote note_;
    std::optional<PackOutlook> outlook_;  // of the model that is considered
    QString wrong_;
    PackStep step_;
    SpeedMeter speed_;
    QElapsedTimer clock_;
    quint64 asked_ = 0;
};

}  // namespace hearth::ui
