#include "bridge/plan_options.h"

#include <QDir>
#include <QFileInfo>

namespace hearth::ui {
namespace {

// The folder, or its nearest existing parent where only the first download creates it: the same
// disk.
QString existing(const QString& folder) {
    QString path = QDir::cleanPath(folder);
    while (!QFileInfo(path).isDir()) {
        const QString above = QFileInfo(path).path();
        if (above == path) {
            break;
        }
        path = above;
    }
    return path;
}

}  // namespace

tools::PlanOptions planOptions(const PlanQuestion& question) {
    const LoadOptions& options = question.options;
    tools::PlanOptions plan;
    plan.model_path = options.path.toStdString();
    plan.ram_bytes = options.ramBytes;
    plan.vram_bytes = options.vramBytes;
    plan.threads = options.threads;
    plan.n_ctx = options.contextTokens;
    plan.gpu = options.gpu.toStdString();
    plan.mode = options.mode.toStdString();
    plan.kv = options.kv.toStdString();
    plan.predictors_path = options.predictorsPath.toStdString();
    plan.predictor_input = options.predictorInput.toStdString();
    plan.activation = options.activation.toStdString();
    plan.thresholds_path = options.thresholdsPath.toStdString();
    if (!question.folder.isEmpty()) {
        plan.disk_folder = QDir::toNativeSeparators(existing(question.folder)).toStdString();
    }
    plan.freed_ram_bytes = question.ramFreed;
    plan.freed_vram_bytes = question.vramFreed;
    return plan;
}

}  // namespace hearth::ui
