// The projects: chats that share instructions, a model, a temperature, files and a folder.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariantList>
#include <QVariantMap>

#include "conversation/project_files.h"
#include "conversation/sidebar_list_model.h"
#include "store/project.h"

namespace hearth::ui {

class ActiveModel;
class Attachments;
class Chats;
class ConversationStore;
class Notices;
struct GenerationSettings;

class Projects : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // {id, name}, by name.
    Q_PROPERTY(QVariantList all READ all NOTIFY changed)
    // The project of the shown chat; empty: none.
    Q_PROPERTY(QString currentName READ currentName NOTIFY currentNameChanged)
    Q_PROPERTY(hearth::ui::SidebarListModel* rows READ rows CONSTANT)
    Q_PROPERTY(hearth::ui::ProjectFiles* files READ files CONSTANT)

public:
    // All outlive it. The store is open.
    struct Parts {
        ConversationStore& store;
        Notices& notices;
        Chats& chats;
        ActiveModel& model;
        Attachments& attachments;
    };
    explicit Projects(const Parts& parts, QObject* parent = nullptr);

    QVariantList all() const;
    bool has(qint64 id) const { return find(id) != projects_.cend(); }
    QString currentName() const;
    SidebarListModel* rows() { return &rows_; }
    ProjectFiles* files();

    // {name, instructions, model, modelName, temperature (less than 0: as the settings say),
    // folder, allowed: tools without a question}. Empty: there is no such project.
    Q_INVOKABLE QVariantMap details(qint64 id) const;
    Q_INVOKABLE int chatCount(qint64 id) const;
    // The number of the new project; -1: a notice says why there is none.
    Q_INVOKABLE qint64 add(const QString& name);
    Q_INVOKABLE void rename(qint64 id, const QString& name);
    // False: a notice says why not.
    Q_INVOKABLE bool setInstructions(qint64 id, const QString& text);
    // path: of the model's file; empty: the one that is loaded answers.
    Q_INVOKABLE void setModel(qint64 id, const QString& path);
    Q_INVOKABLE void setTemperature(qint64 id, double temperature);  // less than 0: no own
    // Its files are searched, and tools read in it alone. Empty: none any more. The permissions of
    // the project end.
    Q_INVOKABLE void setFolder(qint64 id, const QString& path);
    Q_INVOKABLE void askAgain(qint64 id);  // nothing is allowed any more
    // withChats: they go into the bin, else they stay as chats of no project.
    Q_INVOKABLE void remove(qint64 id, bool withChats);

    // The text that the model reads before a chat: the project's instructions, then the chat's.
    QString instructionsOf(qint64 conversationId) const;
    void apply(qint64 conversationId, GenerationSettings& settings) const;
    // Loads the model of the chat's project, unless another was chosen while one of its chats was
    // shown.
    void bringModel(qint64 conversationId);

signals:
    void changed();
    void currentNameChanged();

private:
    bool set(const Project& project);
    void reload();
    void noteModel();
    QList<Project>::const_iterator find(qint64 id) const;

    Parts parts_;
    SidebarListModel rows_;
    QList<Project> projects_;
    QString modelPath_;        // as last seen
    bool bringing_ = false;    // this class changes the model now
    qint64 chosenIn_ = kNoId;  // the user chose another model in this project
};

}  // namespace hearth::ui
