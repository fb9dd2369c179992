// Carries changed engine settings to the running engine. A budget of memory takes effect in the
// running chat. All else loads the model anew, which waits for the end of an answer unless the user
// says otherwise. A setting that the engine refuses returns to the running value.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include "bridge/inference_service.h"

namespace hearth::ui {

class ActiveModel;
class AppSettings;
class Notices;
class Replies;

class EngineChange : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // A change waits for the end of the answer under way.
    Q_PROPERTY(bool waits READ waits NOTIFY waitsChanged)
    // The reason why the latest change was taken back, a sentence; empty: it was not.
    Q_PROPERTY(QString refusal READ refusal NOTIFY refusalChanged)

public:
    // All parts outlive it.
    struct Parts {
        InferenceService& inference;
        AppSettings& settings;
        Notices& notices;
        ActiveModel& model;
        Replies& replies;
    };
    explicit EngineChange(const Parts& parts, QObject* parent = nullptr);

    bool waits() const { return waits_; }
    QString refusal() const { return refusal_; }
    Q_INVOKABLE void dismissRefusal() { setRefusal({}); }
    // Applies the change now, although that ends the answer.
    Q_INVOKABLE void applyNow();

    // The time for which a setting rests before it is applied: a slider passes many values.
    void setRestMs(int ms) { rest_.setInterval(ms); }
    static constexpr int kRestMs = 600;

signals:
    void waitsChanged();
    void refusalChanged();

private:
    void onChanged(const QString& key, const QString& model);
    void apply();
    void loadAnew();
    void setBudget(const LoadOptions& wanted, const LoadOptions& running);
    void setWaits(bool waits);
    void setRefusal(const QString& sentence);
    void onBudgetSet(quint64 id);
    void onBudgetRefused(quint64 id, const QString& sentence);
    // Sets the settings back to the running values: all of the engine's, or its budgets.
    void goBack(const QString& sentence, bool budgetsOnly);

    Parts parts_;
    QTimer rest_;
    // The latest requested budget, and the one before it.
    quint64 budgetId_ = 0;
    bool budgetAsked_ = false;  // requested, and not answered yet
    LoadOptions budgetWanted_, budgetBefore_;
    bool goingBack_ = false;
    bool waits_ = false;
    QString refusal_;
};

}  // namespace hearth::ui
