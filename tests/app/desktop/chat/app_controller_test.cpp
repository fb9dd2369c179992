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
    void saysWhatItIsBuiltFrom();
};

void AppControllerTest::copies() {
    app_->copyText(QStringLiteral("int x;"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("int x;"));
}

void AppControllerTest::saysWhatItIsBuiltFrom() {
    const QString version = QStringLiteral("Version ") + app_->version();
    QCOMPARE(app_->builtFrom(), version);
    app_->setCommit(QStringLiteral("0123456789ab"));
    QCOMPARE(app_->builtFrom(), version + QStringLiteral(", commit 0123456789ab"));
    app_->setCommit(QStringLiteral("0123456789ab+"));
    QCOMPARE(app_->builtFrom(), version + QStringLiteral(", commit 0123456789ab, with changes"));
    app_->setCommit(QStringLiteral("unknown"));
    QCOMPARE(app_->builtFrom(), version);
}

QTEST_MAIN(AppControllerTest)
#include "app_controller_test.moc"
