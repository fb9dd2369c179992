// Every setting is a row of one table: its key in the settings file, its possible values, its
// default, the value that it becomes, and its words on the settings page. The file, the window,
// --set and the manual's table follow it.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>

namespace hearth::ui {

struct GenerationSettings;
struct LoadOptions;

// A word that a setting may be.
struct SettingWord {
    const char* word;             // as in the file
    const char* label = nullptr;  // for people; null: the word itself
};

// A checked text as a value of the engine's, and back. Null: the setting is none of these.
struct SettingCodec {
    void (*toLoad)(const QString& text, LoadOptions& options) = nullptr;
    QString (*ofLoad)(const LoadOptions& options) = nullptr;
    void (*toGeneration)(const QString& text, GenerationSettings& settings) = nullptr;
};

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

struct SettingOnPage {
    const char* section = nullptr;  // "model", "answers", "appearance", "folders", "network",
                                    // "api"
    SettingControl control = SettingControl::Text;
    const char* label = nullptr;
    const char* says = nullptr;  // its effect and its cost
    // Range of the slider, in the setting's unit; 0: depends on the machine.
    double least = 0, most = 0, step = 0;

    QString labelText() const;
    QString saysText() const;
};

// Values are texts, as they stand in the file.
struct SettingSpec {
    enum class Kind {
        Choice,   // one of `words`
        Whole,    // a whole number from `least` to `most`, or one of `words`
        Real,     // any number from `least` to `most`, or one of `words`
        Size,     // bytes, as in 512M, from `least` to `most`, or one of `words`
        Flag,     // "true" or "false"
        Text,     // of at most `most` characters
        Path,     // absolute, or empty
        Paths,    // several, one a line
        Address,  // of a server: https, or http on this computer; or empty
        Proxy,    // http://host:port or socks5://host:port, or one of `words`
    };
    enum class Scope {
        Program,  // one value for the whole program
        Either,   // one value, and models may have their own
        Model,    // for single models only
        Window,   // kept by the window, not set by people
    };
    const char* key;  // "engine/ram": the section and the name
    Kind kind;
    Scope scope;
    const char* fallback;
    double least = 0;
    double most = 0;
    std::span<const SettingWord> words = {};
    const char* before = "";  // the key of earlier versions, which is still read
    SettingCodec codec = {};
    SettingOnPage page = {};  // without a section: not on the page

    QStringList wordList() const;
    bool modelsMayHaveIt() const { return scope == Scope::Either || scope == Scope::Model; }
    bool isOnPage() const { return page.section != nullptr; }
};

// In the order of the page.
std::span<const SettingSpec> settingTable();
// Accepts the key of earlier versions, too. Null: there is none.
const SettingSpec* findSetting(const QString& key);

struct CheckedSetting {
    std::optional<QString> text;  // the text to keep; empty: the value is refused
    QString wrong;                // of a refused value: a sentence without its full stop
};
CheckedSetting checkSetting(const SettingSpec& spec, const QString& text);

// "auto, or 1 to 1024": for the manual and for messages.
QString rangeOf(const SettingSpec& spec);

// "Model & machine"
QString sectionTitle(const QString& section);
// A word of a setting, for people: "auto" is "Automatic".
QString wordText(const QString& key, const QString& word);

// The bytes of a Size. Empty: the text is a word.
std::optional<quint64> bytesOf(const QString& size);
// The text of a Size: "2200M", "3G", "1234567".
QString sizeText(quint64 bytes);

}  // namespace hearth::ui
