// Every setting there is: its key in the settings file, what it may be, and what it is while nobody
// has said anything. The file, the window, --set and the manual's table go by this one.
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
        Real,     // likewise any number
        Size,     // bytes, as in 512M, from `least` to `most`, or one of `words`
        Flag,     // "true" or "false"
        Text,     // of at most `most` characters
        Path,     // absolute, or empty
        Paths,    // several, one a line
        Address,  // of a server: https, or http on this computer; or empty
        Proxy,    // http://host:port or socks5://host:port, or one of `words`
    };
    enum class Scope {
        Program,  // one value
        Either,   // one value, and single models may have another
        Model,    // of single models only
        Window,   // the window keeps it by itself
    };
    const char* key;  // "engine/ram": the section and the name
    Kind kind;
    Scope scope;
    const char* fallback;
    double least = 0;
    double most = 0;
    const char* words = "";   // separated by |
    const char* before = "";  // the key it had in earlier versions, which is still read

    QStringList wordList() const;
    bool modelsMayHaveIt() const { return scope == Scope::Either || scope == Scope::Model; }
};

std::span<const SettingSpec> settingTable();
// Also by the key of earlier versions. Null: there is none.
const SettingSpec* findSetting(const QString& key);

struct CheckedSetting {
    std::optional<QString> text;  // as it is kept; empty: it may not be this
    QString wrong;                // then a sentence without its full stop
};
CheckedSetting checkSetting(const SettingSpec& spec, const QString& text);

// "auto, or 1 to 1024": for the manual and for messages.
QString rangeOf(const SettingSpec& spec);

// The bytes of a Size that is no word. Empty: it is one.
std::optional<quint64> bytesOf(const QString& size);
// As a Size: "2200M", "3G", "1234567".
QString sizeText(quint64 bytes);

}  // namespace hearth::ui
