#include "serving/model_serving.h"

#include "serving/serving_token.h"
#include "settings/app_settings.h"
#include "status/notices.h"
#include "system/size_words.h"

namespace hearth::ui {

ModelServing::ModelServing(AppSettings& settings, Notices& notices, ServingService* service,
                           std::unique_ptr<SecretStore> store, QObject* parent)
    : QObject(parent), settings_(settings), notices_(notices), service_(service) {
    if (service_ == nullptr) {
        return;
    }
    token_ = std::make_unique<ServingToken>(*service_, std::move(store));
    connect(token_.get(), &ServingToken::changed, this, &ModelServing::changed);
    connect(service_, &ServingService::started, this, &ModelServing::onStarted);
    connect(service_, &ServingService::failed, this, &ModelServing::onFailed);
    connect(service_, &ServingService::turnsChanged, this, [this](const ServingTurns& turns) {
        turns_ = turns;
        emit turnsChanged();
    });
    connect(service_, &ServingService::requestsChanged, &requests_, &ServedRequestListModel::take);
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key == QLatin1String("api/on")) {
            apply();
        } else if (key == QLatin1String("api/port") && isWanted()) {
            start(Cause::Person);
        }
    });
}

ModelServing::~ModelServing() = default;

void ModelServing::begin() {
    if (service_ != nullptr && isWanted()) {
        start(Cause::Program);
    }
}

bool ModelServing::isWanted() const {
    return settings_.text("api/on") == QLatin1String("true");
}

void ModelServing::apply() {
    if (isWanted()) {
        start(Cause::Person);
    } else {
        service_->stop();
        setState("off", {});
    }
}

void ModelServing::start(Cause cause) {
    cause_ = cause;
    setState("starting", {});
    token_->get(this, [this](const QByteArray& token) {
        if (!isWanted()) {
            return;  // switched off while the keychain was asked
        }
        if (token.isEmpty()) {
            onFailed(tr("This system has no random numbers to make a token of."));
            return;
        }
        service_->start(static_cast<quint16>(settings_.text("api/port").toUInt()), token);
    });
}

void ModelServing::onStarted(quint16 port) {
    port_ = port;
    setState("on", {});
}

// Somebody who has just switched it on sees that it stays off. At the start of the program the
// setting stays: the port may be free the next time.
void ModelServing::onFailed(const QString& sentence) {
    if (cause_ == Cause::Person) {
        settings_.set("api/on", QStringLiteral("false"));
        setState("off", sentence);
        return;
    }
    setState("failed", sentence);
    if (cause_ == Cause::Program) {
        notices_.notifyAtStart(QStringLiteral("warning"),
                               tr("The local API is not running. %1").arg(sentence));
    }
}

void ModelServing::setState(const char* state, const QString& problem) {
    state_ = QLatin1String(state);
    problem_ = problem;
    emit changed();
}

QString ModelServing::address() const {
    return state_ == QLatin1String("on") ? QStringLiteral("http://127.0.0.1:%1/v1").arg(port_)
                                         : QString();
}

QString ModelServing::token() const {
    return token_ == nullptr ? QString() : QString::fromLatin1(token_->token());
}

QString ModelServing::tokenPlace() const {
    if (token().isEmpty()) {
        return {};
    }
    return token_->isInKeychain()
               ? tr("The token is in this system's keychain.")
               : tr("The token changes when Hearth ends: there is no keychain here that keeps it.");
}

void ModelServing::setReport(const EngineReport& report) {
    report_ = report;
    emit changed();
}

QString ModelServing::memory() const {
    if (report_.modelPath.isEmpty()) {
        return {};
    }
    return report_.keptPastsMost == 0
               ? tr("No memory is left to keep conversations that take turns: they are read anew.")
               : tr("Kept in memory of conversations that take turns: %1 of at most %2.")
                     .arg(sizeWords(report_.keptPastsBytes), sizeWords(report_.keptPastsMost));
}

QString ModelServing::answering() const {
    return turns_.answers ? tr("Answers another program: %1")
                                .arg(ServedRequestListModel::clientWords(turns_.client))
                          : QString();
}

void ModelServing::tryAgain() {
    if (service_ != nullptr && isWanted() && state_ == QLatin1String("failed")) {
        start(Cause::Again);
    }
}

void ModelServing::renewToken() {
    if (token_ != nullptr && token_->renew()) {
        service_->setToken(token_->token());
    }
}

void ModelServing::stopAnswer() {
    if (service_ != nullptr) {
        service_->stopAnswer();
    }
}

}  // namespace hearth::ui
