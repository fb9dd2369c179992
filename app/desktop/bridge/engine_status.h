// The engine as the window shows it: empty, loading, ready or failed. ActiveModel drives it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <optional>

#include "bridge/inference_service.h"

namespace hearth::ui {

class EngineStatus : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ActiveModel is one")
    // "empty", "loading", "ready", "failed"
    Q_PROPERTY(QString state READ state NOTIFY changed)
    Q_PROPERTY(double progress READ progress NOTIFY progressChanged)  // 0 to 1 while loading
    Q_PROPERTY(QString modelName READ modelName NOTIFY changed)  // the file's name while loading
    Q_PROPERTY(QString detail READ detail NOTIFY changed)  // "Q4_0 · 36 MB · context 1024 · ..."
    Q_PROPERTY(QString errorText READ errorText NOTIFY changed)  // of "failed": a sentence
    Q_PROPERTY(QString path READ path NOTIFY changed)
    // Words go there, "example.org"; empty: they stay on this computer.
    Q_PROPERTY(QString host READ host NOTIFY changed)

public:
    using QObject::QObject;

    QString state() const { return state_; }
    double progress() const { return progress_; }
    QString modelName() const;  // of a model elsewhere: with the words that it is not local
    QString detail() const;
    QString errorText() const { return errorText_; }
    QString path() const { return path_; }
    QString host() const { return host_; }

    void setEmpty();
    void setLoading(const QString& path);
    void setProgress(double fraction);
    void setReady(const ModelSummary& model);
    void setFailed(const QString& sentence);

signals:
    void changed();
    void progressChanged();

private:
    QString state_ = QStringLiteral("empty");
    double progress_ = 0;
    QString modelName_;
    std::optional<ModelSummary> ready_;  // of "ready"
    QString errorText_;
    QString path_;
    QString host_;
};

}  // namespace hearth::ui
