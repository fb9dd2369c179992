// What a compiler for Windows would refuse or, worse, take: found by reading, since a cross-build
// takes minutes (installer/windows/build.sh). And names of files that Windows cannot have.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

// ---- the rules ---------------------------------------------------------------------------------

struct Rule {
    const char* name;
    const char* files;
    const char* pattern;  // of code that is compiled on Windows
};
const Rule kRules[] = {
    {"no such header on Windows", "^(engine|app)/",
     "^\\s*#\\s*include\\s*<(unistd|pthread|poll|dlfcn|sched|termios|spawn|malloc_np|pwd|grp|"
     "sys/(mman|socket|wait|resource|file|vfs|statfs|statvfs|utsname|sysinfo|uio|ioctl|syscall|"
     "sysctl|un|select)|(linux|asm|mach|mach-o)/\\w+)\\.h>"},
    {"no such function on Windows", "^(engine|app)/",
     "(?<![\\w.>:])(::)?(pread|pwrite|fsync|fdatasync|ftruncate|mmap|munmap|madvise|posix_\\w+|"
     "flock|setenv|unsetenv|localtime_r|gmtime_r|strcasecmp|strsignal|readlink|symlink|getrusage|"
     "sysconf|dlopen|dlsym|dlclose|fork|execvp?e?|waitpid|sigaction|mkstemp|mkdtemp|realpath|"
     "popen|fseeko|ftello|getline)\\s*\\("},
    // It is 32 bits there.
    {"long does not hold an offset", "^(engine|app)/",
     "\\b1U?L\\s*<<|(?<![\\w.>])(std::)?(fseek|ftell|stou?l|strtou?l|atol)\\s*\\("},
    // The older C runtime; hearth-cli has another printf, the engine has not.
    {"msvcrt.dll does not know this format", "^engine/", "\"[^\"]*%[-+ #0-9.*]*[zjt][diouxX]"},
    {"msvcrt.dll does not know this mode", "^(engine|app)/", "\"[wa]b?\\+?b?x\""},
};

// Compiled for one system alone, says CMake.
const char* const kElsewhere = "^app/desktop/system/crash_handler\\.cpp$";

// ---- the check ---------------------------------------------------------------------------------

enum class On { Both, Windows, Elsewhere };

// The system that a condition of the preprocessor names.
On system_of(const QString& condition) {
    static const QRegularExpression kWindows("\\b(_WIN32|_MSC_VER|__MINGW32__|Q_OS_WIN)\\b");
    static const QRegularExpression kNotWindows(
        "(^ifndef\\s+|!\\s*(defined\\s*)?\\(?\\s*)(_WIN32|_MSC_VER|__MINGW32__|Q_OS_WIN)\\b");
    static const QRegularExpression kElsewhereOnly(
        "\\b(__linux__|__APPLE__|__unix__|Q_OS_(UNIX|LINUX|DARWIN|MACOS)|POSIX_FADV_\\w+|MADV_\\w+|"
        "F_\\w+)");
    if (kNotWindows.match(condition).hasMatch()) {
        return On::Elsewhere;
    }
    if (kWindows.match(condition).hasMatch()) {
        return kElsewhereOnly.match(condition).hasMatch() ? On::Both : On::Windows;
    }
    return kElsewhereOnly.match(condition).hasMatch() ? On::Elsewhere : On::Both;
}

// The lines without comments; those that are not for Windows are empty.
QStringList lines_for_windows(const QString& text) {
    static const QRegularExpression kComment(R"re(("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/)re",
                                             QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kDirective(
        R"(^\s*#\s*((if|ifdef|ifndef|elif|else|endif)\b.*))");
    struct Level {
        On now;
        bool windows_had_its_branch;
    };
    QList<Level> levels;
    QStringList lines;
    QString code = text;
    for (const QString& line : code.replace(kComment, "\\1").split('\n')) {
        const QRegularExpressionMatch match = kDirective.match(line);
        const QString word = match.captured(2);
        if (word.startsWith("if")) {
            const On on = system_of(match.captured(1));
            levels.append({on, on == On::Windows});
        } else if (word == "endif" && !levels.isEmpty()) {
            levels.removeLast();
        } else if (!word.isEmpty() && !levels.isEmpty()) {
            Level& level = levels.last();
            const On on = word == "elif" ? system_of(match.captured(1)) : On::Both;
            level.now = level.windows_had_its_branch ? On::Elsewhere : on;
            level.windows_had_its_branch = level.windows_had_its_branch || on == On::Windows;
        }
        const bool seen = std::none_of(levels.begin(), levels.end(), [](const Level& level) {
            return level.now == On::Elsewhere;
        });
        lines << (seen ? line : QString());
    }
    return lines;
}

// "line: code: rule" for each breach.
QStringList breaches(const QString& path, const QString& text) {
    QStringList found;
    const QStringList lines = lines_for_windows(text);
    for (const Rule& rule : kRules) {
        if (!QRegularExpression(rule.files).match(path).hasMatch()) {
            continue;
        }
        const QRegularExpression pattern(rule.pattern);
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (pattern.match(lines[i]).hasMatch()) {
                found << QString("line %1: %2: %3").arg(i + 1).arg(lines[i].trimmed(), rule.name);
            }
        }
    }
    return found;
}

// Empty: Windows can have it.
QString wrong_with_name(const QString& path) {
    static const QRegularExpression kForbidden("[<>:\"|?*\\\\\\x00-\\x1F]");
    static const QRegularExpression kDevice("^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\\..*)?$",
                                            QRegularExpression::CaseInsensitiveOption);
    for (const QString& part : path.split('/')) {
        if (kForbidden.match(part).hasMatch()) {
            return "a character that Windows allows in no name";
        }
        if (kDevice.match(part).hasMatch()) {
            return "a device's name on Windows";
        }
        if (part.endsWith('.') || part.endsWith(' ')) {
            return "Windows takes away the last character";
        }
    }
    return {};
}

}  // namespace

class PortabilityTest : public QObject {
    Q_OBJECT

private slots:
    // Each source file of the programs is a row.
    void theTree_data() {
        QTest::addColumn<QString>("path");
        for (const char* top : {"engine", "app"}) {
            QDirIterator it(kRoot.filePath(top), {"*.h", "*.cpp", "*.inc"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = kRoot.relativeFilePath(it.next());
                if (!QRegularExpression(kElsewhere).match(path).hasMatch()) {
                    QTest::newRow(qPrintable(path)) << path;
                }
            }
        }
    }
    void theTree() {
        QFETCH(QString, path);
        QFile file(kRoot.filePath(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList found = breaches(path, QString::fromUtf8(file.readAll()));
        QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
    }

    void finds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        const auto row = [](const char* name, const char* text, int count) {
            QTest::newRow(name) << QString(text) << count;
        };
        row("a header", "#include <unistd.h>\n", 1);
        row("with blanks", " # include <sys/mman.h>\n", 1);
        row("of everybody", "#include <sys/stat.h>\n#include <fcntl.h>\n", 0);
        row("not on Windows", "#ifndef _WIN32\n#include <unistd.h>\n#endif\n", 0);
        row("on Windows", "#ifdef _WIN32\n#include <unistd.h>\n#endif\n", 1);
        row("else", "#ifdef _WIN32\n#include <io.h>\n#else\n#include <unistd.h>\n#endif\n", 0);
        row("on Linux", "#if defined(__linux__)\n#include <sys/vfs.h>\n#endif\n", 0);
        row("else of Linux", "#ifdef __linux__\n#else\n#include <sys/vfs.h>\n#endif\n", 1);
        row("elif", "#ifdef __linux__\n#elif defined(_WIN32)\n#else\n#include <poll.h>\n#endif\n",
            0);
        row("within", "#ifndef _WIN32\n#if X\n#include <poll.h>\n#endif\n#endif\n", 0);
        row("behind", "#ifndef _WIN32\n#endif\n#include <poll.h>\n", 1);
        row("else of Windows' absence", "#if !defined(_WIN32)\n#else\nfsync(fd);\n#endif\n", 1);
        row("either", "#if defined(__linux__) || defined(_WIN32)\nfsync(fd);\n#endif\n", 1);
        row("Qt's word", "#ifdef Q_OS_WIN\n#else\nfsync(fd);\n#endif\n", 0);
        row("a call", "    x = ::pread(fd, p, n, at);\n", 1);
        row("a call of ours", "file.pread(p); ours::fsync(); std::getline(a, b); my_fork(1);\n", 0);
        row("a comment", "// fsync(fd) is for others /* fork() */\n/* mmap(\n mmap( */\n", 0);
        row("a long shift", "auto x = 1UL << 40; auto y = 1ULL << 40;\n", 1);
        row("a long offset", "std::fseek(file, at, SEEK_SET);\n", 1);
        row("a number of words", "std::stoul(text); std::stoull(text);\n", 1);
        row("a size's format", "std::printf(\"%d of %5zu\", a, b);\n", 1);
        row("a mode", "std::fopen(path, \"wbx\");\n", 1);
    }
    void finds() {
        QFETCH(QString, text);
        QFETCH(int, count);
        const QStringList found = breaches("engine/base/x.cpp", text);
        QVERIFY2(found.size() == count, qPrintable(found.join("; ")));
    }

    // The scripts that nobody could run say so first, and no release runs them.
    void neverRun() {
        for (const char* path : {"installer/windows/window.sh", "installer/macos/window.sh"}) {
            QFile file(kRoot.filePath(path));
            QVERIFY2(file.open(QIODevice::ReadOnly), path);
            file.readLine();
            QVERIFY2(file.readLine().startsWith("# NEVER RUN."), path);
        }
        QFile readme(kRoot.filePath("README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        QVERIFY(readme.readAll().contains("| Windows, the window; macOS | never run:"));
        QStringList released;
        for (const QString& folder :
             QDir(kRoot.filePath("installer")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            if (kRoot.exists("installer/" + folder + "/build.sh")) {
                released << folder;
            }
        }
        QCOMPARE(released, QStringList({"deb", "windows"}));
    }

    void names() {
        QSet<QString> lower;
        QStringList found;
        static const QRegularExpression kNotOurs(R"(^(\.git|build[^/]*|dist|\.cache)(/|$))");
        QDirIterator it(kRoot.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = kRoot.relativeFilePath(it.next());
            if (kNotOurs.match(path).hasMatch()) {
                continue;
            }
            if (const QString wrong = wrong_with_name(path); !wrong.isEmpty()) {
                found << path + ": " + wrong;
            }
            if (lower.contains(path.toLower())) {
                found << path + ": another differs in capitals only";
            }
            lower << path.toLower();
        }
        QVERIFY(lower.contains("cmakelists.txt"));
        QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
    }
    void namesAreJudged_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("good");
        QTest::newRow("plain") << "engine/base/half.h" << true;
        QTest::newRow("hidden") << ".ci/steps.sh" << true;
        QTest::newRow("console") << "docs/con.md" << false;
        QTest::newRow("a device's folder") << "AUX/x" << false;
        QTest::newRow("begins so") << "docs/console.md" << true;
        QTest::newRow("colon") << "a:b" << false;
        QTest::newRow("question") << "what?" << false;
        QTest::newRow("point") << "folder./x" << false;
        QTest::newRow("blank") << "x " << false;
    }
    void namesAreJudged() {
        QFETCH(QString, path);
        QFETCH(bool, good);
        QCOMPARE(wrong_with_name(path).isEmpty(), good);
    }
};

QTEST_GUILESS_MAIN(PortabilityTest)
#include "portability_test.moc"
