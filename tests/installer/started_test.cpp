// Started otherwise than by `sh FILE`: other shells, their options, the environment; and signals.
#include <unistd.h>

#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class StartedTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        file_ = makeRun(folder_.path(), "0.1.0");
        QVERIFY(!file_.isEmpty());
    }

    void shells_data() {
        QTest::addColumn<QStringList>("shell");
        for (const char* option : {"-e", "-f", "-C", "-a", "-efC"}) {
            QTest::addRow("sh %s", option) << QStringList{"/bin/sh", option};
        }
        // As a zsh and a ksh look to the scripts, where these are not installed; also as /bin/sh.
        for (const char* variable : {"ZSH_VERSION=5.9", "KSH_VERSION=93u"}) {
            QTest::newRow(variable) << QStringList{"/usr/bin/env", variable, "/bin/sh"};
        }
        for (const char* name : {"bash", "ksh", "mksh", "yash", "zsh", "busybox"}) {
            const QString found = QStandardPaths::findExecutable(name, {"/usr/bin", "/bin"});
            if (!found.isEmpty()) {
                QTest::newRow(name)
                    << (QString(name) == "busybox" ? QStringList{found, "sh"} : QStringList{found});
            }
        }
    }
    void shells() {
        QFETCH(QStringList, shell);
        const Home home;
        const auto before = home.files();
        const Ended installed = home.call(shell + QStringList{file_});
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
        const Ended removed =
            home.call(shell + QStringList{home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // Variables that the tools read options from, and a file name that looks like one.
    void environment_data() {
        QTest::addColumn<QString>("command");
        QTest::newRow("gzip") << "GZIP=--list exec sh \"$0\"";
        QTest::newRow("tar") << "TAR_OPTIONS=--exclude=bin exec sh \"$0\"";
        QTest::newRow("a dash") << "cp \"$0\" ./-x && sh -- -x && rm ./-x";
    }
    void environment() {
        QFETCH(QString, command);
        const Home home;
        const Ended installed = home.call({"/bin/sh", "-c", "cd; " + command, file_});
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
    }

    // Such a name would be two lines of the lists by which Hearth is removed.
    void folderOfTwoLines_data() {
        QTest::addColumn<QString>("variable");
        for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
            QTest::newRow(name) << name;
        }
    }
    void folderOfTwoLines() {
        QFETCH(QString, variable);
        const Home home;
        const auto before = home.files();
        const Ended refused =
            home.call({"/usr/bin/env", variable + '=' + home.path("a\nb"), "/bin/sh", file_});
        QVERIFY2(refused.status == 1 && refused.words.contains("line break"),
                 qPrintable(refused.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // A signal right after a tool did its work, or before.
    void stopped_data() {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QString>("when");  // a pattern of its last argument
        QTest::newRow("the first folder") << "mkdir"
                                          << "*/.local";
        QTest::newRow("Hearth's folder") << "mkdir"
                                         << "*/lib/hearth";
        QTest::newRow("a folder for the entry") << "mkdir"
                                                << "*/applications";
        QTest::newRow("the lock") << "flock"
                                  << "*";
        QTest::newRow("unpacking") << "tar"
                                   << "*";
    }
    void stopped() {
        QFETCH(QString, tool);
        QFETCH(QString, when);
        for (const char* signal : {"TERM", "HUP"}) {
            const Home home;
            const QByteArray real = QFile::encodeName(QFileInfo(home.tool(tool)).symLinkTarget());
            QVERIFY(home.replaceTool(
                tool, real + " \"$@\" || exit\nfor last in \"$@\"; do :; done\ncase $last in " +
                          when.toUtf8() + ") [ -e \"$HOME/sent\" ] || { : >\"$HOME/sent\"; kill -" +
                          signal + " \"$INSTALLER\"; } ;; esac\n"));
            const auto before = home.files();
            const Ended ended = home.call(
                {"/bin/sh", "-c", "INSTALLER=$$; export INSTALLER; exec /bin/sh \"$0\"", file_});
            QVERIFY(QFile::remove(home.path("sent")));
            QVERIFY2(ended.status == 1 && ended.words.contains("was stopped. Nothing was changed"),
                     qPrintable(ended.words));
            QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
        }
    }

    // One user's folders are as private as that user makes them; Hearth's own files are for all.
    void modesOfOneUsersFolders() {
        const Home home;
        QCOMPARE(home.call({"/bin/sh", "-c", "umask 077; exec sh \"$0\"", file_}).status, 0);
        const auto mode = [&](const char* name) {
            return static_cast<int>(QFileInfo(home.path(".local") + name).permissions()) & 0x77;
        };
        for (const char* name : {"", "/bin", "/lib", "/share", "/share/applications"}) {
            QVERIFY2(mode(name) == 0, name);
        }
        QCOMPARE(mode("/lib/hearth/0.1.0/bin/hearth"), 0x55);
        QCOMPARE(mode("/share/applications/hearth.desktop"), 0x44);
    }

    // --check says what an installation would.
    void checkKnowsWhatWillFail_data() {
        QTest::addColumn<QString>("folder");
        for (const char* name : {"applications", "icons", "mime"}) {
            QTest::newRow(name) << name;
        }
    }
    void checkKnowsWhatWillFail() {
        QFETCH(QString, folder);
        const Home home;
        QCOMPARE(home.call({"/bin/sh", "-c", "mkdir -p \"$0\" && chmod 555 \"$0\"",
                            home.path(".local/share/" + folder)})
                     .status,
                 0);
        const auto before = home.files();
        for (const QStringList& options : {QStringList{"--check"}, QStringList()}) {
            const Ended refused = home.install(file_, options);
            QVERIFY2(refused.status == 1 && refused.words.contains("no right to write in") &&
                         refused.words.count('\n') == 1,
                     qPrintable(refused.words));
            QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
        }
    }

    void checkKnowsNoexec() {
        const Home home;
        const Ended ended =
            run({"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                 "mount -t tmpfs -o noexec none ~ || exit 77; sh \"$0\" --check --prefix ~/x; ls ~",
                 file_},
                home.environment());
        if (ended.status == 77 || ended.words.contains("unshare failed")) {
            QSKIP("no small file system: mounting one needs root and Linux");
        }
        QVERIFY2(ended.words.contains("(noexec); --prefix DIR"), qPrintable(ended.words));
    }

    // What an uninstaller left of the user's is no reason to refuse.
    void installsBesideWhatStayed() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        const QString mine = home.path(".local/lib/hearth/0.1.0/bin/mine");
        QCOMPARE(home.call({"/bin/sh", "-c", "echo mine >\"$0\"", mine}).status, 0);
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        const Ended again = home.install(file_);
        QVERIFY2(again.status == 0, qPrintable(again.words));
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY(QFileInfo::exists(mine));
        QVERIFY(!QFileInfo::exists(home.path(".local/lib/hearth/current")));
    }

private:
    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString file_;
};

QTEST_GUILESS_MAIN(StartedTest)
#include "started_test.moc"
