#include "bridge/plan_options.h"

#include <QDir>
#include <QFileInfo>

#include "bridge/load_fields.h"

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
    tools::PlanOptions plan;
    setLoadFields(question.options, &plan);
    if (!question.folder.isEmpty()) {
        plan.disk_folder = QDir::toNativeSeparators(existing(question.folder)).toStdString();
    }
    plan.freed_ram_bytes = question.ramFreed;
    plan.freed_vram_bytes = question.vramFreed;
    return plan;
}

}  // namespace hearth::ui
