// Facts from a model file's header, and whether this engine can run the model.
#pragma once

#include <QString>

namespace hearth::ui {

struct ModelFacts {
    // The purpose of the file. Only a Model answers.
    enum class Use {
        Model,
        Vocabulary,  // a vocabulary without weights
        Vision,      // the part of another model that sees images ("mmproj")
        GpuIndex,    // PowerInfer's list of neurons for a graphics card
        SideFile,    // a file of Hearth: a profile, predictors, thresholds
        Adapter,     // changes another model
        Unknown,     // damaged, or of an unknown kind
    };
    Use use = Use::Unknown;
    QString name;          // general.name; may be empty
    QString architecture;  // "llama"; empty: the file names none
    QString type;          // of most weights: "Q4_0"
    QString licence;       // as the file says; empty: it says none
    QString activation;    // of the feed-forward blocks: "silu"; empty: unknown
    QString whyNot;        // if it cannot run: a sentence
    QString noChat;        // if it runs and cannot chat: a sentence
    QString guess;         // if it runs and something about it is a guess: a sentence
    quint64 bytes = 0;
    quint64 parameters = 0;
    quint64 contextTokens = 0;
    int layers = 0;
    quint64 experts = 0;      // of a layer; 0: the model is no mixture
    quint64 expertsUsed = 0;  // by a token
    int predictorLayers = 0;
    bool runs = false;
    bool chatTemplate = false;
    bool packed = false;  // neuron by neuron, as "pack" writes them
    // True if the file leaves its activation open and something about it suggests ReLU. Computed as
    // SiLU, such a model would write fluent nonsense.
    bool asksActivation = false;
    // True if the predictors' input is open, too: of those inside, or of the file beside the model.
    bool asksPredictorInput = false;

    friend bool operator==(const ModelFacts&, const ModelFacts&) = default;
};

// Tells that words are cut as for the tokenizer `fallback`; empty: so is the sentence.
QString tokenizerGuess(const QString& fallback);

// True if neurons of such blocks rest (are exactly zero) for most tokens: "reglu", "relu2".
bool neuronsRest(const QString& activation);

// Reads the file's header, a few megabytes at most: not for the GUI thread. predictors: a file of
// predictors that replaces those inside; empty: none.
ModelFacts readModelFacts(const QString& path, const QString& predictors = {});

}  // namespace hearth::ui
