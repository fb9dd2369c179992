// The rows of the list of chats: pinned chats, each project with its chats below it, and the other
// chats by date. A project that is folded hides its chats.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QSet>

#include "conversation/conversation_list_model.h"
#include "store/project.h"

namespace hearth::ui {

class SidebarListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Projects has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    // A chat has those of ConversationListModel, too; TitleRole of a project is its name.
    enum SidebarRole {
        ProjectIdRole = ConversationListModel::SectionRole + 1,  // -1: in no project
        IsProjectRole,                                           // bool
        FoldedRole,                                              // bool, of a project
        ChatCountRole,                                           // of a project
    };

    // chats: outlives it.
    explicit SidebarListModel(ConversationListModel& chats, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(rows_.size()); }

    // In their order.
    void setProjects(const QList<Project>& projects);
    Q_INVOKABLE void setFolded(qint64 projectId, bool folded);
    // Unfolds the chat's project.
    Q_INVOKABLE void reveal(qint64 conversationId);
    // -1: not in the list, or folded away.
    Q_INVOKABLE int rowOf(qint64 conversationId) const;
    Q_INVOKABLE int rowOfProject(qint64 projectId) const;
    // The chat that stands so many chats below (above: less than 0); below no chat stands the first
    // one. -1: there is none.
    Q_INVOKABLE qint64 chatBeside(qint64 conversationId, int step) const;

signals:
    void countChanged();

private:
    struct Row {
        bool isProject = false;
        qint64 id = kNoId;
        friend bool operator==(const Row&, const Row&) = default;
    };
    QList<Row> arranged() const;
    void arrange();
    void follow(int first, int last, const QList<int>& roles);
    int indexOf(const Row& row) const;

    ConversationListModel& chats_;
    QList<Project> projects_;
    QSet<qint64> folded_;
    QList<Row> rows_;
};

}  // namespace hearth::ui
