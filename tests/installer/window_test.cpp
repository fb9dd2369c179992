// Started by a double click: a display and no terminal. Programs that show windows are replaced by
// ones that write down what they were told.
#include <unistd.h>

#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class WindowTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        file_ = makeRun(folder_.path(), "0.1.0");
        QVERIFY(!file_.isEmpty());
    }

    void opensHearth_data() {
        QTest::addColumn<QByteArray>("bar");  // the program that shows it
        QTest::newRow("with a bar") << QByteArray("zenity");
        QTest::newRow("with KDE's") << QByteArray("kdialog");
        QTest::newRow("KDE without a bus") << QByteArray("silent kdialog");
        QTest::newRow("without") << QByteArray();
    }
    void opensHearth() {
        QFETCH(QByteArray, bar);
        const Home home;
        if (bar == "zenity") {
            QVERIFY(home.replaceTool(
                "zenity", "printf '%s\\n' \"$@\" >\"$HOME/told\"; cat >>\"$HOME/told\"\n"));
        } else if (bar.endsWith("kdialog")) {
            const QByteArray name =
                bar == "kdialog" ? "echo org.kde.kdialog-7 /ProgressDialog\n" : "exit 1\n";
            QVERIFY(home.replaceTool("kdialog", "echo \"$@\" >\"$HOME/told\"\n" + name));
            QVERIFY(home.replaceTool("dbus-send", "echo \"$@\" >>\"$HOME/told\"\n"));
        }
        const Ended ended = click(home);
        QVERIFY2(ended.status == 0, qPrintable(ended.words));
        QTRY_VERIFY(read(home.path("started")).contains("HOME="));
        const QByteArray told = read(home.path("told"));
        if (bar == "zenity") {
            QVERIFY2(told.contains("--progress") && told.contains("# Installing Hearth 0.1.0") &&
                         told.endsWith("100\n"),
                     told.constData());
        } else if (bar == "kdialog") {
            const QByteArrayList lines = told.trimmed().split('\n');
            const QByteArray to = "--dest=org.kde.kdialog-7 /ProgressDialog ";
            const QByteArray dialog = "org.kde.kdialog.ProgressDialog";
            QVERIFY2(lines.size() >= 5, told.constData());
            QCOMPARE(lines.first(),
                     QByteArray("--title Hearth --progressbar Installing Hearth 0.1.0 100"));
            QVERIFY2(lines[1].endsWith(to + dialog + ".showCancelButton boolean:false"),
                     told.constData());
            QVERIFY2(lines[2].endsWith(to + "org.freedesktop.DBus.Properties.Set string:" + dialog +
                                       " string:value variant:int32:1"),
                     told.constData());
            QVERIFY2(lines[lines.size() - 2].endsWith(" variant:int32:100"), told.constData());
            QVERIFY2(lines.last().endsWith(to + dialog + ".close"), told.constData());
        } else {
            QCOMPARE(told.count('\n'), bar.isEmpty() ? 0 : 1);
        }
        // What it was started with is what the session gave us: a link it opens hands that on.
        QByteArrayList variables = read(home.path("started")).trimmed().split('\n');
        for (const QByteArray& variable : variables) {
            const QByteArray name = variable.split('=').first();
            QVERIFY2(QByteArrayList({"HOME", "PATH", "DISPLAY", "STARTED", "LC_ALL", "PWD",
                                     "OLDPWD", "SHLVL", "_"})
                         .contains(name),
                     variable.constData());
        }
        QVERIFY(variables.contains("LC_ALL=de_DE.UTF-8"));
    }

    // The window that the installer opened holds nothing of the installer's.
    void upgradesBesideTheWindowItOpened() {
        const Home home;
        const QString stay = home.path("stay");
        QVERIFY(writeFile(stay, "x"));
        const Ended ended = click(home, file_, {}, {"STAY=" + stay});
        QVERIFY2(ended.status == 0, qPrintable(ended.words));
        QTRY_VERIFY(read(home.path("started")).contains("HOME="));
        const Ended again = home.install(file_);
        QFile::remove(stay);
        QVERIFY2(again.status == 0, qPrintable(again.words));
    }

    // The window would be root's, with settings of root's.
    void opensNothingForAll() {
        if (geteuid() != 0) {
            QSKIP("installing for all users needs root");
        }
        const Home home;
        // What is the system's is a folder of this test's, for as long as the installer runs.
        const Ended ended = run({"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                                 "mount -t tmpfs none /usr/local || exit 77; sh \"$0\" --system && "
                                 "/usr/local/bin/hearth --version && sleep 1",
                                 file_},
                                environmentOf(home));
        if (ended.status == 77 || ended.words.contains("unshare failed")) {
            QSKIP("no small file system: mounting one needs root and Linux");
        }
        QVERIFY2(ended.status == 0 && ended.words.contains("hearth 0.1.0"),
                 qPrintable(ended.words));
        QVERIFY(!QFileInfo::exists(home.path("started")));
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<bool>("damaged");
        for (const char* program : {"zenity", "kdialog", "xmessage"}) {
            QTest::addRow("%s", program) << QString(program) << false;
            QTest::addRow("%s, damaged file", program) << QString(program) << true;
        }
    }
    void saysWhatIsWrong() {
        QFETCH(QString, program);
        QFETCH(bool, damaged);
        const Home home;
        QVERIFY(home.replaceTool(program,
                                 "printf '%s\\n' \"$@\" >\"$HOME/told\"; case $1 in --progress) "
                                 "cat >/dev/null;; esac\n"));
        QString file = file_;
        if (damaged) {
            QByteArray bytes = read(file_);
            bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 4);
            file = home.tool("damaged.run");
            QVERIFY(writeFile(file, bytes));
        } else {
            QVERIFY(home.replaceTool("tar", "exit 2\n"));
        }
        const Ended ended = click(home, file);
        QCOMPARE(ended.status, 1);
        const QByteArray told = read(home.path("told"));
        QVERIFY2(told.contains(damaged ? "is damaged" : "is its disk full"), told.constData());
        QVERIFY(!QFileInfo::exists(home.path("started")));
        QVERIFY(!QFileInfo::exists(home.path(".local")));
    }

    void noWindowWhenToldSo() {
        const Home home;
        QVERIFY(home.replaceTool("zenity", "echo x >\"$HOME/told\"\n"));
        QVERIFY(home.replaceTool("tar", "exit 2\n"));
        QCOMPARE(click(home, file_, {"--text"}).status, 1);
        QVERIFY(!QFileInfo::exists(home.path("told")));
    }

private:
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    Ended click(const Home& home, const QString& file = {}, const QStringList& options = {},
                const QStringList& variables = {}) const {
        return home.call(QStringList({"/usr/bin/env", "DISPLAY=:none", "LC_ALL=de_DE.UTF-8",
                                      "STARTED=" + home.path("started")}) +
                         variables + QStringList({"/bin/sh", file.isEmpty() ? file_ : file}) +
                         options);
    }

    static QProcessEnvironment environmentOf(const Home& home) {
        QProcessEnvironment environment = home.environment();
        environment.insert("DISPLAY", ":none");
        environment.insert("STARTED", home.path("started"));
        return environment;
    }

    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString file_;
};

QTEST_GUILESS_MAIN(WindowTest)
#include "window_test.moc"
