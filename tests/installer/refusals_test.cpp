// Whatever is wrong with the file or the system: a sentence, exit status 1, and nothing changed.
#include <unistd.h>

#include <QtTest>
#include <functional>

#include "installer/made_installer.h"

using namespace hearth::test;

namespace {

using Arrange = std::function<bool(const Home&, QString& file)>;

// The installer's file, copied into the test's home and changed there.
bool edit(const Home& home, QString& file, const std::function<void(QByteArray&)>& change) {
    QFile original(file);
    if (!original.open(QIODevice::ReadOnly)) {
        return false;
    }
    QByteArray bytes = original.readAll();
    change(bytes);
    file = home.tool("changed.run");
    return writeFile(file, bytes);
}

Arrange flip(const char* before, int after) {
    return [=](const Home& home, QString& file) {
        return edit(home, file, [=](QByteArray& bytes) {
            const auto at = before == nullptr ? bytes.size() - 1 : bytes.indexOf(before);
            bytes[at + after] = static_cast<char>(bytes[at + after] ^ 1);
        });
    };
}

Arrange script(const QString& text) {
    return [=](const Home& home, QString&) {
        return home.call({"/bin/sh", "-c", "cd && " + text}).status == 0;
    };
}

Arrange without(const QString& tool) {
    return [=](const Home& home, QString&) { return QFile::remove(home.tool(tool)); };
}

Arrange tool(const QString& name, const QByteArray& text) {
    return [=](const Home& home, QString&) { return home.replaceTool(name, text); };
}

bool nothing(const Home&, QString&) {
    return true;
}

}  // namespace

Q_DECLARE_METATYPE(Arrange)

class RefusalsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755));
        file_ = makeRun(folder_.path(), "0.1.0");
        old_ = makeRun(folder_.path(), "0.0.9");
        QVERIFY(!file_.isEmpty() && !old_.isEmpty());
    }

    void refused_data() {
        QTest::addColumn<Arrange>("arrange");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const Arrange& arrange, const char* words,
                            const QStringList& options = {}) {
            QTest::newRow(name) << arrange << options << QString::fromLatin1(words);
        };
        row(
            "cut short",
            [](const Home& home, QString& file) {
                return edit(home, file, [](QByteArray& bytes) { bytes.chop(1000); });
            },
            "get it again");
        row(
            "cut after its head",
            [](const Home& home, QString& file) {
                return edit(home, file, [](QByteArray& bytes) { bytes.truncate(3000); });
            },
            "get it again");
        row(
            "longer",
            [](const Home& home, QString& file) {
                return edit(home, file, [](QByteArray& bytes) { bytes.append('x'); });
            },
            "get it again");
        row("a byte of the script", flip("install_steps() {", 3), "is damaged");
        row("a byte of the archive", flip(nullptr, -5000), "is damaged");
        row("the last byte", flip(nullptr, 0), "is damaged");
        row("its sum", flip("\nsum=", 7), "is damaged");
        for (const char* name : {"sha256sum", "gzip", "tar", "flock", "getconf", "head", "sort"}) {
            row(qPrintable(QString("no ") + name), without(name),
                qPrintable(QString("this system has no ") + name));
        }
        row("another architecture", tool("uname", "[ $1 = -m ] && echo aarch64 || echo Linux\n"),
            "Linux on aarch64");
        row("musl", tool("getconf", "exit 1\n"), "musl");
        row("an old C library", tool("getconf", "echo glibc 2.31\n"), "glibc 2.31, and glibc 2.35");
        row("an older one", tool("getconf", "echo glibc 2.4\n"), "glibc 2.4, and glibc 2.35");
        row(
            "no C++ runtime",
            [](const Home& home, QString&) {
                // What is looked at where ldconfig names none is the system's own.
                return home.replaceTool(
                           "ldconfig", "echo 'libstdc++.so.6 (libc6,x86-64) => '\"$HOME/old\"\n") &&
                       home.call({"/bin/sh", "-c", "echo GLIBCXX_3.4.29 >~/old"}).status == 0;
            },
            "too old for Hearth: it lacks GLIBCXX_3.4.30");
        row("no room",
            tool("df",
                 "echo Filesystem 1024-blocks Used Available Capacity Mounted on; "
                 "echo '/dev/my disk 900000 800000 4000 99% /'\n"),
            "has 3 MB free");
        row("read-only home", script("chmod 555 ."), "no right to write");
        row("a file for a folder", script("echo x >.local"), "is not a folder");
        row("another's command", script("mkdir -p .local/bin && echo x >.local/bin/hearth"),
            ".local/bin/hearth is there already");
        row("another's link",
            script("mkdir -p .local/bin && ln -s /bin/true .local/bin/hearth-cli"),
            ".local/bin/hearth-cli is there already");
        row("another's current", script("mkdir -p .local/lib/hearth/current"),
            "current is there already");
        row("another's uninstaller",
            script("mkdir -p .local/lib/hearth && echo x >.local/lib/hearth/uninstall"),
            "uninstall is there already");
        row("another's entry",
            script("mkdir -p .local/share/applications && echo x "
                   ">.local/share/applications/hearth.desktop"),
            "hearth.desktop is there already");
        row("for all, by one", nothing, "no right to write", {"--prefix", "/usr/local"});
        row("a prefix in a file", script("echo x >file"), "is not a folder",
            {"--prefix", "file/x"});
        row("a prefix of two lines", nothing, "line break", {"--prefix", "a\nb"});
        row("no prefix", nothing, "needs a folder", {"--prefix"});
        row("an empty prefix", nothing, "needs a folder", {"--prefix", ""});
        row("an option for a prefix", nothing, "looks like an option", {"--prefix", "--system"});
        row("unknown option", nothing, "unknown option --prefx", {"--prefx"});
        row("purge without uninstall", nothing, "goes with --uninstall", {"--purge"});
        row("nothing to remove", nothing, "there is no Hearth", {"--uninstall"});
        row("programs that do not start",
            tool("tar", "/bin/tar \"$@\" && chmod 644 \"$4\"/bin/*\n"), "noexec");
        row("an archive not written whole",
            tool("tar", "/bin/tar \"$@\" && rm \"$4\"/lib/libmore.so.6\n"), "is its disk full");
        row("tar fails", tool("tar", "/bin/tar \"$@\"; exit 2\n"), "is its disk full");
        row("no link can be made", tool("ln", "exit 1\n"), "cannot write in");
    }
    void refused() {
        QFETCH(Arrange, arrange);
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        const Home home;
        QVERIFY(home.valid());
        QString file = file_;
        QVERIFY(arrange(home, file));
        const auto before = home.files();
        const Ended refused = home.call(
            QStringList({"/bin/sh", "-c", "cd && exec /bin/sh \"$@\"", "sh", file}) + options);
        QVERIFY2(refused.status == 1,
                 qPrintable(QString("%1: %2").arg(refused.status).arg(refused.words)));
        QVERIFY2(refused.words.contains(words), qPrintable(refused.words));
        QVERIFY2(refused.words.count(
                     QRegularExpression("^hearth: ", QRegularExpression::MultilineOption)) == 1,
                 qPrintable(refused.words));
        QVERIFY2(!words.startsWith("this system has no") || refused.words.count('\n') == 1,
                 qPrintable(refused.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // The same refusals leave a version that is there as it was.
    void refusedUpgrade_data() { refused_data(); }
    void refusedUpgrade() {
        const QStringList others = {"read-only home", "a file for a folder", "another's",
                                    "nothing to remove"};
        const QString row = QTest::currentDataTag();
        if (std::any_of(others.begin(), others.end(),
                        [&](const QString& o) { return row.startsWith(o); })) {
            return;  // about a home without Hearth
        }
        QFETCH(Arrange, arrange);
        QFETCH(QStringList, options);
        const Home home;
        QCOMPARE(home.install(old_).status, 0);
        QString file = file_;
        QVERIFY(arrange(home, file));
        auto before = home.files();
        const Ended refused = home.call(
            QStringList({"/bin/sh", "-c", "cd && exec /bin/sh \"$@\"", "sh", file}) + options);
        QVERIFY2(refused.status == 1,
                 qPrintable(QString("%1: %2").arg(refused.status).arg(refused.words)));
        auto after = home.files();
        // What will be placed is written down before it is.
        before.remove(".local/lib/hearth/placed");
        after.remove(".local/lib/hearth/placed");
        if (row != "no link can be made") {
            QVERIFY2(after == before, qPrintable(difference(before, after)));
        }
        QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.0.9\n");
    }

    // Wherever in the head it ends. Line 2 looks at the length; a file without this line can say
    // nothing itself, and does nothing.
    void cutInItsHead() {
        const QByteArray whole = bytesOf(file_);
        const auto first = whole.indexOf('\n', whole.indexOf('\n') + 1);
        const auto head = headBytes(whole);
        QVERIFY(first > 0 && first < 200 && head > first + 1000);
        const Home home;
        const auto before = home.files();
        const int step = qEnvironmentVariableIsSet("HEARTH_ALL_ROWS") ? 1 : 13;
        QList<qsizetype> lengths = {0, 10, first - 1, first, first + 1, head - 1, head};
        for (qsizetype length = 1; length < head; length += step) {
            lengths << length;
        }
        const QString file = home.tool("cut.run");
        for (const qsizetype length : lengths) {
            QVERIFY(writeFile(file, whole.left(length)));
            const Ended ended = home.install(file);
            const QString seen =
                QString("%1 bytes: %2: %3").arg(length).arg(ended.status).arg(ended.words);
            QVERIFY2(length < first || (ended.status == 1 && ended.words.startsWith("hearth: ") &&
                                        ended.words.endsWith("Nothing was changed.\n")),
                     qPrintable(seen));
            QVERIFY2(home.files() == before, qPrintable(seen + difference(before, home.files())));
        }
    }

    // A bit of any byte of the head: what line 3 sums is refused with a sentence, and what remains,
    // these lines themselves, at worst with one of the shell's.
    void aByteOfItsHead() {
        const QByteArray whole = bytesOf(file_);
        qsizetype summed = 0;
        for (int line = 0; line < 3; ++line) {
            summed = whole.indexOf('\n', summed) + 1;
        }
        const auto head = headBytes(whole);
        QVERIFY(summed > 0 && summed < 500 && head > summed + 1000);
        const bool all = qEnvironmentVariableIsSet("HEARTH_ALL_ROWS");
        for (qsizetype at = 0; at < head; at += all ? 1 : 17) {
            const Home home;
            const auto before = home.files();
            QByteArray bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 7)));
            const QString file = home.tool("flipped.run");
            QVERIFY(writeFile(file, bytes));
            const Ended ended = home.install(file);
            const QString seen =
                QString("byte %1: %2: %3").arg(at).arg(ended.status).arg(ended.words);
            QVERIFY2(at < summed || (ended.status == 1 && ended.words.startsWith("hearth: ") &&
                                     ended.words.endsWith("Nothing was changed.\n")),
                     qPrintable(seen));
            if (ended.status == 0 && QFileInfo::exists(home.path(".local/bin/hearth"))) {
                QCOMPARE(home.call({home.path(".local/bin/hearth")}).words, "hearth 0.1.0\n");
            } else {
                QVERIFY2(home.files() == before,
                         qPrintable(seen + difference(before, home.files())));
            }
        }
    }

    void twoAtOnce() {
        const Home home;
        QCOMPARE(home.install(file_).status, 0);
        const auto before = home.files();
        QProcess other;
        other.start("flock", {home.path(".local/lib/hearth/.lock"), "-c", "echo held; sleep 60"});
        QVERIFY(other.waitForReadyRead());
        const Ended refused = home.install(file_);
        const Ended remove = home.call({home.path(".local/bin/hearth-uninstall")});
        other.terminate();
        QVERIFY(other.waitForFinished());
        for (const Ended& ended : {refused, remove}) {
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.words.contains("another installation"), qPrintable(ended.words));
        }
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    void rootInAnothersHome() {
        if (geteuid() != 0) {
            QSKIP("giving a home to another user needs root");
        }
        const Home home;
        const auto before = home.files();
        const Ended refused = run({"/bin/sh", file_}, home.environment());
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.words.contains("without sudo"), qPrintable(refused.words));
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

    // Hearth of root's below an ordinary user's prefix.
    void rootsHearthStays() {
        if (geteuid() != 0) {
            QSKIP("giving a home to another user needs root");
        }
        const Home home;
        QCOMPARE(
            run({"/bin/sh", file_, "--prefix", home.path(".local")}, home.environment()).status, 0);
        const auto before = home.files();
        for (const QStringList& options : {QStringList(), QStringList{"--uninstall"}}) {
            const Ended refused = home.install(file_, options);
            QCOMPARE(refused.status, 1);
            QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
        }
    }

    // A disk that is full before the end, although it said otherwise.
    void diskFullInTheMiddle() {
        const Home home;
        QVERIFY(home.replaceTool("df", "echo x; echo '/dev/x 900000 800000 900000 9% /'\n"));
        const Ended ended =
            run({"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                 "mount -t tmpfs -o size=1m none ~ || exit 77; find ~ | sort >\"$PATH/before\"; sh "
                 "\"$0\" --prefix ~; "
                 "echo \"status $?\"; find ~ | sort | cmp - \"$PATH/before\" && echo same",
                 file_},
                home.environment());
        if (ended.status == 77 || ended.words.contains("unshare failed")) {
            QSKIP("no small file system: mounting one needs root and Linux");
        }
        QVERIFY2(ended.words.contains("is its disk full") && ended.words.contains("status 1\nsame"),
                 qPrintable(ended.words));
    }

    // The folder for temporary files is not used at all. This clone may lie in it, with the
    // installer, the tools and the home: they are bound to a place outside before it is hidden.
    void fullFolderForTemporaryFiles() {
        const Home home;
        QVERIFY(QFile::copy(file_, home.tool("installer.run")));
        const Ended ended =
            run({"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
                 "mount --bind \"${PATH%/*}\" /mnt || exit 77; HOME=/mnt/${HOME##*/} "
                 "PATH=/mnt/tools; cd /; "
                 "mount -t tmpfs -o size=4k,noexec,nr_inodes=2 none /tmp || exit 77; (cd /tmp; "
                 "echo x >x); "
                 "sh \"$PATH/installer.run\" --prefix ~/x && ~/x/bin/hearth && "
                 "~/x/bin/hearth-uninstall"},
                home.environment());
        if (ended.status == 77 || ended.words.contains("unshare failed")) {
            QSKIP("no small file system: mounting one needs root and Linux");
        }
        QVERIFY2(ended.status == 0 && ended.words.contains("hearth 0.1.0\n"),
                 qPrintable(ended.words));
    }

    void checkWritesNothing() {
        const Home home;
        const auto before = home.files();
        for (const char* option : {"--check", "--help"}) {
            const Ended ended = home.install(file_, {option});
            QVERIFY2(ended.status == 0, qPrintable(ended.words));
        }
        QVERIFY2(home.files() == before, qPrintable(difference(before, home.files())));
    }

private:
    static QByteArray bytesOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // How long the part is that checks the rest, by its own words.
    static qsizetype headBytes(const QByteArray& bytes) {
        const auto at = bytes.indexOf("\nhead_bytes=") + 12;
        return bytes.mid(at, bytes.indexOf('\n', at) - at).trimmed().toLongLong();
    }

    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
    QString file_;
    QString old_;
};

QTEST_GUILESS_MAIN(RefusalsTest)
#include "refusals_test.moc"
