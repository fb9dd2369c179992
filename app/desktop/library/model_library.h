// The models on this computer: found in the user's folders, used where they lie, described by their
// own headers. The disk is asked on a thread of its own.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QThreadPool>
#include <QVariantList>
#include <atomic>

#include "catalog.h"
#include "folder_scan.h"
#include "machine_service.h"
#include "model_bin.h"
#include "model_list_model.h"
#include "plan_queue.h"

namespace hearth::ui {

class AppSettings;

class ModelLibrary : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::ModelFilter* list READ list CONSTANT)
    Q_PROPERTY(int count READ count NOTIFY changed)                // before any search
    Q_PROPERTY(bool looking READ looking NOTIFY changed)           // folders are being read
    Q_PROPERTY(QStringList problems READ problems NOTIFY changed)  // sentences of the last look
    Q_PROPERTY(QStringList folders READ folders NOTIFY changed)
    // Of other applications, and not in `folders`: {app, path} each.
    Q_PROPERTY(QVariantList offered READ offered NOTIFY changed)
    Q_PROPERTY(QVariantList recent READ recent NOTIFY changed)  // {path, name}, last used first
    Q_PROPERTY(QString said READ said NOTIFY saidChanged)       // what came of the last deletion
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY saidChanged)

public:
    struct Places {
        QString downloads;  // where downloads go while the settings name no folder
        QString starter;    // the model that came with the program; may be empty
        // What they say of a file of theirs, the user is not asked.
        QList<CatalogEntry> catalog = {};
    };
    // planner: null: how models would run is not known. It is asked through plans() alone. Both
    // outlive the library.
    ModelLibrary(AppSettings& settings, MachineService* planner, const Places& places,
                 QObject* parent = nullptr);
    // Waits for what the disk is asked just now.
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

    // Reads the folders anew. What was found before stays in the list until that is done.
    Q_INVOKABLE void look();
    // When somebody comes to see the list: looks, if nobody has yet.
    Q_INVOKABLE void open();
    Q_INVOKABLE void addPlace(const QString& path);
    Q_INVOKABLE void removeFolder(const QString& path);
    // A file of the user's goes to the system's bin; one of another application, or of a folder
    // that nobody may change, only leaves the list. said() says which.
    Q_INVOKABLE void remove(const QString& path);
    Q_INVOKABLE void undoRemove();
    Q_INVOKABLE void dismissSaid() { say({}); }
    Q_INVOKABLE void showInFolder(const QString& path);
    // A file that leaves its activation open: "reglu" or "silu".
    Q_INVOKABLE void answerActivation(const QString& path, const QString& activation);
    // Likewise what its predictors read: "residual" or "normed".
    Q_INVOKABLE void answerPredictorInput(const QString& path, const QString& input);

    // The model that is open; empty: none.
    void setCurrent(const QString& path);
    void noteUsed(const QString& path);
    // A file that was made for the user is in the list, whatever its folder.
    void include(const QString& path);

signals:
    void changed();
    void saidChanged();

private:
    struct Deleted {
        QString name;
        QString path;
        QList<BinnedFile> files;  // empty: it was only hidden
    };
    QList<FoundModel> shownOf(const QList<FoundModel>& models) const;
    void take(const ScanReport& report, const QList<ModelPlace>& places);
    void askFacts(const QString& path);
    void takeFacts(const QString& path, ModelFacts facts);
    void askCatalog(const QString& path, const ModelFacts& facts);
    void answer(const QString& path, const char* key, const QString& value);
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
    QList<ModelPlace> others_;  // of other applications, as they were found
    QString current_;
    QString said_;
    QList<Deleted> deleted_;
    QStringList fitsToAsk_;
    bool fitAsked_ = false;
    quint64 look_ = 0;
    bool looking_ = false;
    bool looked_ = false;
    std::atomic<bool> cancelled_ = false;
    QThreadPool pool_;  // one thread: a disk that turns is slow at two things
};

}  // namespace hearth::ui
