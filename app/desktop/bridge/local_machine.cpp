#include "bridge/local_machine.h"

#include <QDir>
#include <QLoggingCategory>
#include <string>
#include <utility>

#include <hearth/tools.h>

#include "bridge/error_text.h"
#include "bridge/plan_options.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcMachine, "hearth.machine")

namespace {

std::string native(const QString& path) {
    return QDir::toNativeSeparators(path).toStdString();
}

MachineFacts factsFrom(const tools::DeviceReport& report) {
    MachineFacts facts;
    facts.cores = report.physical_cores;
    facts.threads = report.threads;
    facts.mostThreads = report.logical_cores;
    facts.ramBytes = report.ram_limit_bytes.value_or(report.ram_total_bytes);
    facts.ramFreeBytes = report.ram_available_bytes;
    facts.noCards = QString::fromStdString(report.no_gpus);
    for (const tools::GpuReport& gpu : report.gpus) {
        facts.cards.append({.index = gpu.index,
                            .name = QString::fromStdString(gpu.name),
                            .memoryBytes = gpu.memory_bytes,
                            .sharesRam = gpu.shares_ram,
                            .gbPerSecond = gpu.speeds.read_gb_per_s,
                            .status = QString::fromStdString(gpu.status),
                            .chosen = gpu.chosen,
                            .reason = QString::fromStdString(gpu.reason)});
    }
    return facts;
}

PlanAnswer answerFrom(const tools::PlanReport& report) {
    PlanAnswer answer;
    if (report.fits == "no") {
        // The last reason says why it does not fit; those before it describe the plan if it did
        // fit. Loading says the same.
        answer.sentence = sentenceFor(
            {ErrorCode::OverBudget, report.reasons.empty() ? "" : report.reasons.back(), {}, {}});
        return answer;
    }
    answer.gpu = QString::fromStdString(report.gpu);
    answer.ramBytes = report.ram.total();
    answer.vramBytes = report.vram.total();
    answer.diskBytes = report.flash_weights_bytes;
    for (const tools::PlanReport::Layer& layer : report.layers) {
        if (layer.n_experts > 0) {
            answer.experts += {layer.ffn_vram_bytes, layer.ffn_ram_bytes, layer.ffn_flash_bytes};
        }
    }
    answer.contextTokens = report.n_ctx;
    answer.threads = report.threads;
    answer.mode = QString::fromStdString(report.mode);
    if (const auto& speed = report.forecast.decode_per_s) {
        answer.tokensLow = speed->low;
        answer.tokensHigh = speed->high;
    }
    answer.firstTokenMs = report.forecast.ttft_ms.value_or(0);
    answer.busy = report.busy;
    return answer;
}

}  // namespace

LocalMachine::LocalMachine(const QString& cacheFolder, const QString& program,
                           std::shared_ptr<tools::SpeedMemory> speeds, QObject* parent)
    : MachineService(parent),
      cacheFolder_(cacheFolder),
      program_(program),
      speeds_(speeds != nullptr ? std::move(speeds) : std::make_shared<tools::SpeedMemory>()) {
    pool_.setMaxThreadCount(1);
}

LocalMachine::~LocalMachine() {
    shutdown(-1);
}

bool LocalMachine::shutdown(int timeoutMs) {
    pool_.clear();
    return pool_.waitForDone(timeoutMs);
}

void LocalMachine::askFacts(bool anew) {
    pool_.start([this, anew] {
        tools::DeviceOptions options;
        options.probe = anew;
        options.program = native(program_);
        options.cache_folder = native(cacheFolder_);
        const auto report = tools::devices(options);
        if (!report) {
            qCWarning(lcMachine).noquote() << "devices:" << logLineFor(report.error());
        }
        // Nothing is known without a report, and the settings do without the facts.
        const MachineFacts known = report ? factsFrom(*report) : MachineFacts();
        QMetaObject::invokeMethod(this, [this, known] { emit facts(known); });
    });
}

void LocalMachine::askPlan(quint64 id, const PlanQuestion& question) {
    latestPlan_ = id;
    pool_.start([this, id, question] {
        if (latestPlan_ != id) {
            return;
        }
        tools::PlanOptions plan = planOptions(question);
        plan.cache_folder = native(cacheFolder_);
        plan.program_path = native(program_);
        plan.speed_memory = speeds_;
        const auto report = tools::plan(plan);
        PlanAnswer answer;
        if (report) {
            answer = answerFrom(*report);
        } else {
            answer.sentence = sentenceFor(report.error());
        }
        QMetaObject::invokeMethod(this, [this, id, answer] { emit planned(id, answer); });
    });
}

void LocalMachine::askModes(quint64 id, const LoadOptions& options) {
    latestModes_ = id;
    pool_.start([this, id, options] {
        if (latestModes_ != id) {
            return;
        }
        QHash<QString, QString> refused;
        if (const auto report = tools::modes(planOptions({options}))) {
            for (const tools::ModeReport& mode : *report) {
                if (mode.refused) {
                    refused.insert(QString::fromStdString(mode.mode), sentenceFor(*mode.refused));
                }
            }
        }
        QMetaObject::invokeMethod(this, [this, id, refused] { emit modes(id, refused); });
    });
}

}  // namespace hearth::ui
