// Where Hearth is installed: folders that are links, a prefix as it was typed, and what is said.
#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class PlacesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        first_ = makeRun(folder_.path(), "0.1.0");
        second_ = makeRun(folder_.path(), "0.2.0");
        QVERIFY(!first_.isEmpty() && !second_.isEmpty());
    }

    // Folders that the user keeps elsewhere, with a link where they were.
    void folderIsALink_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("later");  // it becomes one after the first installation
        for (const char* name : {"bin", "lib", "lib/hearth", "share"}) {
            QTest::addRow("%s", name) << name << false;
            QTest::addRow("%s, later", name) << name << true;
        }
    }
    void folderIsALink() {
        QFETCH(QString, name);
        QFETCH(bool, later);
        const Home home;
        const QString kept = home.path("kept/elsewhere");
        const QString link = home.path(".local/" + name);
        QVERIFY(shell(home, later ? "mkdir -p ~/kept" : "mkdir -p ~/kept/elsewhere"));
        if (later) {
            QCOMPARE(home.install(first_).status, 0);
            QVERIFY(shell(home, "mv \"$0\" ~/kept/elsewhere", link));
        }
        QVERIFY(shell(home, "mkdir -p \"${0%/*}\" && ln -s ~/kept/elsewhere \"$0\"", link));
        for (const QString& version : {first_, second_}) {
            const Ended installed = home.install(version);
            QVERIFY2(installed.status == 0, qPrintable(installed.words));
            QVERIFY(QFileInfo(link).isSymLink());
            const QString number = version == first_ ? "0.1.0\n" : "0.2.0\n";
            for (const char* program : {"hearth", "hearth-cli"}) {
                const Ended ran = home.call({home.path(".local/bin/") + program});
                QVERIFY2(ran.words == program + QString(" ") + number, qPrintable(ran.words));
            }
        }
        const Ended removed = home.call({home.path(".local/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0 && !removed.words.contains("These stay"),
                 qPrintable(removed.words));
        for (const auto& [path, what] : home.files().toStdMap()) {
            QVERIFY2(
                !what.startsWith("file") && (path == ".local/" + name || !what.startsWith("link")),
                qPrintable(path));
        }
    }

    // What is written down holds from any folder, and when the link leads elsewhere.
    void prefixAsTyped_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("is");
        QTest::newRow("relative") << "new/x"
                                  << "new/x";
        QTest::newRow("from here") << "./x/"
                                   << "x";
        QTest::newRow("back") << "real/../x"
                              << "x";
        QTest::newRow("back from what is not there") << "new/../x"
                                                     << "x";
        QTest::newRow("through a link") << "link/x"
                                        << "real/x";
    }
    void prefixAsTyped() {
        QFETCH(QString, typed);
        QFETCH(QString, is);
        const Home home;
        QVERIFY(shell(home, "mkdir ~/real && ln -s real ~/link"));
        const auto before = home.files();
        const Ended installed = home.call(
            {"/bin/sh", "-c", "cd && exec /bin/sh \"$0\" --prefix \"$1\"", first_, typed});
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        QCOMPARE(home.call({home.path(is + "/bin/hearth")}).words, "hearth 0.1.0\n");
        QFile placed(home.path(is + "/lib/hearth/placed"));
        QVERIFY(placed.open(QIODevice::ReadOnly));
        for (const QByteArray& line : placed.readAll().trimmed().split('\n')) {
            const QString path = QString::fromUtf8(line.split('\t').value(2));
            QVERIFY2(path.startsWith(home.path(is) + '/'), qPrintable(path));
        }
        QVERIFY(shell(home, "rm ~/link && ln -s nowhere ~/link"));
        const Ended removed = home.call({home.path(is + "/bin/hearth-uninstall")});
        QVERIFY2(removed.status == 0, qPrintable(removed.words));
        QVERIFY(shell(home, "rm ~/link && ln -s real ~/link"));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void saysHowToStartIt_data() {
        QTest::addColumn<QString>("variables");
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<QString>("words");
        const QString menu = "Start it from the desktop's menu, or with: ";
        QTest::newRow("for oneself") << "true" << QString() << menu + "HOME/.local/bin/hearth.";
        QTest::newRow("by name") << "PATH=\"$PATH:$HOME/.local/bin\"" << QString()
                                 << menu + "hearth.";
        QTest::newRow("a folder no desktop reads") << "true"
                                                   << "x"
                                                   << "Start it with: HOME/x/bin/hearth.";
        QTest::newRow("one that it reads") << "export XDG_DATA_DIRS=\"/usr/share:$HOME/x/share/\""
                                           << "x" << menu + "HOME/x/bin/hearth.";
    }
    void saysHowToStartIt() {
        QFETCH(QString, variables);
        QFETCH(QString, prefix);
        QFETCH(QString, words);
        const Home home;
        const QStringList options =
            prefix.isEmpty() ? QStringList() : QStringList({"--prefix", home.path(prefix)});
        const Ended installed = home.call(
            QStringList({"/bin/sh", "-c", variables + "; exec /bin/sh \"$0\" \"$@\"", first_}) +
            options);
        QCOMPARE(installed.status, 0);
        QVERIFY2(installed.words.contains(words.replace("HOME", home.path())),
                 qPrintable(installed.words));
    }

private:
    static bool shell(const Home& home, const QString& script, const QString& argument = {}) {
        return home.call({"/bin/sh", "-c", script, argument}).status == 0;
    }

    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString first_;
    QString second_;
};

QTEST_GUILESS_MAIN(PlacesTest)
#include "places_test.moc"
