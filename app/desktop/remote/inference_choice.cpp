#include "remote/inference_choice.h"

#include <QDeadlineTimer>

#include "bridge/remote_path.h"

namespace hearth::ui {

InferenceChoice::InferenceChoice(InferenceService& local, InferenceService& remote, QObject* parent)
    : InferenceService(parent), local_(local), remote_(remote), active_(&local) {
    pass(local_);
    pass(remote_);
}

void InferenceChoice::pass(InferenceService& from) {
    // An answer ends where it began, also if the other one was chosen meanwhile.
    connect(&from, &InferenceService::pieces, this, &InferenceService::pieces);
    connect(&from, &InferenceService::finished, this, &InferenceService::finished);
    connect(&from, &InferenceService::failed, this, &InferenceService::failed);
    // The one that was left may still have signals on their way: they are of no model any more.
    const auto isActive = [this, &from] { return active_ == &from; };
    connect(&from, &InferenceService::loadProgress, this, [this, isActive](double fraction) {
        if (isActive()) {
            emit loadProgress(fraction);
        }
    });
    connect(&from, &InferenceService::loaded, this, [this, isActive](const ModelSummary& model) {
        if (isActive()) {
            emit loaded(model);
        }
    });
    connect(&from, &InferenceService::loadFailed, this, [this, isActive](const QString& sentence) {
        if (isActive()) {
            emit loadFailed(sentence);
        }
    });
    connect(&from, &InferenceService::reported, this, [this, isActive](const EngineReport& report) {
        if (isActive()) {
            emit reported(report);
        }
    });
    connect(&from, &InferenceService::mapped, this, [this, isActive](const MapReport& map) {
        if (isActive()) {
            emit mapped(map);
        }
    });
    connect(&from, &InferenceService::budgetSet, this, &InferenceService::budgetSet);
    connect(&from, &InferenceService::budgetRefused, this, &InferenceService::budgetRefused);
}

void InferenceChoice::loadModel(const LoadOptions& options) {
    InferenceService* next = isRemotePath(options.path) ? &remote_ : &local_;
    if (next != active_) {
        active_->cancel();
        active_->unloadModel();
        active_ = next;
    }
    active_->loadModel(options);
}

void InferenceChoice::unloadModel() {
    active_->unloadModel();
}

void InferenceChoice::generate(quint64 requestId, const QList<ChatTurn>& turns,
                               const GenerationSettings& settings) {
    active_->generate(requestId, turns, settings);
}

void InferenceChoice::setBudget(const BudgetRequest& budget) {
    active_->setBudget(budget);
}

void InferenceChoice::cancel() {
    local_.cancel();
    remote_.cancel();
}

void InferenceChoice::watchMap(bool wanted) {
    local_.watchMap(wanted);
    remote_.watchMap(wanted);
}

void InferenceChoice::forget(const QString& conversation) {
    local_.forget(conversation);
    remote_.forget(conversation);
}

bool InferenceChoice::shutdown(int timeoutMs) {
    const QDeadlineTimer deadline(timeoutMs);
    const bool remote = remote_.shutdown(timeoutMs);
    return local_.shutdown(static_cast<int>(deadline.remainingTime())) && remote;
}

}  // namespace hearth::ui
