// The model that answers: the choice of its file, its loading, and its state for the window.
#pragma once

#include <QUrl>
#include <QVariantList>

#include "bridge/engine_status.h"
#include "bridge/load_options.h"

namespace hearth::ui {

class AppSettings;
class Notices;

// The base class is written in full: the QML type description looks for it by this text.
class ActiveModel : public hearth::ui::EngineStatus {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // The choices for the model's reasoning: a list of {value, label}. Empty: nothing.
    Q_PROPERTY(QVariantList reasoningChoices READ reasoningChoices NOTIFY reasoningChanged)
    Q_PROPERTY(QString reasoning READ reasoning NOTIFY reasoningChanged)  // one of those values

public:
    ActiveModel(InferenceService& inference, AppSettings& settings, Notices& notices,
                QObject* parent = nullptr);

    Q_INVOKABLE void openFile(const QUrl& url);
    Q_INVOKABLE void openPath(const QString& path);
    Q_INVOKABLE void reload();
    // Keeps the choice for this model.
    Q_INVOKABLE void chooseReasoning(const QString& value);

    QVariantList reasoningChoices() const;
    QString reasoning() const;

    // Loads the same model with changed engine settings. Ends an answer. If loading fails,
    // changeFailed() comes and no other signal; loadAgain() then loads with the earlier settings.
    void loadChanged();
    void loadAgain();
    // The options that the ready model was loaded with, as they were asked for.
    LoadOptions running() const { return running_; }
    void setRunningBudget(const LoadOptions& budget);
    // The engine's own report of what runs.
    EngineReport report() const { return report_; }

    // The experts that tokens chose since the model was loaded, by place.
    ExpertShares experts() const { return experts_; }

    int contextTokens() const { return contextTokens_; }
    bool isReady() const { return state() == QLatin1String("ready"); }
    bool isLoading() const { return state() == QLatin1String("loading"); }

signals:
    void loaded();
    // Loading failed: no model will answer a waiting question.
    void failed(const QString& sentence);
    void changeFailed(const QString& sentence);
    void reportChanged();
    void reasoningChanged();
    void expertsChanged();

private:
    void load(const LoadOptions& options);
    void onLoaded(const ModelSummary& model);
    void onLoadFailed(const QString& sentence);

    InferenceService& inference_;
    AppSettings& settings_;
    Notices& notices_;
    int contextTokens_ = 0;
    QString lastGood_;
    LoadOptions asked_;
    LoadOptions running_;
    bool changes_ = false;  // the load under way changes the settings of the running model
    EngineReport report_;
    ExpertShares experts_;
};

}  // namespace hearth::ui
