// The local API in the window: other programs of this computer ask the window's model. The settings
// "api/on" and "api/port" start and end it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <memory>

#include "bridge/engine_report.h"
#include "bridge/serving_service.h"
#include "serving/served_request_list_model.h"

namespace hearth::ui {

class AppSettings;
class Notices;
class SecretStore;
class ServingToken;

class ModelServing : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(bool available READ available CONSTANT)   // false: this window cannot serve
    Q_PROPERTY(QString state READ state NOTIFY changed)  // "off", "starting", "on", "failed"
    Q_PROPERTY(
        QString problem READ problem NOTIFY changed)  // why it does not listen; empty: it may
    Q_PROPERTY(QString address READ address NOTIFY changed)  // of "on": "http://127.0.0.1:8080/v1"
    Q_PROPERTY(QString token READ token NOTIFY changed)      // empty: not known so far
    Q_PROPERTY(QString tokenPlace READ tokenPlace NOTIFY changed)  // where it is kept, a sentence
    // Tells what the engine keeps of conversations that take turns; empty: not known.
    Q_PROPERTY(QString memory READ memory NOTIFY changed)
    // Another program is answered: a sentence with its name; empty: none is.
    Q_PROPERTY(QString answering READ answering NOTIFY turnsChanged)
    // A question of the window waits for that answer.
    Q_PROPERTY(bool questionWaits READ questionWaits NOTIFY turnsChanged)
    Q_PROPERTY(int waiting READ waiting NOTIFY turnsChanged)  // requests of other programs
    Q_PROPERTY(hearth::ui::ServedRequestListModel* requests READ requests CONSTANT)

public:
    // All outlive it. service: null: this window serves nobody.
    ModelServing(AppSettings& settings, Notices& notices, ServingService* service,
                 std::unique_ptr<SecretStore> store, QObject* parent = nullptr);
    ~ModelServing() override;

    // At the start of the program: begins if the settings say so.
    void begin();

    // The engine's report of what it holds.
    void setReport(const EngineReport& report);

    bool available() const { return service_ != nullptr; }
    QString state() const { return state_; }
    QString problem() const { return problem_; }
    QString address() const;
    QString token() const;
    QString tokenPlace() const;
    QString memory() const;
    QString answering() const;
    bool questionWaits() const { return turns_.answers && turns_.windowWaits; }
    int waiting() const { return turns_.waiting; }
    ServedRequestListModel* requests() { return &requests_; }

    // Tries the port again, of "failed".
    Q_INVOKABLE void tryAgain();
    // Programs that know the token of before get no answer from now on.
    Q_INVOKABLE void renewToken();
    // Ends the answer that another program gets.
    Q_INVOKABLE void stopAnswer();

signals:
    void changed();
    void turnsChanged();

private:
    enum class Cause { Person, Program, Again };  // of the latest start

    bool isWanted() const;
    void apply();
    void start(Cause cause);
    void onStarted(quint16 port);
    void onFailed(const QString& sentence);
    void setState(const char* state, const QString& problem);

    AppSettings& settings_;
    Notices& notices_;
    ServingService* service_;
    std::unique_ptr<ServingToken> token_;  // null: without a service
    ServedRequestListModel requests_;
    QString state_ = QStringLiteral("off");
    QString problem_;
    quint16 port_ = 0;  // of "on"
    Cause cause_ = Cause::Person;
    ServingTurns turns_;
    EngineReport report_;
};

}  // namespace hearth::ui
