// The parts of the window: the one object handed to Main.qml, as the property `app`. Each part is
// an idea of its own. All parts write to the disk first and use the engine afterwards.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "conversation/attachments.h"
#include "conversation/chat_search.h"
#include "conversation/chat_tools.h"
#include "conversation/chats.h"
#include "conversation/projects.h"
#include "conversation/replies.h"
#include "conversation/reply_writer.h"
#include "conversation/tool_rounds.h"
#include "documents/drawing_desk.h"
#include "downloads/downloads.h"
#include "exchange/chat_exchange.h"
#include "library/hub_search.h"
#include "library/model_library.h"
#include "library/model_offers.h"
#include "library/model_packing.h"
#include "map/neuron_map.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "network/network_overview.h"
#include "network/token_keeper.h"
#include "remote/inference_choice.h"
#include "remote/remote_inference.h"
#include "remote/remote_servers.h"
#include "remote/send_consent.h"
#include "serving/model_serving.h"
#include "settings/appearance.h"
#include "settings/crash_reports.h"
#include "settings/language.h"
#include "settings/network_settings.h"
#include "settings/settings_page.h"
#include "settings/window_place.h"
#include "status/active_model.h"
#include "status/notices.h"
#include "toolset/tool_shelf.h"
#include "window/engine_change.h"

namespace hearth::ui {

class AppController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("main() makes it")
    Q_PROPERTY(hearth::ui::Notices* notices READ notices CONSTANT)
    Q_PROPERTY(hearth::ui::Appearance* appearance READ appearance CONSTANT)
    Q_PROPERTY(hearth::ui::Language* language READ language NOTIFY wordsChanged)  // may be null
    Q_PROPERTY(hearth::ui::WindowPlace* place READ place CONSTANT)
    Q_PROPERTY(hearth::ui::ActiveModel* model READ model CONSTANT)
    Q_PROPERTY(hearth::ui::NeuronMap* map READ map CONSTANT)
    Q_PROPERTY(hearth::ui::Chats* chats READ chats CONSTANT)
    Q_PROPERTY(hearth::ui::Attachments* attachments READ attachments CONSTANT)
    Q_PROPERTY(hearth::ui::DrawingDesk* drawings READ drawings CONSTANT)
    Q_PROPERTY(hearth::ui::Projects* projects READ projects CONSTANT)
    Q_PROPERTY(hearth::ui::ChatSearch* search READ search CONSTANT)
    Q_PROPERTY(hearth::ui::Replies* replies READ replies CONSTANT)
    Q_PROPERTY(hearth::ui::ChatExchange* exchange READ exchange CONSTANT)
    Q_PROPERTY(hearth::ui::ToolShelf* tools READ tools CONSTANT)
    Q_PROPERTY(hearth::ui::ChatTools* chatTools READ chatTools CONSTANT)
    Q_PROPERTY(hearth::ui::ToolRounds* rounds READ rounds CONSTANT)
    Q_PROPERTY(hearth::ui::EngineChange* engineChange READ engineChange CONSTANT)
    Q_PROPERTY(hearth::ui::SettingsPage* settings READ settings CONSTANT)
    Q_PROPERTY(hearth::ui::ModelLibrary* library READ library CONSTANT)
    Q_PROPERTY(hearth::ui::ModelOffers* offers READ offers CONSTANT)
    Q_PROPERTY(hearth::ui::HubSearch* hub READ hub CONSTANT)
    Q_PROPERTY(hearth::ui::ModelPacking* packing READ packing CONSTANT)
    Q_PROPERTY(hearth::ui::Downloads* downloads READ downloads CONSTANT)
    Q_PROPERTY(hearth::ui::NetworkOverview* network READ network CONSTANT)
    Q_PROPERTY(hearth::ui::TokenKeeper* tokens READ tokens CONSTANT)
    Q_PROPERTY(hearth::ui::ModelServing* serving READ serving CONSTANT)
    Q_PROPERTY(hearth::ui::RemoteServers* remote READ remote CONSTANT)
    Q_PROPERTY(hearth::ui::SendConsent* consent READ consent CONSTANT)
    Q_PROPERTY(hearth::ui::CrashReports* crashes READ crashes CONSTANT)
    Q_PROPERTY(QString version READ version CONSTANT)  // "0.1.0"
    // "Version 0.1.0, commit 0123456789ab", as far as known
    Q_PROPERTY(QString builtFrom READ builtFrom NOTIFY wordsChanged)
    Q_PROPERTY(QString dataFolder READ dataFolder CONSTANT)  // for "About": the folder of the chats

public:
    // All of them outlive the controller. inference: the engine of this computer. The store is
    // open. machine, planner: null: nothing is known of the machine, and settings and library do
    // without it. They are two, because each drops a plan that a later question overtakes. packer:
    // null: no model can be prepared. serving: null: no other program is answered.
    AppController(InferenceService& inference, ConversationStore& store, AppSettings& settings,
                  MachineService* machine = nullptr, MachineService* planner = nullptr,
                  PackService* packer = nullptr, ServingService* serving = nullptr,
                  QObject* parent = nullptr);
    ~AppController() override;

    Notices* notices() { return &notices_; }
    Appearance* appearance() { return &appearance_; }
    Language* language() { return language_; }
    WindowPlace* place() { return &place_; }
    ActiveModel* model() { return &model_; }
    NeuronMap* map() { return &map_; }
    Chats* chats() { return &chats_; }
    Attachments* attachments() { return &attachments_; }
    DrawingDesk* drawings() { return &drawings_; }
    Projects* projects() { return &projects_; }
    ChatSearch* search() { return &search_; }
    Replies* replies() { return &replies_; }
    ChatExchange* exchange() { return &exchange_; }
    ToolShelf* tools() { return &shelf_; }
    ChatTools* chatTools() { return &chatTools_; }
    ToolRounds* rounds() { return &rounds_; }
    EngineChange* engineChange() { return &engineChange_; }
    SettingsPage* settings() { return &settingsPage_; }
    ModelLibrary* library() { return &library_; }
    ModelOffers* offers() { return &offers_; }
    HubSearch* hub() { return &hub_; }
    ModelPacking* packing() { return &packing_; }
    Downloads* downloads() { return &downloads_; }
    NetworkOverview* network() { return &network_; }
    TokenKeeper* tokens() { return &tokens_; }
    ModelServing* serving() { return &serving_; }
    RemoteServers* remote() { return &remote_; }
    SendConsent* consent() { return &consent_; }
    RemoteInference& remoteInference() { return remoteInference_; }
    CrashReports* crashes() { return &crashes_; }
    NetworkControl& networkControl() { return networkControl_; }
    NetworkDoor& door() { return door_; }  // belongs to the window's thread
    QString version() const;
    // Called before the window is created. commit: as `git describe --dirty=+` says; "unknown": the
    // build was not made from a clone.
    void setCommit(const QString& commit) { commit_ = commit; }
    // Called before the window is created. The language outlives the controller; where it changes,
    // the window reads all words anew. Without one the words are English.
    void follow(Language& language);
    QString builtFrom() const;
    QString dataFolder() const;

    Q_INVOKABLE void copyText(const QString& text);
    // Copies what the markdown says, without its marks.
    Q_INVOKABLE void copyPlain(const QString& markdown);

    // Writes pending data: the draft, the reply so far.
    void flush();
    // Called just before the window appears: offers the report of an earlier crash, unless there is
    // something else to say. False: it offers nothing.
    bool tellOfCrash(const QString& folder);
    // Called before the program ends: stops the reply and writes everything. Nothing may be called
    // afterwards.
    void close();

signals:
    void wordsChanged();  // the language has changed

private:
    // A background job has finished.
    void tell(const QString& heading, const QString& what, const QString& sentence,
              const QString& action = {});

    ConversationStore& store_;
    Notices notices_;
    Appearance appearance_;
    WindowPlace place_;
    NetworkControl networkControl_;
    NetworkDoor door_;
    TokenKeeper tokens_;
    RemoteServers remote_;
    SendConsent consent_;
    RemoteInference remoteInference_;
    InferenceChoice inference_;
    ActiveModel model_;
    NeuronMap map_;
    ReplyWriter writer_;
    Chats chats_;
    Attachments attachments_;
    DrawingDesk drawings_;
    Projects projects_;
    ChatSearch search_;
    ToolShelf shelf_;
    ChatTools chatTools_;
    ToolRounds rounds_;
    Replies replies_;
    ChatExchange exchange_;
    EngineChange engineChange_;
    SettingsPage settingsPage_;
    NetworkSettings networkSettings_;
    NetworkOverview network_;
    ModelServing serving_;
    Downloads downloads_;
    ModelLibrary library_;
    ModelOffers offers_;
    CrashReports crashes_;
    HubSearch hub_;
    ModelPacking packing_;
    Language* language_ = nullptr;
    QString commit_;
    bool closed_ = false;
};

}  // namespace hearth::ui
