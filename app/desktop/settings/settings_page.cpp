#include "settings/settings_page.h"

#include "bridge/remote_path.h"
#include "settings/app_settings.h"
#include "settings/setting_table.h"

namespace hearth::ui {

SettingsPage::SettingsPage(AppSettings& settings, MachineService* machine, QObject* parent)
    : QObject(parent),
      settings_(settings),
      machine_(machine),
      rows_(settings),
      preview_(settings, machine) {
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        for (const char* asked : {"engine/activation", "engine/predictors",
                                  "engine/predictor-input", "engine/thresholds"}) {
            if (key == QLatin1String(asked)) {
                askModes();
            }
        }
    });
    if (machine_ != nullptr) {
        connect(machine_, &MachineService::modes, this,
                [this](quint64 id, const QHash<QString, QString>& refused) {
                    if (id == modesId_) {
                        rows_.setRefusedModes(refused);
                    }
                });
        connect(machine_, &MachineService::facts, this, [this](const MachineFacts& facts) {
            rows_.setFacts(facts);
            preview_.setFacts(facts);
            asking_ = false;
            emit askingChanged();
        });
    }
}

QVariantList SettingsPage::sections() const {
    QVariantList list;
    for (const char* id :
         {"model", "answers", "appearance", "folders", "network", "api", "about"}) {
        list << QVariantMap{{QStringLiteral("id"), QString::fromLatin1(id)},
                            {QStringLiteral("title"), sectionTitle(QString::fromLatin1(id))}};
    }
    return list;
}

void SettingsPage::setShown(bool shown) {
    if (shown && !asked_) {
        ask(false);
    }
    shown_ = shown;
    rows_.setSearch({});  // the field of the page that is shown next is empty
    preview_.setWatched(shown);
    rows_.setWatched(shown);
    askModes();
}

void SettingsPage::ask(bool anew) {
    if (machine_ != nullptr && !asking_) {
        asked_ = true;
        asking_ = true;
        emit askingChanged();
        machine_->askFacts(anew);
    }
}

void SettingsPage::askModes() {
    if (shown_ && machine_ != nullptr && !model_.isEmpty()) {
        machine_->askModes(++modesId_, settings_.loadOptions(model_));
    }
}

void SettingsPage::setModel(const QString& path) {
    // A model on another computer has no plan and no modes here.
    const QString here = isRemotePath(path) ? QString() : path;
    if (here != model_) {
        model_ = here;
        ++modesId_;  // the pending question is about another model
        rows_.setRefusedModes({});
        askModes();
    }
    rows_.setModel(path);
    preview_.setModel(here);
}

void SettingsPage::setRunning(const LoadOptions& options, const EngineReport& report) {
    rows_.setReport(report);
    preview_.setRunning(options, report);
}

}  // namespace hearth::ui
