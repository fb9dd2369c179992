#include "conversation/sidebar_list_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QtTest>

using namespace hearth::ui;

namespace {

ConversationSummary chat(qint64 id, qint64 project = kNoId, bool pinned = false) {
    return {
        id,     QStringLiteral("chat %1").arg(id), QDateTime::fromMSecsSinceEpoch(id), {}, pinned,
        project};
}

Project project(qint64 id) {
    Project one;
    one.id = id;
    one.name = QStringLiteral("project %1").arg(id);
    return one;
}

// "P2" a project, "7" a chat.
QStringList rows(const SidebarListModel& model) {
    QStringList list;
    for (int row = 0; row < model.count(); ++row) {
        const QModelIndex index = model.index(row);
        list << (model.data(index, SidebarListModel::IsProjectRole).toBool()
                     ? QStringLiteral("P%1").arg(
                           model.data(index, SidebarListModel::ProjectIdRole).toLongLong())
                     : model.data(index, ConversationListModel::ConversationIdRole).toString());
    }
    return list;
}

}  // namespace

class SidebarListModelTest : public QObject {
    Q_OBJECT

private slots:
    void groupsByProject() {
        ConversationListModel chats;
        chats.setToday(QDate(1970, 1, 1));
        SidebarListModel model(chats);
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        chats.reset(
            {chat(9, kNoId, true), chat(8, 2, true), chat(7, 1), chat(6), chat(5, 2), chat(4, 99)});
        QCOMPARE(rows(model), QStringList({"9", "8", "7", "6", "5", "4"}));
        model.setProjects({project(1), project(2), project(3)});
        QCOMPARE(rows(model), QStringList({"9", "P1", "7", "P2", "8", "5", "P3", "6", "4"}));
        const auto at = [&](int row, int role) { return model.data(model.index(row), role); };
        QCOMPARE(at(1, ConversationListModel::TitleRole), QVariant("project 1"));
        QCOMPARE(at(1, ConversationListModel::SectionRole), QVariant("Projects"));
        QCOMPARE(at(2, ConversationListModel::SectionRole), QVariant("Projects"));
        QCOMPARE(at(4, ConversationListModel::SectionRole), QVariant("Projects"));
        QCOMPARE(at(0, ConversationListModel::SectionRole), QVariant("Pinned"));
        QCOMPARE(at(7, ConversationListModel::SectionRole), QVariant("Today"));
        QCOMPARE(at(3, SidebarListModel::ChatCountRole), QVariant(2));
        QCOMPARE(at(6, SidebarListModel::ChatCountRole), QVariant(0));
        QCOMPARE(at(4, SidebarListModel::ProjectIdRole).toLongLong(), 2);
        QCOMPARE(at(4, ConversationListModel::TitleRole), QVariant("chat 8"));
        QCOMPARE(at(7, SidebarListModel::ProjectIdRole).toLongLong(), kNoId);
        QCOMPARE(model.rowOf(5), 5);
        QCOMPARE(model.rowOfProject(3), 6);
        QCOMPARE(model.rowOf(3), -1);
    }

    void foldsAndReveals() {
        ConversationListModel chats;
        SidebarListModel model(chats);
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        chats.reset({chat(7, 1), chat(6, 2), chat(5, 1), chat(4)});
        model.setProjects({project(1), project(2)});
        model.setFolded(1, true);
        QCOMPARE(rows(model), QStringList({"P1", "P2", "6", "4"}));
        QVERIFY(model.data(model.index(0), SidebarListModel::FoldedRole).toBool());
        QVERIFY(!model.data(model.index(1), SidebarListModel::FoldedRole).toBool());
        QCOMPARE(model.rowOf(5), -1);
        chats.upsert(chat(8, 1));
        QCOMPARE(rows(model), QStringList({"P1", "P2", "6", "4"}));
        QCOMPARE(model.data(model.index(0), SidebarListModel::ChatCountRole), QVariant(3));
        model.reveal(4);
        QCOMPARE(model.count(), 4);
        model.reveal(5);
        QCOMPARE(rows(model), QStringList({"P1", "8", "7", "5", "P2", "6", "4"}));
    }

    void stepsFromChatToChat() {
        ConversationListModel chats;
        SidebarListModel model(chats);
        QCOMPARE(model.chatBeside(kNoId, 1), kNoId);
        chats.reset({chat(7), chat(6, 2), chat(5, 1)});
        model.setProjects({project(1), project(2)});
        QCOMPARE(model.chatBeside(5, 1), 6);
        QCOMPARE(model.chatBeside(6, 1), 7);
        QCOMPARE(model.chatBeside(7, 1), kNoId);
        QCOMPARE(model.chatBeside(7, -1), 6);
        QCOMPARE(model.chatBeside(5, -1), kNoId);
        QCOMPARE(model.chatBeside(kNoId, 1), 5);
        QCOMPARE(model.chatBeside(kNoId, -1), kNoId);
    }

    // Whatever changes: the rows are those of a model that is made anew.
    void followsRandomChanges() {
        ConversationListModel chats;
        SidebarListModel model(chats);
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        QRandomGenerator random(7);
        QList<Project> projects;
        for (int i = 0; i < 400; ++i) {
            const qint64 id = random.bounded(30);
            switch (random.bounded(6)) {
                case 0:
                    chats.remove(id);
                    break;
                case 1:
                    model.setFolded(1 + random.bounded(3), random.bounded(2) == 0);
                    break;
                case 2:
                    projects.clear();
                    for (qint64 one = 1; one <= 3; ++one) {
                        if (random.bounded(4) > 0) {
                            projects.append(project(one));
                        }
                    }
                    model.setProjects(projects);
                    break;
                default: {
                    ConversationSummary row =
                        chat(id, random.bounded(2) == 0 ? kNoId : 1 + random.bounded(3),
                             random.bounded(5) == 0);
                    row.updatedAt = QDateTime::fromMSecsSinceEpoch(random.bounded(1000));
                    chats.upsert(row);
                    break;
                }
            }
            SidebarListModel anew(chats);
            anew.setProjects(projects);
            for (qint64 one = 1; one <= 3; ++one) {
                const int row = model.rowOfProject(one);
                anew.setFolded(
                    one, row >= 0 &&
                             model.data(model.index(row), SidebarListModel::FoldedRole).toBool());
            }
            QCOMPARE(rows(model), rows(anew));
        }
    }
};

QTEST_GUILESS_MAIN(SidebarListModelTest)
#include "sidebar_list_model_test.moc"
