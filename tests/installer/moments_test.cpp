// Killed at any moment: the old version runs or the new one, and the next run puts all in order.
// The moments are the calls of other programs, each of which can be the last: no clock decides.
#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

namespace {

// Programs that write. The others only read, so a kill before them is one after a program of these.
const char* const kWriters[] = {"chmod", "cp",    "gzip",      "ln",   "mkdir", "mv",
                                "rm",    "rmdir", "sha256sum", "sort", "tar"};

// Each counts the calls of all, in one step, since those of a pipe run at once; the one with the
// number in `at` kills the installer and its group.
bool countCalls(const Home& home) {
    for (const char* name : kWriters) {
        const QByteArray real = QFile::encodeName(QFileInfo(home.tool(name)).symLinkTarget());
        if (!home.replaceTool(name,
                              "call=$(flock \"$COUNT\" sh -c "
                              "'echo x >>\"$COUNT\"; wc -l <\"$COUNT\"')\n"
                              "[ \"$call\" -ne \"$AT\" ] || kill -9 0\n"
                              "exec " +
                                  real + " \"$@\"\n")) {
            return false;
        }
    }
    return true;
}

}  // namespace

class MomentsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        first_ = makeRun(folder_.path(), "0.1.0");
        second_ = makeRun(folder_.path(), "0.2.0");
        QVERIFY(!first_.isEmpty() && !second_.isEmpty());
    }

    void killed_data() {
        QTest::addColumn<bool>("upgrade");
        QTest::addColumn<bool>("removing");
        QTest::newRow("first") << false << false;
        QTest::newRow("upgrade") << true << false;
        QTest::newRow("removing") << true << true;
    }
    void killed() {
        QFETCH(bool, upgrade);
        QFETCH(bool, removing);
        int kills = 0;
        int ran = 0;
        const int step = qEnvironmentVariableIsSet("HEARTH_ALL_ROWS") ? 1 : 4;
        for (int at = 1;; at += step) {
            const Home home;
            const auto before = home.files();
            if (upgrade) {
                QCOMPARE(home.install(first_).status, 0);
            }
            QVERIFY(countCalls(home));
            const QString count = home.path("count");
            const Ended ended = home.call(
                {"/usr/bin/setsid", "--wait", "/bin/sh", "-c",
                 QString(
                     ": >\"$HOME/count\"; export COUNT=\"$HOME/count\" AT=%1; exec /bin/sh \"$@\"")
                     .arg(at),
                 "sh", removing ? home.path(".local/lib/hearth/uninstall") : second_});
            QFile::remove(count);
            if (ended.status == 0) {
                break;  // there is no such call: it came to its end
            }
            ++kills;
            const QString moment = QString("call %1: %2").arg(at).arg(ended.words);
            if (!removing) {
                const Ended program = home.call({home.path(".local/bin/hearth")});
                const bool runs = program.words == "hearth 0.2.0\n" ||
                                  (upgrade && program.words == "hearth 0.1.0\n");
                QVERIFY2(runs || !upgrade, qPrintable(moment + program.words));
                ran += runs ? 1 : 0;
                // With the system's tools again.
                const Ended again = home.callWithSystemTools({"/bin/sh", second_});
                QVERIFY2(again.status == 0, qPrintable(moment + again.words));
                QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.2.0\n");
            }
            const QString uninstaller = home.path(".local/lib/hearth/uninstall");
            const QStringList remove = QFileInfo::exists(uninstaller)
                                           ? QStringList{"/bin/sh", uninstaller}
                                           : QStringList{"/bin/sh", second_, "--uninstall"};
            const Ended removed = home.callWithSystemTools(remove);
            QVERIFY2(removed.status == 0 || removed.words.contains("there is no Hearth"),
                     qPrintable(moment + removed.words));
            // A folder made in the moment before it could be written down stays, empty.
            auto after = home.files();
            for (const char* folder :
                 {".local", ".local/lib", ".local/lib/hearth", ".local/bin", ".local/share"}) {
                after.remove(folder);
            }
            QVERIFY2(after == before, qPrintable(moment + difference(before, after)));
        }
        QVERIFY2(kills * step >= 25, qPrintable(QString("%1 moments").arg(kills)));
        qInfo("%d moments; at %d of them a version ran", kills, ran);
    }

private:
    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString first_;
    QString second_;
};

QTEST_GUILESS_MAIN(MomentsTest)
#include "moments_test.moc"
