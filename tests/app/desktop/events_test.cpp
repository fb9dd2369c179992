// What a user does with the real program, by real keys and buttons through an X server: deletes,
// brings back, copies, pastes, restarts. Of answers and links: events_of_answers_test.cpp.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/desktop/display_main.h"
#include "app/desktop/fake_portal.h"
#include "app/desktop/real_program.h"
#include "settings/app_settings.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

// Of the light theme.
const QColor kWindow(0xfb, 0xf8, 0xf4);
const QColor kDarkWindow(0x1b, 0x18, 0x15);
const QColor kCode(0xf6, 0xf0, 0xe8);
const QColor kNotice(0xe6, 0xef, 0xf4);
const QColor kBubble(0xf4, 0xe4, 0xd7);
const QColor kCard(0xff, 0xff, 0xff);
const QColor kInk(0x2a, 0x23, 0x1d);  // of text, and the ground of a tip

const char* const kShown = "SELECT count(*) FROM conversations WHERE deleted_at IS NULL";

}  // namespace

class EventsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void deletesAndBringsBack();
    void copiesAFormula();
    void takesAPastedMegabyte();
    void foldsALongQuestion();
    void noTipCoversTheShortcuts();
    void comesBackAsItWas();
    void followsTheDesktop();
    void aNoticeGoes();
    void closesWhileItMeasures();

private:
    QString data() const { return folder_->filePath(QStringLiteral("data")); }
    void setSetting(const char* key, const QVariant& value) const {
        test::setSetting(data(), key, value);
    }

    QString model_;
    std::unique_ptr<QTemporaryDir> folder_;
};

void EventsTest::initTestCase() {
    const QString reason = RealProgram::whyNot();
    model_ = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    if (!reason.isEmpty() || model_.isEmpty()) {
        QSKIP(qPrintable(reason.isEmpty() ? QStringLiteral("no starter model") : reason));
    }
}

void EventsTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir().mkpath(data()));
    // Colours that a test knows, whatever this system prefers.
    setSetting("window/theme", QStringLiteral("light"));
    // A long answer would move its question out of sight.
    setSetting("sampling/max-tokens", 24);
}

void EventsTest::deletesAndBringsBack() {
    {
        RealProgram program(data());
        QVERIFY(program.start({model_}));
        QVERIFY(program.waitForLog("model ready"));
        for (int i = 1; i <= 5; ++i) {
            QVERIFY(program.key(QStringLiteral("ctrl+n")));
            QVERIFY(program.type(QStringLiteral("Who are you?")));
            QVERIFY(program.key(QStringLiteral("Return")));
            QVERIFY(program.waitForLog("answered: message", i));
        }
        QCOMPARE(program.number(kShown), 5);
        // The list has the keyboard when it is shown again.
        QVERIFY(program.key(QStringLiteral("ctrl+b")));
        QVERIFY(program.key(QStringLiteral("ctrl+b")));
        QVERIFY(program.hold(QStringLiteral("Delete"), 1500));
        QTRY_COMPARE(program.number(kShown), 4);
        QVERIFY(program.key(QStringLiteral("Delete")));
        QVERIFY(program.key(QStringLiteral("Delete")));
        QTRY_COMPARE(program.number(kShown), 2);
        // From the message field, one by one.
        QVERIFY(program.key(QStringLiteral("ctrl+l")));
        QVERIFY(program.key(QStringLiteral("ctrl+z")));
        QTRY_COMPARE(program.number(kShown), 3);
        QVERIFY(program.quit());
    }
    // And after a restart.
    RealProgram program(data());
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready", 2));
    for (int shown = 4; shown <= 5; ++shown) {
        QVERIFY(program.key(QStringLiteral("ctrl+z")));
        QTRY_COMPARE(program.number(kShown), shown);
    }
    QVERIFY(program.quit());
}

// One that cannot be drawn, so that its letters are selected.
void EventsTest::copiesAFormula() {
    RealProgram program(data());
    QVERIFY(
        program.start({model_, QStringLiteral("--say"), QStringLiteral("\\[a\\,\\foo{b}{c}\\]")}));
    QVERIFY(program.waitForLog("answered: message"));
    const QRect code = program.stillAreaOf(kCode);
    QVERIFY(!code.isEmpty());
    QGuiApplication::clipboard()->clear();
    const QString formula = QStringLiteral("\\[a\\,\\foo{b}{c}\\]");
    const auto copied = [&] { return QGuiApplication::clipboard()->text().trimmed() == formula; };
    // On a busy machine three clicks may come too slowly to be one of three.
    for (int i = 0; i < 5 && !copied(); ++i) {
        QVERIFY(program.click(QPoint(code.left() + 30, code.center().y()), 3));
        QVERIFY(program.key(QStringLiteral("ctrl+c")));
        [[maybe_unused]] const bool soon = QTest::qWaitFor(copied, 2000);
    }
    QCOMPARE(QGuiApplication::clipboard()->text().trimmed(), formula);
    QVERIFY(program.quit());  // by a shortcut, from within the text
}

void EventsTest::takesAPastedMegabyte() {
    const QString text = QStringLiteral("0123456789").repeated(100'000);
    RealProgram program(data());
    QVERIFY(program.start({QStringLiteral("/nowhere/x.gguf")}));
    QVERIFY(program.waitForLog("model failed"));
    QGuiApplication::clipboard()->setText(text);
    QVERIFY(program.key(QStringLiteral("ctrl+v")));
    QVERIFY(program.type(QStringLiteral("What is this?")));
    QVERIFY(program.quit());
    const QList<QVariantList> drafts = program.rows(QStringLiteral("SELECT text FROM drafts"));
    QCOMPARE(drafts.size(), 1);
    const QString draft = drafts.first().first().toString();
    QVERIFY(draft.contains(text));
    QVERIFY(draft.contains(QStringLiteral("What is this?")));
}

// A question of 100,000 characters would be many windows tall.
void EventsTest::foldsALongQuestion() {
    const QString text = QStringLiteral("All of this was pasted.\n").repeated(4000);
    RealProgram program(data());
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QGuiApplication::clipboard()->setText(text);
    QVERIFY(program.key(QStringLiteral("ctrl+v")));
    QVERIFY(program.type(QStringLiteral("What is this?")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answered: message"));
    QCOMPARE(program.number("SELECT length(content) > 96000 FROM messages WHERE id = 1"), 1);
    // Its 30 lines fit a tall window, and below it there is room for the button that shows all.
    QVERIFY(program.resize({1080, 940}));
    HEARTH_COMES_TRUE(program.areaOf(kWindow).height() > 900);
    QVERIFY(program.key(QStringLiteral("shift+Tab")));
    QVERIFY(program.key(QStringLiteral("Home")));
    const QRect bubble = program.stillAreaOf(kBubble);
    QVERIFY(!bubble.isEmpty());
    QVERIFY2(bubble.height() < 720, qPrintable(QString::number(bubble.height())));
    QVERIFY(program.quit());
}

// The one of the button that has the keyboard would lie over the first lines.
void EventsTest::noTipCoversTheShortcuts() {
    RealProgram program(data());
    QVERIFY(program.start({QStringLiteral("/nowhere/x.gguf")}));
    QVERIFY(program.waitForLog("model failed"));
    QVERIFY(program.key(QStringLiteral("F1")));
    HEARTH_COMES_TRUE(program.areaOf(kCard).width() > 400);
    // Not for the program: longer than a tip waits. A slower machine could only hide the fault.
    QTest::qWait(1500);
    const QRect tip = program.solidAreaOf(kInk, 24);
    QVERIFY2(tip.isEmpty(), qPrintable(QString::number(tip.width())));
    QVERIFY(program.quit());  // by a shortcut, while the dialog is open
}

void EventsTest::comesBackAsItWas() {
    for (int round = 0; round < 2; ++round) {
        RealProgram program(data());
        QVERIFY(program.start({QStringLiteral("/nowhere/x.gguf")}));
        QVERIFY(program.waitForLog("model failed", round + 1));
        if (round == 0) {
            QVERIFY(program.resize({800, 520}));
            QVERIFY(program.key(QStringLiteral("ctrl+b")));
            QVERIFY(program.key(QStringLiteral("ctrl+plus")));
        }
        // The window's ground reaches to its edges, without the list's.
        QTRY_COMPARE(program.areaOf(kWindow).size(), QSize(800, 520));
        QVERIFY(program.quit());
        const AppSettings kept(data() + QStringLiteral("/hearth.ini"));
        QCOMPARE(kept.zoom(), 1.1);
        QVERIFY(!kept.listShown());
        QCOMPARE(kept.windowPlace().size(), QSize(800, 520));
    }
}

void EventsTest::followsTheDesktop() {
    const QByteArray before = qgetenv("DBUS_SESSION_BUS_ADDRESS");
    const auto restore = qScopeGuard([&] { qputenv("DBUS_SESSION_BUS_ADDRESS", before); });
    test::OwnBus bus;
    const QString reason = bus.start();
    if (!reason.isEmpty()) {
        QSKIP(qPrintable(reason));
    }
    test::FakePortal portal(bus.connection());
    portal.set(test::kScheme, 1U);
    setSetting("window/theme", QStringLiteral("system"));
    RealProgram program(data());
    QVERIFY(program.start({QStringLiteral("/nowhere/x.gguf")}));
    HEARTH_COMES_TRUE(!program.areaOf(kDarkWindow).isEmpty());
    portal.change(test::kScheme, 2U);
    HEARTH_COMES_TRUE(!program.areaOf(kWindow).isEmpty());
    HEARTH_COMES_TRUE(program.areaOf(kDarkWindow).isEmpty());
    QVERIFY(program.quit());
}

// The answer ends because the context is full, and the window says so; another chat is not full.
void EventsTest::aNoticeGoes() {
    setSetting("engine/ctx", 128);
    setSetting("sampling/max-tokens", 1024);
    setSetting("sampling/seed", 4);
    RealProgram program(data());
    QVERIFY(
        program.start({model_, QStringLiteral("--say"), QStringLiteral("Tell me a short story.")}));
    QVERIFY(program.waitForLog("answered: message"));
    HEARTH_COMES_TRUE(!program.areaOf(kNotice).isEmpty());
    QVERIFY(program.key(QStringLiteral("ctrl+n")));
    HEARTH_COMES_TRUE(program.areaOf(kNotice).isEmpty());
    QVERIFY(program.quit());
}

// A driver that does not answer holds up what asks for the cards of this machine, and not the end.
void EventsTest::closesWhileItMeasures() {
    const QString library = folder_->filePath(QStringLiteral("driver.so"));
    QCOMPARE(::mkfifo(QFile::encodeName(library).constData(), 0600), 0);
    QFile driver(folder_->filePath(QStringLiteral("driver.json")));
    QVERIFY(driver.open(QIODevice::WriteOnly));
    driver.write("{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" +
                 QFile::encodeName(library) + "\", \"api_version\": \"1.2.0\"}}\n");
    driver.close();
    setSetting("engine/gpu", QStringLiteral("none"));  // loading asks for no card
    RealProgram program(data());
    program.setVariable(QStringLiteral("HEARTH_GPU_TRIAL_SECONDS"), QStringLiteral("600"));
    program.setVariable(QStringLiteral("VK_DRIVER_FILES"), driver.fileName());
    program.setVariable(QStringLiteral("VK_ICD_FILENAMES"), driver.fileName());
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.key(QStringLiteral("ctrl+comma")));  // the settings, which ask
    QTRY_VERIFY_WITH_TIMEOUT(!program.children().isEmpty(), 30'000);
    QVERIFY(program.quit());
    const QByteArray log = program.log();
    QVERIFY2(log.contains("Hearth ends") && !log.contains("did not end in time"), log.constData());
    // Whoever still waits for the driver finds an end of it.
    const int end = ::open(QFile::encodeName(library).constData(), O_WRONLY | O_NONBLOCK);
    if (end >= 0) {
        ::close(end);
    }
}

int main(int argc, char** argv) {
    return test::mainOnDisplay<EventsTest>(argc, argv);
}

#include "events_test.moc"
