// The model that answers: choosing its file, loading it, and its state for the window.
#pragma once

#include <QUrl>

#include "engine_status.h"
#include "load_options.h"

namespace hearth::ui {

class AppSettings;
class Notices;

// The base is written in full: the QML type description looks for it by this text.
class ActiveModel : public hearth::ui::EngineStatus {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")

public:
    ActiveModel(InferenceService& inference, AppSettings& settings, Notices& notices,
                QObject* parent = nullptr);

    Q_INVOKABLE void openFile(const QUrl& url);
    Q_INVOKABLE void openPath(const QString& path);
    Q_INVOKABLE void reload();

    // The settings of the engine were changed: loads the same model by them. Ends an answer. Should
    // that fail, changeFailed() comes and no other signal; loadAgain() then loads what ran before.
    void loadChanged();
    void loadAgain();
    // What the model that is ready was loaded with, as it was asked for.
    LoadOptions running() const { return running_; }
    void setRunningBudget(const LoadOptions& budget);
    // What it runs with, as the engine says it.
    EngineReport report() const { return report_; }

    int contextTokens() const { return contextTokens_; }
    bool isReady() const { return state() == QLatin1String("ready"); }
    bool isLoading() const { return state() == QLatin1String("loading"); }

signals:
    void loaded();
    // No model will answer what waits for one.
    void failed(const QString& sentence);
    void changeFailed(const QString& sentence);
    void reportChanged();

private:
    void load(const LoadOptions& options);
    void onLoaded(const LoadedModel& model);
    void onLoadFailed(const QString& sentence);

    InferenceService& inference_;
    AppSettings& settings_;
    Notices& notices_;
    int contextTokens_ = 0;
    QString lastGood_;
    LoadOptions asked_;
    LoadOptions running_;
    bool changes_ = false;  // the settings of the model that ran before
    EngineReport report_;
};

}  // namespace hearth::ui
