// Every page of the window, in both themes, with text at 100, 150 and 200 %, in a common laptop's
// window and in a narrow one: named, reached by Tab, nothing cut, nothing pale. The sample of
// ./test.sh has each page twice, with the largest text in the narrow window, and with the smallest
// in the wide one in the other theme, and each theme, text and window once.
#include "pages.h"

#include <QAccessible>
#include <QDir>
#include <QTest>

#include "support/covering_sample.h"
#include "ui_window.h"
#include "walker.h"

using namespace hearth::ui::test;

class PagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QAccessible::setActive(true); }
    void holds_data();
    void holds();
    void seesWhatIsWrong();
};

void PagesTest::holds_data() {
    QTest::addColumn<int>("page");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("percent");
    QTest::addColumn<QSize>("size");
    hearth::test::CoveringSample sample;
    for (int page = 0; page < pages().size(); ++page) {
        for (const QSize& size : {QSize(1366, 768), QSize(480, 720)}) {
            for (const int percent : {100, 150, 200}) {
                for (const char* theme : {"light", "dark"}) {
                    const bool narrow = size.width() < 1000;
                    const bool light = *theme == 'l';
                    const std::string look =
                        std::to_string(size.width()) + ' ' + std::to_string(percent) + ' ' + theme;
                    const bool hardest = narrow && percent == 200 && light == (page % 2 == 0);
                    const bool usual = !narrow && percent == 100 && light == (page % 2 == 1);
                    if (sample.takes({hardest || usual ? pages()[page].name + look : look})) {
                        QTest::addRow("%s, %s, %d %%, %d wide", pages()[page].name, theme, percent,
                                      size.width())
                            << page << QString::fromLatin1(theme) << percent << size;
                    }
                }
            }
        }
    }
}

void PagesTest::holds() {
    QFETCH(int, page);
    QFETCH(QString, theme);
    QFETCH(int, percent);
    QFETCH(QSize, size);
    UiWindow ui;
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    pages()[page].open(ui);
    if (QTest::currentTestFailed()) {
        return;
    }
    // Where a user changes them: with the page open.
    ui.app().appearance()->setThemeMode(theme);
    ui.app().appearance()->zoomBy((percent - 100) / 10);
    ui.window()->resize(size);
    QTRY_COMPARE(ui.window()->contentItem()->width(), double(size.width()));
    ui.settle();
    const QStringList wrong = unnamed(ui) + clipped(ui) + pale(ui) + unreachable(ui);
    const auto save = [&](const QString& folder, const char* start) {
        QDir().mkpath(folder);
        ui.window()->grabWindow().save(
            folder + QStringLiteral("/%1%2-%3-%4-%5.png")
                         .arg(QLatin1String(start), QLatin1String(pages()[page].name), theme)
                         .arg(percent)
                         .arg(size.width()));
    };
    if (!wrong.isEmpty()) {
        save(QStringLiteral(HEARTH_BINARY_DIR "/screenshots"), "wrong-");
    }
    // For somebody who wants to look at them all.
    if (const QString folder = qEnvironmentVariable("HEARTH_PAGE_PICTURES"); !folder.isEmpty()) {
        save(folder, "");
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
}

// The checks above must be able to fail.
void PagesTest::seesWhatIsWrong() {
    UiWindow ui;
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    ui.settle();
    QCOMPARE((unnamed(ui) + clipped(ui) + pale(ui) + unreachable(ui)).join(QLatin1Char('\n')),
             QString());
    QQuickItem* greeting = ui.item(QStringLiteral("greeting"));
    QVERIFY(greeting != nullptr);
    const QVariant color = greeting->property("color");
    greeting->setProperty("color", QColor(0xee, 0xee, 0xee));
    QCOMPARE(pale(ui).size(), 1);
    greeting->setProperty("color", color);
    greeting->setHeight(5);
    QCOMPARE(clipped(ui).size(), 1);
    greeting->resetHeight();
    QQuickItem* sidebar = ui.item(QStringLiteral("sidebar"));
    sidebar->setX(-40);
    QVERIFY(!clipped(ui).isEmpty());
    sidebar->setX(0);
    QQuickItem* prompt = ui.item(QStringLiteral("examplePrompt"));
    prompt->setProperty("text", QString());
    QVERIFY(!unnamed(ui).isEmpty());
}

QTEST_MAIN(PagesTest)
#include "pages_test.moc"
