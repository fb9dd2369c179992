// All tools that a model may call: those of this program and of servers. Nothing is on until the
// user switches it on.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QVariantList>
#include <memory>

#include "system/child_isolation.h"
#include "toolset/built_in_tools.h"
#include "toolset/server_list_model.h"
#include "toolset/tool_config.h"
#include "toolset/tool_log.h"

namespace hearth::ui {

class McpClient;
class NetworkControl;
class NetworkDoor;

// A tool under the name by which the model calls it.
struct ShelfTool {
    QString name;
    QString source;  // its title
    OfferedTool tool;
    QPointer<ToolSource> from;
};

class ToolShelf : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::ServerListModel* servers READ servers CONSTANT)
    Q_PROPERTY(hearth::ui::ToolLog* log READ log CONSTANT)
    // Each has name, words, on.
    Q_PROPERTY(QVariantList builtIns READ builtIns NOTIFY changed)
    Q_PROPERTY(int onCount READ onCount NOTIFY changed)  // tools that can be called now
    Q_PROPERTY(bool isolates READ isolates CONSTANT)     // commands can be shut out of the network
    Q_PROPERTY(QString trouble READ trouble NOTIFY changed)  // the settings are not saved; or empty

public:
    // file: keeps the settings; empty: nothing is kept. control, door: outlive it. Servers that are
    // on start once the event loop runs.
    ToolShelf(const QString& file, NetworkControl& control, NetworkDoor& door,
              QObject* parent = nullptr);
    ~ToolShelf() override;

    ServerListModel* servers() { return &model_; }
    ToolLog* log() { return &log_; }
    QVariantList builtIns() const;
    int onCount() const;
    static bool isolates() { return knowsChildIsolation(); }
    QString trouble() const { return trouble_; }

    Q_INVOKABLE void setBuiltInOn(const QString& name, bool on);
    // A sentence if it cannot be added; else empty. entry: a command line or an address. The server
    // is off at first.
    Q_INVOKABLE QString addServer(const QString& name, const QString& entry, bool network);
    Q_INVOKABLE void removeServer(qint64 serverId);
    // A server that failed is started anew by switching it on again.
    Q_INVOKABLE void setServerOn(qint64 serverId, bool on);
    Q_INVOKABLE void setServerNetwork(qint64 serverId, bool allowed);

    // The tools that can be called now, each by a name of its own.
    QList<ShelfTool> offered(bool hasFolder) const;
    // Answers with exactly one done(), never before it returns. The tool may be gone by now.
    quint64 call(const ShelfTool& tool, const QByteArray& arguments, const ToolPlace& place);
    void cancel(quint64 id);
    // Ends all servers.
    void close();

    static constexpr int kMostOffered = 64;

signals:
    void changed();
    void done(quint64 id, const hearth::ui::ToolOutcome& outcome);

private:
    struct UnderWay {
        ToolSource* from = nullptr;
        QString source;
        QString tool;
    };
    ToolServer* serverOf(qint64 id);
    void startServers();
    void startServer(const ToolServer& server);
    void heedRules();
    void stopServer(qint64 id);
    void show(qint64 id);
    void save();
    void listen(ToolSource& source);
    void onDone(quint64 id, const ToolOutcome& outcome);

    QString file_;
    NetworkControl& control_;
    NetworkDoor& door_;
    bool forbidden_ = false;  // all requests are, so programs have no network either
    ToolConfig config_;
    BuiltInTools builtIns_;
    QHash<qint64, McpClient*> clients_;  // of the servers that are on
    ServerListModel model_;
    ToolLog log_;
    QString trouble_;
    qint64 lastServer_ = 0;
    quint64 lastCall_ = 0;
    QHash<quint64, UnderWay> calls_;
};

}  // namespace hearth::ui
