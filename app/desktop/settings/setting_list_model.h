// The rows of the settings page: those of the section that is shown, or what a search found in all
// of them. Writes what is chosen through AppSettings, for all models or for the open one.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QHash>
#include <QList>
#include <QVariantList>

#include "engine_report.h"
#include "machine_service.h"
#include "place_check.h"
#include "setting_table.h"
#include "setting_texts.h"

namespace hearth::ui {

class AppSettings;

class SettingListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("SettingsPage has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)
    Q_PROPERTY(QString section READ section WRITE setSection NOTIFY shownChanged)
    // Words that label or description must have; empty: the section is shown.
    Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY shownChanged)
    // What is changed counts for the open model alone.
    Q_PROPERTY(bool forModel READ forModel WRITE setForModel NOTIFY forModelChanged)
    Q_PROPERTY(bool hasModel READ hasModel NOTIFY forModelChanged)

public:
    enum Role {
        KeyRole = Qt::UserRole + 1,  // "engine/ram"
        SectionRole,                 // "Model & machine"
        LabelRole,
        SaysRole,
        ControlRole,  // "choice", "amount", "switch", "text", "longText", "file", "folder",
                      // "folders"
        ValueRole,    // as in the settings file
        NumberRole,   // of an amount: its slider's position; of "auto": of what runs, or the least
        LeastRole,    // of the slider
        MostRole,
        StepRole,
        HasAutoRole,   // it can be left to the program
        AutoRole,      // and is
        AutoWordRole,  // how the settings file says so
        ChoicesRole,   // of {value, label, note, whyNot}; whyNot: empty, or it cannot be chosen
        RunsRole,      // what runs, by the engine; may be empty
        ChangedRole,   // there is something to reset here
        OwnRole,       // the open model has a value of its own
        EnabledRole,
        WhyNotRole,   // a sentence, of one that is not enabled
        PlaceRole,    // what is said of the folders or the file that it names; may be empty
        ProblemRole,  // a sentence about what was typed last
    };

    explicit SettingListModel(AppSettings& settings, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int count() const { return static_cast<int>(shown_.size()); }
    QString section() const { return section_; }
    void setSection(const QString& section);
    QString search() const { return search_; }
    void setSearch(const QString& search);
    bool forModel() const { return forModel_ && hasModel(); }
    void setForModel(bool forModel);
    bool hasModel() const { return !model_.isEmpty(); }

    // False: it may not be this, and the row says why.
    Q_INVOKABLE bool set(const QString& key, const QString& text);
    // Where a slider was moved to.
    Q_INVOKABLE bool setNumber(const QString& key, double number);
    Q_INVOKABLE void reset(const QString& key);
    // Adds a folder to a setting of several.
    Q_INVOKABLE bool addFolder(const QString& key, const QString& folder);
    // What counts now; empty for a key that is not there.
    Q_INVOKABLE QString textOf(const QString& key) const;
    Q_INVOKABLE int indexOf(const QString& key) const;
    // How a number of an amount is written: "2200M", "0.8".
    Q_INVOKABLE QString textFor(const QString& key, double number) const;

    // The model that is open: its path; empty: none.
    void setModel(const QString& path);
    void setReport(const EngineReport& report);
    void setFacts(const MachineFacts& facts);
    // Modes that the open model cannot run in: why, a sentence each.
    void setRefusedModes(const QHash<QString, QString>& refused);
    // While somebody looks, so do the rows: at the folders and files that they name.
    void setWatched(bool watched);

signals:
    void countChanged();
    void shownChanged();
    void forModelChanged();

private:
    void filter();
    void refresh();  // says what has changed
    void lookAtPlaces();
    QVariantList all(int row) const;
    QString modelFor(const SettingSpec& spec) const;  // whose value the row shows and writes
    QString valueOf(const SettingSpec& spec) const;
    QString whyNot(const SettingSpec& spec) const;
    QString runs(const QString& key) const;
    QVariantList choices(const SettingSpec& spec) const;
    double most(const SettingText& text) const;
    double number(const SettingText& text, const SettingSpec& spec) const;

    AppSettings& settings_;
    QList<const SettingText*> shown_;
    QList<QVariantList> told_;  // of each row, all roles from KeyRole on
    QString section_ = QStringLiteral("model");
    QString search_;
    bool forModel_ = false;
    QString model_;
    EngineReport report_;
    MachineFacts facts_;
    QHash<QString, QString> problems_;
    QHash<QString, QString> refusedModes_;
    PlaceCheck places_;
    PlaceCheck::Questions asked_;
    QHash<QString, QString> said_;  // of places
    bool watched_ = false;
};

}  // namespace hearth::ui
