// What the uninstaller refuses to do, what --purge takes, and what it says.
#include <fcntl.h>
#include <unistd.h>

#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class RemovalTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        file_ = makeRun(folder_.path(), "0.1.0");
        QVERIFY(!file_.isEmpty());
    }

    // A program of the version runs. /proc names it by its real path.
    void refusedWhileItRuns_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("links");  // made before the installation
        QTest::addColumn<QString>("words");
        QTest::newRow("window") << "hearth"
                                << "true"
                                << "close its window";
        QTest::newRow("terminal") << "hearth-cli"
                                  << "true"
                                  << "end it and start again";
        QTest::newRow("window, .local is a link") << "hearth"
                                                  << "mkdir real && ln -s real .local"
                                                  << "close its window";
        QTest::newRow("window, lib is a link") << "hearth"
                                               << "mkdir real .local && ln -s ../real .local/lib"
                                               << "close its window";
    }
    void refusedWhileItRuns() {
        QFETCH(QString, program);
        QFETCH(QString, links);
        QFETCH(QString, words);
        const Home home;
        QVERIFY(shell(home, "cd && " + links));
        QCOMPARE(home.install(file_).status, 0);
        QVERIFY(addConversations(home));
        const auto before = home.files();
        Started started(home, ".local", program);
        QVERIFY(started.runs());
        for (const QStringList& options :
             {QStringList{"--uninstall"}, QStringList{"--uninstall", "--purge"}}) {
            const Ended refused = home.install(file_, options);
            QVERIFY2(refused.status == 1 && refused.words.contains(words),
                     qPrintable(refused.words));
        }
        const Ended refused = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(refused.status == 1 && refused.words.contains(words), qPrintable(refused.words));
        QVERIFY(started.end());
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // Conversations belong to the user: another installation's window shows the same ones.
    void purgeSeesAnotherInstallationsWindow() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        QCOMPARE(home.install(file_, {"--prefix", home.path("b")}).status, 0);
        QVERIFY(addConversations(home));
        Started started(home, ".local", "hearth");
        QVERIFY(started.runs());
        const QString uninstaller = home.path("b/bin/hearth-uninstall");
        const Ended refused = home.call({uninstaller, "--purge"});
        QVERIFY2(refused.status == 1 && refused.words.contains("close its window"),
                 qPrintable(refused.words));
        QVERIFY(QFileInfo::exists(home.path("b/bin/hearth")));
        QVERIFY(QFileInfo::exists(home.path(".local/share/Hearth/x")));
        const Ended removed = home.call({uninstaller});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
    }

    // An upgrade has removed the version that another installation's window still runs.
    void purgeSeesAWindowOfARemovedVersion() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        QCOMPARE(home.install(file_, {"--prefix", home.path("b")}).status, 0);
        QVERIFY(addConversations(home));
        const QString uninstaller = home.path("b/bin/hearth-uninstall");
        {
            Started started(home, ".local", "hearth");
            QVERIFY(started.runs());
            QVERIFY(shell(home, "rm -r ~/.local/lib/hearth/0.1.0/bin"));
            const Ended refused = home.call({uninstaller, "--purge"});
            QVERIFY2(refused.status == 1 && refused.words.contains("close its window"),
                     qPrintable(refused.words));
            QVERIFY(QFileInfo::exists(home.path(".local/share/Hearth/x")));
        }
        const Ended removed = home.call({uninstaller, "--purge"});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QVERIFY(!QFileInfo::exists(home.path(".local/share/Hearth/x")));
    }

    // A window of the .deb or of a build: all that is known of it is its lock.
    void purgeSeesTheLock() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        QVERIFY(addConversations(home));
        const QString lock = home.path(".local/share/Hearth/hearth.lock");
        QVERIFY(shell(home, ": >\"$0\"", lock));
        const auto before = home.files();  // it closes what it reads, which lets go of a lock
        const int file = ::open(QFile::encodeName(lock).constData(), O_RDWR | O_CLOEXEC);
        QVERIFY(file >= 0);
        struct flock whole {};  // what SQLite's BEGIN EXCLUSIVE holds
        whole.l_type = F_WRLCK;
        whole.l_whence = SEEK_SET;
        whole.l_start = 0x40000000;
        whole.l_len = 512;
        const bool held = ::fcntl(file, F_SETLK, &whole) == 0;
        const QString uninstaller = home.path(".local/bin/hearth-uninstall");
        const Ended refused = home.call({uninstaller, "--purge"});
        ::close(file);
        QVERIFY(held);
        const auto after = home.files();
        QVERIFY2(refused.status == 1 && refused.words.contains("close its window"),
                 qPrintable(refused.words));
        QVERIFY2(after == before, qPrintable(difference(before, after)));
        QCOMPARE(home.call({uninstaller, "--purge"}).status, 0);
        QVERIFY(!QFileInfo::exists(lock));
    }

    // Root's conversations are not the user's, and the user's Hearth is not root's.
    void rootInAnothersSession_data() {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("place");  // who installed it
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("words");  // none: it is removed
        const QString other = "belongs to another user";
        const QString purge = "root's conversations";
        QTest::newRow("sudo") << "SUDO_USER=ann"
                              << "user"
                              << "--text" << other;
        QTest::newRow("sudo, purge") << "SUDO_USER=ann"
                                     << "user"
                                     << "--purge" << purge;
        QTest::newRow("doas, purge") << "DOAS_USER=ann"
                                     << "user"
                                     << "--purge" << purge;
        QTest::newRow("pkexec, purge") << "PKEXEC_UID=1000"
                                       << "user"
                                       << "--purge" << purge;
        QTest::newRow("root, purge") << "SUDO_USER=root"
                                     << "user"
                                     << "--purge" << other;
        QTest::newRow("sudo, for all") << "SUDO_USER=ann"
                                       << "root"
                                       << "" << QString();
        QTest::newRow("sudo, for all, purge") << "SUDO_USER=ann"
                                              << "root"
                                              << "--purge" << purge;
    }
    void rootInAnothersSession() {
        if (geteuid() != 0) {
            QSKIP("giving a home to another user needs root");
        }
        QFETCH(QString, variable);
        QFETCH(QString, place);
        QFETCH(QString, option);
        QFETCH(QString, words);
        const Home home;
        QProcessEnvironment roots = home.environment();
        const QTemporaryDir rootsHome;
        roots.insert("HOME", rootsHome.path());
        QVERIFY(writeFile(rootsHome.filePath(".local/share/Hearth/x"), "root's"));
        QVERIFY(addConversations(home));
        const QString prefix = place == "user" ? home.path(".local") : rootsHome.filePath("all");
        const QStringList install = {"/bin/sh", file_, "--prefix", prefix};
        QCOMPARE((place == "user" ? home.call(install) : run(install, roots)).status, 0);
        const auto before = home.files();
        QStringList command = {"/usr/bin/env", variable, "/bin/sh",
                               prefix + "/bin/hearth-uninstall"};
        if (option == "--purge") {
            command << option;
        }
        const Ended ended = run(command, roots);
        QVERIFY2(ended.status == (words.isEmpty() ? 0 : 1) && ended.words.contains(words),
                 qPrintable(ended.words));
        QVERIFY(QFileInfo::exists(rootsHome.filePath(".local/share/Hearth/x")));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
        QCOMPARE(QFileInfo::exists(prefix + "/bin/hearth"), !words.isEmpty());
    }

    void purgeAfterwards() {
        const Home home;
        const auto before = home.files();
        QCOMPARE(home.install(file_).status, 0);
        QVERIFY(addConversations(home));
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.words.contains("Your conversations and settings stay"),
                 qPrintable(removed.words));
        QCOMPARE(home.install(file_, {"--uninstall"}).status, 1);
        const Ended purged = home.install(file_, {"--uninstall", "--purge"});
        QVERIFY2(purged.status == 0 && purged.words.contains("are removed"),
                 qPrintable(purged.words));
        QVERIFY(!QFileInfo::exists(home.path(".local/share/Hearth")));
        QVERIFY(!QFileInfo::exists(home.path(".config/Hearth")));
        QCOMPARE(home.install(file_, {"--uninstall", "--purge"}).status, 1);
    }

    // One of the two folders is left.
    void purgeOfOneFolder_data() {
        QTest::addColumn<QString>("left");
        QTest::addColumn<QString>("gone");
        QTest::newRow("settings") << ".config/Hearth"
                                  << ".local/share/Hearth";
        QTest::newRow("conversations") << ".local/share/Hearth"
                                       << ".config/Hearth";
    }
    void purgeOfOneFolder() {
        QFETCH(QString, left);
        QFETCH(QString, gone);
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        QVERIFY(addConversations(home));
        QCOMPARE(home.install(file_, {"--uninstall"}).status, 0);
        QVERIFY(QFileInfo(home.path(left)).isDir());
        QVERIFY(QDir(home.path(gone)).removeRecursively());
        const Ended purged = home.install(file_, {"--uninstall", "--purge"});
        QVERIFY2(purged.status == 0, qPrintable(purged.words));
        QVERIFY(!QFileInfo::exists(home.path(left)));
    }

    // Without a home there is nothing to find conversations by.
    void purgeWithoutHome() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        QVERIFY(addConversations(home));
        const auto before = home.files();
        const Ended refused = home.call(
            {"/usr/bin/env", "-u", "HOME", home.path(".local/bin/hearth-uninstall"), "--purge"});
        QVERIFY2(refused.status == 1 && refused.words.contains("HOME names no folder"),
                 qPrintable(refused.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void saysNothingOfConversationsWithoutAny() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QCOMPARE(removed.words, "Hearth is removed.\n");
    }

    // "Start the uninstaller again" is only true while there is one.
    void failedOneStartsAgain() {
        const Home home;
        const auto before = home.files();
        QCOMPARE(home.install(file_).status, 0);
        const QString lib = home.path(".local/lib/hearth/0.1.0/lib");
        QVERIFY(shell(home, "chmod 555 \"$0\"", lib));
        const QString uninstaller = home.path(".local/bin/hearth-uninstall");
        const Ended failed = home.call({uninstaller});
        QVERIFY2(failed.status == 1 && failed.words.contains("Start the uninstaller again"),
                 qPrintable(failed.words));
        QVERIFY(shell(home, "chmod 755 \"$0\"", lib));
        const Ended removed = home.call({uninstaller});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

private:
    // A program of an installation, as the user: `sleep`, since a script is its shell to /proc.
    class Started {
    public:
        Started(const Home& home, const QString& prefix, const QString& program)
            : program_(home.path(prefix + "/lib/hearth/0.1.0/bin/" + program)) {
            if (!QFile::rename(program_, program_ + ".away") ||
                !QFile::copy("/bin/sleep", program_)) {
                return;
            }
            const QStringList command = home.asUser() + QStringList({program_, "60"});
            process_.start(command.first(), command.mid(1));
        }
        bool runs() {
            // Until then /proc names the program that becomes the user.
            const QString exe = QString("/proc/%1/exe").arg(process_.processId());
            return process_.waitForStarted() && QTest::qWaitFor([&] {
                       return QFileInfo(exe).canonicalFilePath() ==
                              QFileInfo(program_).canonicalFilePath();
                   });
        }
        bool end() {
            process_.kill();
            return process_.waitForFinished() && QFile::remove(program_) &&
                   QFile::rename(program_ + ".away", program_);
        }
        ~Started() {
            process_.kill();
            process_.waitForFinished();
        }

    private:
        QString program_;
        QProcess process_;
    };

    static bool shell(const Home& home, const QString& script, const QString& argument = {}) {
        return home.call({"/bin/sh", "-c", script, argument}).status == 0;
    }
    static bool addConversations(const Home& home) {
        return shell(home,
                     "cd && mkdir -p .local/share/Hearth .config/Hearth && echo x "
                     ">.local/share/Hearth/x && echo x >.config/Hearth/x");
    }

    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString file_;
};

QTEST_GUILESS_MAIN(RemovalTest)
#include "removal_test.moc"
