// What a user does with the real program, by real keys and buttons through an X server: deletes,
// stops, sends, opens links, pastes, restarts. Two processes where it takes two.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>

#include "app/desktop/endless_model.h"
#include "app/desktop/fake_portal.h"
#include "app/desktop/real_program.h"
#include "app/ui/virtual_display.h"
#include "app_paths.h"
#include "app_settings.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

// Of the light theme.
const QColor kWindow(0xfb, 0xf8, 0xf4);
const QColor kDarkWindow(0x1b, 0x18, 0x15);
const QColor kLink(0x96, 0x37, 0x0f);
const QColor kCode(0xf6, 0xf0, 0xe8);
const QColor kNotice(0xe6, 0xef, 0xf4);

const char* const kShown = "SELECT count(*) FROM conversations WHERE deleted_at IS NULL";

}  // namespace

class EventsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void deletesAndBringsBack();
    void stopsAndQueuesByChat();
    void asksBeforeALinkIsOpened();
    void copiesAFormula();
    void takesAPastedMegabyte();
    void comesBackAsItWas();
    void followsTheDesktop();
    void aNoticeGoes();

private:
    QString data() const { return folder_->filePath(QStringLiteral("data")); }
    // Colours that a test knows, whatever this system prefers.
    void setSetting(const char* key, const QVariant& value) const {
        QSettings(data() + QStringLiteral("/hearth.ini"), QSettings::IniFormat)
            .setValue(QLatin1String(key), value);
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
    setSetting("window/theme", QStringLiteral("light"));
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

void EventsTest::stopsAndQueuesByChat() {
    const QString endless = test::endlessModel(folder_->path(), QStringLiteral("First"), 1 << 17);
    QVERIFY(!endless.isEmpty());
    setSetting("sampling/preset", QStringLiteral("own"));
    setSetting("sampling/temp", 0);
    RealProgram program(data());
    QVERIFY(program.start({endless}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(program.type(QStringLiteral("First")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answering: message 2"));
    QVERIFY(program.key(QStringLiteral("ctrl+n")));
    QVERIFY(program.type(QStringLiteral("Second")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("waiting: message 4"));
    // Escape is for the chat that is shown, whose turn has not come: it gives its place up.
    const char* const first = "SELECT count(*) FROM messages WHERE id = 2 AND state = 'generating'";
    QVERIFY(program.key(QStringLiteral("Escape")));
    QTRY_COMPARE(program.rows("SELECT state FROM messages WHERE id = 4").value(0).value(0),
                 QVariant("stopped"));
    QCOMPARE(program.number(first), 1);
    // The first one is below it in the list.
    QVERIFY(program.key(QStringLiteral("ctrl+Next")));
    QVERIFY(program.key(QStringLiteral("Escape")));
    QVERIFY(program.waitForLog("answered: message 2 stopped"));
    QVERIFY(program.quit());
}

// A second process asks the question; the program for links is one that writes down what it gets.
void EventsTest::asksBeforeALinkIsOpened() {
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
    QTRY_VERIFY(program.areaOf(kLink).width() > 100 && program.areaOf(kLink).height() < 30);
    const QPoint link = program.areaOf(kLink).center();
    QVERIFY(program.click(link));
    // The question darkens what is behind it. Return leaves the address unopened.
    const auto asked = [&] { return program.picture().pixelColor(link.x(), 600) != kWindow; };
    QTRY_VERIFY(asked());
    QVERIFY(program.key(QStringLiteral("Return")));
    QTRY_VERIFY(!asked());
    // Until the question has gone, a click is at its ground.
    QTRY_VERIFY(program.click(link) && QTest::qWaitFor(asked, 1000));
    QVERIFY(!QFile::exists(taken));
    QVERIFY(program.key(QStringLiteral("Tab")));
    QVERIFY(program.key(QStringLiteral("Tab")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QTRY_VERIFY(QFile::exists(taken));
    QFile file(taken);
    QVERIFY(file.open(QIODevice::ReadOnly));
    // It is not our folder that a browser fills.
    QCOMPARE(file.readAll(), QByteArray("https://other.example/login\n/of/the/session\n"));
    QVERIFY(program.quit());
}

void EventsTest::copiesAFormula() {
    RealProgram program(data());
    QVERIFY(
        program.start({model_, QStringLiteral("--say"), QStringLiteral("\\[a\\,\\frac{b}{c}\\]")}));
    QVERIFY(program.waitForLog("answered: message"));
    QTRY_VERIFY(!program.areaOf(kCode).isEmpty());
    const QRect code = program.areaOf(kCode);
    QGuiApplication::clipboard()->clear();
    QVERIFY(program.click(QPoint(code.left() + 30, code.center().y()), 3));
    QVERIFY(program.key(QStringLiteral("ctrl+c")));
    QTRY_COMPARE(QGuiApplication::clipboard()->text().trimmed(),
                 QStringLiteral("\\[a\\,\\frac{b}{c}\\]"));
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
    QTRY_VERIFY(!program.areaOf(kDarkWindow).isEmpty());
    portal.change(test::kScheme, 2U);
    QTRY_VERIFY(!program.areaOf(kWindow).isEmpty());
    QTRY_VERIFY(program.areaOf(kDarkWindow).isEmpty());
    QVERIFY(program.quit());
}

// The answer ends because the context is full, and the window says so; another chat is not full.
void EventsTest::aNoticeGoes() {
    setSetting("engine/ctx", 128);
    setSetting("sampling/seed", 4);
    RealProgram program(data());
    QVERIFY(
        program.start({model_, QStringLiteral("--say"), QStringLiteral("Tell me a short story.")}));
    QVERIFY(program.waitForLog("answered: message"));
    QTRY_VERIFY(!program.areaOf(kNotice).isEmpty());
    QVERIFY(program.key(QStringLiteral("ctrl+n")));
    QTRY_VERIFY(program.areaOf(kNotice).isEmpty());
    QVERIFY(program.quit());
}

// Not QTEST_MAIN: the server has to be there before the application is.
int main(int argc, char** argv) {
    test::VirtualDisplay display;
    if (!display.start(1280, 960)) {
        std::fprintf(stderr, "FAIL: %s\n", qPrintable(display.reason()));
        return 1;
    }
    qputenv("DISPLAY", display.name());
    qputenv("QT_QPA_PLATFORM", "xcb");
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    QGuiApplication application(argc, argv);
    EventsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "events_test.moc"
