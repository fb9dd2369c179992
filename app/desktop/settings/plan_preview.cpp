#include "settings/plan_preview.h"

#include <QStringList>

#include "settings/app_settings.h"
#include "system/size_words.h"

namespace hearth::ui {

PlanPreview::PlanPreview(AppSettings& settings, MachineService* machine, QObject* parent)
    : QObject(parent), settings_(settings), machine_(machine) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &PlanPreview::ask);
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key.startsWith(QLatin1String("engine/"))) {
            askSoon();
        }
    });
    if (machine_ != nullptr) {
        connect(machine_, &MachineService::planned, this, &PlanPreview::onPlanned);
    }
}

void PlanPreview::setModel(const QString& path) {
    if (path != model_) {
        model_ = path;
        known_ = false;
        emit changed();
        askSoon();
    }
}

void PlanPreview::setRunning(const LoadOptions& options, const EngineReport& report) {
    const bool first = report_.ramUsed == 0;
    running_ = options;
    report_ = report;
    if (first) {
        askSoon();
    }
    emit changed();
}

void PlanPreview::setFacts(const MachineFacts& facts) {
    facts_ = facts;
    emit changed();
}

void PlanPreview::setWatched(bool watched) {
    if (watched != watched_) {
        watched_ = watched;
        emit watchedChanged();
        askSoon();
    }
}

void PlanPreview::askSoon() {
    if (watched_ && machine_ != nullptr && !model_.isEmpty()) {
        rest_.start();
        emit changed();
    }
}

void PlanPreview::ask() {
    if (!watched_ || model_.isEmpty()) {
        return;
    }
    LoadOptions options = settings_.loadOptions(model_);
    // The free memory does not include the memory of this model. With free memory alone, the plan
    // would get too little.
    if (report_.modelPath == model_ && !options.ramBytes && !running_.ramBytes) {
        options.ramBytes = report_.ramBudget;
    }
    machine_->askPlan(
        ++asked_, {.options = options, .ramFreed = report_.ramUsed, .vramFreed = report_.vramUsed});
    emit changed();
}

void PlanPreview::onPlanned(quint64 id, const PlanAnswer& answer) {
    if (id != asked_) {
        return;  // settings have changed meanwhile
    }
    answered_ = id;
    answer_ = answer;
    known_ = true;
    emit changed();
}

double PlanPreview::share(quint64 bytes) const {
    const quint64 all = answer_.vramBytes + answer_.ramBytes + answer_.diskBytes;
    return all == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(all);
}

QString PlanPreview::cardText() const {
    return answer_.vramBytes == 0 ? QString()
                                  : tr("%1 on the graphics card").arg(sizeWords(answer_.vramBytes));
}

QString PlanPreview::memoryText() const {
    return answer_.ramBytes == 0 ? QString() : tr("%1 in memory").arg(sizeWords(answer_.ramBytes));
}

QString PlanPreview::diskText() const {
    return answer_.diskBytes == 0 ? QString()
                                  : tr("%1 stay on the disk").arg(sizeWords(answer_.diskBytes));
}

QString PlanPreview::speedText() const {
    if (answer_.tokensHigh <= 0) {
        return tr("How fast is not known");
    }
    const auto number = [](double value) {
        return QString::number(value, 'f', value < 10 ? 1 : 0);
    };
    const QString speed =
        tr("%1 to %2 tokens/s").arg(number(answer_.tokensLow), number(answer_.tokensHigh));
    return answer_.busy ? tr("%1, or faster: the computer was busy").arg(speed) : speed;
}

QString PlanPreview::freeText() const {
    if (facts_.ramBytes == 0 || !known_) {
        return {};
    }
    // The memory that is free now, with that of this program given back.
    const quint64 room = facts_.ramFreeBytes + report_.ramUsed;
    if (answer_.ramBytes >= room) {
        return tr("Other programs are left with hardly any memory.");
    }
    return tr("%1 of %2 memory stay free for other programs.")
        .arg(sizeWords(room - answer_.ramBytes), sizeWords(facts_.ramBytes));
}

QString PlanPreview::summary() const {
    if (!problem().isEmpty()) {
        return problem();
    }
    QStringList parts;
    for (const QString& part : {speedText(), cardText(), memoryText(), diskText(), freeText()}) {
        if (!part.isEmpty()) {
            parts << part;
        }
    }
    return parts.join(QStringLiteral(". "));
}

}  // namespace hearth::ui
