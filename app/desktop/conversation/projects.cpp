#include "conversation/projects.h"

#include <QFileInfo>
#include <algorithm>

#include "bridge/inference_service.h"
#include "bridge/remote_path.h"
#include "conversation/attachments.h"
#include "conversation/chats.h"
#include "status/active_model.h"
#include "status/notices.h"
#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

constexpr double kHottest = 2;

QString nameFrom(const QString& typed) {
    return typed.simplified().left(Project::kLongestName);
}

}  // namespace

Projects::Projects(const Parts& parts, QObject* parent)
    : QObject(parent), parts_(parts), rows_(*parts.chats.conversations()) {
    connect(&parts_.chats, &Chats::currentProjectChanged, this, [this] {
        if (parts_.chats.currentProject() != chosenIn_) {
            chosenIn_ = kNoId;
        }
        emit currentNameChanged();
    });
    connect(&parts_.model, &EngineStatus::changed, this, &Projects::noteModel);
    // An import may bring projects along.
    connect(parts_.chats.conversations(), &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) {
                for (int row = first; row <= last; ++row) {
                    const qint64 project = parts_.chats.conversations()->rows().at(row).projectId;
                    if (project != kNoId && find(project) == projects_.cend()) {
                        reload();
                        return;
                    }
                }
            });
    modelPath_ = parts_.model.path();
    reload();
}

ProjectFiles* Projects::files() {
    return parts_.attachments.projectFiles();
}

void Projects::reload() {
    projects_ = parts_.store.projects();
    rows_.setProjects(projects_);
    emit changed();
    emit currentNameChanged();
}

QList<Project>::const_iterator Projects::find(qint64 id) const {
    return std::find_if(projects_.cbegin(), projects_.cend(),
                        [id](const Project& project) { return project.id == id; });
}

QVariantList Projects::all() const {
    QVariantList list;
    for (const Project& project : projects_) {
        list.append(QVariantMap{{QStringLiteral("id"), project.id},
                                {QStringLiteral("name"), project.name}});
    }
    return list;
}

QString Projects::currentName() const {
    const auto project = find(parts_.chats.currentProject());
    return project == projects_.cend() ? QString() : project->name;
}

QVariantMap Projects::details(qint64 id) const {
    const auto project = find(id);
    if (project == projects_.cend()) {
        return {};
    }
    return {{QStringLiteral("name"), project->name},
            {QStringLiteral("instructions"), project->instructions},
            {QStringLiteral("model"), project->model},
            {QStringLiteral("modelName"), isRemotePath(project->model)
                                              ? nameOfModelAt(project->model)
                                              : QFileInfo(project->model).completeBaseName()},
            {QStringLiteral("temperature"), project->temperature.value_or(-1)},
            {QStringLiteral("folder"), project->folder},
            {QStringLiteral("allowed"), parts_.store.projectToolCount(id)}};
}

int Projects::chatCount(qint64 id) const {
    return static_cast<int>(parts_.chats.chatsOf(id).size());
}

qint64 Projects::add(const QString& name) {
    Project project;
    project.name = nameFrom(name);
    if (project.name.isEmpty() || !parts_.chats.mayWrite()) {
        return kNoId;
    }
    const auto id = parts_.store.addProject(project);
    if (!parts_.chats.written(id.has_value(), tr("The project was not made."))) {
        return kNoId;
    }
    reload();
    return *id;
}

bool Projects::set(const Project& project) {
    if (!parts_.chats.mayWrite() || !parts_.chats.written(parts_.store.setProject(project),
                                                          tr("The project was not changed."))) {
        return false;
    }
    reload();
    return true;
}

void Projects::rename(qint64 id, const QString& name) {
    const auto project = find(id);
    const QString wanted = nameFrom(name);
    if (project != projects_.cend() && !wanted.isEmpty() && wanted != project->name) {
        Project changed = *project;
        changed.name = wanted;
        set(changed);
    }
}

bool Projects::setInstructions(qint64 id, const QString& text) {
    const auto project = find(id);
    if (project == projects_.cend()) {
        return false;
    }
    Project changed = *project;
    changed.instructions = text;
    return set(changed);
}

void Projects::setModel(qint64 id, const QString& path) {
    if (const auto project = find(id); project != projects_.cend()) {
        Project changed = *project;
        changed.model = path;
        if (set(changed)) {
            chosenIn_ = kNoId;
        }
    }
}

void Projects::setTemperature(qint64 id, double temperature) {
    if (const auto project = find(id); project != projects_.cend()) {
        Project changed = *project;
        changed.temperature =
            temperature < 0 ? std::nullopt : std::optional(std::min(temperature, kHottest));
        set(changed);
    }
}

void Projects::setFolder(qint64 id, const QString& path) {
    const auto project = find(id);
    if (project == projects_.cend()) {
        return;
    }
    Project changed = *project;
    const QFileInfo folder(path);
    changed.folder = path.isEmpty() ? QString() : folder.canonicalFilePath();
    if (!path.isEmpty() && (changed.folder.isEmpty() || !folder.isDir())) {
        parts_.notices.notify(QStringLiteral("warning"),
                              tr("%1 is no folder that can be read.").arg(path));
        return;
    }
    if (set(changed)) {
        files()->forgetFolder(id);
        files()->refresh(id);
    }
}

void Projects::askAgain(qint64 id) {
    if (parts_.chats.mayWrite()) {
        parts_.chats.written(parts_.store.forgetProjectTools(id),
                             tr("The permissions could not be withdrawn."));
        emit changed();
    }
}

void Projects::remove(qint64 id, bool withChats) {
    if (find(id) == projects_.cend()) {
        return;
    }
    const bool done = parts_.chats.leaveProject(
        id, withChats, [this, id, withChats] { return parts_.store.removeProject(id, withChats); });
    if (done) {
        reload();
        files()->forget(id);
        parts_.attachments.refresh();
    }
}

QString Projects::instructionsOf(qint64 conversationId) const {
    const QString own = parts_.store.systemPrompt(conversationId);
    const auto project = find(parts_.store.projectOf(conversationId));
    if (project == projects_.cend() || project->instructions.isEmpty()) {
        return own;
    }
    return own.isEmpty() ? project->instructions
                         : project->instructions + QStringLiteral("\n\n") + own;
}

void Projects::apply(qint64 conversationId, GenerationSettings& settings) const {
    const auto project = find(parts_.store.projectOf(conversationId));
    if (project != projects_.cend() && project->temperature) {
        settings.temperature = *project->temperature;
    }
}

void Projects::bringModel(qint64 conversationId) {
    const auto project = find(parts_.store.projectOf(conversationId));
    if (project == projects_.cend() || project->model.isEmpty() || project->id == chosenIn_ ||
        project->model == parts_.model.path()) {
        return;
    }
    // A model of a server that is gone fails when it is opened, and says so.
    if (!isRemotePath(project->model) && !QFileInfo::exists(project->model)) {
        parts_.notices.notify(
            QStringLiteral("warning"),
            tr("The model of the project “%1” is not there any more: %2. Another one answers.")
                .arg(project->name, project->model));
        return;
    }
    bringing_ = true;
    parts_.model.openPath(project->model);
    bringing_ = false;
}

void Projects::noteModel() {
    const QString path = parts_.model.path();
    if (path == modelPath_) {
        return;
    }
    modelPath_ = path;
    const auto project = find(parts_.chats.currentProject());
    if (!bringing_ && project != projects_.cend() && !project->model.isEmpty()) {
        chosenIn_ = path == project->model ? kNoId : project->id;
    }
}

}  // namespace hearth::ui
