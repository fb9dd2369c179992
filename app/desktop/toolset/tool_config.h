// The user's choices about tools: which are on, and the servers. One file, JSON.
#pragma once

#include <QList>
#include <QSet>
#include <QString>

namespace hearth::ui {

struct ToolServer {
    qint64 id = 0;
    QString name;
    // A command line, or an address that begins with http:// or https://.
    QString entry;
    bool network = false;  // a command may use it
    bool on = false;

    bool isAddress() const;
    bool operator==(const ToolServer&) const = default;
};

struct ToolConfig {
    QSet<QString> builtIns = {};  // those that are on
    QList<ToolServer> servers = {};

    bool operator==(const ToolConfig&) const = default;
};

inline constexpr int kMostServers = 50;

// The reason why the server cannot be added, a sentence; empty: it can.
QString refusalOfServer(const ToolServer& server, const ToolConfig& config);

// A file that cannot be understood is kept beside, as FILE.damaged. No file: nothing is on.
ToolConfig readToolConfig(const QString& file);
// A sentence if the disk refused; the earlier file is then as it was. Empty: it is on the disk.
QString writeToolConfig(const QString& file, const ToolConfig& config);

}  // namespace hearth::ui
