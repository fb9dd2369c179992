#include "window/engine_change.h"

#include <QLoggingCategory>
#include <QScopedValueRollback>
#include <utility>

#include "bridge/remote_path.h"
#include "conversation/replies.h"
#include "settings/app_settings.h"
#include "settings/setting_table.h"
#include "status/active_model.h"
#include "status/notices.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcChange, "hearth.settings")

namespace {

bool isOfEngine(const QString& key) {
    return key.startsWith(QLatin1String("engine/"));
}

// A budget can be moved to a number; leaving it to the machine again needs a new plan.
bool onlyBudgetsDiffer(const LoadOptions& wanted, const LoadOptions& running) {
    LoadOptions same = wanted;
    same.ramBytes = running.ramBytes;
    same.vramBytes = running.vramBytes;
    const auto movable = [](const std::optional<quint64>& to, const std::optional<quint64>& from) {
        return to.has_value() || to == from;
    };
    return same == running && movable(wanted.ramBytes, running.ramBytes) &&
           movable(wanted.vramBytes, running.vramBytes);
}

}  // namespace

EngineChange::EngineChange(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &EngineChange::apply);
    connect(&parts_.settings, &AppSettings::changed, this, &EngineChange::onChanged);
    connect(&parts_.model, &ActiveModel::loaded, this, [this] {
        setWaits(false);
        if (parts_.settings.loadOptions(parts_.model.path()) != parts_.model.running()) {
            rest_.start();  // it changed meanwhile
        }
    });
    connect(&parts_.model, &ActiveModel::changeFailed, this, [this](const QString& sentence) {
        goBack(sentence, false);
        parts_.model.loadAgain();
    });
    connect(&parts_.inference, &InferenceService::budgetSet, this, &EngineChange::onBudgetSet);
    connect(&parts_.inference, &InferenceService::budgetRefused, this,
            &EngineChange::onBudgetRefused);
    connect(&parts_.replies, &Replies::generatingChanged, this, [this] {
        if (waits_ && !parts_.replies.generating()) {
            apply();
        }
    });
}

void EngineChange::onChanged(const QString& key, const QString& model) {
    const bool ofOther = !model.isEmpty() && model != parts_.model.path();
    if (goingBack_ || ofOther || !isOfEngine(key)) {
        return;
    }
    setRefusal({});
    parts_.notices.end(Notices::Topic::Change);
    rest_.start();
}

void EngineChange::apply() {
    rest_.stop();
    if (isRemotePath(parts_.model.path())) {
        setWaits(false);  // the engine of another computer has settings of its own
        return;
    }
    const LoadOptions wanted = parts_.settings.loadOptions(parts_.model.path());
    const LoadOptions running = parts_.model.running();
    if (parts_.model.isLoading() || budgetAsked_) {
        return;  // applied when there is an answer
    }
    if (parts_.model.state() == QLatin1String("failed")) {
        parts_.model.reload();  // it may succeed now
        return;
    }
    if (!parts_.model.isReady() || wanted == running) {
        setWaits(false);
    } else if (onlyBudgetsDiffer(wanted, running)) {
        setWaits(false);
        setBudget(wanted, running);
    } else if (parts_.replies.generating()) {
        setWaits(true);
    } else {
        loadAnew();
    }
}

void EngineChange::applyNow() {
    if (waits_) {
        loadAnew();
    }
}

void EngineChange::loadAnew() {
    setWaits(false);
    qCInfo(lcChange) << "engine settings changed: loading anew";
    parts_.model.loadChanged();
}

void EngineChange::setBudget(const LoadOptions& wanted, const LoadOptions& running) {
    budgetAsked_ = true;
    budgetWanted_ = wanted;
    budgetBefore_ = running;
    BudgetRequest request{.id = ++budgetId_};
    if (wanted.ramBytes != running.ramBytes) {
        request.ramBytes = wanted.ramBytes;
    }
    if (wanted.vramBytes != running.vramBytes) {
        request.vramBytes = wanted.vramBytes;
    }
    parts_.inference.setBudget(request);
}

void EngineChange::onBudgetSet(quint64 id) {
    if (id != budgetId_ || !std::exchange(budgetAsked_, false)) {
        return;
    }
    parts_.model.setRunningBudget(budgetWanted_);
    apply();  // applies changes made meanwhile
}

// The refusal comes at once, or when the budget should have been carried out.
void EngineChange::onBudgetRefused(quint64 id, const QString& sentence) {
    if (id != budgetId_) {
        return;
    }
    budgetAsked_ = false;
    parts_.model.setRunningBudget(budgetBefore_);
    goBack(sentence, true);
    apply();
}

void EngineChange::setWaits(bool waits) {
    if (waits_ != waits) {
        waits_ = waits;
        emit waitsChanged();
    }
}

void EngineChange::setRefusal(const QString& sentence) {
    if (refusal_ != sentence) {
        refusal_ = sentence;
        emit refusalChanged();
    }
}

void EngineChange::goBack(const QString& sentence, bool budgetsOnly) {
    const QScopedValueRollback<bool> rollback(goingBack_, true);
    const QString model = parts_.model.path();
    const auto runs = AppSettings::textsOf(parts_.model.running());
    const auto wanted = AppSettings::textsOf(parts_.settings.loadOptions(model));
    for (const SettingSpec& spec : settingTable()) {
        const QString key = QString::fromLatin1(spec.key);
        const bool isBudget =
            key == QLatin1String("engine/ram") || key == QLatin1String("engine/vram");
        if (!runs.contains(key) || runs[key] == wanted[key] || (budgetsOnly && !isBudget)) {
            continue;
        }
        // The new value may be the model's own or that for all. Removing it may uncover the old
        // value.
        const QString place = parts_.settings.isSet(spec.key, model) ? model : QString();
        parts_.settings.reset(spec.key, place);
        if (AppSettings::textsOf(parts_.settings.loadOptions(model))[key] != runs[key]) {
            parts_.settings.set(spec.key, runs[key], place);
        }
    }
    setRefusal(sentence);
    parts_.notices.notifyAboutChange(sentence);
}

}  // namespace hearth::ui
