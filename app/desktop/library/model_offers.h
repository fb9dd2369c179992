// The models that can be downloaded: those of the catalogue, and any file by its address. No
// request is made before somebody wants a model, or a forecast of one.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QVariantList>
#include <optional>

#include "bridge/machine_service.h"
#include "library/catalog.h"
#include "library/offer_check.h"
#include "library/offer_choice.h"

namespace hearth::ui {

class AppSettings;
class Downloads;
class ModelLibrary;

class ModelOffers : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // {title, about, facts, missing} each; facts: "4.7 GB · sparse · licence: mit"; missing: why it
    // would not chat here, or that it is not known whether it would, in sentences; empty: it would.
    // Models that chat come first.
    Q_PROPERTY(QVariantList list READ list NOTIFY wordsChanged)
    Q_PROPERTY(QStringList states READ states NOTIFY changed)  // of each: "", "coming", "here"
    Q_PROPERTY(QString folder READ folder NOTIFY changed)      // the folder for downloads
    Q_PROPERTY(QString said READ said NOTIFY saidChanged)      // why the latest did not begin
    // The forecast of each entry, as far as it was asked for: {state, fit, text, facts}. state: "",
    // "asking", "known", "wrong" (the text says why nothing is known); fit: "fits", "partly",
    // "streams", "cannot".
    Q_PROPERTY(QVariantList checks READ checks NOTIFY checksChanged)
    Q_PROPERTY(QVariantMap addressCheck READ addressCheck NOTIFY checksChanged)
    // The model for this computer: its index in the list, -1: nothing, or it is not known yet; and
    // a sentence about it.
    Q_PROPERTY(int suggested READ suggested NOTIFY suggestionChanged)
    Q_PROPERTY(QString suggestion READ suggestion NOTIFY suggestionChanged)

public:
    // All parts outlive it.
    struct Parts {
        Downloads& downloads;
        ModelLibrary& library;
        AppSettings& settings;
        NetworkDoor& door;
        MachineService* machine = nullptr;  // null: nothing is suggested
    };
    // headerFolder: as OfferCheck has it.
    ModelOffers(Catalog catalog, const Parts& parts, const QString& headerFolder,
                QObject* parent = nullptr);

    QVariantList list() const;
    QStringList states() const { return states_; }
    QString folder() const;
    QString said() const { return said_; }
    QVariantList checks() const;
    QVariantMap addressCheck() const;
    int suggested() const { return choice_.index; }
    QString suggestion() const;

    // Both: true where it begins, now or when others have ended; else said() says why not.
    // The known facts of a file are checked as early as possible (FileExpectation).
    // get() also keeps for the file what it does not say itself: activation and predictor input.
    Q_INVOKABLE bool get(int index);
    // Accepts the hub's page of a file for the file.
    Q_INVOKABLE bool getAddress(const QString& address);
    Q_INVOKABLE void look();  // called when somebody opens the list

    // Fetches the header and forecasts the model. One at a time: a later call ends the one before.
    Q_INVOKABLE void check(int index);
    // False: it is no address of a model, and said() says why.
    Q_INVOKABLE bool checkAddress(const QString& address);
    Q_INVOKABLE void cancelCheck();
    // Called when the address has changed.
    Q_INVOKABLE void forgetAddress();

signals:
    void changed();
    void saidChanged();
    void checksChanged();
    void suggestionChanged();
    void wordsChanged();  // the language has changed

private:
    struct Check {
        QString state;
        OfferVerdict verdict;
    };
    QString pathOf(const CatalogEntry& entry) const;
    QUrl fileAt(const QString& address);
    bool say(const QString& why);
    void begin(int index, const OfferCheck::Question& question);
    void forgetForecasts();
    void choose();
    void lookForFiles();
    void onChecked(const OfferVerdict& verdict);
    static QVariantMap shown(const Check& check);

    Catalog catalog_;
    Parts parts_;
    OfferCheck check_;
    QStringList states_;
    QString said_;
    std::optional<MachineFacts> facts_;
    OfferMemory memory_;
    OfferChoice choice_;
    QList<Check> checks_;  // of the catalogue's entries, then of the address
    int checked_ = -1;     // index in checks_; -1: none is under way
};

}  // namespace hearth::ui
