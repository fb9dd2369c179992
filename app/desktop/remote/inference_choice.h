// The engine of this computer and the models of others as one InferenceService: the path of the
// model that is loaded says which of them answers. The one that is left gives its memory back.
#pragma once

#include "bridge/inference_service.h"

namespace hearth::ui {

class InferenceChoice : public InferenceService {
    Q_OBJECT

public:
    // Both outlive it.
    InferenceChoice(InferenceService& local, InferenceService& remote, QObject* parent = nullptr);

    void loadModel(const LoadOptions& options) override;
    void unloadModel() override;
    void generate(quint64 requestId, const QList<ChatTurn>& turns,
                  const GenerationSettings& settings) override;
    void setBudget(const BudgetRequest& budget) override;
    void cancel() override;
    void watchMap(bool wanted) override;
    void forget(const QString& conversation) override;
    bool shutdown(int timeoutMs) override;

private:
    void pass(InferenceService& from);

    InferenceService& local_;
    InferenceService& remote_;
    InferenceService* active_;
};

}  // namespace hearth::ui
