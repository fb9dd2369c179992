// The models on this computer: found in the user's folders, used in their places, described by
// their own headers. A thread of its own asks the disk.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QThreadPool>
#include <QVariantList>
#include <atomic>

#include "bridge/machine_service.h"
#include "library/catalog.h"
#include "library/folder_scan.h"
#include "library/model_bin.h"
#include "library/model_list_model.h"
#include "library/plan_queue.h"

namespace hearth::ui {

class AppSettings;

class ModelLibrary : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::ModelFilter* list READ list CONSTANT)
    Q_PROPERTY(int count READ count NOTIFY changed)       // of all models, before any search
    Q_PROPERTY(bool looking READ looking NOTIFY changed)  // folders are being read
    Q_PROPERTY(QStringList problems READ problems NOTIFY changed)  // sentences from the latest look
    Q_PROPERTY(QStringList folders READ folders NOTIFY changed)
    // Folders of other applications that are not in `folders`: {app, path} each.
    Q_PROPERTY(QVariantList offered READ offered NOTIFY changed)
    Q_PROPERTY(QVariantList recent READ recent NOTIFY changed)  // {path, name}, last used first
    Q_PROPERTY(QString said READ said NOTIFY saidChanged)       // how the latest deletion ended
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY saidChanged)

public:
    struct Places {
        QString downloads;  // the folder for downloads while the settings name none
        QString starter;    // the model that came with the program; may be empty
        // The user is not asked what the catalogue says of a file of its own.
        QList<CatalogEntry> catalog = {};
    };
    // planner: null: how models would run is unknown. Only plans() asks it. Both outlive the
    // library.
    ModelLibrary(AppSettings& settings, MachineService* planner, const Places& places,
                 QObject* parent = nullptr);
    // Waits for the disk's answer under way.
    ~ModelLibrary() override;

    static constexpr int kRecentMost = 8;

    ModelFilter* list() { return &filter_; }
    const ModelListModel& models() const { return models_; }
    int count() const { return static_cast<int>(models_.rows().size()); }
    bool looking() const { return looking_; }
    QStringList problems() const { return problems_; }
    QStringList folders() const;
    QVariantList offered() const;
    QVariantList recent() const;
    QString said() const { return said_; }
    bool canUndo() const { return !deleted_.isEmpty(); }
    QString downloadFolder() const;
    PlanQueue& plans() { return plans_; }

    // Reads the folders anew. The models found before stay in the list until that is done.
    Q_INVOKABLE void look();
    // Called when somebody opens the list: looks, unless that was done before.
    Q_INVOKABLE void open();
    Q_INVOKABLE void addPlace(const QString& path);
    Q_INVOKABLE void removeFolder(const QString& path);
    // Moves a file of the user's to the system's bin. A file of another application, or in a
    // read-only folder, only leaves the list. said() tells which.
    Q_INVOKABLE void remove(const QString& path);
    Q_INVOKABLE void undoRemove();
    Q_INVOKABLE void dismissSaid() { say({}); }
    Q_INVOKABLE void showInFolder(const QString& path);
    // Answers for a file that leaves its activation open: "reglu" or "silu".
    Q_INVOKABLE void answerActivation(const QString& path, const QString& activation);
    // Answers for a file that leaves its predictors' input open: "residual" or "normed".
    Q_INVOKABLE void answerPredictorInput(const QString& path, const QString& input);

    // The open model; empty: none.
    void setCurrent(const QString& path);
    // The experts that tokens of the open model chose, by place.
    void setExperts(const ExpertShares& chosen);
    void noteUsed(const QString& path);
    // Puts a file that was made for the user in the list, whatever its folder.
    void include(const QString& path);

signals:
    void changed();
    void saidChanged();

private:
    struct Deleted {
        QString name;
        QString path;
        QList<BinnedFile> files;  // empty: the model was only hidden
    };
    QList<FoundModel> shownOf(const QList<FoundModel>& models) const;
    void take(const ScanReport& report, const QList<ModelPlace>& places);
    void askFacts(const QString& path);
    void takeFacts(const QString& path, ModelFacts facts);
    void askCatalog(const QString& path, const ModelFacts& facts);
    void answer(const QString& path, const char* key, const QString& value);
    void askFit(const QString& path);
    void askFits();  // of all models anew: what they would be given has changed
    void askBusyFits();
    void askNextFit();
    void hide(const QString& path, bool hidden);
    void say(const QString& text);
    QStringList paths(const char* key) const;
    void setPaths(const char* key, const QStringList& paths);

    AppSettings& settings_;
    PlanQueue plans_;
    Places places_;
    ModelListModel models_;
    ModelFilter filter_;
    QStringList problems_;
    QList<ModelPlace> others_;  // places of other applications, as found
    QString current_;
    QString said_;
    QList<Deleted> deleted_;
    QStringList fitsToAsk_;
    bool fitAsked_ = false;
    quint64 look_ = 0;
    bool looking_ = false;
    bool looked_ = false;
    std::atomic<bool> cancelled_ = false;
    QThreadPool pool_;  // one thread: a spinning disk is slow at two things
};

}  // namespace hearth::ui
