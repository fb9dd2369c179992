#include "settings_page.h"

#include "setting_texts.h"

namespace hearth::ui {

SettingsPage::SettingsPage(AppSettings& settings, MachineService* machine, QObject* parent)
    : QObject(parent), machine_(machine), rows_(settings), preview_(settings, machine) {
    if (machine_ != nullptr) {
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
    for (const char* id : {"model", "answers", "appearance", "folders", "network", "about"}) {
        list << QVariantMap{{QStringLiteral("id"), QString::fromLatin1(id)},
                            {QStringLiteral("title"), sectionTitle(QString::fromLatin1(id))}};
    }
    return list;
}

void SettingsPage::setShown(bool shown) {
    if (shown && !asked_) {
        ask(false);
    }
    preview_.setWatched(shown);
}

void SettingsPage::ask(bool anew) {
    if (machine_ != nullptr && !asking_) {
        asked_ = true;
        asking_ = true;
        emit askingChanged();
        machine_->askFacts(anew);
    }
}

void SettingsPage::setModel(const QString& path) {
    rows_.setModel(path);
    preview_.setModel(path);
}

void SettingsPage::setRunning(const LoadOptions& options, const EngineReport& report) {
    rows_.setReport(report);
    preview_.setRunning(options, report);
}

}  // namespace hearth::ui
