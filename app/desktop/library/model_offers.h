// The models that can be downloaded: those of the catalogue, and any file whose address somebody
// knows. Nothing is asked of the network before get() or getAddress().
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QVariantList>

#include "catalog.h"

namespace hearth::ui {

class AppSettings;
class Downloads;
class ModelLibrary;

class ModelOffers : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // {title, about, facts} each; facts: "4.7 GB · sparse · licence: mit".
    Q_PROPERTY(QVariantList list READ list CONSTANT)
    Q_PROPERTY(QStringList states READ states NOTIFY changed)  // of each: "", "coming", "here"
    Q_PROPERTY(QString folder READ folder NOTIFY changed)      // where downloads go
    Q_PROPERTY(QString said READ said NOTIFY saidChanged)      // why the last one did not begin

public:
    // downloads, library and settings outlive it.
    ModelOffers(Catalog catalog, Downloads& downloads, ModelLibrary& library, AppSettings& settings,
                QObject* parent = nullptr);

    QVariantList list() const;
    QStringList states() const { return states_; }
    QString folder() const;
    QString said() const { return said_; }

    // Both: true where it begins, now or when others have ended; else said() says why not.
    // get() also keeps for the file what it does not say itself: activation and predictor input.
    Q_INVOKABLE bool get(int index);
    // The hub's page of a file is taken for the file.
    Q_INVOKABLE bool getAddress(const QString& address);
    Q_INVOKABLE void look();  // when somebody comes to see the list

signals:
    void changed();
    void saidChanged();

private:
    QString pathOf(const CatalogEntry& entry) const;
    bool say(const QString& why);

    Catalog catalog_;
    Downloads& downloads_;
    ModelLibrary& library_;
    AppSettings& settings_;
    QStringList states_;
    QString said_;
};

}  // namespace hearth::ui
