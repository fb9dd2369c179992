#include "support/fake_inference.h"

#include <QTimer>
#include <utility>

namespace hearth::ui {

namespace {

constexpr int kLoadSteps = 10;

}  // namespace

FakeInference::FakeInference(QObject* parent) : InferenceService(parent) {
    pieceTimer_.setInterval(0);
    connect(&pieceTimer_, &QTimer::timeout, this, &FakeInference::step);
    connect(&loadTimer_, &QTimer::timeout, this, [this] {
        if (++loadSteps_ < kLoadSteps && loadDelayMs_ > 0) {
            emit loadProgress(static_cast<double>(loadSteps_) / kLoadSteps);
            return;
        }
        loadTimer_.stop();
        if (!loadError_.isEmpty()) {
            isLoaded_ = false;
            emit loadFailed(loadError_);
            return;
        }
        isLoaded_ = true;
        ModelSummary model = model_;
        model.path = lastLoad_.path;
        emit loaded(model);
        report_ = template_;
        report_.modelPath = model.path;
        report_.threads = lastLoad_.threads > 0 ? lastLoad_.threads : model.threads;
        report_.contextTokens =
            lastLoad_.contextTokens > 0 ? lastLoad_.contextTokens : model.contextTokens;
        report_.mode = lastLoad_.mode.isEmpty() ? QStringLiteral("dense") : lastLoad_.mode;
        report_.modeChosen = lastLoad_.mode.isEmpty();
        report_.ramBudget = lastLoad_.ramBytes.value_or(quint64{8} << 30);
        report_.ramUsed = quint64{60} << 20;
        report_.gpu = lastLoad_.gpu == QLatin1String("none") ? QString() : model.gpu;
        emit reported(report_);
        passMap();
    });
    model_.name = QStringLiteral("Fake model");
    model_.type = QStringLiteral("Q4_0");
    model_.isa = QStringLiteral("none");
    model_.fileBytes = 36'000'000;
    model_.contextTokens = 1024;
    model_.threads = 2;
}

void FakeInference::setScripts(const QList<Script>& scripts) {
    scripts_ = scripts;
    nextScript_ = 0;
}

FakeInference::Script FakeInference::scriptFrom(const QString& text) {
    constexpr qsizetype kPiece = 4;
    Script script;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype size = std::min(kPiece, text.size() - at);
        if (at + size < text.size() && text[at + size].isLowSurrogate()) {
            ++size;
        }
        script.pieces << text.mid(at, size);
        at += size;
    }
    return script;
}

void FakeInference::loadModel(const LoadOptions& options) {
    lastLoad_ = options;
    ++loadCalls_;
    isLoaded_ = false;
    cancel();
    loadSteps_ = 0;
    loadTimer_.start(loadDelayMs_ / kLoadSteps);
}

void FakeInference::setMap(const MapReport& map) {
    map_ = map;
    passMap();
}

void FakeInference::watchMap(bool wanted) {
    mapWanted_ = wanted;
    QTimer::singleShot(0, this, &FakeInference::passMap);  // later, as the engine's thread does
}

void FakeInference::passMap() {
    if (mapWanted_ && isLoaded_ && !map_.layers.isEmpty()) {
        map_.modelPath = lastLoad_.path;
        emit mapped(map_);
    }
}

void FakeInference::unloadModel() {
    loadTimer_.stop();
    isLoaded_ = false;
}

void FakeInference::generate(quint64 requestId, const QList<ChatTurn>& turns,
                             const GenerationSettings& settings) {
    Q_ASSERT(isLoaded_ && !generating_);
    lastTurns_ = turns;
    lastSettings_ = settings;
    ++generateCalls_;
    generating_ = true;
    requestId_ = requestId;
    nextPiece_ = 0;
    if (scripts_.isEmpty()) {
        current_ = scriptFrom(QStringLiteral("You said: ") +
                              (turns.isEmpty() ? QString() : turns.last().content));
    } else {
        current_ = scripts_.at(nextScript_ % scripts_.size());
        ++nextScript_;
    }
    pieceTimer_.start();
}

void FakeInference::pauseAfter(qsizetype pieces) {
    pauseAfter_ = pieces;
    if (generating_) {
        pieceTimer_.start();
    }
}

void FakeInference::step() {
    if (nextPiece_ == pauseAfter_) {
        pieceTimer_.stop();
        return;
    }
    if (nextPiece_ < current_.pieces.size()) {
        const QString piece = current_.pieces.at(nextPiece_);
        ++nextPiece_;
        emit pieces(requestId_, piece);
        return;
    }
    if (!current_.failWith.isEmpty()) {
        pieceTimer_.stop();
        generating_ = false;
        emit failed(requestId_, current_.failWith);
        return;
    }
    finishWith(current_.summary.finish);
}

void FakeInference::finishWith(GenerationSummary::Finish finish) {
    pieceTimer_.stop();
    generating_ = false;
    GenerationSummary summary = current_.summary;
    summary.finish = finish;
    if (summary.tokenCount == 0) {
        summary.tokenCount = static_cast<int>(nextPiece_);
    }
    emit finished(requestId_, summary);
}

void FakeInference::setBudget(const BudgetRequest& budget) {
    budgets_ << budget;
    if (!answersBudgets_) {
        return;
    }
    QTimer::singleShot(0, this, [this, budget] {  // later, as the engine's thread does
        if (!budgetError_.isEmpty()) {
            emit budgetRefused(budget.id, budgetError_);
            return;
        }
        report_.ramBudget = budget.ramBytes.value_or(report_.ramBudget);
        report_.vramBudget = budget.vramBytes.value_or(report_.vramBudget);
        emit budgetSet(budget.id);
        emit reported(report_);
    });
}

void FakeInference::cancel() {
    if (!generating_) {
        return;
    }
    pieceTimer_.stop();
    // Not at once: neither does the engine.
    QTimer::singleShot(0, this, [this, id = requestId_] {
        if (generating_ && id == requestId_) {
            finishWith(GenerationSummary::Finish::Cancelled);
        }
    });
}

bool FakeInference::shutdown(int /*timeoutMs*/) {
    pieceTimer_.stop();
    loadTimer_.stop();
    generating_ = false;
    return true;
}

}  // namespace hearth::ui
