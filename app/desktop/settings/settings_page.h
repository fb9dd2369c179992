// The parts of the settings page. AppController tells it about the model. The first opening of the
// page asks the machine.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "settings/plan_preview.h"
#include "settings/setting_list_model.h"

namespace hearth::ui {

class SettingsPage : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::SettingListModel* rows READ rows CONSTANT)
    Q_PROPERTY(hearth::ui::PlanPreview* preview READ preview CONSTANT)
    Q_PROPERTY(QVariantList sections READ sections NOTIFY wordsChanged)  // of {id, title}
    Q_PROPERTY(bool asking READ asking NOTIFY askingChanged)  // the machine is asked for its facts

public:
    // Both outlive it. machine: null: nothing about it is known.
    SettingsPage(AppSettings& settings, MachineService* machine, QObject* parent = nullptr);

    SettingListModel* rows() { return &rows_; }
    PlanPreview* preview() { return &preview_; }
    QVariantList sections() const;
    bool asking() const { return asking_; }

    // True: the page is shown.
    Q_INVOKABLE void setShown(bool shown);
    // Tries the graphics cards again.
    Q_INVOKABLE void tryCards() { ask(true); }

    void setModel(const QString& path);
    void setRunning(const LoadOptions& options, const EngineReport& report);

signals:
    void askingChanged();
    void wordsChanged();  // the language has changed

private:
    void ask(bool anew);
    void askModes();

    AppSettings& settings_;
    MachineService* machine_;
    SettingListModel rows_;
    PlanPreview preview_;
    QString model_;
    quint64 modesId_ = 0;
    bool shown_ = false;
    bool asked_ = false;
    bool asking_ = false;
};

}  // namespace hearth::ui
