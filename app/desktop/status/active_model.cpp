#include "status/active_model.h"

#include <QLoggingCategory>
#include <utility>

#include "bridge/model_facts.h"
#include "settings/app_settings.h"
#include "settings/setting_table.h"
#include "status/notices.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcModel, "hearth.model")

ActiveModel::ActiveModel(InferenceService& inference, AppSettings& settings, Notices& notices,
                         QObject* parent)
    : EngineStatus(parent), inference_(inference), settings_(settings), notices_(notices) {
    connect(&inference_, &InferenceService::loadProgress, this, &ActiveModel::setProgress);
    connect(&inference_, &InferenceService::loaded, this, &ActiveModel::onLoaded);
    connect(&inference_, &InferenceService::loadFailed, this, &ActiveModel::onLoadFailed);
    connect(&inference_, &InferenceService::reported, this, [this](const EngineReport& report) {
        report_ = report;
        emit reportChanged();
        emit reasoningChanged();
    });
    connect(&inference_, &InferenceService::finished, this,
            [this](quint64, const GenerationSummary& summary) {
                if (summary.experts != ExpertShares()) {
                    experts_ += summary.experts;
                    emit expertsChanged();
                }
            });
    connect(this, &EngineStatus::changed, this, &ActiveModel::reasoningChanged);
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key == QLatin1String("chat/reasoning")) {
            emit reasoningChanged();
        }
    });
}

QVariantList ActiveModel::reasoningChoices() const {
    const QStringList words =
        isReady() && report_.modelPath == path() ? report_.reasoningWords() : QStringList();
    if (words.size() < 2) {
        return {};
    }
    QVariantList list;
    for (const QString& word : words) {
        list << QVariantMap{
            {QStringLiteral("value"), word},
            {QStringLiteral("label"), wordText(QStringLiteral("chat/reasoning"), word)}};
    }
    return list;
}

QString ActiveModel::reasoning() const {
    const QString word = settings_.text("chat/reasoning", path());
    return report_.reasoningWords().contains(word) ? word : QStringLiteral("auto");
}

void ActiveModel::chooseReasoning(const QString& value) {
    settings_.set("chat/reasoning", value, path());
}

void ActiveModel::openFile(const QUrl& url) {
    if (!url.isLocalFile()) {
        notices_.notify(QStringLiteral("error"), tr("Only a file on this computer can be opened."),
                        QStringLiteral("openModel"));
        return;
    }
    openPath(url.toLocalFile());
}

void ActiveModel::openPath(const QString& path) {
    if (path.isEmpty()) {
        return;
    }
    notices_.modelChosen();
    notices_.end(Notices::Topic::Words);
    load(settings_.loadOptions(path));
}

void ActiveModel::reload() {
    openPath(path().isEmpty() ? settings_.lastModelPath() : path());
}

void ActiveModel::load(const LoadOptions& options) {
    changes_ = false;
    asked_ = options;
    setLoading(options.path);
    inference_.loadModel(options);
}

void ActiveModel::loadChanged() {
    load(settings_.loadOptions(path()));
    changes_ = true;
}

void ActiveModel::loadAgain() {
    load(running_);
}

void ActiveModel::setRunningBudget(const LoadOptions& budget) {
    running_.ramBytes = budget.ramBytes;
    running_.vramBytes = budget.vramBytes;
}

void ActiveModel::onLoaded(const ModelSummary& model) {
    contextTokens_ = model.contextTokens;
    lastGood_ = model.path;
    running_ = asked_;
    changes_ = false;
    experts_ = {};
    settings_.setLastModelPath(model.path);
    setReady(model);
    if (model.tokenizerFallback.isEmpty()) {
        notices_.end(Notices::Topic::Words);
    } else {
        notices_.begin(Notices::Topic::Words, QStringLiteral("warning"),
                       tokenizerGuess(model.tokenizerFallback));
    }
    qCInfo(lcModel).noquote() << "model ready:" << model.path << detail();
    emit expertsChanged();
    emit loaded();
}

void ActiveModel::onLoadFailed(const QString& sentence) {
    const QString failedPath = path();
    qCInfo(lcModel).noquote() << "model failed:" << failedPath << sentence;
    if (std::exchange(changes_, false)) {
        emit changeFailed(sentence);
        return;
    }
    setFailed(sentence);
    notices_.notify(QStringLiteral("error"), sentence, QStringLiteral("openModel"));
    // The earlier model was unloaded to make room: a wrong choice of file should not cost it.
    if (!lastGood_.isEmpty() && lastGood_ != failedPath) {
        load(settings_.loadOptions(std::exchange(lastGood_, {})));
        return;
    }
    emit failed(sentence);
}

}  // namespace hearth::ui
