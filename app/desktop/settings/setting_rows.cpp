// Every setting, a row each: all that the window knows of it stands here.
#include <QCoreApplication>

#include "bridge/inference_service.h"
#include "bridge/load_options.h"
#include "common/size.h"
#include "settings/setting_table.h"

namespace hearth::ui {

namespace {

using Kind = SettingSpec::Kind;
using Scope = SettingSpec::Scope;
using Control = SettingControl;

constexpr double kMiB = 1 << 20;
constexpr double kLeastRam = 16 * kMiB;
constexpr double kMostSize = static_cast<double>(kMostBudget);
constexpr double kMostTokens = 1 << 24;
constexpr double kMostText = 20'000;
constexpr double kPlace = 1 << 16;

const QString kAutomatic = QStringLiteral("auto");

// A checked text as a value. A number is `automatic` where the text is a word.
void read(const QString& text, QString& value, int) {
    value = text;
}
void read(const QString& text, bool& value, int) {
    value = text == QLatin1String("true");
}
void read(const QString& text, double& value, int) {
    value = text.toDouble();
}
void read(const QString& text, int& value, int automatic) {
    value = text == kAutomatic ? automatic : text.toInt();
}
void read(const QString& text, quint64& value, int) {
    value = text.toULongLong();
}
void read(const QString& text, std::optional<quint64>& value, int) {
    value = bytesOf(text);
}

QString written(const QString& value) {
    return value;
}
QString written(bool value) {
    return value ? QStringLiteral("true") : QStringLiteral("false");
}
QString written(int value) {
    return value == 0 ? kAutomatic : QString::number(value);
}
QString written(const std::optional<quint64>& value) {
    return value ? sizeText(*value) : kAutomatic;
}

// The setting is this member of LoadOptions.
template <auto kMember>
constexpr SettingCodec load() {
    return {.toLoad = [](const QString& text, LoadOptions& to) { read(text, to.*kMember, 0); },
            .ofLoad = [](const LoadOptions& from) { return written(from.*kMember); }};
}

// The same where an empty member means "auto".
template <auto kMember>
constexpr SettingCodec loadWord() {
    return {.toLoad = [](const QString& text,
                         LoadOptions& to) { to.*kMember = text == kAutomatic ? QString() : text; },
            .ofLoad =
                [](const LoadOptions& from) {
                    return (from.*kMember).isEmpty() ? kAutomatic : from.*kMember;
                }};
}

// The setting is this member of GenerationSettings. kNone: the number that stands for "auto".
template <auto kMember, int kNone = 0>
constexpr SettingCodec generation() {
    return {.toGeneration = [](const QString& text, GenerationSettings& to) {
        read(text, to.*kMember, kNone);
    }};
}

constexpr SettingWord kAuto[] = {{"auto", QT_TRANSLATE_NOOP("Settings", "Automatic")}};
constexpr SettingWord kKvTypes[] = {{"f16", QT_TRANSLATE_NOOP("Settings", "Full")},
                                    {"q8_0", QT_TRANSLATE_NOOP("Settings", "Half")}};
constexpr SettingWord kModes[] = {{"auto", QT_TRANSLATE_NOOP("Settings", "Automatic")},
                                  {"exact", QT_TRANSLATE_NOOP("Settings", "Exact")},
                                  {"predicted", QT_TRANSLATE_NOOP("Settings", "Predicted")},
                                  {"dense", QT_TRANSLATE_NOOP("Settings", "Dense")},
                                  {"approximate", QT_TRANSLATE_NOOP("Settings", "Approximate")}};
constexpr SettingWord kActivations[] = {{"auto", QT_TRANSLATE_NOOP("Settings", "Automatic")},
                                        {"silu"},
                                        {"reglu"},
                                        {"drelu"},
                                        {"relu"},
                                        {"relu2"},
                                        {"gelu"},
                                        {"geglu"}};
constexpr SettingWord kPredictorInputs[] = {
    {"auto", QT_TRANSLATE_NOOP("Settings", "Automatic")}, {"normed"}, {"residual"}};
constexpr SettingWord kStyles[] = {{"precise", QT_TRANSLATE_NOOP("Settings", "Precise")},
                                   {"balanced", QT_TRANSLATE_NOOP("Settings", "Balanced")},
                                   {"creative", QT_TRANSLATE_NOOP("Settings", "Creative")},
                                   {"own", QT_TRANSLATE_NOOP("Settings", "Own values")}};
constexpr SettingWord kReasoning[] = {{"auto", QT_TRANSLATE_NOOP("Settings", "Automatic")},
                                      {"off", QT_TRANSLATE_NOOP("Settings", "Off")},
                                      {"on", QT_TRANSLATE_NOOP("Settings", "On")},
                                      {"low", QT_TRANSLATE_NOOP("Settings", "Brief")},
                                      {"medium", QT_TRANSLATE_NOOP("Settings", "Medium")},
                                      {"high", QT_TRANSLATE_NOOP("Settings", "Thorough")}};
constexpr SettingWord kThemes[] = {{"system", QT_TRANSLATE_NOOP("Settings", "As the system")},
                                   {"light", QT_TRANSLATE_NOOP("Settings", "Light")},
                                   {"dark", QT_TRANSLATE_NOOP("Settings", "Dark")}};
// Each language calls itself by its own name.
constexpr SettingWord kLanguages[] = {{"system", QT_TRANSLATE_NOOP("Settings", "As the system")},
                                      {"en", "English"},
                                      {"de", "Deutsch"},
                                      {"zh_CN", "简体中文"}};
constexpr SettingWord kSystemOrNone[] = {{"system", QT_TRANSLATE_NOOP("Settings", "As the system")},
                                         {"none", QT_TRANSLATE_NOOP("Settings", "None")}};
constexpr SettingWord kNone[] = {{"none", QT_TRANSLATE_NOOP("Settings", "None")}};

// In the order of the page. Keys equal hearth-cli's options, where it has one.
constexpr SettingSpec kTable[] = {
    {.key = "engine/gpu",
     .kind = Kind::Text,
     .scope = Scope::Either,
     .fallback = "auto",
     .most = 200,
     .codec = load<&LoadOptions::gpu>(),
     .page = {"model", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Graphics card"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Which card computes. Automatic takes the best one, if it is faster than the "
                  "processor "
                  "alone. Changing it loads the model anew.")}},
    {.key = "engine/vram",
     .kind = Kind::Size,
     .scope = Scope::Either,
     .fallback = "auto",
     .most = kMostSize,
     .words = kAuto,
     .codec = load<&LoadOptions::vramBytes>(),
     .page =
         {"model", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Memory of the graphics card"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "The most the model may take of the card. More is faster; games and video then have "
              "less. Takes effect in the running chat."),
          0, 0, 64 * kMiB}},
    {.key = "engine/ram",
     .kind = Kind::Size,
     .scope = Scope::Either,
     .fallback = "auto",
     .least = kLeastRam,
     .most = kMostSize,
     .words = kAuto,
     .codec = load<&LoadOptions::ramBytes>(),
     .page =
         {"model", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Memory"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "The most memory that the model may hold. The rest is read from the disk for each "
              "word, "
              "which is slower but leaves the computer usable. Takes effect in the running chat."),
          64 * kMiB, 0, 64 * kMiB}},
    {.key = "engine/threads",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "auto",
     .least = 1,
     .most = 1024,
     .words = kAuto,
     .codec = load<&LoadOptions::threads>(),
     .page =
         {"model", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Processor threads"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "Threads that compute at once. More threads than fast cores seldom help, and other "
              "programs become slow. Changing it loads the model anew."),
          1, 0, 1}},
    {.key = "engine/ctx",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "auto",
     .least = 16,
     .most = kMostTokens,
     .words = kAuto,
     .before = "engine/context",
     .codec = load<&LoadOptions::contextTokens>(),
     .page =
         {"model", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Context"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "How much of a conversation the model sees, in tokens: a token is most of a word. A "
              "larger one takes more memory. Changing it loads the model anew."),
          256, 32768, 256}},
    {.key = "engine/kv",
     .kind = Kind::Choice,
     .scope = Scope::Either,
     .fallback = "f16",
     .words = kKvTypes,
     .codec = load<&LoadOptions::kv>(),
     .page = {"model", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Memory of a conversation"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "How exactly the model keeps what it has read. Half as large, it leaves room "
                  "for a longer "
                  "context, and changes answers a little. Changing it loads the model anew.")}},
    {.key = "engine/mode",
     .kind = Kind::Choice,
     .scope = Scope::Either,
     .fallback = "auto",
     .words = kModes,
     .codec = loadWord<&LoadOptions::mode>(),
     .page =
         {"model", Control::Choice, QT_TRANSLATE_NOOP("Settings", "What is computed"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "Automatic and exact give the model's own answers. Predicted and approximate leave "
              "more out: faster, with slightly other words, and only for models made for it. Dense "
              "leaves out nothing. Changing it loads the model anew.")}},
    {.key = "engine/memory-pressure",
     .kind = Kind::Flag,
     .scope = Scope::Either,
     .fallback = "true",
     .codec = load<&LoadOptions::heedsMemoryPressure>(),
     .page = {"model", Control::Switch, QT_TRANSLATE_NOOP("Settings", "Give way to other programs"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Gives memory back while other programs wait for some. Answers are then slower, "
                  "never "
                  "different.")}},
    {.key = "engine/keep-profile",
     .kind = Kind::Flag,
     .scope = Scope::Either,
     .fallback = "true",
     .codec = load<&LoadOptions::keepsProfile>(),
     .page = {"model", Control::Switch, QT_TRANSLATE_NOOP("Settings", "Learn from use"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Counts which parts of a model are used, so that it runs faster next time. "
                  "Counts only; no word of a chat is kept by it.")}},
    {.key = "engine/keep-pasts",
     .kind = Kind::Flag,
     .scope = Scope::Either,
     .fallback = "true",
     .codec = load<&LoadOptions::keepsPasts>(),
     .page =
         {"model", Control::Switch, QT_TRANSLATE_NOOP("Settings", "Remember chats"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "Keeps on disk what the model remembers of long chats, 2 GB at most, so that they "
              "go on at once after a restart. Deleting a chat deletes it. Off deletes all.")}},
    {.key = "engine/activation",
     .kind = Kind::Choice,
     .scope = Scope::Model,
     .fallback = "auto",
     .words = kActivations,
     .codec = loadWord<&LoadOptions::activation>(),
     .page = {"model", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Activation of this model"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "The function in the model's neurons. Some files leave it open, and with the "
                  "wrong one "
                  "the model writes fluent nonsense. Leave it on automatic unless the model's "
                  "page names "
                  "one.")}},
    {.key = "engine/predictors",
     .kind = Kind::Path,
     .scope = Scope::Model,
     .fallback = "",
     .codec = load<&LoadOptions::predictorsPath>(),
     .page = {"model", Control::File, QT_TRANSLATE_NOOP("Settings", "Predictors of this model"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "A file that predicts which parts of the model a word needs, for the mode "
                  "“predicted”. "
                  "Nothing: the predictors inside the model.")}},
    {.key = "engine/predictor-input",
     .kind = Kind::Choice,
     .scope = Scope::Model,
     .fallback = "auto",
     .words = kPredictorInputs,
     .codec = loadWord<&LoadOptions::predictorInput>(),
     .page = {"model", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Input of its predictors"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "For files with predictors that leave it open. The model's page may name it.")}},
    {.key = "engine/thresholds",
     .kind = Kind::Path,
     .scope = Scope::Model,
     .fallback = "",
     .codec = load<&LoadOptions::thresholdsPath>(),
     .page = {"model", Control::File, QT_TRANSLATE_NOOP("Settings", "Thresholds of this model"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "A file with the limits below which values are left out, for the mode "
                  "“approximate”.")}},

    {.key = "sampling/preset",
     .kind = Kind::Choice,
     .scope = Scope::Either,
     .fallback = "balanced",
     .words = kStyles,
     .page =
         {"answers", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Style"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "Precise keeps to the likeliest words, creative strays further from them. Own values "
              "are those below.")}},
    {.key = "sampling/temp",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0.8",
     .most = 10,
     .before = "sampling/temperature",
     .codec = generation<&GenerationSettings::temperature>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Temperature"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Higher is more varied and more often wrong. 0 always takes the likeliest word."),
              0, 2, 0.05}},
    {.key = "sampling/top-k",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "40",
     .most = 1'000'000,
     .before = "sampling/top_k",
     .codec = generation<&GenerationSettings::topK>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Likeliest words (top-k)"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "The next word is chosen among so many likeliest words. 0: among all."),
              0, 200, 1}},
    {.key = "sampling/top-p",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0.95",
     .least = 0.01,
     .most = 1,
     .before = "sampling/top_p",
     .codec = generation<&GenerationSettings::topP>(),
     .page =
         {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Share of likelihood (top-p)"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "The next word is chosen among the likeliest words that together have this share. 1: "
              "among all."),
          0.05, 1, 0.01}},
    {.key = "sampling/min-p",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0.05",
     .most = 1,
     .before = "sampling/min_p",
     .codec = generation<&GenerationSettings::minP>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Least likelihood (min-p)"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Words less likely than this share of the likeliest one are left out. 0: none."),
              0, 0.5, 0.01}},
    {.key = "sampling/repeat-penalty",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "1",
     .least = 0.5,
     .most = 2,
     .codec = generation<&GenerationSettings::repeatPenalty>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Against repetition"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Above 1 the model repeats itself less. Much above 1.2 it avoids words that it "
                  "needs."),
              0.8, 1.5, 0.01}},
    {.key = "sampling/presence-penalty",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0",
     .least = -2,
     .most = 2,
     .codec = generation<&GenerationSettings::presencePenalty>(),
     .page = {"answers", Control::Amount,
              QT_TRANSLATE_NOOP("Settings", "New words (presence penalty)"),
              QT_TRANSLATE_NOOP("Settings",
                                "Above 0 the model prefers words that were not said yet."),
              -2, 2, 0.05}},
    {.key = "sampling/frequency-penalty",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0",
     .least = -2,
     .most = 2,
     .codec = generation<&GenerationSettings::frequencyPenalty>(),
     .page = {"answers", Control::Amount,
              QT_TRANSLATE_NOOP("Settings", "Frequent words (frequency penalty)"),
              QT_TRANSLATE_NOOP("Settings",
                                "Above 0 a word becomes less likely each time it is said."),
              -2, 2, 0.05}},
    {.key = "sampling/repeat-last-n",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "64",
     .most = kMostTokens,
     .codec = generation<&GenerationSettings::repeatLastN>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Words looked back at"),
              QT_TRANSLATE_NOOP("Settings",
                                "The three settings above count so many latest words, in tokens."),
              0, 1024, 16}},
    {.key = "sampling/dry-multiplier",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0",
     .most = 5,
     .codec = generation<&GenerationSettings::dryMultiplier>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Repeated passages (DRY)"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Above 0 the model goes on less with passages that it wrote before; 0.8 is "
                  "usual. 0: "
                  "off."),
              0, 2, 0.05}},
    {.key = "sampling/dry-base",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "1.75",
     .least = 1,
     .most = 4,
     .codec = generation<&GenerationSettings::dryBase>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Growth of DRY"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "DRY gets stronger by this factor with each further word of a repetition."),
              1, 4, 0.05}},
    {.key = "sampling/dry-allowed-length",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "2",
     .least = 1,
     .most = 1000,
     .codec = generation<&GenerationSettings::dryAllowedLength>(),
     .page = {"answers", Control::Amount,
              QT_TRANSLATE_NOOP("Settings", "Repetition that DRY allows"),
              QT_TRANSLATE_NOOP("Settings",
                                "Repetitions of fewer words, in tokens, are left alone."),
              1, 20, 1}},
    {.key = "sampling/typical-p",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "1",
     .least = 0.01,
     .most = 1,
     .codec = generation<&GenerationSettings::typicalP>(),
     .page = {"answers", Control::Amount,
              QT_TRANSLATE_NOOP("Settings", "Typical words (typical-p)"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "The next word is chosen among those whose surprise is usual, until they have "
                  "this share. "
                  "1: among all."),
              0.05, 1, 0.01}},
    {.key = "sampling/xtc-probability",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0",
     .most = 1,
     .codec = generation<&GenerationSettings::xtcProbability>(),
     .page =
         {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Unlikely turns (XTC)"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "How often the likeliest words are left out, for more surprising text. 0: never."),
          0, 1, 0.05}},
    {.key = "sampling/xtc-threshold",
     .kind = Kind::Real,
     .scope = Scope::Either,
     .fallback = "0.1",
     .most = 0.5,
     .codec = generation<&GenerationSettings::xtcThreshold>(),
     .page = {"answers", Control::Amount,
              QT_TRANSLATE_NOOP("Settings", "Likely words that XTC leaves out"),
              QT_TRANSLATE_NOOP("Settings",
                                "Of the words above this share only the least likely one is kept."),
              0, 0.5, 0.01}},
    {.key = "sampling/max-tokens",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "auto",
     .least = 1,
     .most = kMostTokens,
     .words = kAuto,
     .codec = generation<&GenerationSettings::maxTokens, -1>(),
     .page = {"answers", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Longest answer"),
              QT_TRANSLATE_NOOP("Settings", "In tokens. Automatic lets the model end by itself."),
              16, 4096, 16}},
    {.key = "sampling/seed",
     .kind = Kind::Whole,
     .scope = Scope::Either,
     .fallback = "0",
     .most = 9'007'199'254'740'992.0,
     .codec = generation<&GenerationSettings::seed>(),
     .page = {"answers", Control::Text, QT_TRANSLATE_NOOP("Settings", "Seed"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "The same seed gives the same answer to the same question. 0: a new one each "
                  "time.")}},

    {.key = "chat/system",
     .kind = Kind::Text,
     .scope = Scope::Either,
     .fallback = "",
     .most = kMostText,
     .page = {"answers", Control::LongText, QT_TRANSLATE_NOOP("Settings", "Instructions"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "The model reads them before a new chat: for example how to answer. They take "
                  "room in "
                  "the context. A chat keeps the instructions that it began with.")}},
    {.key = "chat/reasoning",
     .kind = Kind::Choice,
     .scope = Scope::Either,
     .fallback = "auto",
     .words = kReasoning,
     .codec = generation<&GenerationSettings::reasoning>(),
     .page =
         {"answers", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Reasoning"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "Whether the model thinks before it answers, and how long. Each model knows some of "
              "these choices, or none.")}},

    {.key = "window/language",
     .kind = Kind::Choice,
     .scope = Scope::Program,
     .fallback = "system",
     .words = kLanguages,
     .page = {"appearance", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Language"),
              QT_TRANSLATE_NOOP("Settings",
                                "Of the window. The answers are in the language that you write, if "
                                "the model knows it.")}},
    {.key = "window/theme",
     .kind = Kind::Choice,
     .scope = Scope::Program,
     .fallback = "system",
     .words = kThemes,
     .page = {"appearance", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Colours"),
              QT_TRANSLATE_NOOP(
                  "Settings", "“As the system” follows the light or dark colours of the system.")}},
    {.key = "window/zoom",
     .kind = Kind::Real,
     .scope = Scope::Program,
     .fallback = "1",
     .least = 0.8,
     .most = 2,
     .page = {"appearance", Control::Amount, QT_TRANSLATE_NOOP("Settings", "Size of the text"),
              QT_TRANSLATE_NOOP("Settings",
                                "1 is the usual one. Ctrl and plus or minus change it anywhere."),
              0.8, 2, 0.1}},
    {.key = "window/motion",
     .kind = Kind::Choice,
     .scope = Scope::Program,
     .fallback = "system",
     .words = kSystemOrNone,
     .page = {"appearance", Control::Choice, QT_TRANSLATE_NOOP("Settings", "Motion"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Animates changes in the window. If the system asks for less motion, nothing "
                  "moves.")}},

    {.key = "folders/models",
     .kind = Kind::Paths,
     .scope = Scope::Program,
     .fallback = "",
     .most = 64,
     .page = {"folders", Control::Folders, QT_TRANSLATE_NOOP("Settings", "Folders with models"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Hearth searches these folders, and all folders in them, for models. Files stay "
                  "where "
                  "they are.")}},
    {.key = "folders/downloads",
     .kind = Kind::Path,
     .scope = Scope::Program,
     .fallback = "",
     .page = {"folders", Control::Folder, QT_TRANSLATE_NOOP("Settings", "Downloads"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Where downloaded models go. Models are large: choose a disk with room. "
                  "Nothing: beside "
                  "your chats.")}},

    {.key = "network/allowed",
     .kind = Kind::Flag,
     .scope = Scope::Program,
     .fallback = "true",
     .page = {"network", Control::Switch, QT_TRANSLATE_NOOP("Settings", "Allow requests"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Off: Hearth makes no request, downloads stop, and remote models do not answer. "
                  "Chats leave this computer for a remote model that you choose, and for nothing "
                  "else.")}},
    {.key = "network/mirror",
     .kind = Kind::Address,
     .scope = Scope::Program,
     .fallback = "",
     .page = {"network", Control::Text, QT_TRANSLATE_NOOP("Settings", "Mirror of the model hub"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Hearth downloads from this https:// address instead of the hub (http:// only "
                  "on this "
                  "computer). Its operator sees what you download.")}},
    {.key = "network/proxy",
     .kind = Kind::Proxy,
     .scope = Scope::Program,
     .fallback = "system",
     .words = kSystemOrNone,
     .page =
         {"network", Control::Text, QT_TRANSLATE_NOOP("Settings", "Proxy"),
          QT_TRANSLATE_NOOP(
              "Settings",
              "“system”, “none”, or an address such as http://host:3128 or socks5://host:1080. No "
              "name and password: this file lies open.")}},
    {.key = "network/speed-limit",
     .kind = Kind::Size,
     .scope = Scope::Program,
     .fallback = "none",
     .least = 16.0 * 1024,
     .most = kMostSize,
     .words = kNone,
     .page = {"network", Control::Text, QT_TRANSLATE_NOOP("Settings", "Speed limit of downloads"),
              QT_TRANSLATE_NOOP("Settings", "Bytes a second, such as 2M. “none” sets no limit.")}},

    {.key = "api/on",
     .kind = Kind::Flag,
     .scope = Scope::Program,
     .fallback = "false",
     .page = {"api", Control::Switch,
              QT_TRANSLATE_NOOP("Settings", "Let other programs use the model"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Programs of this computer that know the token may ask the loaded model over "
                  "HTTP, as OpenAI's and Anthropic's APIs do. Only this computer reaches it: it "
                  "makes no request to elsewhere, and “Allow requests” of the network does not "
                  "change it.")}},
    {.key = "api/port",
     .kind = Kind::Whole,
     .scope = Scope::Program,
     .fallback = "8080",
     .least = 1,
     .most = 65535,
     .page = {"api", Control::Text, QT_TRANSLATE_NOOP("Settings", "Port"),
              QT_TRANSLATE_NOOP(
                  "Settings",
                  "Part of the address. A change ends the connections that there are.")}},

    // Kept by the window.
    {.key = "model/path", .kind = Kind::Path, .scope = Scope::Window, .fallback = ""},
    {.key = "model/recent", .kind = Kind::Paths, .scope = Scope::Window, .fallback = "", .most = 8},
    {.key = "model/hidden",
     .kind = Kind::Paths,
     .scope = Scope::Window,
     .fallback = "",
     .most = 256},

    {.key = "window/list", .kind = Kind::Flag, .scope = Scope::Window, .fallback = "true"},
    {.key = "window/maximized", .kind = Kind::Flag, .scope = Scope::Window, .fallback = "false"},
    {.key = "window/x",
     .kind = Kind::Whole,
     .scope = Scope::Window,
     .fallback = "0",
     .least = -kPlace,
     .most = kPlace},
    {.key = "window/y",
     .kind = Kind::Whole,
     .scope = Scope::Window,
     .fallback = "0",
     .least = -kPlace,
     .most = kPlace},
    {.key = "window/width",
     .kind = Kind::Whole,
     .scope = Scope::Window,
     .fallback = "0",
     .most = kPlace},
    {.key = "window/height",
     .kind = Kind::Whole,
     .scope = Scope::Window,
     .fallback = "0",
     .most = kPlace},
};

}  // namespace

std::span<const SettingSpec> settingTable() {
    return kTable;
}

}  // namespace hearth::ui
