// A model of another computer has a path as a file has one, so that settings, projects and the
// window name it alike: "remote:SERVER/MODEL". SERVER is the id of a server in the user's list
// (remote/remote_servers.h).
#pragma once

#include <QString>
#include <optional>

namespace hearth::ui {

struct RemoteModel {
    QString server;  // eight hexadecimal digits
    QString model;   // as its server names it

    friend bool operator==(const RemoteModel&, const RemoteModel&) = default;
};

QString remotePath(const RemoteModel& model);
// Empty: the path is of a file, or makes no sense.
std::optional<RemoteModel> remoteModelAt(const QString& path);
bool isRemotePath(const QString& path);
// As people read it while nothing more is known: the file's name, or "MODEL · not local".
QString nameOfModelAt(const QString& path);
QString notLocal(const QString& name);

}  // namespace hearth::ui
