// The words for roles and states in the file.
#include <QtTest>

#include "store/conversation.h"

using namespace hearth::ui;

class ConversationTest : public QObject {
    Q_OBJECT

private slots:
    void eachWordComesBack();
};

// The words are in files of every version.
void ConversationTest::eachWordComesBack() {
    for (const auto& [state, word] : {std::pair{MessageState::Complete, "complete"},
                                      {MessageState::Generating, "generating"},
                                      {MessageState::Stopped, "stopped"},
                                      {MessageState::Failed, "failed"},
                                      {MessageState::Interrupted, "interrupted"}}) {
        QCOMPARE(toString(state), QString::fromLatin1(word));
        QVERIFY2(messageStateFromString(QString::fromLatin1(word)) == state, word);
    }
    QCOMPARE(toString(MessageState::Waiting), QStringLiteral("waiting"));
    QVERIFY(messageStateFromString(QStringLiteral("of a later version")) == MessageState::Complete);
    for (const auto& [role, word] : {std::pair{MessageRole::System, "system"},
                                     {MessageRole::User, "user"},
                                     {MessageRole::Assistant, "assistant"}}) {
        QCOMPARE(toString(role), QString::fromLatin1(word));
        QVERIFY2(roleFromString(QString::fromLatin1(word)) == role, word);
    }
    QVERIFY(roleFromString(QStringLiteral("of a later version")) == MessageRole::User);
}

QTEST_GUILESS_MAIN(ConversationTest)
#include "conversation_test.moc"
