#include "window/app_controller.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <utility>

#include "markdown/plain_text.h"
#include "settings/app_settings.h"
#include "system/app_paths.h"
#include "system/desktop_notification.h"
#include "window/tell_anew.h"

namespace hearth::ui {

AppController::AppController(InferenceService& inference, ConversationStore& store,
                             AppSettings& settings, MachineService* machine,
                             MachineService* planner, PackService* packer, ServingService* serving,
                             QObject* parent)
    : QObject(parent),
      store_(store),
      appearance_(settings),
      place_(settings),
      door_(networkControl_),
      tokens_(networkControl_, systemKeychain()),
      remote_({settings, door_, tokens_}),
      consent_(remote_),
      remoteInference_({door_, tokens_, remote_, consent_}),
      inference_(inference, remoteInference_),
      model_(inference_, settings, notices_),
      map_(inference_, model_),
      writer_(store, notices_),
      chats_(store, notices_, writer_),
      attachments_(store, chats_, model_),
      projects_({store, notices_, chats_, model_, attachments_}),
      search_(store, chats_),
      shelf_(store.folder().isEmpty() || store.readOnly()
                 ? QString()
                 : QDir(store.folder()).filePath(QStringLiteral("tools.json")),
             networkControl_, door_),
      chatTools_(store, chats_),
      rounds_({store, notices_, chats_, chatTools_, shelf_}),
      replies_({inference_, store, settings, notices_, model_, writer_, chats_, chatTools_, rounds_,
                attachments_, projects_}),
      exchange_(store, chats_, attachments_, notices_),
      engineChange_({inference_, settings, notices_, model_, replies_}),
      settingsPage_(settings, machine),
      networkSettings_(settings),
      network_(networkControl_, settings, networkSettings_),
      serving_(settings, notices_, store.readOnly() ? nullptr : serving, systemKeychain()),
      downloads_(networkControl_, tokens_,
                 {.file = store.folder().isEmpty()
                              ? QString()
                              : QDir(store.folder()).filePath(QStringLiteral("downloads.json")),
                  .readOnly = store.readOnly()}),
      library_(settings, planner,
               {.downloads = store.folder().isEmpty()
                                 ? QString()
                                 : QDir(store.folder()).filePath(QStringLiteral("models")),
                .starter = starterModel(QCoreApplication::applicationDirPath()),
                .catalog = ownCatalog().entries}),
      offers_(ownCatalog(), {downloads_, library_, settings, door_, machine},
              QDir(store.folder().isEmpty() ? QDir::tempPath() : store.folder())
                  .filePath(QStringLiteral("headers"))),
      hub_({networkControl_, door_, tokens_, downloads_, library_}),
      packing_(library_, settings, store.readOnly() ? nullptr : packer,
               store.folder().isEmpty()
                   ? QString()
                   : QDir(store.folder()).filePath(QStringLiteral("packing.json"))) {
    connect(&replies_, &Replies::reopened, &search_, &ChatSearch::reopen);
    connect(&projects_, &Projects::changed, this, [this] {
        if (!projects_.has(search_.project())) {
            search_.setProject(kNoId);  // it has gone
        }
    });
    connect(&model_, &EngineStatus::changed, this, [this] {
        settingsPage_.setModel(model_.path());
        library_.setCurrent(model_.path());
        if (!model_.isReady()) {
            library_.plans().setHeld(0, 0);
        }
    });
    // The model that answers has moved, or is gone.
    connect(&remote_, &RemoteServers::moved, this, [this](const QString& serverId) {
        const auto remote = remoteModelAt(model_.path());
        if (remote && remote->server == serverId) {
            model_.reload();
        }
    });
    connect(&model_, &ActiveModel::expertsChanged, this,
            [this] { library_.setExperts(model_.experts()); });
    connect(&model_, &ActiveModel::loaded, this, [this] { library_.noteUsed(model_.path()); });
    connect(&model_, &ActiveModel::reportChanged, this, [this] {
        settingsPage_.setRunning(model_.running(), model_.report());
        serving_.setReport(model_.report());
        library_.plans().setHeld(model_.report().ramUsed, model_.report().vramUsed);
    });
    connect(&settings, &AppSettings::notKept, this, [this](const QString& sentence) {
        notices_.begin(Notices::Topic::Settings, QStringLiteral("warning"), sentence);
    });
    connect(&settings, &AppSettings::kept, this,
            [this] { notices_.end(Notices::Topic::Settings); });
    connect(&crashes_, &CrashReports::removed, this, [this](bool done) {
        if (!done) {
            notices_.notify(
                QStringLiteral("warning"),
                tr("The report could not be deleted. It lies in %1.").arg(crashes_.file()));
        } else if (notices_.action() == QLatin1String("showCrash")) {
            notices_.dismiss();
        }
    });
    connect(&downloads_, &Downloads::completed, this,
            [this](qint64, const QString& title, const QStringList& paths) {
                tell(tr("Downloaded"), title, tr("%1 is downloaded.").arg(title),
                     QStringLiteral("useModel:") + paths.value(0));
                library_.look();  // verified files are added to the list
            });
    connect(&packing_, &ModelPacking::done, this, [this](const QString& name) {
        tell(tr("Prepared"), name, tr("%1 is prepared: its copy is among the models.").arg(name));
    });
    connect(&packing_, &ModelPacking::failed, this,
            [this](const QString& name, const QString& wrong) {
                notices_.notify(QStringLiteral("warning"),
                                tr("%1 was not prepared. %2").arg(name, wrong));
            });
    if (packing_.state() == QLatin1String("interrupted")) {
        notices_.begin(Notices::Topic::Packing, QStringLiteral("info"),
                       tr("Preparing %1 was interrupted. On the models page you can continue it or "
                          "delete the unfinished copy.")
                           .arg(packing_.name()));
        connect(&packing_, &ModelPacking::changed, this, [this] {
            if (packing_.state() != QLatin1String("interrupted")) {
                notices_.end(Notices::Topic::Packing);
            }
        });
    }
}

AppController::~AppController() {
    for (QObject* part :
         std::initializer_list<QObject*>{&notices_, &chats_, &replies_, &engineChange_}) {
        part->blockSignals(true);
    }
    close();
}

void AppController::close() {
    if (!std::exchange(closed_, true)) {
        place_.keep();
        downloads_.close();
        search_.close();
        replies_.close();
        remoteInference_.shutdown(0);
        shelf_.close();
        attachments_.close();
        drawings_.close();
        flush();
    }
}

void AppController::flush() {
    chats_.saveDraft();
    writer_.flush();
}

bool AppController::tellOfCrash(const QString& folder) {
    if (!notices_.text().isEmpty() || !crashes_.look(folder)) {
        return false;
    }
    notices_.notify(QStringLiteral("info"),
                    tr("Hearth ended unexpectedly last time. A report without any chat text was "
                       "written, and nothing was sent. It lies in %1")
                        .arg(crashes_.file()),
                    QStringLiteral("showCrash"));
    return true;
}

// Somebody who looks at the window reads it there; the desktop tells others.
void AppController::tell(const QString& heading, const QString& what, const QString& sentence,
                         const QString& action) {
    const auto here = [this, sentence, action] {
        notices_.notify(QStringLiteral("info"), sentence, action);
    };
    if (QGuiApplication::applicationState() == Qt::ApplicationActive) {
        here();
    } else {
        notifyDesktop(heading, what, this, here);
    }
}

void AppController::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

void AppController::copyPlain(const QString& markdown) {
    copyText(plainText(markdown));
}

QString AppController::version() const {
    return QStringLiteral(HEARTH_VERSION);
}

QString AppController::builtFrom() const {
    if (commit_.isEmpty() || commit_ == QLatin1String("unknown")) {
        return tr("Version %1").arg(version());
    }
    return commit_.endsWith(QLatin1Char('+'))
               ? tr("Version %1, commit %2, with changes").arg(version(), commit_.chopped(1))
               : tr("Version %1, commit %2").arg(version(), commit_);
}

void AppController::follow(Language& language) {
    language_ = &language;
    connect(language_, &Language::changed, this, [this] { tellAnew(*this); });
}

QString AppController::dataFolder() const {
    return QDir::toNativeSeparators(store_.folder());
}

}  // namespace hearth::ui
