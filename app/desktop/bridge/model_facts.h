// What a model file says of itself, and whether this engine can run it.
#pragma once

#include <QString>

namespace hearth::ui {

struct ModelFacts {
    // What the file is for. Only a Model answers.
    enum class Role {
        Model,
        Vocabulary,  // and no weights
        Vision,      // the part of another model that sees ("mmproj")
        GpuIndex,    // PowerInfer's list of neurons for a graphics card
        SideFile,    // of ours: a profile, predictors, thresholds
        Adapter,     // changes another model
        Unknown,     // damaged, or of a kind that nobody here knows
    };
    Role role = Role::Unknown;
    QString name;          // general.name; may be empty
    QString architecture;  // "llama"; empty: the file names none
    QString type;          // of most weights: "Q4_0"
    QString licence;       // as the file says it; empty: it says none
    QString activation;    // of the feed-forward blocks: "silu"; empty: not known
    QString whyNot;        // where it cannot run: a sentence
    quint64 bytes = 0;
    quint64 parameters = 0;
    quint64 contextTokens = 0;
    int layers = 0;
    int predictorLayers = 0;
    bool runs = false;
    bool chatTemplate = false;
    bool packed = false;  // neuron by neuron, as "pack" makes them
    // The file does not say its activation, and something about it says that it may be ReLU: as
    // SiLU it would write fluent nonsense.
    bool asksActivation = false;
    // Nor what its predictors read: those inside, or of the file beside it.
    bool asksPredictorInput = false;

    friend bool operator==(const ModelFacts&, const ModelFacts&) = default;
};

// Whether neurons of such blocks rest (are exactly zero) for most tokens: "reglu", "relu2".
bool neuronsRest(const QString& activation);

// Reads the file's header, a few megabytes at most: not for the GUI thread. predictors: a file of
// them that counts in place of those inside; empty: none.
ModelFacts readModelFacts(const QString& path, const QString& predictors = {});

}  // namespace hearth::ui
