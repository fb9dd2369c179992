// An older program finds the conversations of a newer one: it shows them, says that it only reads,
// and changes no byte of them, whatever keys are pressed.
#include <QDir>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/display_main.h"
#include "app/desktop/real_program.h"
#include "store/migrations.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

// Of the light theme.
const QColor kWarning(0xfd, 0xf0, 0xd0);
const QColor kBubble(0xf4, 0xe4, 0xd7);

const char* const kQuestion = "What is rain?";

}  // namespace

class DowngradeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void readsAndChangesNothing();

private:
    QString data() const { return folder_.filePath(QStringLiteral("data")); }
    // What a version to come may do to the file.
    void makeNewer() const;
    QByteArray file() const {
        QFile file(data() + QStringLiteral("/hearth.db"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir folder_;
    QString model_;
};

void DowngradeTest::initTestCase() {
    const QString reason = RealProgram::whyNot();
    model_ = starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path());
    if (!reason.isEmpty() || model_.isEmpty()) {
        QSKIP(qPrintable(reason.isEmpty() ? QStringLiteral("no starter model") : reason));
    }
    QVERIFY(QDir().mkpath(data()));
    test::setSetting(data(), "window/theme", QStringLiteral("light"));
    // A long answer would move its question out of sight.
    test::setSetting(data(), "sampling/max-tokens", 24);
}

void DowngradeTest::makeNewer() const {
    const QString name = QStringLiteral("newer");
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(data() + QStringLiteral("/hearth.db"));
        QVERIFY(database.open());
        for (const QString& sql :
             {QStringLiteral("ALTER TABLE messages ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"),
              QStringLiteral("ALTER TABLE conversations ADD COLUMN folder_id INTEGER"),
              QStringLiteral("CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
              QStringLiteral("PRAGMA user_version = %1").arg(currentSchemaVersion() + 1)}) {
            QSqlQuery query(database);
            QVERIFY2(query.exec(sql), qPrintable(query.lastError().text()));
        }
    }
    QSqlDatabase::removeDatabase(name);
}

void DowngradeTest::readsAndChangesNothing() {
    {
        RealProgram program(data());
        QVERIFY(program.start({model_, QStringLiteral("--say"), QLatin1String(kQuestion)}));
        QVERIFY(program.waitForLog("answered: message"));
        QVERIFY(program.key(QStringLiteral("ctrl+n")));
        QVERIFY(program.type(QStringLiteral("not sent yet")));
        QVERIFY(program.quit());
        QCOMPARE(program.number("SELECT count(*) FROM drafts"), 1);
    }
    makeNewer();
    const QByteArray before = file();
    QVERIFY(!before.isEmpty());

    RealProgram program(data());
    QVERIFY(program.start({model_, QStringLiteral("--say"), QStringLiteral("Not to be kept.")}));
    QVERIFY(program.waitForLog("this program knows"));
    HEARTH_COMES_TRUE(!program.solidAreaOf(kWarning, 10).isEmpty());
    QVERIFY(program.solidAreaOf(kBubble, 10).isEmpty());
    QVERIFY(program.key(QStringLiteral("ctrl+Down")));
    HEARTH_COMES_TRUE(!program.solidAreaOf(kBubble, 10).isEmpty());
    for (const char* name : {"ctrl+l", "x", "Return", "F2", "x", "Return", "ctrl+r", "ctrl+b",
                             "ctrl+b", "Delete", "ctrl+z", "ctrl+n", "x", "Return"}) {
        QVERIFY(program.key(QString::fromLatin1(name)));
    }
    QVERIFY(program.key(QStringLiteral("ctrl+Down")));
    HEARTH_COMES_TRUE(!program.solidAreaOf(kBubble, 10).isEmpty());
    QVERIFY(QDir().mkpath(QStringLiteral(HEARTH_BINARY_DIR "/screenshots")));
    QVERIFY(program.picture().save(QStringLiteral(HEARTH_BINARY_DIR "/screenshots/downgrade.png")));
    QVERIFY(program.quit());
    QCOMPARE(program.log().count("answered: message"), 1);
    QVERIFY2(file() == before, "the newer version's file has changed");
    QVERIFY(!QFileInfo::exists(data() + QStringLiteral("/hearth.db-wal")));
}

int main(int argc, char** argv) {
    return hearth::ui::test::mainOnDisplay<DowngradeTest>(argc, argv);
}
#include "downgrade_test.moc"
