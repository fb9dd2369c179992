// The documents hold what they promise: the README and the page on testing are short, links lead
// somewhere, and the files, commands and options that they name exist.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

// Markdown files that git would track, from the root.
QStringList documents() {
    static const QRegularExpression kIgnored(R"(^(\.git|build|build-[^/]*|\.cache)/)");
    QStringList paths;
    QDirIterator it(kRoot.path(), {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString path = kRoot.relativeFilePath(it.next());
        if (!kIgnored.match(path).hasMatch()) {
            paths << path;
        }
    }
    paths.sort();
    return paths;
}

QString read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The text with fenced blocks emptied, and what stood in them.
struct Parts {
    QString prose;
    QStringList fenced;  // lines
};

Parts parts_of(const QString& text) {
    Parts parts;
    bool fence = false;
    for (const QString& line : text.split('\n')) {
        if (line.trimmed().startsWith("```")) {
            fence = !fence;
        } else if (fence) {
            parts.fenced << line;
        } else {
            parts.prose += line;
        }
        parts.prose += '\n';
    }
    return parts;
}

// Targets of [text](target) and ![text](target), also of one inside the other.
QStringList links_in(const QString& text) {
    static const QRegularExpression kLink(R"(\]\(([^()\s]+)\))");
    QStringList links;
    for (auto it = kLink.globalMatch(parts_of(text).prose); it.hasNext();) {
        links << it.next().captured(1);
    }
    return links;
}

// Headings as links name them: lower case, words joined by dashes, other characters left out.
QStringList anchors_of(const QString& text) {
    static const QRegularExpression kHeading(R"(^#{1,6}\s+(.*?)\s*$)",
                                             QRegularExpression::MultilineOption);
    static const QRegularExpression kDropped(R"([^\w\- ])",
                                             QRegularExpression::UseUnicodePropertiesOption);
    QStringList anchors;
    for (auto it = kHeading.globalMatch(parts_of(text).prose); it.hasNext();) {
        QString anchor = it.next().captured(1).toLower();
        anchors << anchor.remove(kDropped).replace(' ', '-');
    }
    return anchors;
}

// Why the link of a document leads nowhere; empty: it does not.
QString broken_link(const QString& document, const QString& link) {
    if (link.startsWith("https://") || link.startsWith("http://")) {
        return {};
    }
    const QString file = link.section('#', 0, 0);
    const QString anchor = link.section('#', 1);
    const QString target =
        file.isEmpty() ? document : QDir::cleanPath(QFileInfo(document).path() + '/' + file);
    if (file.startsWith('/') || target.startsWith("..")) {
        return document + ": " + link + " leaves the repository";
    }
    if (!QFileInfo::exists(kRoot.filePath(target))) {
        return document + ": " + link + ": there is no " + target;
    }
    if (!anchor.isEmpty() && !anchors_of(read(target)).contains(anchor)) {
        return document + ": " + link + ": " + target + " has no such heading";
    }
    return {};
}

// Files that git would track, from the root.
QStringList tracked_files() {
    static const QRegularExpression kIgnored(R"(^(\.git|build|build-[^/]*|dist|\.cache)(/|$))");
    QStringList paths;
    QDirIterator it(kRoot.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString path = kRoot.relativeFilePath(it.next());
        if (!kIgnored.match(path).hasMatch()) {
            paths << path;
        }
    }
    return paths;
}

// Paths of the project that stand alone in `code`: any source file, and files and folders below a
// top folder. Names of tests (engine/gguf/reader) and of a user's files are none.
QStringList paths_in(const QString& text) {
    static const QRegularExpression kPath(
        R"(`(?:\./)?([\w./-]+\.(?:h|cpp|inc|qml|comp|glsl|sh|cmake|py))`)"
        R"(|`((?:engine|app|tests|shaders|docs|installer|resources|third_party)/)"
        R"([\w./-]*(?:\.\w+|/))`)");
    QStringList paths;
    for (auto it = kPath.globalMatch(parts_of(text).prose); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        paths << (match.captured(1).isEmpty() ? match.captured(2) : match.captured(1));
    }
    return paths;
}

// A file by its path or the end of it; a folder, which ends in a slash, by its path.
bool names_one_of(const QStringList& files, const QString& path) {
    return std::any_of(files.begin(), files.end(), [&](const QString& file) {
        return path.endsWith('/') ? file.startsWith(path)
                                  : file == path || file.endsWith('/' + path);
    });
}

// Commands as a document shows them: lines of fenced blocks and `code` that start hearth-cli. What
// a shell would do with them (pipes, comments) is cut off.
QStringList command_lines(const QString& text) {
    static const QRegularExpression kCode(R"(`([^`\n]+)`)");
    static const QRegularExpression kCommand(
        R"((?:^|\s|\|)(?:build/bin/)?hearth-cli\s+([a-z][^|#]*))");
    const Parts parts = parts_of(text);
    QStringList code = parts.fenced;
    for (auto it = kCode.globalMatch(parts.prose); it.hasNext();) {
        code << it.next().captured(1);
    }
    QStringList lines;
    for (const QString& one : code) {
        if (const auto match = kCommand.match(one); match.hasMatch()) {
            lines << match.captured(1).trimmed();
        }
    }
    return lines;
}

QStringList options_in(const QString& text) {
    static const QRegularExpression kOption(R"((?<![\w-])(--[a-z][a-z-]*|-[a-z])(?![\w-]))");
    QStringList options;
    for (auto it = kOption.globalMatch(text); it.hasNext();) {
        options << it.next().captured(1);
    }
    return options;
}

// Returns the program's output; empty if it fails.
QString help_of(const QStringList& arguments) {
    QProcess program;
    program.start(QStringLiteral(HEARTH_BINARY_DIR "/bin/hearth-cli"), arguments);
    const bool ended = program.waitForFinished(60'000);
    return ended && program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0
               ? QString::fromUtf8(program.readAllStandardOutput())
               : QString();
}

// Names in the list of subcommands.
QStringList commands_in(const QString& help) {
    static const QRegularExpression kName(R"(^  ([a-z][a-z-]*) {2,}\S)",
                                          QRegularExpression::MultilineOption);
    QStringList names;
    for (auto it = kName.globalMatch(help.section("Subcommands:", 1)); it.hasNext();) {
        names << it.next().captured(1);
    }
    return names;
}

}  // namespace

class DocsTest : public QObject {
    Q_OBJECT

private slots:
    void pagesAreShort_data() {
        QTest::addColumn<int>("lines");
        QTest::addColumn<int>("characters");  // of the longest line
        QTest::newRow("README.md") << 120 << 400;
        QTest::newRow("docs/testing.md") << 90 << 200;
    }
    void pagesAreShort() {
        QFETCH(int, lines);
        QFETCH(int, characters);
        const QString text = read(QTest::currentDataTag());
        QVERIFY(text.startsWith("# "));
        QVERIFY2(text.count('\n') <= lines, qPrintable(QString::number(text.count('\n'))));
        int number = 0;
        for (const QString& line : text.split('\n')) {
            ++number;
            QVERIFY2(line.size() <= characters,
                     qPrintable(QString("line %1 has %2").arg(number).arg(line.size())));
        }
    }

    // A file or folder of the project that a document names in `code`.
    void quotedPathsExist() {
        const QStringList files = tracked_files();
        int checked = 0;
        QStringList gone;
        for (const QString& path : documents()) {
            if (path == "CHANGELOG.md") {
                continue;  // it tells of earlier versions
            }
            for (const QString& quoted : paths_in(read(path))) {
                ++checked;
                if (!names_one_of(files, quoted)) {
                    gone << path + ": `" + quoted + "`";
                }
            }
        }
        QVERIFY2(gone.isEmpty(), qPrintable("there is none of these: " + gone.join(", ")));
        QVERIFY(checked > 100);
    }

    void quotedPaths_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("paths");
        QTest::newRow("file") << "see `engine/gguf/reader.cpp`"
                              << QStringList{"engine/gguf/reader.cpp"};
        QTest::newRow("name") << "see `reader.cpp`, `a.sh`" << QStringList{"reader.cpp", "a.sh"};
        QTest::newRow("from here") << "see `./test.sh`" << QStringList{"test.sh"};
        QTest::newRow("folder") << "see `tests/data/`" << QStringList{"tests/data/"};
        QTest::newRow("text file") << "see `tests/skips.txt`" << QStringList{"tests/skips.txt"};
        QTest::newRow("test") << "see `engine/gguf/reader`" << QStringList{};
        QTest::newRow("somebody's file") << "see `gpus.txt`, `lib/`" << QStringList{};
        QTest::newRow("command") << "see `sh x.sh`, `a.cpp b`" << QStringList{};
        QTest::newRow("in a block") << "```\n`x.cpp`\n```" << QStringList{};
    }
    void quotedPaths() {
        QFETCH(QString, text);
        QTEST(paths_in(text), "paths");
    }
    void namedFiles() {
        const QStringList files{"engine/gguf/reader.cpp", "test.sh"};
        for (const char* name : {"engine/gguf/reader.cpp", "gguf/reader.cpp", "reader.cpp",
                                 "test.sh", "engine/gguf/", "engine/"}) {
            QVERIFY2(names_one_of(files, name), name);
        }
        for (const char* name : {"der.cpp", "engine/reader.cpp", "gguf/", "reader.h", "gg/"}) {
            QVERIFY2(!names_one_of(files, name), name);
        }
    }

    void linksResolve() {
        const QStringList paths = documents();
        for (const char* wanted : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                                   "engine/README.md", "docs/testing.md"}) {
            QVERIFY2(paths.contains(wanted), wanted);
        }
        int links = 0;
        QStringList broken;
        for (const QString& path : paths) {
            for (const QString& link : links_in(read(path))) {
                ++links;
                if (const QString why = broken_link(path, link); !why.isEmpty()) {
                    broken << why;
                }
            }
        }
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
        QVERIFY(links > 100);
    }

    void linksOfOneDocument_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("good");
        QTest::newRow("file") << "see [x](docs/testing.md)" << true;
        QTest::newRow("folder") << "see [x](tests/tidy)" << true;
        QTest::newRow("heading") << "see [x](docs/testing.md#breaking-it-on-purpose)" << true;
        QTest::newRow("elsewhere") << "see [x](https://example.org/none.md)" << true;
        QTest::newRow("in a block") << "```\n[x](none.md)\n```" << true;
        QTest::newRow("no file") << "see [x](docs/none.md)" << false;
        QTest::newRow("no heading") << "see [x](docs/testing.md#none)" << false;
        QTest::newRow("no heading here") << "see [x](#none)" << false;
        QTest::newRow("no picture") << "[![x](none.png)](docs/testing.md)" << false;
        QTest::newRow("outside") << "see [x](../elsewhere)" << false;
        QTest::newRow("absolute") << "see [x](/etc)" << false;
    }
    void linksOfOneDocument() {
        QFETCH(QString, text);
        QFETCH(bool, good);
        QStringList broken;
        for (const QString& link : links_in(text)) {
            broken << broken_link("README.md", link);
        }
        broken.removeAll(QString());
        QCOMPARE(broken.isEmpty(), good);
    }

    // Each decision is in the list of decisions, under its number, which no other has. Numbers may
    // be missing: they are given out before their pages are written.
    void decisionsAreListed() {
        const QString list = read("docs/decisions/README.md");
        const QStringList pages =
            QDir(kRoot.filePath("docs/decisions")).entryList({"0*.md"}, QDir::Files, QDir::Name);
        QVERIFY(pages.size() > 20);
        int before = 0;
        for (const QString& page : pages) {
            const int number = page.left(4).toInt();
            QVERIFY2(number > before && page.at(4) == '-', qPrintable(page));
            before = number;
            QVERIFY2(list.contains('(' + page + ')'), qPrintable(page));
            const QString title = QString("# %1. ").arg(number);
            QVERIFY2(read("docs/decisions/" + page).startsWith(title), qPrintable(page));
        }
    }

    // "hearth-cli COMMAND --option" anywhere in a document.
    void commandsExist() {
        const QStringList commands = commands_in(help_of({"--help"}));
        QVERIFY2(commands.contains("run") && commands.contains("pack"),
                 qPrintable(commands.join(' ')));
        QHash<QString, QStringList> options;
        for (const QString& command : commands) {
            options[command] = options_in(help_of({command, "--help"}));
        }
        QSet<QString> seen;
        QStringList odd;
        for (const QString& path : documents()) {
            for (const QString& line : command_lines(read(path))) {
                const QString command = line.section(' ', 0, 0);
                if (!options.contains(command)) {
                    odd << path + ": hearth-cli has no command \"" + line + '"';
                    continue;
                }
                seen << command;
                for (const QString& option : options_in(line)) {
                    if (!options[command].contains(option)) {
                        odd << path + ": hearth-cli " + command + " has no " + option;
                    }
                }
            }
        }
        QVERIFY2(odd.isEmpty(), qPrintable(odd.join('\n')));
        // The manual leaves none out.
        const QString manual = read("docs/manual/command-line.md");
        for (const QString& command : commands) {
            QVERIFY2(seen.contains(command), qPrintable(command + " is shown nowhere"));
            QVERIFY2(manual.contains("`" + command + "`"), qPrintable(command));
        }
    }

    // Options that the manual's page of commands names by themselves.
    void optionsExist() {
        static const QRegularExpression kCode(R"(`([^`\n]+)`)");
        QStringList known;
        for (const QString& command : commands_in(help_of({"--help"}))) {
            known << options_in(help_of({command, "--help"}));
        }
        int checked = 0;
        const QString prose = parts_of(read("docs/manual/command-line.md")).prose;
        for (auto it = kCode.globalMatch(prose); it.hasNext();) {
            for (const QString& option : options_in(it.next().captured(1))) {
                ++checked;
                QVERIFY2(known.contains(option), qPrintable("no command has " + option));
            }
        }
        QVERIFY(checked > 40);
    }

    void commandLines_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("lines");
        QTest::newRow("block") << "```\nbuild/bin/hearth-cli run -p \"x\"  # why\n```"
                               << QStringList{"run -p \"x\""};
        QTest::newRow("pipe") << "```\necho x | hearth-cli run\n```" << QStringList{"run"};
        QTest::newRow("prose") << "the program hearth-cli runs" << QStringList{};
        QTest::newRow("code") << "try `hearth-cli plan --ram 1G`" << QStringList{"plan --ram 1G"};
        QTest::newRow("any") << "`hearth-cli COMMAND --help`" << QStringList{};
    }
    void commandLines() {
        QFETCH(QString, text);
        QFETCH(QStringList, lines);
        QCOMPARE(command_lines(text), lines);
    }
};

QTEST_GUILESS_MAIN(DocsTest)
#include "docs_test.moc"
