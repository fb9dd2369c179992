// What a user does with the real program, by real keys and buttons through an X server: deletes,
// brings back, copies, pastes, restarts.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>

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
