// An installation leaves these files, an upgrade keeps some, and a removal takes them away.
#include <unistd.h>

#include <sys/stat.h>

#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class InstallTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        first_ = makeRun(folder_.path(), "0.1.0");
        second_ = makeRun(folder_.path(), "0.2.0");
        QVERIFY(!first_.isEmpty() && !second_.isEmpty());
    }

    void removesAllItPlaced_data() {
        QTest::addColumn<bool>("desktop");  // whether the user has other programs' entries
        QTest::newRow("empty home") << false;
        QTest::newRow("home in use") << true;
    }
    void removesAllItPlaced() {
        QFETCH(bool, desktop);
        const Home home;
        if (desktop) {
            QCOMPARE(
                home.call({"/bin/sh", "-c",
                           "cd && mkdir -p .local/share/applications .local/share/mime/packages "
                           ".local/bin && "
                           "echo '[Desktop Entry]' >.local/share/applications/other.desktop && "
                           "echo x >.local/bin/other"})
                    .status,
                0);
        }
        const auto before = home.files();
        const Ended installed = home.install(first_);
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
        QCOMPARE(home.call({home.path(".local/bin/hearth-cli")}).words, "hearth-cli 0.1.0\n");
        QCOMPARE(QFileInfo(home.path(".local/lib/hearth/current")).symLinkTarget(),
                 home.path(".local/lib/hearth/0.1.0"));
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void entryStartsThisProgram() {
        const Home home;
        QCOMPARE(home.install(first_).status, 0);
        QFile entry(home.path(".local/share/applications/hearth.desktop"));
        QVERIFY(entry.open(QIODevice::ReadOnly));
        const QByteArray text = entry.readAll();
        // A desktop reads \\$ in a value as \$, and \$ between quotes as $.
        const QByteArray path = home.path(".local/bin/hearth").toUtf8().replace("$", "\\\\$");
        QVERIFY2(text.contains("\nExec=\"" + path + "\" %f\n"), text.constData());
        QVERIFY(!text.contains("TryExec"));
    }

    // A desktop reads %f in an entry as the file to open, and %% as a percent sign.
    void entryStartsAProgramBelowAPercentSign() {
        const Home home;
        const QString prefix = home.path("100%f");
        QCOMPARE(home.install(first_, {"--prefix", prefix}).status, 0);
        QFile entry(prefix + "/share/applications/hearth.desktop");
        QVERIFY(entry.open(QIODevice::ReadOnly));
        const QByteArray text = entry.readAll();
        const QByteArray path =
            (prefix + "/bin/hearth").toUtf8().replace("$", "\\\\$").replace("%", "%%");
        QVERIFY2(text.contains("\nExec=\"" + path + "\" %f\n"), text.constData());
    }

    // A file for the desktop that the next version has no more goes, unless the user changed it.
    void filesOfTheOldVersionAloneGo() {
        const QString older = makeRun(folder_.path(), "0.0.9", {},
                                      {"share/icons/hicolor/16x16/apps/old.png",
                                       "share/man/man1/older.1", "share/man/man1/oldest.1"});
        QVERIFY(!older.isEmpty());
        const Home home;
        QCOMPARE(home.install(older).status, 0);
        QVERIFY(writeFile(home.path(".local/share/man/man1/older.1"), "mine\n"));
        QCOMPARE(home.install(second_).status, 0);
        for (const char* gone : {"icons/hicolor/16x16/apps/old.png", "man/man1/oldest.1"}) {
            QVERIFY2(!QFileInfo::exists(home.path(".local/share/") + gone), gone);
        }
        QVERIFY(QFileInfo::exists(home.path(".local/share/man/man1/older.1")));
    }

    // All users can read what is installed, whatever the umask of who packed it.
    void modesAreNotThePackers() {
        const mode_t before = umask(077);
        const QString packed = makeRun(folder_.path(), "0.3.0", {}, {"share/man/man1/private.1"});
        umask(before);
        QVERIFY(!packed.isEmpty());
        const Home home;
        QVERIFY(QFile::setPermissions(packed, QFile::Permissions(0x7755)));
        QCOMPARE(home.install(packed).status, 0);
        const QString root = home.path(".local/lib/hearth/0.3.0/");
        for (const char* name : {"lib/libmore.so.6", "share/man/man1/private.1"}) {
            QVERIFY2(QFile::permissions(root + name).testFlag(QFile::ReadOther), name);
        }
        QVERIFY(QFile::permissions(root + "lib").testFlag(QFile::ExeOther));
    }

    // A cache that was not there before the first installation goes with Hearth, also after an
    // upgrade.
    void cachesFromBeforeAnUpgradeGo() {
        const Home home;
        const auto before = home.files();
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(home.call({"/bin/sh", "-c",
                            "mkdir -p ~/.cache/fontconfig && echo x >~/.cache/fontconfig/x"})
                     .status,
                 0);
        QCOMPARE(home.install(second_).status, 0);
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // A link that the user put in the place of ours stays, and so does a table with types of
    // others, although it was made for ours.
    void othersLinksAndTypesStay() {
        const Home home;
        QCOMPARE(home.install(first_).status, 0);
        const Ended changed =
            home.call({"/bin/sh", "-c",
                       "cd ~/.local && ln -sfn /bin/true bin/hearth-cli && cd share/mime && "
                       "cp packages/hearth-gguf.xml packages/other.xml && update-mime-database ."});
        QVERIFY2(changed.status == 0, qPrintable(changed.words));
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QCOMPARE(QFileInfo(home.path(".local/bin/hearth-cli")).symLinkTarget(),
                 QString("/bin/true"));
        QVERIFY(QFileInfo::exists(home.path(".local/share/mime/mime.cache")));
    }

    void othersFilesStay() {
        const Home home;
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(home.call({"/bin/sh", "-c",
                            "cd ~/.local && echo mine >lib/hearth/0.1.0/bin/mine && mkdir "
                            "lib/hearth/0.1.0/own && "
                            "echo mine >>lib/hearth/0.1.0/share/hearth/starter-model/a.gguf && "
                            "echo mine >>share/applications/hearth.desktop"})
                     .status,
                 0);
        const Ended removed = home.install(first_, {"--uninstall"});
        QCOMPARE(removed.status, 0);
        for (const char* name : {"lib/hearth/0.1.0/bin/mine", "lib/hearth/0.1.0/own",
                                 "lib/hearth/0.1.0/share/hearth/starter-model/a.gguf",
                                 "share/applications/hearth.desktop"}) {
            QVERIFY2(QFileInfo::exists(home.path(".local/") + name), name);
        }
        QVERIFY(removed.words.contains("a.gguf") && removed.words.contains("hearth.desktop"));
        QVERIFY(!QFileInfo::exists(home.path(".local/lib/hearth/0.1.0/bin/hearth")));
        QVERIFY(!QFileInfo(home.path(".local/bin/hearth")).isSymLink());
    }

    // A file that the user made their own: each next version leaves it alone, and says which.
    void editedFileStays_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"applications/hearth.desktop", "mime/packages/hearth-gguf.xml",
                                 "icons/hicolor/scalable/apps/hearth.svg"}) {
            QTest::newRow(name) << name;
        }
    }
    void editedFileStays() {
        QFETCH(QString, name);
        const Home home;
        const QString path = home.path(".local/share/" + name);
        QCOMPARE(home.install(first_).status, 0);
        QVERIFY(writeFile(path, "<mine/>\n"));
        for (const QString& version : {first_, second_, second_}) {
            const Ended again = home.install(version);
            QVERIFY2(again.status == 0, qPrintable(again.words));
            QVERIFY2(again.words.contains(path + " was changed"), qPrintable(again.words));
        }
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QCOMPARE(removed.words.count(path), 1);
        QFile mine(path);
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QCOMPARE(mine.readAll(), QByteArray("<mine/>\n"));
    }

    void purgeTakesConversationsToo() {
        const Home home;
        QCOMPARE(home.call({"/bin/sh", "-c",
                            "cd && mkdir -p .local/share .config .cache && echo x >.config/other"})
                     .status,
                 0);
        const auto before = home.files();
        const QByteArray fill =
            "cd && mkdir -p .local/share/Hearth .config/Hearth .cache/hearth .cache/Hearth && "
            "for one in .local/share .config .cache; do echo x >$one/Hearth/x; done; echo x "
            ">.cache/hearth/x";
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(home.call({"/bin/sh", "-c", fill}).status, 0);
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY(QFileInfo::exists(home.path(".local/share/Hearth/x")));
        QVERIFY(QFileInfo::exists(home.path(".config/Hearth/x")));
        QVERIFY2(!QFileInfo::exists(home.path(".cache/Hearth")) &&
                     !QFileInfo::exists(home.path(".cache/hearth")),
                 "caches can be made again");
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall"), "--purge"}).status, 0);
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void versionsLieSideBySide() {
        const Home home;
        const auto before = home.files();
        QCOMPARE(home.install(first_).status, 0);
        const Ended upgrade = home.install(second_);
        QVERIFY2(upgrade.status == 0, qPrintable(upgrade.words));
        QVERIFY2(upgrade.words.contains("0.1.0, lies beside it"), qPrintable(upgrade.words));
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.2.0\n");
        QCOMPARE(home.call({home.path(".local/lib/hearth/0.1.0/bin/hearth")}).words,
                 "hearth 0.1.0\n");
        QFile entry(home.path(".local/share/applications/hearth.desktop"));
        QVERIFY(entry.open(QIODevice::ReadOnly) && entry.readAll().contains("Hearth 0.2.0"));
        QCOMPARE(home.install(first_).status, 0);  // back
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
        QVERIFY(!QFileInfo::exists(home.path(".local/lib/hearth/0.1.0-2")));
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void damagedOneIsReplaced() {
        const Home home;
        const auto before = home.files();
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(home.call({"/bin/sh", "-c", "echo x >~/.local/lib/hearth/0.1.0/lib/libmore.so.6"})
                     .status,
                 0);
        QCOMPARE(home.install(first_).status, 0);
        QCOMPARE(QFileInfo(home.path(".local/lib/hearth/current")).symLinkTarget(),
                 home.path(".local/lib/hearth/0.1.0-2"));
        QCOMPARE(
            home.call({"/bin/sh", "-c", "rm ~/.local/lib/hearth/0.1.0/lib/libmore.so.6"}).status,
            0);
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // Whoever installs, others may run it.
    void modesDoNotFollowUmask() {
        const Home home;
        QCOMPARE(home.call({"/bin/sh", "-c", "umask 077; sh \"$0\" --prefix ~/all", first_}).status,
                 0);
        const auto mode = [&](const char* name) {
            return static_cast<int>(QFileInfo(home.path("all/") + name).permissions()) & 0x77;
        };
        QCOMPARE(mode("lib/hearth/0.1.0/bin/hearth"), 0x55);
        QCOMPARE(mode("lib/hearth/0.1.0/lib/libmore.so.6"), 0x44);
        QCOMPARE(mode("lib/hearth"), 0x55);
        QCOMPARE(mode("share/applications/hearth.desktop"), 0x44);
    }

    void folderOfTheDesktopsChoice() {
        const Home home;
        const QString other = home.path("da ta");
        const Ended installed =
            home.call({"/bin/sh", "-c", "XDG_DATA_HOME=\"$1\" sh \"$0\"", first_, other});
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        QVERIFY(QFileInfo::exists(other + "/applications/hearth.desktop"));
        QCOMPARE(home.call({home.path(".local/bin/hearth-uninstall")}).status, 0);
        QVERIFY(!QFileInfo::exists(other));
    }

    void twoPacksAreEqual() {
        const QTemporaryDir other;
        const QString again = makeRun(other.path(), "0.1.0");
        QFile a(first_);
        QFile b(again);
        QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
        QVERIFY(a.readAll() == b.readAll());
    }

private:
    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString first_;
    QString second_;
};

QTEST_GUILESS_MAIN(InstallTest)
#include "install_test.moc"
