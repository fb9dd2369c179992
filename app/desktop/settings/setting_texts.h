// The settings page's words for each setting, in the order of the page.
#pragma once

#include <QString>
#include <span>

namespace hearth::ui {

// The control with which a row lets people choose.
enum class SettingControl {
    Choice,  // of a few words
    Amount,  // a slider and a field, and a switch where there is "auto"
    Switch,
    Text,
    LongText,
    File,
    Folder,
    Folders,
};

struct SettingText {
    const char* key;
    const char* section;  // "model", "answers", "appearance", "folders", "network"
    SettingControl control;
    const char* label;
    const char* says;  // its effect and its cost
    // Range of the slider, in the setting's unit; 0: depends on the machine.
    double least = 0, most = 0, step = 0;

    QString labelText() const;
    QString saysText() const;
};

std::span<const SettingText> settingTexts();

// "Model & machine"
QString sectionTitle(const QString& section);
// A word of a Choice, for people: "auto" is "Automatic".
QString wordText(const QString& key, const QString& word);

}  // namespace hearth::ui
