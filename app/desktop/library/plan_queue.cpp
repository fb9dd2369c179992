#include "library/plan_queue.h"

#include <utility>

namespace hearth::ui {

PlanQueue::PlanQueue(MachineService* planner, QObject* parent)
    : QObject(parent), planner_(planner) {
    if (planner_ != nullptr) {
        connect(planner_, &MachineService::planned, this, &PlanQueue::onPlanned);
    }
}

void PlanQueue::ask(const PlanQuestion& question, QObject* context, Done done, bool soon) {
    waiting_.insert(soon ? 0 : waiting_.size(), {question, context, std::move(done)});
    next();
}

void PlanQueue::setHeld(quint64 ramBytes, quint64 vramBytes) {
    ramHeld_ = ramBytes;
    vramHeld_ = vramBytes;
}

void PlanQueue::next() {
    while (!asked_ && !waiting_.isEmpty()) {
        Item item = waiting_.takeFirst();
        if (item.context != nullptr) {
            item.question.ramFreed = ramHeld_;
            item.question.vramFreed = vramHeld_;
            asked_ = std::move(item);
            planner_->askPlan(++id_, asked_->question);
        }
    }
}

void PlanQueue::onPlanned(quint64 id, const PlanAnswer& answer) {
    if (id != id_ || !asked_) {
        return;
    }
    const Item item = *std::exchange(asked_, std::nullopt);
    if (item.context != nullptr) {
        item.done(answer);
    }
    next();
}

}  // namespace hearth::ui
