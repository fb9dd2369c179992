#include "app_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

#include "app_fixture.h"

using namespace hearth::ui;

class AppControllerTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void copies();
};

void AppControllerTest::copies() {
    app_->copyText(QStringLiteral("int x;"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("int x;"));
}

QTEST_MAIN(AppControllerTest)
#include "app_controller_test.moc"
