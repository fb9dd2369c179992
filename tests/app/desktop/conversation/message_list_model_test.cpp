#include "conversation/message_list_model.h"

#include <QAbstractItemModelTester>
#include <QtTest>

using namespace hearth::ui;

namespace {

Message message(qint64 id, MessageRole role, const QString& text,
                MessageState state = MessageState::Complete) {
    Message one;
    one.id = id;
    one.role = role;
    one.content = text;
    one.state = state;
    return one;
}

BlockListModel* blocksOf(const MessageListModel& model, int row) {
    return model.data(model.index(row), MessageListModel::BlocksRole).value<BlockListModel*>();
}

}  // namespace

class MessageListModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void streamsIntoBlocks();
    void foldsALongQuestion();
    void keepsTheReasoningApart();
    void takesBackAnAnswerThatWasReasoning();
    void unfoldsTheReasoning();
    void keepsTheRowsThatStay();
    void updatesVersions();
    void showsTheResult();
    void writesStats_data();
    void writesStats();
    void writesTheDevice();
    void writesTheExperts();
    void opensLongConversationsLazily();
    void takesInWhatCameBefore();
};

// The rows that were there stay as they are, with what was made of them.
void MessageListModelTest::takesInWhatCameBefore() {
    MessageListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QVERIFY(model.first() == nullptr);
    model.setMessages(
        {message(3, MessageRole::User, "q"), message(4, MessageRole::Assistant, "a")});
    BlockListModel* blocks = blocksOf(model, 1);
    QSignalSpy counted(&model, &MessageListModel::countChanged);
    model.prepend({});
    QCOMPARE(counted.size(), 0);
    model.prepend(
        {message(1, MessageRole::User, "first"), message(2, MessageRole::Assistant, "b")});
    QCOMPARE(counted.size(), 1);
    QCOMPARE(model.count(), 4);
    QCOMPARE(model.first()->id, qint64{1});
    QCOMPARE(model.indexOf(4), 3);
    QVERIFY(blocksOf(model, 3) == blocks);
    QVERIFY(blocksOf(model, 1) != blocks);
}

void MessageListModelTest::streamsIntoBlocks() {
    MessageListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setMessages({message(1, MessageRole::User, "q"),
                       message(2, MessageRole::Assistant, "", MessageState::Generating)});
    BlockListModel* blocks = blocksOf(model, 1);
    QVERIFY(blocks != nullptr);
    QCOMPARE(blocks->count(), 0);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.appendText(2, QStringLiteral("one\n\ntw"));
    model.appendText(2, QStringLiteral("o"));
    model.appendText(99, QStringLiteral("nobody"));
    QCOMPARE(changed.size(), 2);
    QCOMPARE(blocks->count(), 2);
    QCOMPARE(blocks->blocks().last().html, QStringLiteral("two"));
    QVERIFY(!blocks->blocks().last().closed);
    QCOMPARE(model.data(model.index(1), MessageListModel::TextRole).toString(),
             QStringLiteral("one\n\ntwo"));
    QVERIFY(blocksOf(model, 1) == blocks);
    model.setResult(2, MessageState::Complete, {}, {});
    QVERIFY(blocks->blocks().last().closed);
}

QVariant roleOf(const MessageListModel& model, int row, int role) {
    return model.data(model.index(row), role);
}

QString shownBy(const BlockListModel* blocks) {
    QStringList all;
    for (const Block& block : blocks->blocks()) {
        all << block.html;
    }
    return all.join(QLatin1Char('|'));
}

// In an answer that is there, one that is written, and one that never got further; a question about
// the mark is none of these.
void MessageListModelTest::keepsTheReasoningApart() {
    using Model = MessageListModel;
    Model model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const QString whole = QStringLiteral("<think>\nHm.\n</think>\n\nIt *rains*.");
    model.setMessages({message(1, MessageRole::User, whole),
                       message(2, MessageRole::Assistant, whole),
                       message(3, MessageRole::Assistant, "<think>Hm", MessageState::Stopped),
                       message(4, MessageRole::User, "q"),
                       message(5, MessageRole::Assistant, "", MessageState::Generating)});
    QCOMPARE(roleOf(model, 0, Model::ThoughtRole).toString(), QString());
    QCOMPARE(roleOf(model, 0, Model::AnswerRole).toString(), whole);
    QCOMPARE(roleOf(model, 1, Model::ThoughtRole).toString(), QStringLiteral("done"));
    QCOMPARE(roleOf(model, 1, Model::AnswerRole).toString(), QStringLiteral("It *rains*."));
    QCOMPARE(roleOf(model, 1, Model::TextRole).toString(), whole);
    QCOMPARE(shownBy(blocksOf(model, 1)), QStringLiteral("It <em>rains</em>."));
    QCOMPARE(roleOf(model, 2, Model::ThoughtRole).toString(), QStringLiteral("done"));
    QCOMPARE(roleOf(model, 2, Model::AnswerRole).toString(), QString());
    QCOMPARE(blocksOf(model, 2)->count(), 0);

    BlockListModel* blocks = blocksOf(model, 4);
    QCOMPARE(roleOf(model, 4, Model::ThoughtRole).toString(), QString());
    QStringList states;
    for (const QChar letter : whole) {
        model.appendText(5, QString(letter));
        const QString state = roleOf(model, 4, Model::ThoughtRole).toString();
        if (states.isEmpty() || states.last() != state) {
            states << state;
        }
        QVERIFY(state == QLatin1String("done") || blocks->count() == 0);
    }
    QCOMPARE(states, QStringList({"", "open", "done"}));
    QCOMPARE(roleOf(model, 4, Model::TextRole).toString(), whole);
    QCOMPARE(shownBy(blocks), QStringLiteral("It <em>rains</em>."));
    model.setResult(5, MessageState::Complete, {}, {});
    QVERIFY(blocks->blocks().last().closed);
    QCOMPARE(roleOf(model, 4, Model::AnswerRole).toString(), QStringLiteral("It *rains*."));
}

// The template wrote the opening: it is known at the end of the reasoning that it was some. And
// half a mark is text where no more comes.
void MessageListModelTest::takesBackAnAnswerThatWasReasoning() {
    using Model = MessageListModel;
    Model model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setMessages({message(1, MessageRole::Assistant, "", MessageState::Generating)});
    BlockListModel* blocks = blocksOf(model, 0);
    model.appendText(1, QStringLiteral("Hm.\n\nWell.\n"));
    QCOMPARE(blocks->count(), 2);
    model.appendText(1, QStringLiteral("</think>\n\nIt rains."));
    QCOMPARE(shownBy(blocks), QStringLiteral("It rains."));
    QCOMPARE(roleOf(model, 0, Model::ThoughtRole).toString(), QStringLiteral("done"));
    model.appendText(1, QStringLiteral(" A lot."));
    QCOMPARE(shownBy(blocks), QStringLiteral("It rains. A lot."));

    model.setMessages({message(2, MessageRole::Assistant, "", MessageState::Generating)});
    blocks = blocksOf(model, 0);
    model.appendText(2, QStringLiteral("<thi"));
    QCOMPARE(blocks->count(), 0);
    model.setResult(2, MessageState::Stopped, {}, {});
    QCOMPARE(shownBy(blocks), QStringLiteral("&lt;thi"));
}

void MessageListModelTest::unfoldsTheReasoning() {
    using Model = MessageListModel;
    Model model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setMessages({message(1, MessageRole::Assistant, "<think>One.</think>x"),
                       message(2, MessageRole::Assistant, "", MessageState::Generating)});
    const auto thoughtOf = [&](int row) {
        return roleOf(model, row, Model::ThoughtBlocksRole).value<BlockListModel*>();
    };
    QVERIFY(thoughtOf(0) == nullptr && thoughtOf(1) == nullptr);
    model.appendText(2, QStringLiteral("<think>\nTw"));
    model.showThought(2, true);
    QVERIFY(thoughtOf(0) == nullptr);
    QVERIFY(roleOf(model, 1, Model::ThoughtShownRole).toBool());
    QVERIFY(!roleOf(model, 0, Model::ThoughtShownRole).toBool());
    QCOMPARE(shownBy(thoughtOf(1)), QStringLiteral("Tw"));
    for (const char* more : {"o", ".\n", "\nThree", ".</th", "ink>", "\n\nAn answer."}) {
        model.appendText(2, QString::fromLatin1(more));
    }
    QCOMPARE(shownBy(thoughtOf(1)), QStringLiteral("Two.|Three."));
    QVERIFY(thoughtOf(1)->blocks().last().closed);
    QCOMPARE(shownBy(blocksOf(model, 1)), QStringLiteral("An answer."));
    model.setResult(2, MessageState::Complete, {}, {});
    model.showThought(2, false);
    QVERIFY(thoughtOf(1) == nullptr);
    model.showThought(2, true);
    QCOMPARE(shownBy(thoughtOf(1)), QStringLiteral("Two.|Three."));
    model.showThought(1, true);
    QCOMPARE(shownBy(thoughtOf(0)), QStringLiteral("One."));
    model.showThought(99, true);
}

// A question only: an answer came block by block. What is shown is its beginning; copying takes
// all.
void MessageListModelTest::foldsALongQuestion() {
    const QString text = QStringLiteral("A line of a file.\n").repeated(2000);
    MessageListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setMessages({message(1, MessageRole::User, text),
                       message(2, MessageRole::Assistant, text),
                       message(3, MessageRole::User, "short")});
    const auto folded = [&](int row) {
        return model.data(model.index(row), MessageListModel::FoldedRole).toString();
    };
    const auto shown = [&](int row) {
        qsizetype size = 0;
        for (const auto& block : blocksOf(model, row)->blocks()) {
            size += block.html.size();
        }
        return size;
    };
    QCOMPARE(folded(0), QStringLiteral("36000 characters, 2000 lines"));
    QVERIFY2(shown(0) > 300 && shown(0) < 2000, qPrintable(QString::number(shown(0))));
    QCOMPARE(model.data(model.index(0), MessageListModel::TextRole).toString(), text);
    QCOMPARE(folded(1), QString());
    QVERIFY2(shown(1) > 30'000, qPrintable(QString::number(shown(1))));
    QCOMPARE(folded(2), QString());
}

void MessageListModelTest::keepsTheRowsThatStay() {
    MessageListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const Message first = message(1, MessageRole::User, "q");
    const Message answer = message(2, MessageRole::Assistant, "a");
    model.setMessages({first, answer});
    BlockListModel* kept = blocksOf(model, 0);
    QPointer<BlockListModel> dropped = blocksOf(model, 1);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    model.setMessages(
        {first, message(3, MessageRole::Assistant, "b"), message(4, MessageRole::User, "c")});
    QCOMPARE(reset.size(), 0);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(model.count(), 3);
    QVERIFY(blocksOf(model, 0) == kept);
    QVERIFY(dropped);  // a delegate may still hold it now
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!dropped);
    QCOMPARE(model.indexOf(4), 2);
    QCOMPARE(model.find(3)->content, QStringLiteral("b"));
    QVERIFY(model.find(2) == nullptr);
    model.setMessages({});
    QCOMPARE(model.count(), 0);
}

void MessageListModelTest::updatesVersions() {
    MessageListModel model;
    Message one = message(1, MessageRole::Assistant, "a");
    one.stats = {57, 120.0, 42.0, QStringLiteral("NVIDIA H200 40 %")};
    model.setMessages({one});
    one.stats.device.clear();  // not on disk
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    one.versionCount = 3;
    one.versionIndex = 2;
    model.setMessages({one});
    QCOMPARE(changed.size(), 1);
    QCOMPARE(model.data(model.index(0), MessageListModel::VersionIndexRole).toInt(), 2);
    QCOMPARE(model.data(model.index(0), MessageListModel::VersionCountRole).toInt(), 3);
    QVERIFY(model.data(model.index(0), MessageListModel::StatsRole)
                .toString()
                .contains(QLatin1String("NVIDIA")));
}

void MessageListModelTest::showsTheResult() {
    MessageListModel model;
    model.setMessages({message(1, MessageRole::Assistant, "x", MessageState::Generating)});
    const auto value = [&](int role) { return model.data(model.index(0), role); };
    QCOMPARE(value(MessageListModel::StateRole).toString(), QStringLiteral("generating"));
    QCOMPARE(value(MessageListModel::StatsRole).toString(), QString());
    model.setResult(1, MessageState::Failed, QStringLiteral("It broke."), {57, 120, 42, {}});
    QCOMPARE(value(MessageListModel::StateRole).toString(), QStringLiteral("failed"));
    QCOMPARE(value(MessageListModel::ErrorTextRole).toString(), QStringLiteral("It broke."));
    QCOMPARE(value(MessageListModel::TokenCountRole).toInt(), 57);
    QCOMPARE(value(MessageListModel::FirstTokenMsRole).toDouble(), 120.0);
    QCOMPARE(value(MessageListModel::TokensPerSecondRole).toDouble(), 42.0);
    QCOMPARE(value(MessageListModel::RoleRole).toString(), QStringLiteral("assistant"));
    QCOMPARE(value(MessageListModel::MessageIdRole).toLongLong(), 1);
    QCOMPARE(value(MessageListModel::StatsRole).toString(),
             QString::fromUtf8("42 tokens/s · first token 0.12 s · 57 tokens"));
}

void MessageListModelTest::writesStats_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("rate");
    QTest::addColumn<QString>("text");
    QTest::addRow("nothing") << 0 << 0.0 << 0.0 << QString();
    QTest::addRow("slow") << 3 << 2500.0 << 1.25
                          << QString::fromUtf8("1.3 tokens/s · first token 2.50 s · 3 tokens");
    QTest::addRow("one token") << 1 << 90.0 << 0.0
                               << QString::fromUtf8("first token 90 ms · 1 token");
    QTest::addRow("milliseconds") << 2 << 4.4 << 0.0
                                  << QString::fromUtf8("first token 4 ms · 2 tokens");
    QTest::addRow("at once") << 2 << 0.01 << 0.0
                             << QString::fromUtf8("first token 1 ms · 2 tokens");
    QTest::addRow("a tenth") << 2 << 100.0 << 0.0
                             << QString::fromUtf8("first token 0.10 s · 2 tokens");
}

void MessageListModelTest::writesStats() {
    QFETCH(int, tokens);
    QFETCH(double, first);
    QFETCH(double, rate);
    QTEST(statsText({tokens, first, rate, {}, {}}), "text");
}

void MessageListModelTest::writesTheDevice() {
    QCOMPARE(statsText({57, 120.0, 42.0, QStringLiteral("NVIDIA H200 40 %"), {}}),
             QString::fromUtf8("42 tokens/s · first token 0.12 s · NVIDIA H200 40 % · 57 tokens"));
}

void MessageListModelTest::writesTheExperts() {
    QCOMPARE(statsText({57, 0.0, 42.0, QStringLiteral("NVIDIA H200 40 %"),
                        QStringLiteral("90 % graphics card, 10 % memory")}),
             QString::fromUtf8("42 tokens/s · NVIDIA H200 40 % · experts: 90 % graphics card, 10 % "
                               "memory · 57 tokens"));
}

// Blocks are parsed when a row is first shown, not when a conversation opens.
void MessageListModelTest::opensLongConversationsLazily() {
    QList<Message> messages;
    for (int i = 0; i < 10'000; ++i) {
        messages.append(message(i + 1, MessageRole::User, QStringLiteral("*text* %1").arg(i)));
    }
    MessageListModel model;
    model.setMessages(messages);
    QCOMPARE(model.findChildren<BlockListModel*>().size(), 0);
    QCOMPARE(blocksOf(model, 9'999)->blocks().first().html, QStringLiteral("<em>text</em> 9999"));
    QCOMPARE(model.findChildren<BlockListModel*>().size(), 1);
}

QTEST_GUILESS_MAIN(MessageListModelTest)
#include "message_list_model_test.moc"
