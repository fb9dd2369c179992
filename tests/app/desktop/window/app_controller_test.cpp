#include "window/app_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class AppControllerTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void copies();
    void saysWhatItIsBuiltFrom();
    void tellsOfACrash();
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

// The report is told of where there is nothing else to say. One that cannot be deleted is said to
// stay, and one that is deleted is told of no more.
void AppControllerTest::tellsOfACrash() {
    const QString folder = folder_->filePath(QStringLiteral("crashes"));
    const auto crash = [&](const char* name) {
        QDir().mkpath(folder);
        QFile file(folder + QStringLiteral("/new-") + QString::fromLatin1(name) +
                   QStringLiteral(".txt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(name);
    };
    QVERIFY(!app_->tellOfCrash(folder));  // there was none
    crash("1");
    notices().notify(QStringLiteral("error"), QStringLiteral("Else."));
    QVERIFY(!app_->tellOfCrash(folder));
    QCOMPARE(notices().text(), QStringLiteral("Else."));
    notices().dismiss();
    QVERIFY(app_->tellOfCrash(folder));
    QCOMPARE(notices().action(), QStringLiteral("showCrash"));
    QVERIFY(notices().text().contains(app_->crashes()->file()));
    QCOMPARE(app_->crashes()->text(), QStringLiteral("1"));
    const QString file = folder + QStringLiteral("/crash-1.txt");
    QVERIFY(QFile::remove(file) && QDir().mkdir(file));  // no file can be deleted there
    app_->crashes()->remove();
    QTRY_VERIFY2(notices().text().startsWith(QLatin1String("The report could not be deleted.")),
                 qPrintable(notices().text()));
    QVERIFY(!app_->crashes()->file().isEmpty());
    notices().dismiss();
    notices().dismiss();
    QVERIFY(QDir().rmdir(file));
    crash("1");
    QVERIFY(app_->tellOfCrash(folder));
    app_->crashes()->remove();
    QTRY_COMPARE(notices().text(), QString());
    QVERIFY(!QFile::exists(file) && app_->crashes()->file().isEmpty());
    // A notice about something else stays.
    crash("2");
    QVERIFY(app_->tellOfCrash(folder));
    notices().notify(QStringLiteral("error"), QStringLiteral("Else."));
    QSignalSpy removed(app_->crashes(), &CrashReports::removed);
    app_->crashes()->remove();
    QTRY_COMPARE(removed.size(), 1);
    QCOMPARE(notices().text(), QStringLiteral("Else."));
}

QTEST_MAIN(AppControllerTest)
#include "app_controller_test.moc"
