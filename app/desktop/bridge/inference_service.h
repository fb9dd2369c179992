// The desktop's interface to an engine, in Qt's words. The window knows this class only. The real
// engine (LocalInference) and a scripted one for tests (FakeInference) implement it.
//
// Every member is called from, and every signal arrives on, the GUI thread. No call waits for the
// engine. There is one load and one generation at a time. A second load replaces the first, and
// generate() while generating is an error of the caller.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "bridge/engine_report.h"
#include "bridge/expert_shares.h"
#include "bridge/load_options.h"
#include "bridge/map_report.h"

namespace hearth::ui {

// The loaded model.
struct ModelSummary {
    QString path;
    QString name;
    QString type;          // "Q4_0"
    QString architecture;  // "llama"
    QString isa;           // "avx2"
    QString gpu;           // its name and share; empty: none is used
    qint64 fileBytes = 0;
    int contextTokens = 0;
    quint64 parameters = 0;
    int layers = 0;
    int threads = 0;
    // The known tokenizer whose words are used because this version does not know the model's own;
    // empty: it does.
    QString tokenizerFallback = {};
    // It runs elsewhere, and words go there: "example.org". Empty: it runs here.
    QString host = {};
};

// A tool that the model may call.
struct ModelTool {
    QString name;  // letters, digits, _ - .
    QString description;
    QByteArray schema;  // of its arguments: a JSON object
};

struct ModelCall {
    QString id;
    QString name;
    QByteArray arguments;  // a JSON object
};

struct ChatTurn {
    QString role;  // "system", "user", "assistant", "tool"
    QString content;
    QList<ModelCall> calls = {};  // of an assistant
    QString callId = {};          // of a tool: the call that this answers
    QString toolName = {};        // of a tool
};

struct GenerationSettings {
    double temperature = 0.8;
    int topK = 40;
    double topP = 0.95;
    double minP = 0.05;
    double typicalP = 1;        // 1: off
    double xtcProbability = 0;  // 0: off
    double xtcThreshold = 0.1;
    double repeatPenalty = 1;  // 1: off
    double presencePenalty = 0;
    double frequencyPenalty = 0;
    int repeatLastN = 64;      // latest tokens that the three penalties cover
    double dryMultiplier = 0;  // 0: off
    double dryBase = 1.75;
    int dryAllowedLength = 2;
    // "auto", "off", "on", "low", "medium", "high": as far as the model's template knows it.
    QString reasoning = QStringLiteral("auto");
    quint64 seed = 0;    // 0: a new one each time
    int maxTokens = -1;  // -1: until the model stops or the context is full
    // The last turn is an answer that was cut: the model goes on from its text.
    bool continuesLast = false;
    // Names the conversation, so that what the model remembers of it may be kept. Empty: it is not.
    QString conversation = {};
    // The model may call these in this answer. Calls are no part of the pieces.
    QList<ModelTool> tools = {};
};

struct GenerationSummary {
    enum class Finish { Stop, Length, Cancelled };
    Finish finish = Finish::Stop;
    int promptTokens = 0;
    int cachedTokens = 0;
    int tokenCount = 0;
    int droppedMessages = 0;  // oldest messages left out because the context was full
    double firstTokenMs = 0;
    double tokensPerSecond = 0;   // after the first token; 0: unknown
    QString device;               // the GPU and its share of the model; empty: none
    ExpertShares experts;         // that the answer's tokens chose, in all layers
    QString notice;               // what happened to the GPU during the answer; empty: nothing
    QList<ModelCall> calls = {};  // for which the model waits; none after Cancelled
};

class InferenceService : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void loadModel(const LoadOptions& options) = 0;
    virtual void unloadModel() = 0;
    // Answers with pieces() and then exactly one of finished() and failed(). All pieces come before
    // the end. Precondition: a model is loaded.
    virtual void generate(quint64 requestId, const QList<ChatTurn>& turns,
                          const GenerationSettings& settings) = 0;
    // Sets the budgets of the loaded model from now on, also during an answer. Weights beyond the
    // budget are given back or loaded anew between two tokens, and the conversation goes on.
    // Answers with one of budgetSet() and budgetRefused(), and with reported() once the budget is
    // carried out. If that fails after all, budgetRefused() comes as well, and the earlier budget
    // holds again.
    virtual void setBudget(const BudgetRequest& budget) = 0;
    // Ends the running generation within about a token; finished() still comes, as Cancelled.
    virtual void cancel() = 0;
    // From now on mapped() comes as long as it is wanted: at once, unless an answer is computed,
    // and then when something may have changed. During an answer, at most once in kMapIntervalMs.
    virtual void watchMap(bool wanted) = 0;
    // Nothing that was kept of the conversation stays.
    virtual void forget(const QString& conversation) = 0;
    // Cancels everything and waits for its end, at most timeoutMs. False: still busy. No signal
    // comes afterwards.
    virtual bool shutdown(int timeoutMs) = 0;

signals:
    void loadProgress(double fraction);  // 0 to 1
    void loaded(const hearth::ui::ModelSummary& model);
    void loadFailed(const QString& sentence);  // for people: what happened and what to do
    // Sent after loaded(), after each answer, and when a budget takes effect.
    void reported(const hearth::ui::EngineReport& report);
    void mapped(const hearth::ui::MapReport& map);
    void budgetSet(quint64 id);
    void budgetRefused(quint64 id, const QString& sentence);
    // At most one signal per kPiecesIntervalMs and generation, whatever the engine's speed.
    void pieces(quint64 requestId, const QString& text);
    void finished(quint64 requestId, const hearth::ui::GenerationSummary& summary);
    void failed(quint64 requestId, const QString& sentence);

public:
    static constexpr int kPiecesIntervalMs = 16;
    static constexpr int kMapIntervalMs = 500;
};

}  // namespace hearth::ui
