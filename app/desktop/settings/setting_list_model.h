// The rows of the settings page: those of the shown section, or what a search found in all
// sections. Writes choices through AppSettings, for all models or for the open one.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QHash>
#include <QList>
#include <QVariantList>

#include "bridge/engine_report.h"
#include "bridge/machine_service.h"
#include "settings/place_check.h"
#include "settings/setting_table.h"

namespace hearth::ui {

class AppSettings;

class SettingListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("SettingsPage has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)
    Q_PROPERTY(QString section READ section WRITE setSection NOTIFY shownChanged)
    // Words that a label or description must contain; empty: the section is shown.
    Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY shownChanged)
    // True: a change is for the open model alone.
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
        NumberRole,   // of an amount: its slider's position; with "auto": the value in use, or the
                      // least
        LeastRole,    // of the slider
        MostRole,
        StepRole,
        HasAutoRole,   // the program can choose the value
        AutoRole,      // the program chooses the value
        AutoWordRole,  // the settings file's word for that
        ChoicesRole,   // a list of {value, label, note, whyNot}; whyNot: empty, or why it cannot be
                       // chosen
        RunsRole,      // the value in use, by the engine; may be empty
        ChangedRole,   // the value can be reset
        OwnRole,       // the open model has a value of its own
        EnabledRole,
        WhyNotRole,   // of a disabled row: a sentence
        PlaceRole,    // a text about the folders or the file that it names; may be empty
        ProblemRole,  // a sentence about the latest text that was typed
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

    // False: the value is refused, and the row says why.
    Q_INVOKABLE bool set(const QString& key, const QString& text);
    // Sets the value at a slider's position.
    Q_INVOKABLE bool setNumber(const QString& key, double number);
    Q_INVOKABLE void reset(const QString& key);
    // Adds a folder to a setting that holds several.
    Q_INVOKABLE bool addFolder(const QString& key, const QString& folder);
    // The value in force; empty for an unknown key.
    Q_INVOKABLE QString textOf(const QString& key) const;
    Q_INVOKABLE int indexOf(const QString& key) const;
    // The text of a number of an amount: "2200M", "0.8".
    Q_INVOKABLE QString textFor(const QString& key, double number) const;

    // Sets the path of the open model; empty: none is open.
    void setModel(const QString& path);
    void setReport(const EngineReport& report);
    void setFacts(const MachineFacts& facts);
    // Sets the modes that the open model cannot run in, with the reason: a sentence each.
    void setRefusedModes(const QHash<QString, QString>& refused);
    // True while somebody looks: the rows then check the folders and files that they name.
    void setWatched(bool watched);

signals:
    void countChanged();
    void shownChanged();
    void forModelChanged();

private:
    void filter();
    void refresh();  // reports changed rows
    void lookAtPlaces();
    QVariantList all(int row) const;
    QString modelFor(const SettingSpec& spec) const;  // the model whose value the row shows and
                                                      // writes
    QString valueOf(const SettingSpec& spec) const;
    QString whyNot(const SettingSpec& spec) const;
    static QString sizeShown(const SettingSpec& spec, const QString& value);
    QString runs(const QString& key) const;
    QString whyNotChoice(const QString& key, const QString& word) const;  // empty: it can be chosen
    QVariantList choices(const SettingSpec& spec) const;
    double most(const SettingSpec& spec) const;
    double number(const SettingSpec& spec) const;

    AppSettings& settings_;
    QList<const SettingSpec*> shown_;
    QList<QVariantList> told_;  // the reported values of each row, all roles from KeyRole on
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
    QHash<QString, QString> said_;  // results about places
    bool watched_ = false;
};

}  // namespace hearth::ui
