// Asks one planner for plans, one question after another: the planner would drop a question that a
// later one overtakes.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <functional>
#include <optional>

#include "bridge/machine_service.h"

namespace hearth::ui {

class PlanQueue : public QObject {
    Q_OBJECT

public:
    using Done = std::function<void(const PlanAnswer&)>;

    // planner: null: nothing can be asked. It outlives the queue, and nobody else asks it.
    explicit PlanQueue(MachineService* planner, QObject* parent = nullptr);

    bool works() const { return planner_ != nullptr; }
    // Calls `done` from the event loop, unless `context` is gone by then. soon: before all waiting
    // questions, because somebody looks on. Precondition: works().
    void ask(const PlanQuestion& question, QObject* context, Done done, bool soon = false);
    // Sets the bytes that the open model holds: a model loaded in its place gets them, too.
    void setHeld(quint64 ramBytes, quint64 vramBytes);

private:
    struct Item {
        PlanQuestion question;
        QPointer<QObject> context;
        Done done;
    };
    void next();
    void onPlanned(quint64 id, const PlanAnswer& answer);

    MachineService* planner_;
    QList<Item> waiting_;
    std::optional<Item> asked_;
    quint64 id_ = 0;
    quint64 ramHeld_ = 0, vramHeld_ = 0;
};

}  // namespace hearth::ui
