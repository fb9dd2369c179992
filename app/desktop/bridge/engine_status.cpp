#include "bridge/engine_status.h"

#include <QStringList>
#include <algorithm>

#include "bridge/remote_path.h"
#include "system/size_words.h"

namespace hearth::ui {

void EngineStatus::setEmpty() {
    state_ = QStringLiteral("empty");
    modelName_.clear();
    ready_.reset();
    errorText_.clear();
    path_.clear();
    host_.clear();
    emit changed();
    setProgress(0);
}

void EngineStatus::setLoading(const QString& path) {
    state_ = QStringLiteral("loading");
    modelName_ = nameOfModelAt(path);
    host_.clear();
    ready_.reset();
    errorText_.clear();
    path_ = path;
    setProgress(0);
    emit changed();
}

void EngineStatus::setProgress(double fraction) {
    const double progress = std::clamp(fraction, 0.0, 1.0);
    if (progress_ != progress) {
        progress_ = progress;
        emit progressChanged();
    }
}

void EngineStatus::setReady(const ModelSummary& model) {
    state_ = QStringLiteral("ready");
    path_ = model.path;
    host_ = model.host;
    modelName_ = model.name.isEmpty() ? nameOfModelAt(model.path) : model.name;
    errorText_.clear();
    ready_ = model;
    setProgress(1);
    emit changed();
}

QString EngineStatus::modelName() const {
    return ready_ && !host_.isEmpty() && !ready_->name.isEmpty() ? notLocal(modelName_)
                                                                 : modelName_;
}

QString EngineStatus::detail() const {
    if (!ready_) {
        return {};
    }
    const ModelSummary& model = *ready_;
    QStringList parts;
    if (!host_.isEmpty()) {
        parts << host_;
    }
    if (!model.type.isEmpty()) {
        parts << model.type;
    }
    if (model.fileBytes > 0) {
        parts << sizeWords(static_cast<quint64>(model.fileBytes),
                           model.fileBytes < 1'000'000'000 ? 0 : 1);
    }
    if (model.contextTokens > 0) {
        parts << tr("context %1").arg(model.contextTokens);
    }
    if (!model.isa.isEmpty()) {
        parts << model.isa;
    }
    if (!model.gpu.isEmpty()) {
        parts << model.gpu;
    }
    if (model.threads > 0) {
        parts << tr("%n threads", nullptr, model.threads);
    }
    return parts.join(QStringLiteral(" · "));
}

void EngineStatus::setFailed(const QString& sentence) {
    state_ = QStringLiteral("failed");
    ready_.reset();
    host_.clear();
    errorText_ = sentence;
    setProgress(0);
    emit changed();
}

}  // namespace hearth::ui
