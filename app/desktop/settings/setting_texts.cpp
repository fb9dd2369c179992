#include "settings/setting_texts.h"

#include <QCoreApplication>
#include <QHash>

namespace hearth::ui {

namespace {

using Control = SettingControl;

constexpr double kMiB = 1 << 20;

// QT_TRANSLATE_NOOP marks them for translators.
#define SAYS(text) QT_TRANSLATE_NOOP("Settings", text)

constexpr SettingText kTexts[] = {
    {"engine/gpu", "model", Control::Choice, SAYS("Graphics card"),
     SAYS("Which card computes. Automatic takes the best one, if it is faster than the processor "
          "alone. Changing it loads the model anew.")},
    {"engine/vram", "model", Control::Amount, SAYS("Memory of the graphics card"),
     SAYS("The most the model may take of the card. More is faster; games and video then have "
          "less. Takes effect in the running chat."),
     0, 0, 64 * kMiB},
    {"engine/ram", "model", Control::Amount, SAYS("Memory"),
     SAYS("The most memory that the model may hold. The rest is read from the disk for each word, "
          "which is slower but leaves the computer usable. Takes effect in the running chat."),
     64 * kMiB, 0, 64 * kMiB},
    {"engine/threads", "model", Control::Amount, SAYS("Processor threads"),
     SAYS("Threads that compute at once. More threads than fast cores seldom help, and other "
          "programs become slow. Changing it loads the model anew."),
     1, 0, 1},
    {"engine/ctx", "model", Control::Amount, SAYS("Context"),
     SAYS("How much of a conversation the model sees, in tokens: a token is most of a word. A "
          "larger one takes more memory. Changing it loads the model anew."),
     256, 32768, 256},
    {"engine/kv", "model", Control::Choice, SAYS("Memory of a conversation"),
     SAYS(
         "How exactly the model keeps what it has read. Half as large, it leaves room for a longer "
         "context, and changes answers a little. Changing it loads the model anew.")},
    {"engine/mode", "model", Control::Choice, SAYS("What is computed"),
     SAYS("Automatic and exact give the model's own answers. Predicted and approximate leave "
          "more out: faster, with slightly other words, and only for models made for it. Dense "
          "leaves out nothing. Changing it loads the model anew.")},
    {"engine/memory-pressure", "model", Control::Switch, SAYS("Give way to other programs"),
     SAYS("Gives memory back while other programs wait for some. Answers are then slower, never "
          "different.")},
    {"engine/keep-profile", "model", Control::Switch, SAYS("Learn from use"),
     SAYS("Counts which parts of a model are used, so that it runs faster next time. "
          "Counts only; no word of a chat is kept by it.")},
    {"engine/activation", "model", Control::Choice, SAYS("Activation of this model"),
     SAYS("The function in the model's neurons. Some files leave it open, and with the wrong one "
          "the model writes fluent nonsense. Leave it on automatic unless the model's page names "
          "one.")},
    {"engine/predictors", "model", Control::File, SAYS("Predictors of this model"),
     SAYS("A file that predicts which parts of the model a word needs, for the mode “predicted”. "
          "Nothing: the predictors inside the model.")},
    {"engine/predictor-input", "model", Control::Choice, SAYS("Input of its predictors"),
     SAYS("For files with predictors that leave it open. The model's page may name it.")},
    {"engine/thresholds", "model", Control::File, SAYS("Thresholds of this model"),
     SAYS("A file with the limits below which values are left out, for the mode “approximate”.")},

    {"sampling/preset", "answers", Control::Choice, SAYS("Style"),
     SAYS("Precise keeps to the likeliest words, creative strays further from them. Own values "
          "are those below.")},
    {"sampling/temp", "answers", Control::Amount, SAYS("Temperature"),
     SAYS("Higher is more varied and more often wrong. 0 always takes the likeliest word."), 0, 2,
     0.05},
    {"sampling/top-k", "answers", Control::Amount, SAYS("Likeliest words (top-k)"),
     SAYS("The next word is chosen among so many likeliest words. 0: among all."), 0, 200, 1},
    {"sampling/top-p", "answers", Control::Amount, SAYS("Share of likelihood (top-p)"),
     SAYS("The next word is chosen among the likeliest words that together have this share. 1: "
          "among all."),
     0.05, 1, 0.01},
    {"sampling/min-p", "answers", Control::Amount, SAYS("Least likelihood (min-p)"),
     SAYS("Words less likely than this share of the likeliest one are left out. 0: none."), 0, 0.5,
     0.01},
    {"sampling/repeat-penalty", "answers", Control::Amount, SAYS("Against repetition"),
     SAYS("Above 1 the model repeats itself less. Much above 1.2 it avoids words that it needs."),
     0.8, 1.5, 0.01},
    {"sampling/presence-penalty", "answers", Control::Amount, SAYS("New words (presence penalty)"),
     SAYS("Above 0 the model prefers words that were not said yet."), -2, 2, 0.05},
    {"sampling/frequency-penalty", "answers", Control::Amount,
     SAYS("Frequent words (frequency penalty)"),
     SAYS("Above 0 a word becomes less likely each time it is said."), -2, 2, 0.05},
    {"sampling/repeat-last-n", "answers", Control::Amount, SAYS("Words looked back at"),
     SAYS("The three settings above count so many latest words, in tokens."), 0, 1024, 16},
    {"sampling/dry-multiplier", "answers", Control::Amount, SAYS("Repeated passages (DRY)"),
     SAYS("Above 0 the model goes on less with passages that it wrote before; 0.8 is usual. 0: "
          "off."),
     0, 2, 0.05},
    {"sampling/dry-base", "answers", Control::Amount, SAYS("Growth of DRY"),
     SAYS("DRY gets stronger by this factor with each further word of a repetition."), 1, 4, 0.05},
    {"sampling/dry-allowed-length", "answers", Control::Amount, SAYS("Repetition that DRY allows"),
     SAYS("Repetitions of fewer words, in tokens, are left alone."), 1, 20, 1},
    {"sampling/typical-p", "answers", Control::Amount, SAYS("Typical words (typical-p)"),
     SAYS(
         "The next word is chosen among those whose surprise is usual, until they have this share. "
         "1: among all."),
     0.05, 1, 0.01},
    {"sampling/xtc-probability", "answers", Control::Amount, SAYS("Unlikely turns (XTC)"),
     SAYS("How often the likeliest words are left out, for more surprising text. 0: never."), 0, 1,
     0.05},
    {"sampling/xtc-threshold", "answers", Control::Amount, SAYS("Likely words that XTC leaves out"),
     SAYS("Of the words above this share only the least likely one is kept."), 0, 0.5, 0.01},
    {"sampling/max-tokens", "answers", Control::Amount, SAYS("Longest answer"),
     SAYS("In tokens. Automatic lets the model end by itself."), 16, 4096, 16},
    {"sampling/seed", "answers", Control::Text, SAYS("Seed"),
     SAYS("The same seed gives the same answer to the same question. 0: a new one each time.")},
    {"chat/system", "answers", Control::LongText, SAYS("Instructions"),
     SAYS("The model reads them before a new chat: for example how to answer. They take room in "
          "the context. A chat keeps the instructions that it began with.")},
    {"chat/reasoning", "answers", Control::Choice, SAYS("Reasoning"),
     SAYS("Whether the model thinks before it answers, and how long. Each model knows some of "
          "these choices, or none.")},

    {"window/theme", "appearance", Control::Choice, SAYS("Colours"),
     SAYS("“As the system” follows the light or dark colours of the system.")},
    {"window/zoom", "appearance", Control::Amount, SAYS("Size of the text"),
     SAYS("1 is the usual one. Ctrl and plus or minus change it anywhere."), 0.8, 2, 0.1},
    {"window/motion", "appearance", Control::Choice, SAYS("Motion"),
     SAYS("Animates changes in the window. If the system asks for less motion, nothing moves.")},

    {"folders/models", "folders", Control::Folders, SAYS("Folders with models"),
     SAYS("Hearth searches these folders, and all folders in them, for models. Files stay where "
          "they are.")},
    {"folders/downloads", "folders", Control::Folder, SAYS("Downloads"),
     SAYS("Where downloaded models go. Models are large: choose a disk with room. Nothing: beside "
          "your chats.")},

    {"network/allowed", "network", Control::Switch, SAYS("Allow requests"),
     SAYS("Off: Hearth makes no request, and downloads stop. Chats never leave this computer "
          "either way.")},
    {"network/mirror", "network", Control::Text, SAYS("Mirror of the model hub"),
     SAYS("Hearth downloads from this https:// address instead of the hub (http:// only on this "
          "computer). Its operator sees what you download.")},
    {"network/proxy", "network", Control::Text, SAYS("Proxy"),
     SAYS("“system”, “none”, or an address such as http://host:3128 or socks5://host:1080. No "
          "name and password: this file lies open.")},
    {"network/speed-limit", "network", Control::Text, SAYS("Speed limit of downloads"),
     SAYS("Bytes a second, such as 2M. “none” sets no limit.")},
};

#undef SAYS

}  // namespace

QString SettingText::labelText() const {
    return QCoreApplication::translate("Settings", label);
}

QString SettingText::saysText() const {
    return QCoreApplication::translate("Settings", says);
}

std::span<const SettingText> settingTexts() {
    return kTexts;
}

QString sectionTitle(const QString& section) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Settings", text); };
    return section == QLatin1String("model")        ? tr("Model & machine")
           : section == QLatin1String("answers")    ? tr("Answers")
           : section == QLatin1String("appearance") ? tr("Appearance")
           : section == QLatin1String("folders")    ? tr("Folders")
           : section == QLatin1String("network")    ? tr("Network")
                                                    : tr("About");
}

QString wordText(const QString& key, const QString& word) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Settings", text); };
    const QHash<QString, QString> words = {
        {QStringLiteral("auto"), tr("Automatic")},
        {QStringLiteral("none"), tr("None")},
        {QStringLiteral("exact"), tr("Exact")},
        {QStringLiteral("predicted"), tr("Predicted")},
        {QStringLiteral("dense"), tr("Dense")},
        {QStringLiteral("approximate"), tr("Approximate")},
        {QStringLiteral("precise"), tr("Precise")},
        {QStringLiteral("balanced"), tr("Balanced")},
        {QStringLiteral("creative"), tr("Creative")},
        {QStringLiteral("own"), tr("Own values")},
        {QStringLiteral("off"), tr("Off")},
        {QStringLiteral("on"), tr("On")},
        {QStringLiteral("low"), tr("Brief")},
        {QStringLiteral("medium"), tr("Medium")},
        {QStringLiteral("high"), tr("Thorough")},
        {QStringLiteral("f16"), tr("Full")},
        {QStringLiteral("q8_0"), tr("Half")},
        {QStringLiteral("system"), tr("As the system")},
        {QStringLiteral("light"), tr("Light")},
        {QStringLiteral("dark"), tr("Dark")},
    };
    if (key == QLatin1String("engine/gpu") && word == QLatin1String("none")) {
        return tr("None");
    }
    return words.value(word, word);
}

}  // namespace hearth::ui
