// The real program as a screen reader finds it: over the accessibility bus, from another process.
// Inside the process all can be right while nothing of it reaches the bus.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "accessible_bus.h"
#include "app/desktop/display_main.h"
#include "app/desktop/fake_portal.h"
#include "app/desktop/real_program.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::AccessibleBus;
using hearth::ui::test::AccessibleRef;
using hearth::ui::test::RealProgram;

class ScreenReaderTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void findsTheWindow_data();
    void findsTheWindow();

private:
    // The objects of the one program on the bus; empty: there is none, or it shows none.
    QStringList tree() const;

    QString model_;
    QTemporaryDir folder_;
    test::OwnBus session_;
    AccessibleBus bus_;
};

void ScreenReaderTest::initTestCase() {
    model_ = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    QString reason = model_.isEmpty() ? QStringLiteral("no starter model") : RealProgram::whyNot();
    qputenv("XDG_RUNTIME_DIR", QFile::encodeName(folder_.path()));  // there lies the bus's socket
    if (reason.isEmpty()) {
        reason = session_.start();
    }
    if (reason.isEmpty()) {
        reason = bus_.start(session_.connection());
    }
    if (!reason.isEmpty()) {
        QSKIP(qPrintable(reason));
    }
}

QStringList ScreenReaderTest::tree() const {
    const QList<AccessibleRef> programs = bus_.programs();
    QStringList lines = programs.isEmpty() ? QStringList() : bus_.lines(programs.constFirst());
    return lines.size() < 2 ? QStringList() : lines;
}

void ScreenReaderTest::findsTheWindow_data() {
    QTest::addColumn<bool>("before");
    QTest::addRow("it runs before the program starts") << true;
    QTest::addRow("it is started later") << false;
}

void ScreenReaderTest::findsTheWindow() {
    QFETCH(bool, before);
    QVERIFY(bus_.announce(before));
    const QString data = folder_.filePath(QLatin1String(QTest::currentDataTag()));
    QVERIFY(QDir().mkpath(data));
    test::setSetting(data, "sampling/temp", 0);
    test::setSetting(data, "sampling/max-tokens", 8);
    RealProgram program(data);
    QVERIFY(program.start({model_}));
    QVERIFY(program.waitForLog("model ready"));
    QVERIFY(bus_.announce(true));
    QTRY_COMPARE(bus_.programs().size(), 1);
    QCOMPARE(bus_.name(bus_.programs().constFirst()), QStringLiteral("Hearth"));
    QTRY_VERIFY2(!tree().isEmpty(), "the program is on the bus, with 0 children");
    QStringList lines = tree();
    const auto has = [&](const char* line) { return lines.contains(QString::fromUtf8(line)); };
    for (const char* line : {"frame: Hearth", "list: Chats", "text: Message",
                             "push button: Send the message", "push button: New chat"}) {
        QVERIFY2(has(line), qPrintable(QString::fromUtf8(line) + QStringLiteral(" is not among\n") +
                                       lines.join(QLatin1Char('\n'))));
    }
    // An answer is written while the screen reader looks on.
    QVERIFY(program.type(QStringLiteral("Good morning")));
    QVERIFY(program.key(QStringLiteral("Return")));
    QVERIFY(program.waitForLog("answered: message 2"));
    QTRY_VERIFY((lines = tree(), has("paragraph: Good morning")));
    for (const char* line :
         {"frame: Good morning — Hearth", "list: Messages", "list item: You wrote",
          "list item: Hearth answered", "push button: Copy this answer"}) {
        QVERIFY2(has(line), qPrintable(QString::fromUtf8(line) + QStringLiteral(" is not among\n") +
                                       lines.join(QLatin1Char('\n'))));
    }
    // Whatever can be pressed says what it does.
    QVERIFY2(!has("push button: "), qPrintable(lines.join(QLatin1Char('\n'))));
    QVERIFY(program.quit());
    QTRY_VERIFY(bus_.programs().isEmpty());
}

int main(int argc, char** argv) {
    return hearth::ui::test::mainOnDisplay<ScreenReaderTest>(argc, argv);
}
#include "screen_reader_test.moc"
