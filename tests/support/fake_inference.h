// An engine that says what it is told to: for tests and hearth-demo. Needs no model.
#pragma once

#include <QList>
#include <QStringList>
#include <QTimer>

#include "bridge/inference_service.h"

namespace hearth::ui {

class FakeInference : public InferenceService {
    Q_OBJECT

public:
    struct Script {
        QStringList pieces;
        QString failWith;           // not empty: fails after the pieces with this sentence
        GenerationSummary summary;  // tokenCount 0: the number of pieces
    };

    explicit FakeInference(QObject* parent = nullptr);

    // Answers in this order; after the last one it starts again with the first. Without any: an
    // answer that repeats the question.
    void setScripts(const QList<Script>& scripts);
    // `text` cut into pieces of about four characters.
    static Script scriptFrom(const QString& text);
    // Between two pieces, and before the first. 0: as fast as the event loop turns.
    void setPieceDelayMs(int ms) { pieceTimer_.setInterval(ms); }
    // An answer stops growing after so many of its pieces, until this is called again; -1: it goes
    // on to its end. What a test then sees depends on no clock.
    void pauseAfter(qsizetype pieces);
    void setLoadDelayMs(int ms) { loadDelayMs_ = ms; }
    // Not empty: the next loads fail with this sentence.
    void setLoadError(const QString& sentence) { loadError_ = sentence; }
    // Not empty: budgets are refused with this sentence.
    void setBudgetError(const QString& sentence) { budgetError_ = sentence; }
    // False: a budget is neither set nor refused; the test says what becomes of it.
    void setAnswersBudgets(bool answers) { answersBudgets_ = answers; }
    void setModel(const ModelSummary& model) { model_ = model; }
    // The map that mapped() brings while it is wanted: at once, and after each load. Its path
    // becomes the model's. A map that has no layers never comes.
    void setMap(const MapReport& map);
    bool mapWanted() const { return mapWanted_; }
    // The chat template of the models that are loaded from now on, as an EngineReport says it.
    void setTemplate(bool hasSwitch, bool hasEffort, const QString& defaultSystem) {
        template_.hasThinkingSwitch = hasSwitch;
        template_.hasReasoningEffort = hasEffort;
        template_.defaultSystem = defaultSystem;
    }

    // What was asked for last.
    LoadOptions lastLoad() const { return lastLoad_; }
    int loadCalls() const { return loadCalls_; }
    QList<BudgetRequest> budgets() const { return budgets_; }
    QList<ChatTurn> lastTurns() const { return lastTurns_; }
    GenerationSettings lastSettings() const { return lastSettings_; }
    int generateCalls() const { return generateCalls_; }
    bool isLoaded() const { return isLoaded_; }
    QStringList forgotten() const { return forgotten_; }  // conversations, in the order of calls

    void loadModel(const LoadOptions& options) override;
    void unloadModel() override;
    void generate(quint64 requestId, const QList<ChatTurn>& turns,
                  const GenerationSettings& settings) override;
    void setBudget(const BudgetRequest& budget) override;
    void cancel() override;
    void watchMap(bool wanted) override;
    void forget(const QString& conversation) override { forgotten_.append(conversation); }
    bool shutdown(int timeoutMs) override;

private:
    void step();
    void passMap();
    void finishWith(GenerationSummary::Finish finish);

    QList<Script> scripts_;
    qsizetype nextScript_ = 0;
    Script current_;
    qsizetype nextPiece_ = 0;
    qsizetype pauseAfter_ = -1;
    bool generating_ = false;
    bool mapWanted_ = false;
    MapReport map_;
    bool isLoaded_ = false;
    quint64 requestId_ = 0;
    QTimer pieceTimer_;
    QTimer loadTimer_;
    int loadDelayMs_ = 0;
    int loadSteps_ = 0;
    QString loadError_;
    QString budgetError_;
    bool answersBudgets_ = true;
    int loadCalls_ = 0;
    QList<BudgetRequest> budgets_;
    QStringList forgotten_;
    EngineReport report_;
    EngineReport template_;  // its fields of the chat template
    ModelSummary model_;
    LoadOptions lastLoad_;
    QList<ChatTurn> lastTurns_;
    GenerationSettings lastSettings_;
    int generateCalls_ = 0;
};

}  // namespace hearth::ui
