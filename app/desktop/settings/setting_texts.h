// What the settings page says of each setting, in the order it shows them.
#pragma once

#include <QString>
#include <span>

namespace hearth::ui {

// How a row lets one choose.
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
    const char* says;  // what it does and what it costs
    // Of a slider, in the setting's unit; 0: as the machine has it.
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
