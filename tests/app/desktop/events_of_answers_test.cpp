// What a user does with answers in the real program, by real keys and buttons through an X server:
// stops and queues them in two chats, follows a link, reads a notice. Two processes where it takes
// two.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/display_main.h"
#include "app/desktop/endless_model.h"
#include "app/desktop/real_program.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

// Of the light theme.
const QColor kWindow(0xfb, 0xf8, 0xf4);
const QColor kLink(0x96, 0x37, 0x0f);
const QColor kNotice(0xe6, 0xef, 0xf4);
const QColor kMark(0xb5, 0x47, 0x1b);
const QColor kTarget(0x85, 0x77, 0x6c);  // around the line that shows where a link leads

// The list of chats below its button, in a window of the usual size in the upper left corner.
const QRect kList(0, 110, 270, 500);
const QRect kChat(280, 0, 780, 600);  // above the message field
// At least so many pixels of a mark there have just its colour: 16 and 32 were counted.
constexpr int kRing = 12;
constexpr int kFull = 28;

}  // namespace

class EventsOfAnswersTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void stopsAndQueuesByChat();
    void sendsLaterWhatIsAskedMeanwhile();
    void asksBeforeALinkIsOpened();
    void aNoticeGoesWithTheNextAnswer();
    void thePreviewHidesReasoning();

private:
    QString data() const { return folder_->filePath(QStringLiteral("data")); }
    void setSetting(const char* key, const QVariant& value) const {
        test::setSetting(data(), key, value);
    }
    // Of a model whose answer goes on for 131,072 tokens.
    void useEndlessModel();

    QString model_;
    QString endless_;
    std::unique_ptr<QTemporaryDir> folder_;
};

void EventsOfAnswersTest::initTestCase() {
    const QString reason = RealProgram::whyNot();
    model_ = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    if (!reason.isEmpty() || model_.isEmpty()) {
        QSKIP(qPrintable(reason.isEmpty() ? QStringLiteral("no starter model") : reason));
    }
}

void EventsOfAnswersTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir().mkpath(data()));
    // Colours that a test knows, whatever this system prefers.
    setSetting("window/theme", QStringLiteral("light"));
    setSetting("sampling/preset", QStringLiteral("own"));
    setSetting("sampling/temp", 0);
}

void EventsOfAnswersTest::useEndlessModel() {
    endless_ = test::endlessModel(folder_->path(), QStringLiteral("First"), 1 << 17);
    QVERIFY(!endless_.isEmpty());
    // The usual context is smaller than what the model has, and this one fills it in a moment.
    setSetting("engine/ctx", 1 << 17);
}

void EventsOfAnswersTest::stopsAndQueuesByChat() {
    useEndlessModel();
    RealProgram program(data());
    QVERIFY(program.start({endless_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.type(QStringLiteral("First")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answering: message 2"));
    QVERIFY(program.key(QStringLiteral("ctrl+n")));
    QVERIFY(program.type(QStringLiteral("Second")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("waiting: message 4"));
    // The list marks both: a ring for the one that waits, full for the one that is answered.
    const auto marked = [&] { return program.countOf(kMark, kList); };
    HEARTH_COMES_TRUE(marked() >= kFull + kRing);
    // Escape is for the chat that is shown, whose turn has not come: it gives its place up.
    const char* const first = "SELECT count(*) FROM messages WHERE id = 2 AND state = 'generating'";
    QVERIFY(program.key(QStringLiteral("Escape")));
    QTRY_COMPARE(program.rows("SELECT state FROM messages WHERE id = 4").value(0).value(0),
                 QVariant("stopped"));
    QCOMPARE(program.number(first), 1);
    // One is left to be marked.
    HEARTH_COMES_TRUE(marked() >= kFull && marked() < kFull + kRing);
    // The first one is below it in the list.
    QVERIFY(program.key(QStringLiteral("ctrl+Next")));
    QVERIFY(program.key(QStringLiteral("Escape")));
    QVERIFY(program.waitForLog("answered: message 2 stopped"));
    HEARTH_COMES_TRUE(marked() < kRing);
    QVERIFY(program.quit());
}

// Both chats ask the same: it is the answer to this that has no end.
void EventsOfAnswersTest::sendsLaterWhatIsAskedMeanwhile() {
    useEndlessModel();
    RealProgram program(data());
    QVERIFY(program.start({endless_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.type(QStringLiteral("First")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answering: message 2"));
    QVERIFY(program.key(QStringLiteral("ctrl+n")));
    QVERIFY(program.type(QStringLiteral("First")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("waiting: message 4"));
    // Its turn comes when the first one, back in its chat, is stopped.
    QVERIFY(program.key(QStringLiteral("ctrl+Next")));
    QVERIFY(program.key(QStringLiteral("Escape")));
    QVERIFY(program.waitForLog("answered: message 2 stopped"));
    QVERIFY(program.waitForLog("answering: message 4"));
    // From here Escape reaches nothing: that chat is not shown.
    QVERIFY(program.key(QStringLiteral("Escape")));
    QVERIFY(program.key(QStringLiteral("ctrl+Prior")));
    HEARTH_COMES_TRUE(program.number("SELECT length(content) FROM messages WHERE id = 4") > 0);
    QVERIFY(!program.log().contains("answered: message 4"));
    QVERIFY(program.key(QStringLiteral("Escape")));
    QVERIFY(program.waitForLog("answered: message 4 stopped"));
    QVERIFY(program.quit());
}

// A second process asks the question; the program for links is one that writes down what it gets.
void EventsOfAnswersTest::asksBeforeALinkIsOpened() {
    const QString taken = folder_->filePath(QStringLiteral("taken"));
    QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("bin")));
    QFile opener(folder_->filePath(QStringLiteral("bin/xdg-open")));
    QVERIFY(opener.open(QIODevice::WriteOnly));
    opener.write("#!/bin/sh\nprintf '%s\\n%s\\n' \"$1\" \"$XDG_CACHE_HOME\" > " +
                 QFile::encodeName(taken) + ".part && mv " + QFile::encodeName(taken) + ".part " +
                 QFile::encodeName(taken) + "\n");
    opener.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    opener.close();
    RealProgram program(data());
    program.setVariable(QStringLiteral("PATH"),
                        QFileInfo(opener).path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    program.setVariable(QStringLiteral("XDG_CACHE_HOME"), QStringLiteral("/of/the/session"));
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QProcess second;
    second.start(QStringLiteral(HEARTH_PROGRAM),
                 {QStringLiteral("--data-dir"), data(), QStringLiteral("--say"),
                  QStringLiteral("[https://my-bank.example](https://other.example/login)")});
    QVERIFY(second.waitForFinished(30'000));
    QVERIFY(program.waitForLog("answered: message"));
    // (The example prompt under the pointer has that colour too, as long as it is there.)
    HEARTH_COMES_TRUE(program.areaOf(kLink).width() > 100 && program.areaOf(kLink).height() < 30);
    QVERIFY(!program.stillPicture(kChat).isNull());
    const QPoint link = program.areaOf(kLink).center();
    QVERIFY(program.click(link));
    // The question darkens what is behind it. Return leaves the address unopened.
    const auto asked = [&] { return program.picture().pixelColor(link.x(), 600) != kWindow; };
    HEARTH_COMES_TRUE(asked());
    QVERIFY(program.key(QStringLiteral("Return")));
    HEARTH_COMES_TRUE(!asked());
    QVERIFY(!QFile::exists(taken));
    // Now by the keyboard alone: back from the message field, past the buttons of the message.
    QVERIFY(program.moveTo(QPoint(600, 500)));
    const QRect corner(280, 600, 400, 70);
    const auto targetShown = [&] { return program.countOf(kTarget, corner) > 60; };
    HEARTH_COMES_TRUE(!targetShown());
    // While the question fades away, shortcuts are not heard.
    const QRect field(280, 670, 780, 70);
    HEARTH_COMES_TRUE(program.key(QStringLiteral("ctrl+l")) && program.countOf(kMark, field) > 300);
    for (int i = 0; i < 8 && !targetShown(); ++i) {
        QVERIFY(program.key(QStringLiteral("shift+Tab")));
        [[maybe_unused]] const bool shown = QTest::qWaitFor(targetShown, 500);
    }
    QVERIFY(targetShown());
    QVERIFY(program.key(QStringLiteral("Return")));
    HEARTH_COMES_TRUE(asked());
    QVERIFY(program.key(QStringLiteral("Tab")));
    QVERIFY(program.key(QStringLiteral("Tab")));
    QVERIFY(program.key(QStringLiteral("Return")));
    HEARTH_COMES_TRUE(QFile::exists(taken));
    QFile file(taken);
    QVERIFY(file.open(QIODevice::ReadOnly));
    // It is not our folder that a browser fills.
    QCOMPARE(file.readAll(), QByteArray("https://other.example/login\n/of/the/session\n"));
    QVERIFY(program.quit());
}

// That the answer was cut off is no longer true of the next one.
void EventsOfAnswersTest::aNoticeGoesWithTheNextAnswer() {
    setSetting("sampling/max-tokens", 24);
    RealProgram program(data());
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.type(QStringLiteral("Tell me a short story.")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answered: message 2 complete 24 tokens"));
    HEARTH_COMES_TRUE(!program.areaOf(kNotice).isEmpty());
    QVERIFY(program.type(QStringLiteral("What is 2+2?")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answered: message 4"));
    QVERIFY2(!program.log().contains("message 4 complete 24 tokens"), "not a short answer");
    HEARTH_COMES_TRUE(program.areaOf(kNotice).isEmpty());
    QVERIFY(program.quit());
}

// The list looks the same, whatever a model thought before it answered.
void EventsOfAnswersTest::thePreviewHidesReasoning() {
    const auto listWith = [this](const QString& name, const QString& answer, QImage* list) {
        const QString folder = folder_->filePath(name);
        QVERIFY(QDir().mkpath(folder));
        test::setSetting(folder, "window/theme", QStringLiteral("light"));
        {
            ConversationStore store;
            store.open(folder);
            const auto sent = store.send(kNoId, QStringLiteral("Is it raining?"), false, {});
            QVERIFY(sent);
            QVERIFY(store.finishReply(sent->assistantId, answer, MessageState::Complete, {}, {}));
        }
        RealProgram program(folder);
        QVERIFY(program.start({QStringLiteral("/nowhere/x.gguf")}));
        QVERIFY(program.waitForLog("model failed"));
        HEARTH_COMES_TRUE(program.countOf(kWindow, kList) == 0);
        *list = program.stillPicture(kList);
        QVERIFY2(!list->isNull(), "the list does not stand still");
        QVERIFY(program.quit());
    };
    QImage plain;
    QImage reasoned;
    QImage other;
    listWith(QStringLiteral("plain"), QStringLiteral("It is."), &plain);
    listWith(QStringLiteral("reasoned"),
             QStringLiteral("<think>\nA secret thought.\n</think>\n\nIt is."), &reasoned);
    listWith(QStringLiteral("other"), QStringLiteral("It is not."), &other);
    QVERIFY(plain == reasoned);
    QVERIFY2(plain != other, "the list shows no preview");
}

int main(int argc, char** argv) {
    return test::mainOnDisplay<EventsOfAnswersTest>(argc, argv);
}

#include "events_of_answers_test.moc"
