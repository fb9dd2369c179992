// The model that answers: choosing its file, loading it, and its state for the window.
#pragma once

#include <QUrl>

#include "engine_status.h"

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

    int contextTokens() const { return contextTokens_; }
    bool isReady() const { return state() == QLatin1String("ready"); }
    bool isLoading() const { return state() == QLatin1String("loading"); }

signals:
    void loaded();
    // No model will answer what waits for one.
    void failed(const QString& sentence);

private:
    void load(const QString& path);
    void onLoaded(const LoadedModel& model);
    void onLoadFailed(const QString& sentence);

    InferenceService& inference_;
    AppSettings& settings_;
    Notices& notices_;
    int contextTokens_ = 0;
    QString lastGood_;
};

}  // namespace hearth::ui
