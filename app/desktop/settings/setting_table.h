// Every setting: its key in the settings file, its possible values, and its default. The file, the
// window, --set and the manual's table follow this table.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>

namespace hearth::ui {

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
    const char* words = "";   // separated by |
    const char* before = "";  // the key of earlier versions, which is still read

    QStringList wordList() const;
    bool modelsMayHaveIt() const { return scope == Scope::Either || scope == Scope::Model; }
};

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

// The bytes of a Size. Empty: the text is a word.
std::optional<quint64> bytesOf(const QString& size);
// The text of a Size: "2200M", "3G", "1234567".
QString sizeText(quint64 bytes);

}  // namespace hearth::ui
