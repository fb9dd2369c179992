// What the installer carries: this build's programs with Debian 12's libraries.
#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class PayloadTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QSettings release("/etc/os-release", QSettings::IniFormat);
        if (release.value("VERSION_CODENAME").toString() != "bookworm") {
            QSKIP("releases are built on Debian 12");
        }
        const QString stage = folder_.filePath("stage");
        const Ended installed = call({"cmake", "--install", HEARTH_BINARY_DIR, "--prefix", stage});
        QVERIFY2(installed.status == 0, qPrintable(installed.words));
        const Ended made =
            call({script("payload.py"), "--stage", stage, "--qml",
                  QStringLiteral(HEARTH_SOURCE_DIR "/app/desktop/qml"), "--out", tree()});
        QVERIFY2(made.status == 0, qPrintable(made.words));
    }

    // The versions of symbols in every file, the places where libraries are looked for, and no path
    // of the machine that built them.
    void runsOnTheBaseline() {
        const Ended checked = check({"--forbid", HEARTH_SOURCE_DIR, "--forbid", HEARTH_BINARY_DIR});
        QVERIFY2(checked.status == 0, qPrintable(checked.words));
    }

    // The check is one that can fail.
    void faultsAreFound_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        QTest::newRow("C library") << "" << QStringList{"--baseline", "GLIBC=2.34"}
                                   << "lib/libQt6Core.so.6: needs GLIBC_2.35";
        QTest::newRow("C++ runtime") << "" << QStringList{"--baseline", "GLIBCXX=3.4.29"}
                                     << "needs GLIBCXX_3.4.30 of libstdc++.so.6";
        QTest::newRow("a library missing")
            << "rm lib/libQt6Sql.so.6" << QStringList() << "bin/hearth: needs libQt6Sql.so.6";
        QTest::newRow("a path") << "printf /no/where/x >>share/hearth/starter-model/MODEL_CARD.md"
                                << QStringList{"--forbid", "/no/where"}
                                << "holds the path /no/where";
        QTest::newRow("the second path")
            << "printf /no/where/x >>share/hearth/starter-model/MODEL_CARD.md"
            << QStringList{"--forbid", "/no/thing", "--forbid", "/no/where"}
            << "holds the path /no/where";
        QTest::newRow("a fixed place")
            << "patchelf --set-rpath /opt/x lib/libuv.so.1" << QStringList()
            << "libuv.so.1: looks for libraries in /opt/x";
        QTest::newRow("no place") << "patchelf --remove-rpath bin/hearth" << QStringList()
                                  << "bin/hearth: looks for libraries in";
        QTest::newRow("another place") << "patchelf --set-rpath '$ORIGIN/../../lib' bin/hearth"
                                       << QStringList() << "bin/hearth: its RUNPATH";
        QTest::newRow("the stronger form")
            << "patchelf --force-rpath --set-rpath '$ORIGIN/../lib' bin/hearth" << QStringList()
            << "has an RPATH";
        QTest::newRow("a link") << "ln -s hearth bin/also" << QStringList() << "bin/also: a link";
    }
    void faultsAreFound() {
        QFETCH(QString, change);
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        // What the rows change.
        const QString saved = folder_.filePath("saved.tar");
        const QStringList files = {"bin", "lib/libuv.so.1", "lib/libQt6Sql.so.6",
                                   "share/hearth/starter-model/MODEL_CARD.md"};
        QCOMPARE(call(QStringList({"tar", "-C", tree(), "-cf", saved}) + files).status, 0);
        const Ended changed =
            call({"/bin/sh", "-c", "cd \"$0\" && " + (change.isEmpty() ? "true" : change), tree()});
        const Ended checked = check(options);
        QCOMPARE(call({"rm", "-rf", tree() + "/bin"}).status, 0);
        QCOMPARE(call({"tar", "-C", tree(), "-xf", saved}).status, 0);
        QVERIFY2(changed.status == 0, qPrintable(changed.words));
        QCOMPARE(checked.status, 1);
        QVERIFY2(checked.words.contains(words), qPrintable(checked.words));
    }

    // Its programs, where they lie: every library of Qt that is loaded is the bundle's.
    void loadsItsOwnLibraries() {
        for (const char* program : {"hearth", "hearth-cli"}) {
            const QString path = tree() + "/bin/" + program;
            const Ended listed = call({"/lib64/ld-linux-x86-64.so.2", "--list", path});
            QVERIFY2(listed.status == 0, qPrintable(listed.words));
            int own = 0;
            for (const QString& line : listed.words.split('\n')) {
                const QString place = line.section(" => ", 1).section(" (", 0, 0);
                own += QDir::cleanPath(place).startsWith(tree()) ? 1 : 0;
                QVERIFY2(!line.contains("libQt6") || QDir::cleanPath(place).startsWith(tree()),
                         qPrintable(line));
            }
            QVERIFY2(own > (program == QByteArray("hearth") ? 20 : 1), qPrintable(listed.words));
            QVERIFY(call({path, "--version"}).words.contains("0."));
        }
        const Ended model = call({tree() + "/bin/hearth-cli", "run", "-p", "Hi.", "-n", "1"});
        QVERIFY2(model.status == 0, qPrintable(model.words));
    }

private:
    QString tree() const { return folder_.filePath("payload"); }
    static QString script(const char* name) {
        return QStringLiteral(HEARTH_SOURCE_DIR "/installer/run/") + name;
    }
    Ended check(const QStringList& options) const {
        return call(QStringList({script("check_payload.py"), "--tree", tree()}) + options);
    }
    static Ended call(const QStringList& command) {
        return run(command, QProcessEnvironment::systemEnvironment());
    }

    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
};

QTEST_GUILESS_MAIN(PayloadTest)
#include "payload_test.moc"
