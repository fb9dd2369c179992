#include "conversation/conversation_list_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QtTest>
#include <algorithm>

using namespace hearth::ui;

namespace {

ConversationSummary row(qint64 id, qint64 time, const QString& title = QStringLiteral("t")) {
    return {id, title, QDateTime::fromMSecsSinceEpoch(time), QStringLiteral("p"), false};
}

QList<qint64> ids(const ConversationListModel& model) {
    QList<qint64> list;
    for (const ConversationSummary& one : model.rows()) {
        list << one.id;
    }
    return list;
}

}  // namespace

class ConversationListModelTest : public QObject {
    Q_OBJECT

private slots:
    void keepsLatestFirst();
    void keepsPinnedOnesAbove();
    void hasHeadingsByDate();
    void marksTheActiveOne();
    void marksTheOnesAtWork();
    void staysSortedUnderRandomChanges();
    void eachRowHasItsOwn();
    void tellsHowManyThereAre();
};

void ConversationListModelTest::keepsLatestFirst() {
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.reset({row(3, 30), row(2, 20), row(1, 10)});
    QSignalSpy moved(&model, &QAbstractItemModel::rowsMoved);
    model.upsert(row(1, 40, QStringLiteral("new")));
    QCOMPARE(ids(model), QList<qint64>({1, 3, 2}));
    QCOMPARE(moved.size(), 1);
    QCOMPARE(model.titleOf(1), QStringLiteral("new"));
    model.upsert(row(3, 5));
    QCOMPARE(ids(model), QList<qint64>({1, 2, 3}));
    model.upsert(row(4, 15));
    QCOMPARE(ids(model), QList<qint64>({1, 2, 4, 3}));
    model.remove(2);
    model.remove(99);
    QCOMPARE(ids(model), QList<qint64>({1, 4, 3}));
    QCOMPARE(model.indexOf(4), 1);
    QCOMPARE(model.indexOf(2), -1);
    QCOMPARE(model.idAt(1), 4);
    QCOMPARE(model.idAt(9), kNoId);
}

void ConversationListModelTest::keepsPinnedOnesAbove() {
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.reset({row(3, 30), row(2, 20), row(1, 10)});
    ConversationSummary pinned = row(1, 10);
    pinned.isPinned = true;
    model.upsert(pinned);
    QCOMPARE(ids(model), QList<qint64>({1, 3, 2}));
    QVERIFY(model.data(model.index(0), ConversationListModel::PinnedRole).toBool());
    QVERIFY(!model.data(model.index(1), ConversationListModel::PinnedRole).toBool());
    model.upsert(row(2, 40));
    QCOMPARE(ids(model), QList<qint64>({1, 2, 3}));
    ConversationSummary second = row(3, 30);
    second.isPinned = true;
    model.upsert(second);  // among the pinned ones the latest is first, too
    QCOMPARE(ids(model), QList<qint64>({3, 1, 2}));
    model.upsert(row(1, 10));
    QCOMPARE(ids(model), QList<qint64>({3, 2, 1}));
}

void ConversationListModelTest::hasHeadingsByDate() {
    QLocale::setDefault(QLocale::c());
    ConversationListModel model;
    const QDate today(2026, 3, 9);
    const auto at = [&](qint64 id, int daysAgo) {
        return row(id, today.addDays(-daysAgo).startOfDay().toMSecsSinceEpoch() + 1000);
    };
    ConversationSummary pinned = at(9, 100);
    pinned.isPinned = true;
    model.reset({pinned, at(8, -1), at(7, 0), at(6, 1), at(5, 2), at(4, 7), at(3, 8), at(2, 40)});
    const auto headings = [&] {
        QStringList list;
        for (int i = 0; i < model.count(); ++i) {
            list << model.data(model.index(i), ConversationListModel::SectionRole).toString();
        }
        return list;
    };
    QCOMPARE(headings(), QStringList({"Pinned", "", "", "", "", "", "", ""}));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setToday(today);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(headings(), QStringList({"Pinned", "Today", "Today", "Yesterday", "Last 7 days",
                                      "Last 7 days", "March 2026", "January 2026"}));
    model.setToday(today);
    QCOMPARE(changed.size(), 1);
    model.setToday(today.addDays(1));
    QCOMPARE(changed.size(), 2);
    QCOMPARE(changed.last().at(1).toModelIndex().row(), 7);
    QCOMPARE(headings().mid(1, 4),
             QStringList({"Today", "Yesterday", "Last 7 days", "Last 7 days"}));
}

void ConversationListModelTest::marksTheActiveOne() {
    ConversationListModel model;
    model.reset({row(2, 20), row(1, 10)});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setActive(1);
    QCOMPARE(model.data(model.index(1), ConversationListModel::ActiveRole).toBool(), true);
    QCOMPARE(model.data(model.index(0), ConversationListModel::ActiveRole).toBool(), false);
    QCOMPARE(changed.size(), 1);
    model.setActive(2);
    QCOMPARE(changed.size(), 3);
    model.setActive(kNoId);
    QCOMPARE(changed.size(), 4);
    QCOMPARE(model.data(model.index(0), ConversationListModel::UpdatedAtRole).toDateTime(),
             QDateTime::fromMSecsSinceEpoch(20));
    QCOMPARE(model.data(model.index(0), ConversationListModel::PreviewRole).toString(),
             QStringLiteral("p"));
}

// The rows whose mark changes are told, those that lose it too: a view asks for no others again.
void ConversationListModelTest::marksTheOnesAtWork() {
    ConversationListModel model;
    model.reset({row(4, 40), row(3, 30), row(2, 20), row(1, 10)});
    QSet<int> told;
    connect(&model, &QAbstractItemModel::dataChanged, this,
            [&](const QModelIndex& from, const QModelIndex& to, const QList<int>& roles) {
                QCOMPARE(from, to);
                QCOMPARE(roles, QList<int>({ConversationListModel::ActivityRole}));
                told << from.row();
            });
    const auto marks = [&] {
        QStringList all;
        for (int i = 0; i < model.count(); ++i) {
            all << model.data(model.index(i), ConversationListModel::ActivityRole).toString();
        }
        return all;
    };
    const QString answers = QStringLiteral("answering"), waits = QStringLiteral("waiting");
    model.setActivity(4, {3, 2});
    QCOMPARE(marks(), QStringList({answers, waits, waits, QString()}));
    QCOMPARE(told, QSet<int>({0, 1, 2}));
    told.clear();
    model.setActivity(3, {2});
    QCOMPARE(marks(), QStringList({QString(), answers, waits, QString()}));
    QVERIFY(told.contains(0) && told.contains(1));
    QVERIFY(!told.contains(3));
    told.clear();
    model.setActivity(3, {});
    QCOMPARE(marks(), QStringList({QString(), answers, QString(), QString()}));
    QVERIFY(told.contains(2));
    told.clear();
    model.setActivity(kNoId, {});
    QCOMPARE(marks(), QStringList({QString(), QString(), QString(), QString()}));
    QCOMPARE(told, QSet<int>({1}));
}

void ConversationListModelTest::staysSortedUnderRandomChanges() {
    QRandomGenerator random(3);
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (int round = 0; round < 500; ++round) {
        if (random.bounded(5) == 0) {
            model.remove(random.bounded(12));
        } else {
            model.upsert(row(random.bounded(12), random.bounded(20)));
        }
        const auto& rows = model.rows();
        QVERIFY(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.updatedAt != b.updatedAt ? a.updatedAt > b.updatedAt : a.id > b.id;
        }));
    }
}

void ConversationListModelTest::eachRowHasItsOwn() {
    ConversationListModel model;
    model.reset({row(7, 20, QStringLiteral("one")), row(5, 10, QStringLiteral("two"))});
    model.setActive(5);
    model.setActivity(7, {5});
    using M = ConversationListModel;
    const auto at = [&](int place, int role) {
        return model.data(model.index(place), role).toString();
    };
    for (const auto& [role, name, first, second] :
         {std::tuple{M::ConversationIdRole, "conversationId", "7", "5"},
          {M::TitleRole, "title", "one", "two"},
          {M::ActiveRole, "active", "false", "true"},
          {M::PreviewRole, "preview", "p", "p"},
          {M::ActivityRole, "activity", "answering", "waiting"}}) {
        QCOMPARE(model.roleNames()[role], QByteArray(name));
        QCOMPARE(at(0, role), QString::fromLatin1(first));
        QCOMPARE(at(1, role), QString::fromLatin1(second));
    }
    QCOMPARE(model.roleNames()[M::UpdatedAtRole], QByteArray("updatedAt"));
    QCOMPARE(at(1, Qt::DisplayRole), QStringLiteral("two"));
    QCOMPARE(model.titleOf(5), QStringLiteral("two"));
    QCOMPARE(model.titleOf(6), QString());
    QCOMPARE(model.idAt(-1), kNoId);
    QCOMPARE(model.idAt(2), kNoId);
    QCOMPARE(model.rowCount(model.index(0)), 0);
    ConversationSummary marked = row(7, 20);
    marked.preview = QStringLiteral("**so** [a](b)");
    model.upsert(marked);
    QCOMPARE(at(0, M::PreviewRole), QStringLiteral("so a"));
}

// And a row that only moves or changes is no other number of them.
void ConversationListModelTest::tellsHowManyThereAre() {
    ConversationListModel model;
    QList<int> counts;
    connect(&model, &ConversationListModel::countChanged, this, [&] { counts << model.count(); });
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.reset({row(1, 10)});
    model.upsert(row(2, 20));
    QCOMPARE(changed.size(), 0);
    model.upsert(row(1, 30));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toModelIndex().row(), 0);
    model.upsert(row(2, 25, QStringLiteral("new")));
    QCOMPARE(changed.last().first().toModelIndex().row(), 1);
    model.remove(3);
    model.remove(1);
    model.setActive(2);
    model.setActive(2);
    QCOMPARE(changed.size(), 3);
    model.reset({});
    QCOMPARE(counts, QList<int>({1, 2, 1, 0}));
}

QTEST_GUILESS_MAIN(ConversationListModelTest)
#include "conversation_list_model_test.moc"
