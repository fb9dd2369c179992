// A user's way through the window: keys and clicks in, what is on the screen and in the models out.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QMimeData>
#include <QQuickTextDocument>
#include <QScreen>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include "app/demo/demo_scripts.h"
#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::GenerationSummary;
using hearth::ui::test::UiWindow;

namespace {

// Answers that tell versions apart.
QList<FakeInference::Script> numbered() {
    QList<FakeInference::Script> all;
    for (const char* text : {"First answer.", "Second answer.", "Third answer."}) {
        all.append(FakeInference::scriptFrom(QString::fromLatin1(text)));
    }
    return all;
}

// A piece is a paragraph: long answers are about layout, and each piece costs a frame.
FakeInference::Script longAnswer(int paragraphs) {
    FakeInference::Script script;
    for (int i = 0; i < paragraphs; ++i) {
        script.pieces << QStringLiteral(
                             "Paragraph %1 says something about bread, fire and rain, and it is "
                             "long enough to fill more than one line of the window.\n\n")
                             .arg(i);
    }
    return script;
}

QVariant valueOf(const QQuickItem* item, const char* name) {
    return item == nullptr ? QVariant() : item->property(name);
}

}  // namespace

class WalkTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void typesAndSends();
    void shiftEnterStartsALine();
    void blankIsNotSent();
    void examplePromptSends();
    void sendsAndStopsByTheButton();
    void stopsWithEscape();
    void answersAgainAndSwitchesVersions();
    void looksAtAVersionWithoutScrolling();
    void editsAQuestion();
    void keepsAnEditThatIsNotSaved();
    void leavesAQuestionAsItWas();
    void editsTheOneThatIsMeant();
    void actsOnTheMessageThatIsMeant();
    void showsAFailureAndTriesAgain();
    void renamesInPlace();
    void renamesTheOneThatIsMeant();
    void deletesAndUndoes();
    void deletesOneForAKeyHeldDown();
    void undoesFromTheMessageField();
    void bringsBackFromTheMenu();
    void deletesTheOneUnderThePointer();
    void stopsOnlyTheChatThatIsShown();
    void sendsWhileAnotherChatIsAnswered();
    void beginsANewConversation();
    void stepsThroughConversations();
    void opensAChatOfTheList();
    void beginsAChatWhereTheListIsHidden();
    void keepsADraftForEachConversation();
    void undoesTypingInItsOwnChat();
    void saysWhatWasDeleted();
    void saysWhyAModelDoesNotOpen();
    void actsOnANotice();
    void doesWhatANoticeOffers();
    void showsAndDeletesACrashReport();
    void saysThatAnAnswerWasCutOff();
    void exportsAndImportsByTheKeyboard();
    void keepsInstructionsOfAChat();
    void copiesWithoutMarks();
    void coloursFinishedCode();
    void choosesAModel();
    void takesAModelThatIsDropped();
    void opensModelsFromTheHeader();
    void movesWhereItMay();
    void copiesCode();
    void copiesAnAnswer();
    void staysAtTheEndUnlessScrolled();
    void goesToBothEndsByKeys();
    void selectsTextWithoutScrolling();
    void obeysShortcutsFromWithinText();
    void textFadesAtTheEdges();
    void recyclesDelegates();
    void keepsRecycledMessagesInTheColumn();
    void fitsTheSmallestWindow();
    void hidesTheTipWhileTheMenuIsOpen();
    void cutsNothingInTheMenu();
    void clearsANoticeWithItsConversation();
    void foldsTheListInANarrowWindow();
    void changesTheme();
    void opensDialogsAndGivesTheKeyboardBack();
    void theMenuOpensWhatItNames();
    void keysOfTheWindowWaitForADialog();
    void theKeyboardGoesWhereItIsOfUse();
    void zoomsByKeys();
    void takesKeysRightAfterADialog_data();
    void takesKeysRightAfterADialog();
    void onlyReads();
    void remembersItsPlace();

private:
    QObject* list() const { return ui_->item(QStringLiteral("messageList")); }

    std::unique_ptr<UiWindow> ui_;
};

void WalkTest::init() {
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
}

void WalkTest::cleanup() {
    ui_.reset();
}

void WalkTest::typesAndSends() {
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral("Rain is *water*."))});
    QVERIFY(ui_->item(QStringLiteral("greeting")) != nullptr);
    ui_->type(QStringLiteral("What is rain?"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("What is rain?"));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("What is rain?"));
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("Rain is *water*."));
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("complete"));
    QVERIFY(ui_->app().chats()->draft().isEmpty());
    QCOMPARE(valueOf(ui_->item(QStringLiteral("composerInput")), "text").toString(), QString());
    QVERIFY(ui_->item(QStringLiteral("greeting")) == nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("stats")) != nullptr);
    QVERIFY(valueOf(ui_->item(QStringLiteral("stats")), "text")
                .toString()
                .contains(QStringLiteral("tokens")));
    QCOMPARE(valueOf(ui_->item(QStringLiteral("title")), "text").toString(),
             QStringLiteral("What is rain?"));
}

void WalkTest::shiftEnterStartsALine() {
    ui_->type(QStringLiteral("a"));
    ui_->press(Qt::Key_Return, Qt::ShiftModifier);
    ui_->type(QStringLiteral("b"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("a\nb"));
    QCOMPARE(ui_->messageCount(), 0);
    const QQuickItem* composer = ui_->item(QStringLiteral("composer"));
    const double before = composer->height();
    for (int i = 0; i < 4; ++i) {
        ui_->press(Qt::Key_Return, Qt::ShiftModifier);
    }
    QTRY_VERIFY(composer->height() > before + 20);
    for (int i = 0; i < 40; ++i) {
        ui_->press(Qt::Key_Return, Qt::ShiftModifier);
    }
    ui_->settle();
    QVERIFY2(composer->height() < 280, "the field must stop growing");
}

void WalkTest::blankIsNotSent() {
    const QQuickItem* send = ui_->item(QStringLiteral("sendButton"));
    QVERIFY(!send->isEnabled());
    ui_->type(QStringLiteral("   "));
    QVERIFY(!send->isEnabled());
    ui_->press(Qt::Key_Return);
    QCOMPARE(ui_->messageCount(), 0);
    ui_->type(QStringLiteral("x"));
    QTRY_VERIFY(send->isEnabled());
}

void WalkTest::examplePromptSends() {
    const QList<QQuickItem*> prompts = ui_->items(QStringLiteral("examplePrompt"));
    QCOMPARE(prompts.size(), 4);
    const QString question = valueOf(prompts.at(2), "text").toString();
    ui_->click(prompts.at(2));
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(0, "text").toString(), question);
    ui_->type(QStringLiteral("x"));  // the prompt that was pressed is gone
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("x"));
}

// Also by the Enter key beside the digits.
void WalkTest::sendsAndStopsByTheButton() {
    ui_->inference().setScripts(numbered());
    const QQuickItem* button = ui_->item(QStringLiteral("sendButton"));
    ui_->inference().pauseAfter(1);
    ui_->type(QStringLiteral("One"));
    ui_->click(button);
    QCOMPARE(ui_->messageCount(), 2);
    QVERIFY(ui_->app().replies()->generating());
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("Firs"));
    // Text that is typed meanwhile waits.
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    ui_->type(QStringLiteral("Two"));
    ui_->press(Qt::Key_Return);
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("Two"));
    ui_->click(button);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("stopped"));
    ui_->inference().pauseAfter(-1);
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    ui_->press(Qt::Key_Enter);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(2, "text").toString(), QStringLiteral("Two"));
    QCOMPARE(ui_->message(3, "text").toString(), QStringLiteral("Second answer."));
}

void WalkTest::stopsWithEscape() {
    ui_->inference().setScripts({longAnswer(3)});
    ui_->inference().pauseAfter(2);
    ui_->type(QStringLiteral("Go on"));
    ui_->press(Qt::Key_Return);
    const auto paragraphs = [this] {
        return ui_->message(1, "text").toString().count(QStringLiteral("Paragraph"));
    };
    QTRY_COMPARE(paragraphs(), 2);
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("sendButton"))),
             QStringLiteral("Stop the answer"));
    ui_->press(Qt::Key_Escape);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("stopped"));
    QCOMPARE(paragraphs(), 2);
    QTRY_VERIFY(ui_->item(QStringLiteral("retry")) != nullptr);
}

void WalkTest::answersAgainAndSwitchesVersions() {
    ui_->inference().setScripts(numbered());
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QTRY_VERIFY(ui_->item(QStringLiteral("regenerate")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("versionLabel")) == nullptr);
    ui_->click(ui_->item(QStringLiteral("regenerate")));
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("Second answer."));
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("versionLabel")), "text").toString(),
                 QStringLiteral("2/2"));
    ui_->press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(ui_->waitForAnswer());
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("versionLabel")), "text").toString(),
                 QStringLiteral("3/3"));
    QVERIFY(!ui_->item(QStringLiteral("newerVersion"))->isEnabled());  // there is none
    QVERIFY(ui_->item(QStringLiteral("olderVersion"))->isEnabled());
    ui_->click(ui_->item(QStringLiteral("olderVersion")));
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("Second answer."));
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("versionLabel")), "text").toString(),
                 QStringLiteral("2/3"));
    ui_->click(ui_->item(QStringLiteral("olderVersion")));
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("First answer."));
    QTRY_VERIFY(!ui_->item(QStringLiteral("olderVersion"))->isEnabled());
    ui_->click(ui_->item(QStringLiteral("newerVersion")));
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("Second answer."));
    QTRY_VERIFY(ui_->item(QStringLiteral("newerVersion"))->isEnabled());
}

// An answer is read from where it is looked at: its end is for answers that are being written.
void WalkTest::looksAtAVersionWithoutScrolling() {
    ui_->inference().setScripts({longAnswer(40), longAnswer(20)});
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    ui_->press(Qt::Key_R, Qt::ControlModifier);
    QVERIFY(ui_->waitForAnswer());
    QTRY_VERIFY(list()->property("atEnd").toBool());
    QTRY_VERIFY(ui_->item(QStringLiteral("olderVersion")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("olderVersion")));
    QTRY_VERIFY(ui_->message(1, "text").toString().contains(QStringLiteral("Paragraph 39")));
    ui_->settle();
    QVERIFY(!list()->property("atEnd").toBool());
}

void WalkTest::editsAQuestion() {
    ui_->inference().setScripts(numbered());
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QTRY_VERIFY(ui_->item(QStringLiteral("editMessage")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("editMessage")));
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) != nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor"))->hasActiveFocus());
    ui_->type(QStringLiteral(" there"));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Hello there"));
    QCOMPARE(ui_->message(0, "versionCount").toInt(), 2);
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("Second answer."));
    QVERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    // The old branch is still there, with its answer.
    ui_->click(ui_->item(QStringLiteral("olderVersion")));
    QTRY_COMPARE(ui_->message(0, "text").toString(), QStringLiteral("Hello"));
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("First answer."));
}

void WalkTest::keepsAnEditThatIsNotSaved() {
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QTRY_VERIFY(ui_->item(QStringLiteral("editMessage")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("editMessage")));
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) != nullptr);
    ui_->type(QStringLiteral(" there"));
    {
        QSqlQuery query(QSqlDatabase::database(ui_->store().connectionName()));
        QVERIFY(query.exec(QStringLiteral("PRAGMA query_only = ON")));
    }
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) != nullptr);
    const auto edited = [&] {
        const QQuickItem* editor = ui_->item(QStringLiteral("messageEditor"));
        return editor == nullptr ? QString() : valueOf(editor, "text").toString();
    };
    QCOMPARE(edited(), QStringLiteral("Hello there"));
    // Other chats do not show it, and it comes back with its own, as often as one likes.
    auto& chats = *ui_->app().chats();
    const qint64 id = chats.currentId();
    for (int i = 0; i < 2; ++i) {
        chats.newConversation();
        QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
        chats.select(id);
        QTRY_COMPARE(edited(), QStringLiteral("Hello there"));
    }
    // Given up, it stays away.
    ui_->click(ui_->item(QStringLiteral("messageEditor")));
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
    chats.newConversation();
    chats.select(id);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
}

void WalkTest::leavesAQuestionAsItWas() {
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QTRY_VERIFY(ui_->item(QStringLiteral("editMessage")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("editMessage")));
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) != nullptr);
    ui_->type(QStringLiteral(" xyz"));
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Hello"));
    QCOMPARE(ui_->message(0, "versionCount").toInt(), 1);
}

// The first of two questions, with a new line and by the button; nothing, which is not asked; and
// one that another chat is looked at in the middle of.
void WalkTest::editsTheOneThatIsMeant() {
    ui_->inference().setScripts(numbered());
    QVERIFY(ui_->ask(QStringLiteral("One")));
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    const qint64 id = ui_->app().chats()->currentId();
    const auto edit = [this] {
        QTRY_COMPARE(ui_->items(QStringLiteral("editMessage")).size(), 2);
        ui_->click(ui_->downwards(QStringLiteral("editMessage")).first());
        QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) != nullptr);
        QCOMPARE(valueOf(ui_->item(QStringLiteral("messageEditor")), "text").toString(),
                 QStringLiteral("One"));
    };
    edit();
    ui_->type(QStringLiteral(" else"));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
    ui_->app().chats()->select(id);
    ui_->settle();
    QCOMPARE(valueOf(ui_->item(QStringLiteral("messageEditor")), "text").toString(),
             QStringLiteral("One else"));
    QVERIFY(ui_->button(QStringLiteral("Cancel")) != nullptr);
    ui_->click(ui_->button(QStringLiteral("Cancel")));
    QTRY_VERIFY(ui_->item(QStringLiteral("messageEditor")) == nullptr);
    QCOMPARE(ui_->messageCount(), 4);

    edit();
    ui_->press(Qt::Key_A, Qt::ControlModifier);
    ui_->press(Qt::Key_Delete);
    QTRY_VERIFY(!ui_->item(QStringLiteral("saveEdit"))->isEnabled());
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->item(QStringLiteral("messageEditor")) != nullptr);
    QCOMPARE(ui_->messageCount(), 4);
    ui_->type(QStringLiteral("Uno"));
    ui_->press(Qt::Key_Return, Qt::ShiftModifier);
    ui_->type(QStringLiteral("dos"));
    QCOMPARE(ui_->messageCount(), 4);
    ui_->click(ui_->item(QStringLiteral("saveEdit")));
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Uno\ndos"));
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("Third answer."));
}

void WalkTest::actsOnTheMessageThatIsMeant() {
    ui_->inference().setScripts(numbered());
    QVERIFY(ui_->ask(QStringLiteral("One")));
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    QTRY_COMPARE(ui_->items(QStringLiteral("copyMessage")).size(), 4);
    const QStringList texts = {"One", "First answer.", "Two", "Second answer."};
    for (const int row : {1, 2}) {
        ui_->click(ui_->downwards(QStringLiteral("copyMessage")).at(row));
        QCOMPARE(QGuiApplication::clipboard()->text(), texts.at(row));
    }
    // Ctrl+R is for the last answer. While one is written none can be asked for.
    ui_->inference().pauseAfter(1);
    ui_->press(Qt::Key_R, Qt::ControlModifier);
    ui_->settle();
    for (const char* name : {"regenerate", "editMessage"}) {
        QVERIFY2(!ui_->items(QString::fromLatin1(name)).isEmpty(), name);
        for (const QQuickItem* one : ui_->items(QString::fromLatin1(name))) {
            QVERIFY2(!one->isEnabled(), name);
        }
    }
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->messageCount(), 4);
    QCOMPARE(ui_->message(1, "versionCount").toInt(), 1);
    QCOMPARE(ui_->message(3, "versionCount").toInt(), 2);
    QCOMPARE(ui_->message(3, "text").toString(), QStringLiteral("Third answer."));
    // The first answer again.
    ui_->inference().pauseAfter(1);
    ui_->settle();
    ui_->click(ui_->downwards(QStringLiteral("regenerate")).first());
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->message(1, "versionIndex").toInt(), 1);
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("generating"));
    const int asked = ui_->inference().generateCalls();
    ui_->press(Qt::Key_R, Qt::ControlModifier);
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->inference().generateCalls(), asked);
    QCOMPARE(ui_->message(1, "versionCount").toInt(), 2);
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("First answer."));
}

void WalkTest::showsAFailureAndTriesAgain() {
    FakeInference::Script broken = FakeInference::scriptFrom(QStringLiteral("So far"));
    broken.failWith = QStringLiteral("The memory is full: 812 MB were needed.");
    ui_->inference().setScripts({broken, FakeInference::scriptFrom(QStringLiteral("All of it."))});
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("failed"));
    QTRY_VERIFY(ui_->item(QStringLiteral("retry")) != nullptr);
    QCOMPARE(
        UiWindow::accessibleName(ui_->item(QStringLiteral("retry"))->parentItem()->parentItem()),
        ui_->message(1, "errorText").toString());
    QVERIFY(ui_->message(1, "errorText").toString().contains(QStringLiteral("812 MB")));
    ui_->click(ui_->item(QStringLiteral("retry")));
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("All of it."));
}

void WalkTest::renamesInPlace() {
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    ui_->press(Qt::Key_F2);
    QTRY_VERIFY(ui_->item(QStringLiteral("renameField")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("renameField"))->hasActiveFocus());
    ui_->type(QStringLiteral("Greetings"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Greetings"));
    QVERIFY(ui_->item(QStringLiteral("renameField")) == nullptr);

    ui_->press(Qt::Key_F2);
    QTRY_VERIFY(ui_->item(QStringLiteral("renameField")) != nullptr);
    ui_->type(QStringLiteral("Something else"));
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("renameField")) == nullptr);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Greetings"));
}

// The one that is shown, or the one that has the keyboard; and what was typed is kept by going on.
void WalkTest::renamesTheOneThatIsMeant() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    const auto titles = [this] {
        QStringList all;
        for (const auto& row : ui_->app().chats()->conversations()->rows()) {
            all << row.title;
        }
        return all;
    };
    const auto field = [this] { return ui_->item(QStringLiteral("renameField")); };
    // Also where the list is hidden.
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->press(Qt::Key_F2);
    QTRY_VERIFY(field() != nullptr && field()->hasActiveFocus());
    QCOMPARE(valueOf(field(), "text").toString(), QStringLiteral("One"));
    ui_->type(QStringLiteral("Uno"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(titles(), QStringList({"Two", "Uno"}));
    // The row that has the keyboard: up, to the other one.
    QMetaObject::invokeMethod(ui_->item(QStringLiteral("sidebar")), "takeFocus");
    ui_->press(Qt::Key_Up);
    ui_->press(Qt::Key_F2);
    QTRY_VERIFY(field() != nullptr && field()->hasActiveFocus());
    ui_->type(QStringLiteral("Dos"));
    ui_->click(ui_->item(QStringLiteral("composerInput")));
    QTRY_COMPARE(titles(), QStringList({"Dos", "Uno"}));
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Uno"));
    QVERIFY(field() == nullptr);
    ui_->type(QStringLiteral("x"));  // the keyboard is where the click was
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("x"));
    // From elsewhere F2 is for the chat that is shown; an empty name is none.
    ui_->press(Qt::Key_F2);
    QTRY_VERIFY(field() != nullptr && field()->hasActiveFocus());
    QCOMPARE(valueOf(field(), "text").toString(), QStringLiteral("Uno"));
    ui_->press(Qt::Key_Delete);
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(field() == nullptr);
    QCOMPARE(titles(), QStringList({"Dos", "Uno"}));
}

void WalkTest::deletesAndUndoes() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    QCOMPARE(ui_->app().chats()->conversations()->count(), 2);
    // Into the list, to the other one, away with it.
    QMetaObject::invokeMethod(ui_->item(QStringLiteral("sidebar")), "takeFocus");
    ui_->press(Qt::Key_Down);
    ui_->press(Qt::Key_Delete);
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 1);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Two"));
    QTRY_VERIFY(ui_->item(QStringLiteral("undoBar")) != nullptr);
    QVERIFY(UiWindow::accessibleName(ui_->item(QStringLiteral("undoBar")))
                .contains(QStringLiteral("One")));
    ui_->click(ui_->item(QStringLiteral("undoDelete")));
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 2);
    QVERIFY(ui_->item(QStringLiteral("undoBar")) == nullptr);
}

void WalkTest::deletesOneForAKeyHeldDown() {
    for (const char* title : {"One", "Two", "Three"}) {
        ui_->press(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(ui_->ask(QString::fromLatin1(title)));
    }
    const auto hold = [this](Qt::Key key) {
        for (int i = 0; i < 20; ++i) {
            QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier, {}, i > 0);
            QCoreApplication::sendEvent(ui_->window(), &press);
            ui_->settle();
        }
        QKeyEvent release(QEvent::KeyRelease, key, Qt::NoModifier);
        QCoreApplication::sendEvent(ui_->window(), &release);
    };
    QMetaObject::invokeMethod(ui_->item(QStringLiteral("sidebar")), "takeFocus");
    hold(Qt::Key_Delete);
    QCOMPARE(ui_->app().chats()->conversations()->count(), 2);
    // The button that deletes, by the keyboard.
    ui_->press(Qt::Key_Tab);
    ui_->press(Qt::Key_Tab);
    QCOMPARE(ui_->window()->activeFocusItem()->objectName(), QStringLiteral("deleteConversation"));
    hold(Qt::Key_Return);
    QCOMPARE(ui_->app().chats()->conversations()->count(), 1);

    QVERIFY(UiWindow::accessibleName(ui_->item(QStringLiteral("undoBar")))
                .startsWith(QStringLiteral("Deleted: 2 chats")));
    ui_->click(ui_->item(QStringLiteral("undoDelete")));
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 2);
    ui_->click(ui_->item(QStringLiteral("undoDelete")));
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 3);
    QVERIFY(ui_->item(QStringLiteral("undoBar")) == nullptr);
}

void WalkTest::undoesFromTheMessageField() {
    for (const char* title : {"One", "Two"}) {
        ui_->press(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(ui_->ask(QString::fromLatin1(title)));
        ui_->app().chats()->remove(ui_->app().chats()->currentId());
    }
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    // What was typed comes first.
    ui_->type(QStringLiteral("x"));
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->draft(), QString());
    QCOMPARE(ui_->app().chats()->conversations()->count(), 0);
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Two"));
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("One"));
    QCOMPARE(ui_->app().chats()->conversations()->count(), 2);
}

void WalkTest::bringsBackFromTheMenu() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->app().chats()->remove(ui_->app().chats()->currentId());
    QTRY_VERIFY(ui_->item(QStringLiteral("undoBar")) != nullptr);
    // The bar can be closed, and what it offered stays to be had.
    ui_->click(ui_->button(QStringLiteral("Dismiss"), ui_->item(QStringLiteral("undoBar"))));
    QTRY_VERIFY(ui_->item(QStringLiteral("undoBar")) == nullptr);
    QCOMPARE(ui_->app().chats()->conversations()->count(), 0);
    ui_->click(ui_->item(QStringLiteral("settingsButton")));
    QTRY_VERIFY(ui_->item(QStringLiteral("bringBack")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("bringBack"))->isEnabled());
    ui_->click(ui_->item(QStringLiteral("bringBack")));
    QTRY_COMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("One"));
    ui_->click(ui_->item(QStringLiteral("settingsButton")));
    QTRY_VERIFY(ui_->item(QStringLiteral("bringBack")) != nullptr);
    QVERIFY(!ui_->item(QStringLiteral("bringBack"))->isEnabled());
}

void WalkTest::stopsOnlyTheChatThatIsShown() {
    ui_->inference().setScripts({longAnswer(3)});
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    ui_->inference().pauseAfter(1);
    ui_->type(QStringLiteral("Two"));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(ui_->message(1, "text").toString().contains(QStringLiteral("Paragraph 0")));
    QTRY_VERIFY(ui_->item(QStringLiteral("activityMark")) != nullptr);
    const QQuickItem* button = ui_->item(QStringLiteral("sendButton"));
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("sendButton"))),
             QStringLiteral("Stop the answer"));
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("One"));
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("sendButton"))),
             QStringLiteral("Send the message"));
    QVERIFY(!button->isEnabled());
    ui_->press(Qt::Key_Escape);
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    ui_->press(Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("complete"));
    QTRY_VERIFY(ui_->item(QStringLiteral("activityMark")) == nullptr);
}

void WalkTest::sendsWhileAnotherChatIsAnswered() {
    ui_->inference().setScripts(numbered());
    ui_->inference().pauseAfter(1);
    ui_->type(QStringLiteral("One"));
    ui_->press(Qt::Key_Return);
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    ui_->type(QStringLiteral("Two"));
    ui_->press(Qt::Key_Return);
    QCOMPARE(ui_->messageCount(), 2);
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("waiting"));
    QVERIFY(ui_->app().chats()->draft().isEmpty());
    QTRY_VERIFY(ui_->item(QStringLiteral("waitingText")) != nullptr);
    QTRY_COMPARE(ui_->items(QStringLiteral("activityMark")).size(), 2);
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("sendButton"))),
             QStringLiteral("Stop the answer"));
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QCOMPARE(ui_->message(1, "text").toString(), QStringLiteral("Second answer."));

    // Escape takes a question out of the queue.
    ui_->inference().pauseAfter(1);
    ui_->type(QStringLiteral("Three"));
    ui_->press(Qt::Key_Return);
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    ui_->type(QStringLiteral("Four"));
    ui_->press(Qt::Key_Return);
    ui_->press(Qt::Key_Escape);
    QCOMPARE(ui_->message(1, "state").toString(), QStringLiteral("stopped"));
    QVERIFY(ui_->app().replies()->generating());
    QTRY_VERIFY(ui_->item(QStringLiteral("retry")) != nullptr);
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
}

void WalkTest::deletesTheOneUnderThePointer() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    const auto named = [this](const char* item, const char* name) -> QQuickItem* {
        for (QQuickItem* one : ui_->items(QString::fromLatin1(item))) {
            if (UiWindow::accessibleName(one) == QString::fromLatin1(name)) {
                return one;
            }
        }
        return nullptr;
    };
    ui_->settle();
    QQuickItem* row = named("conversation", "One");
    QVERIFY(row != nullptr);
    // Its buttons are there while the pointer is over it.
    QTest::mouseMove(ui_->window(), UiWindow::area(row).center().toPoint());
    QTRY_VERIFY(named("deleteConversation", "Delete One") != nullptr);
    ui_->click(named("deleteConversation", "Delete One"));
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 1);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Two"));
    QCOMPARE(ui_->messageCount(), 2);
}

void WalkTest::beginsANewConversation() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(ui_->messageCount(), 0);
    QCOMPARE(ui_->app().chats()->currentId(), qint64{-1});
    QTRY_VERIFY(ui_->item(QStringLiteral("greeting")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    QCOMPARE(ui_->app().chats()->conversations()->count(), 2);
    ui_->click(ui_->item(QStringLiteral("newConversation")));
    QCOMPARE(ui_->messageCount(), 0);
}

void WalkTest::stepsThroughConversations() {
    for (const char* title : {"One", "Two", "Three"}) {
        ui_->press(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(ui_->ask(QString::fromLatin1(title)));
    }
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    ui_->press(Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QString());
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Three"));
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    const QString second = ui_->app().chats()->currentTitle();
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    const QString third = ui_->app().chats()->currentTitle();
    QCOMPARE(QStringList({second, third}), QStringList({"Two", "One"}));
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("One"));
    ui_->press(Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Two"));
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
}

// By a click and by a key, and in a narrow window, where the list makes room for the chat.
void WalkTest::opensAChatOfTheList() {
    for (const char* title : {"One", "Two", "Three"}) {
        ui_->press(Qt::Key_N, Qt::ControlModifier);
        QVERIFY(ui_->ask(QString::fromLatin1(title)));
    }
    const auto current = [this] { return ui_->app().chats()->currentTitle(); };
    const auto row = [this](int index) {
        return ui_->downwards(QStringLiteral("conversation")).value(index);
    };
    ui_->settle();
    QCOMPARE(UiWindow::accessibleName(row(1)), QStringLiteral("Two"));
    ui_->click(row(1));
    QCOMPARE(current(), QStringLiteral("Two"));
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Two"));
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    ui_->press(Qt::Key_B, Qt::ControlModifier);  // to the list, at the row that is shown
    ui_->press(Qt::Key_Down);
    QCOMPARE(current(), QStringLiteral("Two"));
    ui_->press(Qt::Key_Return);
    QCOMPARE(current(), QStringLiteral("One"));
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    ui_->window()->resize(480, 640);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    ui_->click(row(0));
    QCOMPARE(current(), QStringLiteral("Three"));
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->type(QStringLiteral("x"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("x"));
}

// Whoever begins a chat types next.
void WalkTest::beginsAChatWhereTheListIsHidden() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    QQuickItem* button = ui_->button(QStringLiteral("New chat"));
    QVERIFY(button != nullptr);
    ui_->click(button);
    QCOMPARE(ui_->messageCount(), 0);
    ui_->type(QStringLiteral("x"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("x"));
}

void WalkTest::keepsADraftForEachConversation() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->type(QStringLiteral("half a thought"));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("composerInput")), "text").toString(), QString());
    ui_->press(Qt::Key_PageDown, Qt::ControlModifier);
    QTRY_COMPARE(valueOf(ui_->item(QStringLiteral("composerInput")), "text").toString(),
                 QStringLiteral("half a thought"));
    ui_->type(QStringLiteral("!"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("half a thought!"));
}

// Typed and deleted in one chat: Ctrl+Z brings it back there, and not in another.
void WalkTest::undoesTypingInItsOwnChat() {
    QVERIFY(ui_->ask(QStringLiteral("First")));
    const qint64 first = ui_->app().chats()->currentId();
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Second")));
    QQuickItem* field = ui_->item(QStringLiteral("composerInput"));
    const auto text = [&] { return valueOf(field, "text").toString(); };
    ui_->type(QStringLiteral("secret"));
    ui_->press(Qt::Key_A, Qt::ControlModifier);
    ui_->press(Qt::Key_Delete);
    QCOMPARE(text(), QString());
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(text(), QStringLiteral("secret"));
    ui_->press(Qt::Key_A, Qt::ControlModifier);
    ui_->press(Qt::Key_Delete);
    ui_->app().chats()->select(first);
    QVERIFY(!valueOf(field, "canUndo").toBool());
    for (int i = 0; i < 3; ++i) {
        ui_->press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(text(), QString());
    }
    // With a draft there: it stays as it is.
    ui_->type(QStringLiteral("mine"));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(text(), QString());
    ui_->app().chats()->select(first);
    QCOMPARE(text(), QStringLiteral("mine"));
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(text(), QStringLiteral("mine"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("mine"));
}

// The bar cuts the end of a title that is too long, and never what happened.
void WalkTest::saysWhatWasDeleted() {
    QVERIFY(ui_->ask(QStringLiteral("A question about rain and snow ").repeated(6)));
    ui_->app().chats()->remove(ui_->app().chats()->currentId());
    ui_->settle();
    QQuickItem* label = ui_->item(QStringLiteral("undoLabel"));
    QVERIFY(label != nullptr);
    QVERIFY(valueOf(label, "truncated").toBool());
    QVERIFY(valueOf(label, "text").toString().startsWith(QStringLiteral("Deleted: “A question")));
}

void WalkTest::saysWhyAModelDoesNotOpen() {
    ui_->inference().setLoadError(QStringLiteral("There is no file “nowhere.gguf”."));
    ui_->app().model()->openPath(QStringLiteral("nowhere.gguf"));
    QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("failed"));
    QTRY_VERIFY(ui_->item(QStringLiteral("modelSentence")) != nullptr);
    QVERIFY(valueOf(ui_->item(QStringLiteral("modelSentence")), "text")
                .toString()
                .contains(QStringLiteral("nowhere.gguf")));
    QVERIFY(ui_->item(QStringLiteral("notice")) == nullptr);  // it is said once
    QVERIFY(ui_->item(QStringLiteral("openAnother")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("openAnother")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) != nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    ui_->type(QStringLiteral("Hello"));
    QVERIFY(!ui_->item(QStringLiteral("sendButton"))->isEnabled());
    ui_->inference().setLoadError({});
    ui_->click(ui_->item(QStringLiteral("tryModelAgain")));
    QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("ready"));
    QTRY_VERIFY(ui_->item(QStringLiteral("modelSentence")) == nullptr);
    QVERIFY(ui_->item(QStringLiteral("sendButton"))->isEnabled());
}

void WalkTest::actsOnANotice() {
    QSignalSpy loaded(&ui_->inference(), &hearth::ui::InferenceService::loaded);
    ui_->app().notices()->notify(QStringLiteral("warning"),
                                 QStringLiteral("Something about the model."),
                                 QStringLiteral("reloadModel"));
    QTRY_VERIFY(ui_->item(QStringLiteral("noticeAction")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("noticeAction")));
    QTRY_COMPARE(loaded.size(), 1);
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
}

void WalkTest::doesWhatANoticeOffers() {
    const QString info = QStringLiteral("info");
    const auto tell = [&](const char* action) {
        ui_->app().notices()->notify(info, QStringLiteral("Something."),
                                     QString::fromLatin1(action));
        QTRY_VERIFY(ui_->item(QStringLiteral("notice")) != nullptr);
        ui_->settle();
    };
    tell("openModel");
    ui_->click(ui_->item(QStringLiteral("noticeAction")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) != nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    tell("useModel:/models/other.gguf");
    ui_->click(ui_->item(QStringLiteral("noticeAction")));
    QTRY_COMPARE(ui_->app().model()->path(), QStringLiteral("/models/other.gguf"));
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
    tell("");
    QVERIFY(ui_->item(QStringLiteral("noticeAction")) == nullptr);
    ui_->click(ui_->button(QStringLiteral("Dismiss"), ui_->item(QStringLiteral("notice"))));
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
}

void WalkTest::showsAndDeletesACrashReport() {
    const QString folder = ui_->app().dataFolder() + QStringLiteral("/crashes");
    const auto crash = [&](const char* text) {
        QFile file(hearth::ui::CrashReports::prepare(folder));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        QVERIFY(ui_->app().tellOfCrash(folder));
        QTRY_VERIFY(ui_->item(QStringLiteral("notice")) != nullptr);
    };
    const auto left = [&] { return QDir(folder).entryList(QDir::Files).size(); };
    crash("the first report");
    ui_->click(ui_->item(QStringLiteral("noticeAction")));
    QTRY_VERIFY(ui_->item(QStringLiteral("crashText")) != nullptr);
    QCOMPARE(valueOf(ui_->item(QStringLiteral("crashText")), "text").toString(),
             QStringLiteral("the first report"));
    QVERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
    ui_->click(ui_->item(QStringLiteral("copyCrash")));
    QTRY_VERIFY(ui_->item(QStringLiteral("crashText")) == nullptr);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("the first report"));
    QCOMPARE(left(), 1);
    crash("the second report");
    ui_->click(ui_->item(QStringLiteral("noticeOther")));  // deletes it, unread
    QTRY_COMPARE(left(), 1);
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    crash("the third report");
    ui_->click(ui_->item(QStringLiteral("noticeAction")));
    QTRY_VERIFY(ui_->item(QStringLiteral("deleteCrash")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("deleteCrash")));
    QTRY_COMPARE(left(), 1);
    QTRY_VERIFY(ui_->item(QStringLiteral("crashText")) == nullptr);
    QFile first(folder + QLatin1Char('/') + QDir(folder).entryList(QDir::Files).value(0));
    QVERIFY(first.open(QIODevice::ReadOnly));
    QCOMPARE(first.readAll(), QByteArray("the first report"));
}

void WalkTest::saysThatAnAnswerWasCutOff() {
    ui_.reset();
    const QTemporaryDir folder;
    {
        hearth::ui::ConversationStore store;
        store.open(folder.path());
        const auto sent = store.send(hearth::ui::kNoId, QStringLiteral("One"));
        QVERIFY(sent && store.checkpointReply(sent->assistantId, QStringLiteral("half an ans")));
    }
    UiWindow ui(folder.path());
    QVERIFY(ui.activate());
    ui.app().chats()->select(ui.app().chats()->conversations()->idAt(0));
    QTRY_VERIFY(ui.item(QStringLiteral("retry")) != nullptr);
    QCOMPARE(UiWindow::accessibleName(ui.item(QStringLiteral("retry"))->parentItem()->parentItem()),
             QStringLiteral("Hearth was closed before this answer was finished."));
    QCOMPARE(ui.message(1, "text").toString(), QStringLiteral("half an ans"));
}

void WalkTest::copiesCode() {
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("So:\n\n```cpp\nint main() {\n    return 0;\n}\n```\n\nDone."))});
    QVERIFY(ui_->ask(QStringLiteral("Code")));
    QTRY_VERIFY(ui_->item(QStringLiteral("copyCode")) != nullptr);
    QCOMPARE(valueOf(ui_->item(QStringLiteral("codeLanguage")), "text").toString(),
             QStringLiteral("cpp"));
    ui_->click(ui_->item(QStringLiteral("copyCode")));
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(
        QStringLiteral("int main() {\n    return 0;\n}")));
    QCOMPARE(valueOf(ui_->item(QStringLiteral("copyCode")), "text").toString(),
             QStringLiteral("Copied"));
    QTRY_COMPARE_WITH_TIMEOUT(valueOf(ui_->item(QStringLiteral("copyCode")), "text").toString(),
                              QStringLiteral("Copy"), 30000);
}

void WalkTest::copiesAnAnswer() {
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral("Some *markdown*."))});
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    QTRY_VERIFY(ui_->lastItem(QStringLiteral("copyMessage")) != nullptr);
    ui_->click(ui_->lastItem(QStringLiteral("copyMessage")));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Some *markdown*."));
}

// The answer pauses while the list is looked at: between a piece and the next frame it is never
// quite at its end.
void WalkTest::staysAtTheEndUnlessScrolled() {
    const auto grownTo = [this](qsizetype paragraphs) {
        ui_->inference().pauseAfter(paragraphs);
        return QTest::qWaitFor(
            [&] {
                return ui_->message(1, "text").toString().count(QStringLiteral("Paragraph")) ==
                       paragraphs;
            },
            30000);
    };
    ui_->inference().setScripts({longAnswer(40)});
    ui_->inference().pauseAfter(0);
    QVERIFY(ui_->app().replies()->send(QStringLiteral("Go on")));
    QVERIFY(grownTo(20));
    QTRY_VERIFY(list()->property("contentHeight").toDouble() >
                1.3 * list()->property("height").toDouble());
    QTRY_VERIFY(list()->property("atEnd").toBool());
    QVERIFY(ui_->item(QStringLiteral("jumpToEnd")) == nullptr);

    // The reader scrolls up with the wheel: the list stays there although text keeps coming.
    const QPointF middle = UiWindow::area(ui_->item(QStringLiteral("messageList"))).center();
    for (int i = 0; i < 6; ++i) {
        QWheelEvent wheel(middle, ui_->window()->mapToGlobal(middle), QPoint(), QPoint(0, 120),
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(ui_->window(), &wheel);
        QTest::qWait(20);
    }
    QTRY_VERIFY(ui_->item(QStringLiteral("jumpToEnd")) != nullptr);
    QTRY_VERIFY(!list()->property("moving").toBool());
    ui_->settle();
    const double there = list()->property("contentY").toDouble();
    const double height = list()->property("contentHeight").toDouble();
    QVERIFY(grownTo(26));
    QTRY_VERIFY(list()->property("contentHeight").toDouble() > height + 50);
    ui_->settle();
    QVERIFY(qAbs(list()->property("contentY").toDouble() - there) < 2);
    ui_->click(ui_->item(QStringLiteral("jumpToEnd")));
    QTRY_VERIFY(list()->property("atEnd").toBool());
    QVERIFY(grownTo(32));
    QTRY_VERIFY(list()->property("atEnd").toBool());  // and follows again
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QTRY_VERIFY(list()->property("atEnd").toBool());
    QTRY_VERIFY(ui_->item(QStringLiteral("jumpToEnd")) == nullptr);
}

// And what is sent from anywhere is seen.
void WalkTest::goesToBothEndsByKeys() {
    ui_->inference().setScripts({longAnswer(40)});
    QVERIFY(ui_->ask(QStringLiteral("Go on")));
    QTRY_VERIFY(list()->property("atEnd").toBool());
    const auto isAtBegin = [this] {
        return list()->property("contentY").toDouble() <=
               list()->property("originY").toDouble() + 1;
    };
    ui_->item(QStringLiteral("messageList"))->forceActiveFocus(Qt::TabFocusReason);
    ui_->settle();
    const double bottom = list()->property("contentY").toDouble();
    ui_->press(Qt::Key_PageUp);
    ui_->settle();
    QVERIFY(list()->property("contentY").toDouble() < bottom - 100);
    ui_->press(Qt::Key_PageDown);
    ui_->settle();
    QVERIFY(list()->property("atEnd").toBool());
    ui_->press(Qt::Key_Home);
    ui_->settle();
    QVERIFY(isAtBegin());
    QTRY_VERIFY(ui_->item(QStringLiteral("jumpToEnd")) != nullptr);
    ui_->press(Qt::Key_End);
    QTRY_VERIFY(list()->property("atEnd").toBool());
    ui_->press(Qt::Key_Home);
    ui_->settle();
    QVERIFY(isAtBegin());
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    ui_->type(QStringLiteral("More"));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->waitForAnswer());
    QTRY_VERIFY(list()->property("atEnd").toBool());
    QVERIFY(ui_->item(QStringLiteral("jumpToEnd")) == nullptr);
}

void WalkTest::selectsTextWithoutScrolling() {
    ui_->inference().setScripts({longAnswer(12)});
    QVERIFY(ui_->ask(QStringLiteral("Go on")));
    QTRY_VERIFY(list()->property("atEnd").toBool());
    ui_->settle();
    QQuickItem* block = nullptr;
    for (QQuickItem* item : ui_->items(QStringLiteral("blockText"))) {
        if (UiWindow::area(item).top() > 250 && UiWindow::area(item).bottom() < 600) {
            block = item;
        }
    }
    QVERIFY(block != nullptr);
    const double before = list()->property("contentY").toDouble();
    const QRectF area = UiWindow::area(block);
    const QPoint from = area.topLeft().toPoint() + QPoint(40, 8);
    QTest::mousePress(ui_->window(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 12; ++i) {
        QTest::mouseMove(ui_->window(), from + QPoint(i * 10, i * 2));
        QCoreApplication::processEvents();
    }
    QTest::mouseRelease(ui_->window(), Qt::LeftButton, {}, from + QPoint(120, 24));
    QVERIFY(!block->property("selectedText").toString().isEmpty());
    QCOMPARE(list()->property("contentY").toDouble(), before);
    ui_->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), block->property("selectedText").toString());
}

void WalkTest::recyclesDelegates() {
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral("Yes.\n\nNo.\n"))});
    for (int i = 0; i < 60; ++i) {
        QVERIFY(ui_->ask(QStringLiteral("Question %1").arg(i)));
    }
    QCOMPARE(ui_->messageCount(), 120);
    QTRY_VERIFY(list()->property("atEnd").toBool());
    const auto count = ui_->items(QStringLiteral("answer")).size() +
                       ui_->items(QStringLiteral("userBubble")).size();
    QVERIFY2(count < 40, qPrintable(QString::number(count)));
    QVERIFY(count > 4);
}

// From the chat's menu into a folder, and back from the menu under the list.
void WalkTest::exportsAndImportsByTheKeyboard() {
    const QTemporaryDir folder;
    QVERIFY(ui_->ask(QStringLiteral("Rain")));
    const auto idle = [this] { return !ui_->app().exchange()->busy(); };
    const auto path = [this](const QString& text) {
        QTRY_VERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
        QQuickItem* field = ui_->item(QStringLiteral("pathField"));
        field->forceActiveFocus(Qt::TabFocusReason);
        field->setProperty("text", text);
        ui_->press(Qt::Key_Return);
    };
    ui_->item(QStringLiteral("conversation"))->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Menu);
    QTRY_VERIFY(ui_->item(QStringLiteral("exportJson")) != nullptr);
    for (int i = 0; i < 6; ++i) {
        ui_->press(Qt::Key_Down);  // the line between is passed over
    }
    ui_->press(Qt::Key_Return);
    path(folder.path());
    QTRY_VERIFY(ui_->item(QStringLiteral("pickFile")) != nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("pathField"))->property("text").toString() ==
                folder.path());
    ui_->click(ui_->item(QStringLiteral("pickFile")));
    QTRY_VERIFY(QFile::exists(folder.filePath(QStringLiteral("Rain.json"))));
    QTRY_VERIFY(idle());
    QTRY_VERIFY(ui_->item(QStringLiteral("pickFile")) == nullptr);
    ui_->click(ui_->item(QStringLiteral("settingsButton")));
    QTRY_VERIFY(ui_->item(QStringLiteral("importChats")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("importChats")));
    path(folder.filePath(QStringLiteral("Rain.json")));
    QTRY_COMPARE(ui_->app().chats()->conversations()->count(), 2);
    QTRY_VERIFY(idle());
    QCOMPARE(ui_->app().notices()->text(), QStringLiteral("One chat is imported."));
    QCOMPARE(ui_->message(0, "text").toString(), QStringLiteral("Rain"));
}

void WalkTest::keepsInstructionsOfAChat() {
    const auto write = [this](const QString& text) {
        ui_->press(Qt::Key_I, Qt::ControlModifier);
        QTRY_VERIFY(ui_->item(QStringLiteral("instructionsField")) != nullptr);
        QVERIFY(ui_->item(QStringLiteral("instructionsField"))->hasActiveFocus());
        ui_->press(Qt::Key_A, Qt::ControlModifier);
        ui_->type(text);
        ui_->click(ui_->item(QStringLiteral("saveInstructions")));
        QTRY_VERIFY(ui_->item(QStringLiteral("instructionsField")) == nullptr);
    };
    const auto given = [this] { return ui_->inference().lastTurns().value(0); };
    write(QStringLiteral("Be brief."));
    QVERIFY(ui_->ask(QStringLiteral("One")));
    QCOMPARE(given().role, QStringLiteral("system"));
    QCOMPARE(given().content, QStringLiteral("Be brief."));
    write(QStringLiteral("Be long."));
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    QCOMPARE(given().content, QStringLiteral("Be long."));
    // The next new chat has those of the settings again.
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Three")));
    QVERIFY(given().content != QLatin1String("Be brief."));
    QVERIFY(given().content != QLatin1String("Be long."));
}

void WalkTest::copiesWithoutMarks() {
    ui_->inference().setScripts({FakeInference::scriptFrom(
        QStringLiteral("<think>Hm</think>Some **bold** text.\n\n- one"))});
    QVERIFY(ui_->ask(QStringLiteral("Q")));
    const auto copied = [this](const char* item) {
        ui_->click(ui_->lastItem(QStringLiteral("messageMenuButton")));
        QTRY_VERIFY(ui_->item(QString::fromLatin1(item)) != nullptr);
        ui_->click(ui_->item(QString::fromLatin1(item)));
    };
    copied("copyPlain");
    QTRY_COMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Some bold text.\n\n- one"));
    copied("copyMarkdown");
    QTRY_COMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("Some **bold** text.\n\n- one"));
    QTRY_VERIFY(ui_->lastItem(QStringLiteral("messageMenuButton"))->hasActiveFocus());
}

void WalkTest::coloursFinishedCode() {
    ui_->inference().setScripts(
        {FakeInference::scriptFrom(QStringLiteral("```c\nint a;\n```\n\nDone."))});
    const auto isColoured = [this] {
        const QQuickItem* code = ui_->item(QStringLiteral("codeText"));
        auto* document =
            code == nullptr ? nullptr : code->property("textDocument").value<QQuickTextDocument*>();
        return document != nullptr &&
               !document->textDocument()->firstBlock().layout()->formats().isEmpty();
    };
    ui_->inference().pauseAfter(3);  // pieces of four letters
    QVERIFY(ui_->app().replies()->send(QStringLiteral("Q")));
    QTRY_COMPARE(ui_->message(1, "text").toString(), QStringLiteral("```c\nint a;\n"));
    QTRY_VERIFY(ui_->item(QStringLiteral("codeText")) != nullptr);
    ui_->settle();
    QVERIFY(!isColoured());
    ui_->inference().pauseAfter(-1);
    QVERIFY(ui_->waitForAnswer());
    QTRY_VERIFY(isColoured());
}

void WalkTest::choosesAModel() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("more")));
    for (const char* name : {"a.gguf", "more/b.gguf", "more/c.gguf", "notes.txt"}) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    ui_->app().model()->openPath(folder.filePath(QStringLiteral("a.gguf")));
    QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("ready"));
    const auto current = [this] {
        const auto* list = ui_->item(QStringLiteral("fileList"));
        const auto* row = valueOf(list, "currentItem").value<QQuickItem*>();
        return valueOf(row, "name").toString();
    };
    // Where the model is that runs; Enter opens a folder, Backspace leaves it, letters choose.
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_COMPARE(current(), QStringLiteral("more"));
    QVERIFY(ui_->item(QStringLiteral("fileList"))->hasActiveFocus());
    QCOMPARE(ui_->items(QStringLiteral("fileRow")).size(), 2);
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(current(), QStringLiteral("b.gguf"));
    ui_->press(Qt::Key_Backspace);
    QTRY_COMPARE(current(), QStringLiteral("more"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(current(), QStringLiteral("b.gguf"));
    ui_->type(QStringLiteral("c"));
    QCOMPARE(current(), QStringLiteral("c.gguf"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("more/c.gguf")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    // What is typed, and what is not there.
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
    QQuickItem* field = ui_->item(QStringLiteral("pathField"));
    field->forceActiveFocus(Qt::TabFocusReason);
    field->setProperty("text", folder.filePath(QStringLiteral("nowhere.gguf")));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
    field->setProperty("text", folder.filePath(QStringLiteral("a.gguf")));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("a.gguf")));
    // Typing in the list begins a path if it begins like one. A wrong path is reported, and the
    // next one is taken.
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_COMPARE(current(), QStringLiteral("more"));
    ui_->type(folder.filePath(QStringLiteral("nowhere.gguf")));
    QCOMPARE(ui_->item(QStringLiteral("pathField"))->property("text").toString(),
             folder.filePath(QStringLiteral("nowhere.gguf")));
    ui_->press(Qt::Key_Return);
    QVERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
    ui_->press(Qt::Key_A, Qt::ControlModifier);
    ui_->type(folder.filePath(QStringLiteral("more/b.gguf")));
    // By the button, not by Enter: the row that is marked is not meant.
    ui_->click(ui_->item(QStringLiteral("pickFile")));
    QTRY_COMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("more/b.gguf")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    // A row that is marked afterwards is meant in place of what was typed.
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_COMPARE(current(), QStringLiteral("b.gguf"));
    ui_->type(folder.filePath(QStringLiteral("a.gguf")));
    ui_->item(QStringLiteral("fileList"))->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Down);
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("more/c.gguf")));
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("pathField")) != nullptr);
    ui_->type(folder.filePath(QStringLiteral("a.gguf")));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("a.gguf")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    // Escape leaves all as it is.
    ui_->press(Qt::Key_O, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) != nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    QCOMPARE(ui_->app().model()->path(), folder.filePath(QStringLiteral("a.gguf")));
}

// The one of several files that is a model; other files go with a message.
void WalkTest::takesAModelThatIsDropped() {
    const auto drop = [this](const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files) {
            urls << QUrl::fromLocalFile(file);
        }
        data.setUrls(urls);
        const QPoint place(600, 300);
        QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(ui_->window(), &enter);
        QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(ui_->window(), &move);
        if (!move.isAccepted()) {
            QDragLeaveEvent leave;
            QCoreApplication::sendEvent(ui_->window(), &leave);
            return false;
        }
        QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(ui_->window(), &event);
        return true;
    };
    const QString before = ui_->app().model()->path();
    QVERIFY(drop({QStringLiteral("/m/notes.txt")}));
    QCOMPARE(ui_->app().model()->path(), before);
    QTRY_COMPARE(ui_->items(QStringLiteral("attachedFile")).size(), 1);
    QVERIFY(drop({QStringLiteral("/m/notes.txt"), QStringLiteral("/m/A model.GGUF")}));
    QCOMPARE(ui_->app().model()->path(), QStringLiteral("/m/A model.GGUF"));
    QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("ready"));
}

void WalkTest::opensModelsFromTheHeader() {
    const auto choose = [this](const QString& entry) {
        ui_->click(ui_->item(QStringLiteral("modelPill")));
        QTRY_VERIFY(ui_->button(entry) != nullptr);
        ui_->click(ui_->button(entry));
    };
    choose(QStringLiteral("Open a model…"));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) != nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    choose(QStringLiteral("All models…"));
    QTRY_VERIFY(ui_->item(QStringLiteral("searchModels")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("openOne")));
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("searchModels")) == nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("fileList")) == nullptr);
    const int loads = ui_->inference().loadCalls();
    const QString path = ui_->app().model()->path();
    choose(QStringLiteral("Load it again"));
    QTRY_COMPARE(ui_->inference().loadCalls(), loads + 1);
    QCOMPARE(ui_->inference().lastLoad().path, path);
    QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("ready"));
}

// What opens comes in within a moment, and at once where nothing shall move.
void WalkTest::movesWhereItMay() {
    auto* dialog = ui_->window()->findChild<QObject*>(QStringLiteral("shortcutsDialog"));
    QVERIFY(dialog != nullptr);
    for (const char* motion : {"system", "none", "system"}) {
        QCOMPARE(ui_->settings().set("window/motion", QString::fromLatin1(motion)), QString());
        const bool moves = qstrcmp(motion, "none") != 0;
        QCOMPARE(ui_->theme()->property("quick").toInt(), moves ? 120 : 0);
        QMetaObject::invokeMethod(dialog, "open");
        QCOMPARE(dialog->property("opacity").toDouble() < 1, moves);
        QTRY_COMPARE(dialog->property("opacity").toDouble(), 1.0);
        QTRY_VERIFY(dialog->property("opened").toBool());
        QMetaObject::invokeMethod(dialog, "close");
        QTRY_VERIFY(!dialog->property("visible").toBool());
    }
}

// Text that can only be read has the keyboard after a click.
void WalkTest::obeysShortcutsFromWithinText() {
    ui_->inference().setScripts(
        {FakeInference::scriptFrom(QStringLiteral("Words.\n\n```\nx\n```"))});
    QVERIFY(ui_->ask(QStringLiteral("Hello")));
    for (const char* text : {"blockText", "codeText"}) {
        QTRY_VERIFY(ui_->lastItem(QString::fromLatin1(text)) != nullptr);
        ui_->click(ui_->lastItem(QString::fromLatin1(text)));
        QVERIFY(ui_->lastItem(QString::fromLatin1(text))->hasActiveFocus());
        ui_->press(Qt::Key_A, Qt::ControlModifier);
        ui_->press(Qt::Key_C, Qt::ControlModifier);
        QVERIFY(!QGuiApplication::clipboard()->text().isEmpty());
        ui_->press(Qt::Key_B, Qt::ControlModifier);
        QVERIFY2(ui_->item(QStringLiteral("sidebar")) == nullptr, text);
        ui_->press(Qt::Key_B, Qt::ControlModifier);
        QVERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
        QGuiApplication::clipboard()->clear();
    }
}

// No line of text ends where the message field or the title begins, wherever the list stands.
void WalkTest::textFadesAtTheEdges() {
    ui_->inference().setScripts({longAnswer(40)});
    QVERIFY(ui_->ask(QStringLiteral("Go on")));
    const QRect area = UiWindow::area(ui_->item(QStringLiteral("messageList"))).toRect();
    const QColor ground = ui_->theme()->property("window").value<QColor>();
    double deepest = 0;  // of text in the middle
    for (int i = 0; i < 12; ++i) {
        QMetaObject::invokeMethod(ui_->item(QStringLiteral("chat")), "scrollBy",
                                  Q_ARG(double, -7.0 / area.height()));
        ui_->settle();
        const QImage picture = ui_->window()->grabWindow();
        const auto ink = [&](int y) {
            int most = 0;
            for (int x = area.left(); x < area.right() - 20; ++x) {
                most = qMax(most, qAbs(picture.pixelColor(x, y).lightness() - ground.lightness()));
            }
            return most;
        };
        QVERIFY2(ink(area.bottom() - 1) < 24, qPrintable(QString::number(ink(area.bottom() - 1))));
        QVERIFY2(ink(area.top() + 1) < 40, qPrintable(QString::number(ink(area.top() + 1))));
        deepest = qMax<double>(deepest, ink(area.center().y()));
    }
    QVERIFY(deepest > 120);
}

// A delegate that showed a question comes back for an answer, and the other way round. Questions of
// a different width each tell a stale place from a right one.
void WalkTest::keepsRecycledMessagesInTheColumn() {
    QList<FakeInference::Script> answers;
    for (int i = 0; i < 7; ++i) {
        answers.append(longAnswer(i % 3 + 1));
    }
    ui_->inference().setScripts(answers);
    for (int i = 0; i < 30; ++i) {
        QVERIFY(ui_->ask(QStringLiteral("Why ") + QString(1 + i * 5 % 60, QLatin1Char('o'))));
    }
    QCOMPARE(ui_->messageCount(), 60);
    QTRY_VERIFY(list()->property("atEnd").toBool());
    const double width = ui_->item(QStringLiteral("messageList"))->width();
    const double left = UiWindow::area(ui_->item(QStringLiteral("messageList"))).left();
    int seen = 0;
    const auto check = [&] {
        ui_->settle();
        for (const char* name : {"answer", "userBubble"}) {
            const bool answer = qstrcmp(name, "answer") == 0;
            for (const QQuickItem* item : ui_->items(QString::fromLatin1(name))) {
                const double columnWidth = item->parentItem()->width();
                const double columnLeft = left + qRound((width - columnWidth) / 2);
                const QRectF area = UiWindow::area(item);
                QCOMPARE(answer ? area.left() : area.right(),
                         answer ? columnLeft : columnLeft + columnWidth);
                QVERIFY(area.left() >= columnLeft && area.right() <= columnLeft + columnWidth);
                ++seen;
            }
            for (const QQuickItem* item : ui_->items(QStringLiteral("messageActions"))) {
                const QRectF area = UiWindow::area(item);
                QVERIFY(area.left() >= left && area.right() <= left + width);
                const bool ofUser = item->property("fromUser").toBool();
                const QRectF column = UiWindow::area(item->parentItem());
                QCOMPARE(ofUser ? area.right() : area.left(),
                         ofUser ? column.right() : column.left());
            }
        }
    };
    const double page = list()->property("height").toDouble() * 0.7;
    for (const double step : {-page, page, -page * 1.7, page * 2.3}) {
        for (int i = 0; i < 80; ++i) {
            const double least = list()->property("originY").toDouble();
            const double most = least + list()->property("contentHeight").toDouble() -
                                list()->property("height").toDouble();
            const double before = list()->property("contentY").toDouble();
            const double next = qBound(least, before + step, qMax(least, most));
            if (qFuzzyCompare(next + 1e6, before + 1e6)) {
                break;
            }
            QMetaObject::invokeMethod(ui_->item(QStringLiteral("chat")), "scrollBy",
                                      Q_ARG(double, step / list()->property("height").toDouble()));
            check();
            if (QTest::currentTestFailed()) {
                return;
            }
        }
    }
    QVERIFY2(seen > 200, qPrintable(QString::number(seen)));
}

void WalkTest::fitsTheSmallestWindow() {
    QCOMPARE(ui_->window()->minimumSize(), QSize(420, 360));
    ui_->inference().setScripts({longAnswer(8)});
    for (const bool chatting : {false, true}) {
        if (chatting) {
            QVERIFY(ui_->ask(QStringLiteral("Go on")));
        }
        ui_->window()->resize(ui_->window()->minimumSize());
        QTRY_COMPARE(ui_->window()->contentItem()->width(), 420.0);
        ui_->settle();
        const QRectF all(0, 0, 420, 360);
        for (const char* name : {"composer", "sendButton", "showList", "title"}) {
            const QQuickItem* item = ui_->item(QString::fromLatin1(name));
            QVERIFY2(item != nullptr, name);
            QVERIFY2(all.contains(UiWindow::area(item)), name);
        }
        const QQuickItem* middle =
            ui_->item(chatting ? QStringLiteral("messageList") : QStringLiteral("emptyState"));
        QVERIFY(middle != nullptr);
        QVERIFY2(middle->height() > 120, qPrintable(QString::number(middle->height())));
    }
}

// The tip of the button that opened the menu would lie over the menu's last entries.
void WalkTest::hidesTheTipWhileTheMenuIsOpen() {
    const QQuickItem* button = ui_->item(QStringLiteral("settingsButton"));
    QVERIFY(button != nullptr);
    QObject* tip = button->findChild<QObject*>(QStringLiteral("iconTip"));
    QVERIFY(tip != nullptr);
    ui_->settle();
    const QPoint middle = UiWindow::area(button).center().toPoint();
    QTest::mouseMove(ui_->window(), middle - QPoint(2, 2));
    QTest::mouseMove(ui_->window(), middle);
    QTRY_VERIFY(tip->property("visible").toBool());
    QTest::mouseClick(ui_->window(), Qt::LeftButton, {}, middle);
    QObject* menu = ui_->window()->findChild<QObject*>(QStringLiteral("settingsMenu"));
    QVERIFY(menu != nullptr);
    QTRY_VERIFY(menu->property("visible").toBool());
    QVERIFY(!tip->property("visible").toBool());
    QTest::mouseMove(ui_->window(), middle + QPoint(1, 1));
    QTest::qWait(800);  // longer than a tip waits
    QVERIFY(menu->property("visible").toBool());
    QVERIFY(!tip->property("visible").toBool());
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(!menu->property("visible").toBool());
}

void WalkTest::cutsNothingInTheMenu() {
    QQuickItem* button = ui_->item(QStringLiteral("settingsButton"));
    QVERIFY(button != nullptr);
    ui_->click(button);
    QTRY_VERIFY(ui_->item(QStringLiteral("bringBack")) != nullptr);
    const QQuickItem* item = ui_->item(QStringLiteral("bringBack"));
    QTRY_VERIFY2(
        item->width() >= item->implicitWidth(),
        qPrintable(QStringLiteral("%1 of %2").arg(item->width()).arg(item->implicitWidth())));
}

void WalkTest::clearsANoticeWithItsConversation() {
    FakeInference::Script script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 2;
    ui_->inference().setScripts({script});
    QVERIFY(ui_->ask(QStringLiteral("One")));
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) != nullptr);
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("notice")) == nullptr);
}

void WalkTest::foldsTheListInANarrowWindow() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    QVERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    ui_->window()->resize(480, 640);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    QTRY_VERIFY(ui_->item(QStringLiteral("showList")) != nullptr);
    ui_->click(ui_->item(QStringLiteral("showList")));
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    // A press on the window behind the list closes it.
    QTest::mouseClick(ui_->window(), Qt::LeftButton, {}, QPoint(460, 300));
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->window()->resize(1000, 700);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
}

void WalkTest::changesTheme() {
    const QColor light = ui_->window()->color();
    ui_->app().appearance()->setThemeMode(QStringLiteral("dark"));
    QTRY_VERIFY(ui_->window()->color() != light);
    QVERIFY(ui_->window()->color().lightness() < 60);
    ui_->app().appearance()->setThemeMode(QStringLiteral("light"));
    QTRY_COMPARE(ui_->window()->color(), light);
}

void WalkTest::opensDialogsAndGivesTheKeyboardBack() {
    QObject* shortcuts = ui_->window()->findChild<QObject*>(QStringLiteral("shortcutsDialog"));
    QVERIFY(shortcuts != nullptr);
    QVERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    ui_->press(Qt::Key_F1);
    QTRY_VERIFY(shortcuts->property("opened").toBool());
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(!shortcuts->property("visible").toBool());
    QTRY_VERIFY(ui_->item(QStringLiteral("composerInput"))->hasActiveFocus());
    QMetaObject::invokeMethod(ui_->window()->findChild<QObject*>(QStringLiteral("aboutDialog")),
                              "open");
    QTRY_VERIFY(ui_->item(QStringLiteral("builtFrom")) != nullptr);
    QVERIFY(valueOf(ui_->item(QStringLiteral("builtFrom")), "text")
                .toString()
                .endsWith(QStringLiteral(", commit 0123456789ab")));
}

void WalkTest::theMenuOpensWhatItNames() {
    for (const auto& [entry, dialog] : {std::pair{"Keyboard shortcuts", "shortcutsDialog"},
                                        {"About Hearth", "aboutDialog"},
                                        {"Downloads", "downloadsDialog"},
                                        {"Network", "networkDialog"}}) {
        ui_->click(ui_->item(QStringLiteral("settingsButton")));
        QTRY_VERIFY(ui_->button(QString::fromLatin1(entry)) != nullptr);
        ui_->click(ui_->button(QString::fromLatin1(entry)));
        QObject* shown = nullptr;
        QTRY_VERIFY2(
            (shown = ui_->window()->findChild<QObject*>(QString::fromLatin1(dialog))) != nullptr,
            entry);
        QTRY_VERIFY2(shown->property("opened").toBool(), entry);
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(!shown->property("visible").toBool());
    }
}

// A dialog has the keyboard: nothing behind it is changed.
void WalkTest::keysOfTheWindowWaitForADialog() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QVERIFY(ui_->ask(QStringLiteral("Two")));
    ui_->app().chats()->remove(ui_->app().chats()->conversations()->idAt(1));
    QObject* shortcuts = ui_->window()->findChild<QObject*>(QStringLiteral("shortcutsDialog"));
    ui_->press(Qt::Key_F1);
    QTRY_VERIFY(shortcuts->property("opened").toBool());
    const int asked = ui_->inference().generateCalls();
    const double zoom = ui_->app().appearance()->zoom();
    for (const auto& [key, modifiers] :
         {std::pair{Qt::Key_N, Qt::KeyboardModifiers(Qt::ControlModifier)},
          {Qt::Key_Z, Qt::ControlModifier},
          {Qt::Key_R, Qt::ControlModifier},
          {Qt::Key_B, Qt::ControlModifier},
          {Qt::Key_Comma, Qt::ControlModifier},
          {Qt::Key_Plus, Qt::ControlModifier},
          {Qt::Key_F2, Qt::NoModifier},
          {Qt::Key_Delete, Qt::NoModifier}}) {
        ui_->press(key, modifiers);
    }
    ui_->settle();
    QVERIFY(shortcuts->property("opened").toBool());
    QCOMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("Two"));
    QCOMPARE(ui_->app().chats()->binCount(), 1);
    QCOMPARE(ui_->inference().generateCalls(), asked);
    QCOMPARE(ui_->app().appearance()->zoom(), zoom);
    QVERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    QVERIFY(ui_->item(QStringLiteral("settingsView")) == nullptr);
    QVERIFY(ui_->item(QStringLiteral("renameField")) == nullptr);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(!shortcuts->property("visible").toBool());
    ui_->press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(ui_->app().chats()->currentTitle(), QStringLiteral("One"));
}

// Into the list that is shown, out of the one that is hidden, and to the message field from any
// page.
void WalkTest::theKeyboardGoesWhereItIsOfUse() {
    QVERIFY(ui_->ask(QStringLiteral("One")));
    const auto inList = [this] {
        const QQuickItem* sidebar = ui_->item(QStringLiteral("sidebar"));
        return sidebar != nullptr && sidebar->isAncestorOf(ui_->window()->activeFocusItem());
    };
    const auto inField = [this] {
        return ui_->item(QStringLiteral("composerInput"))->hasActiveFocus();
    };
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(inField());
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QVERIFY(inList());
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    QVERIFY(inField());
    ui_->press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("settingsView")) != nullptr);
    ui_->press(Qt::Key_L, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("settingsView")) == nullptr);
    QVERIFY(inField());
    ui_->press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("settingsView")) != nullptr);
    ui_->press(Qt::Key_Comma, Qt::ControlModifier);  // and back
    QTRY_VERIFY(ui_->item(QStringLiteral("settingsView")) == nullptr);
    QVERIFY(inField());
    // The window becomes too narrow for the list that has the keyboard.
    QMetaObject::invokeMethod(ui_->item(QStringLiteral("sidebar")), "takeFocus");
    QVERIFY(inList());
    ui_->window()->resize(480, 640);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    QTRY_VERIFY(inField());
    // A new chat closes the list that was called up.
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QTRY_VERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    ui_->type(QStringLiteral("x"));
    QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("x"));
}

void WalkTest::zoomsByKeys() {
    const auto zoom = [this] { return ui_->app().appearance()->zoom(); };
    ui_->press(Qt::Key_Minus, Qt::ControlModifier);
    QCOMPARE(zoom(), 0.9);
    ui_->press(Qt::Key_Equal, Qt::ControlModifier);
    ui_->press(Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(zoom(), 1.1);
    QCOMPARE(ui_->theme()->property("zoom").toDouble(), 1.1);
    ui_->press(Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(zoom(), 1.0);
}

void WalkTest::takesKeysRightAfterADialog_data() {
    QTest::addColumn<QString>("menuItem");
    QTest::addColumn<QString>("dialog");
    QTest::addRow("by a key") << QString() << QStringLiteral("shortcutsDialog");
    QTest::addRow("from a menu") << QStringLiteral("downloadsItem")
                                 << QStringLiteral("downloadsDialog");
}

// Letters and shortcuts, in the same moment: changes may move, and nothing that was pressed is
// lost.
void WalkTest::takesKeysRightAfterADialog() {
    QFETCH(const QString, menuItem);
    QFETCH(const QString, dialog);
    QCOMPARE(ui_->settings().set("window/motion", QStringLiteral("system")), QString());
    QTRY_VERIFY(ui_->theme()->property("quick").toInt() > 0);
    QVERIFY(ui_->ask(QStringLiteral("One")));
    if (menuItem.isEmpty()) {
        ui_->press(Qt::Key_F1);
    } else {
        ui_->item(QStringLiteral("settingsButton"))->forceActiveFocus(Qt::TabFocusReason);
        ui_->press(Qt::Key_Space);
        for (int i = 0; i < 12 && (ui_->window()->activeFocusItem() == nullptr ||
                                   ui_->window()->activeFocusItem()->objectName() != menuItem);
             ++i) {
            ui_->press(Qt::Key_Down);
        }
        QCOMPARE(ui_->window()->activeFocusItem()->objectName(), menuItem);
        ui_->press(Qt::Key_Return);
    }
    QObject* shown = nullptr;
    QTRY_VERIFY((shown = ui_->window()->findChild<QObject*>(dialog)) != nullptr);
    QTRY_VERIFY(shown->property("opened").toBool());
    ui_->press(Qt::Key_Escape);
    if (menuItem.isEmpty()) {
        ui_->type(QStringLiteral("abc"));
        QCOMPARE(ui_->app().chats()->draft(), QStringLiteral("abc"));
    } else {
        QCOMPARE(ui_->window()->activeFocusItem(), ui_->item(QStringLiteral("settingsButton")));
    }
    ui_->press(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(ui_->messageCount(), 0);
}

void WalkTest::onlyReads() {
    ui_.reset();
    const QTemporaryDir folder;
    UiWindow first(folder.path());
    QVERIFY(first.ask(QStringLiteral("One")));
    // A second window on the same folder may only look.
    UiWindow second(folder.path());
    QVERIFY(second.app().chats()->readOnly());
    QVERIFY(second.activate());
    second.app().chats()->select(second.app().chats()->conversations()->idAt(0));
    QCOMPARE(second.messageCount(), 2);
    QVERIFY(valueOf(second.item(QStringLiteral("composerInput")), "readOnly").toBool());
    second.type(QStringLiteral("Hello"));
    second.press(Qt::Key_Return);
    QCOMPARE(second.messageCount(), 2);
    QVERIFY(!second.item(QStringLiteral("sendButton"))->isEnabled());
    second.press(Qt::Key_F2);
    QVERIFY(second.item(QStringLiteral("renameField")) == nullptr);
}

void WalkTest::remembersItsPlace() {
    ui_.reset();
    const QTemporaryDir folder;
    {
        UiWindow first(folder.path(), UiWindow::Size::Own);
        QVERIFY(first.activate());
        const QRect screen = first.window()->screen()->availableGeometry();
        QVERIFY(screen.size().boundedTo(first.window()->size()) == first.window()->size());
        QVERIFY(screen.contains(UiWindow::area(first.item(QStringLiteral("composer"))).toRect()));
        first.window()->resize(760, 500);
        first.press(Qt::Key_B, Qt::ControlModifier);
        first.press(Qt::Key_Plus, Qt::ControlModifier);
        QTRY_VERIFY(first.item(QStringLiteral("sidebar")) == nullptr);
        QCOMPARE(first.app().appearance()->zoom(), 1.1);
        first.app().close();
    }
    UiWindow second(folder.path(), UiWindow::Size::Own);
    QVERIFY(second.activate());
    QCOMPARE(second.window()->size(), QSize(760, 500));
    QVERIFY(second.item(QStringLiteral("sidebar")) == nullptr);
    QCOMPARE(second.app().appearance()->zoom(), 1.1);
}

QTEST_MAIN(WalkTest)
#include "walk_test.moc"
