// Comments and pages name what there is: each file, and each function and type that a page shows
// as code.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

QString read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// Files of the project from its root, but for what builds leave behind.
const QStringList& files() {
    static const QStringList kFiles = [] {
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
    }();
    return kFiles;
}

// Every end of a path that may stand for it: "plan/steps.h", "steps.h".
const QSet<QString>& path_ends() {
    static const QSet<QString> kEnds = [] {
        QSet<QString> ends;
        for (const QString& path : files()) {
            for (qsizetype at = 0; at >= 0;) {
                ends << path.mid(at);
                const qsizetype slash = path.indexOf('/', at);
                at = slash < 0 ? -1 : slash + 1;
            }
        }
        return ends;
    }();
    return kEnds;
}

// Headers of systems and libraries, made files, and projects that are called like a file.
const QSet<QString> kElsewhere = {
    "Cbc_C_Interface.h", "commit.h",     "fontconfig.h",
    "psapi.h",           "shellapi.h",   "windows.h",
    "llama.cpp",         "ik_llama.cpp", "hearth_shaders/catalog.inc",
};

// A capital word or dots stand for any name: "NAME_fuzz.cpp", "tests/.../reader_test.cpp".
bool is_pattern(const QString& name) {
    static const QRegularExpression kAny(R"((^|/|_)[A-Z]{3,}|\.\.\.)");
    return kAny.match(name).hasMatch();
}

QStringList unknown_files(const QString& text) {
    static const QRegularExpression kName(
        R"((?<![\w./*-])([A-Za-z_][\w./-]*\.(?:h|cpp|inc|comp|glsl|qml|cmake))(?![\w/]))");
    QStringList unknown;
    for (auto it = kName.globalMatch(text); it.hasNext();) {
        const QString name = it.next().captured(1);
        if (!path_ends().contains(name) && !kElsewhere.contains(name) && !is_pattern(name)) {
            unknown << name;
        }
    }
    return unknown;
}

QString comments_of(const QString& path, const QString& text) {
    static const QRegularExpression kCode(R"re("(?:[^"\\\n]|\\.)*"|(//[^\n]*|/\*.*?\*/))re",
                                          QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kScript(R"((?:^|\s)(#[^\n]*))",
                                            QRegularExpression::MultilineOption);
    if (path.endsWith(".md")) {
        return text;
    }
    const bool script = path.endsWith(".txt") || path.endsWith(".cmake") || path.endsWith(".sh");
    QString comments;
    for (auto it = (script ? kScript : kCode).globalMatch(text); it.hasNext();) {
        comments += it.next().captured(1) + '\n';
    }
    return comments;
}

// Words of everything that is compiled or run.
const QSet<QString>& code_words() {
    static const QSet<QString> kWords = [] {
        static const QRegularExpression kCode(R"(\.(h|cpp|inc|comp|glsl|qml|js|sh|cmake|txt|py)$)");
        static const QRegularExpression kWord(R"(\w+)");
        QSet<QString> words;
        for (const QString& path : files()) {
            if (kCode.match(path).hasMatch() && !path.startsWith("tests/mutations/") &&
                !path.startsWith("tests/data/")) {
                for (auto it = kWord.globalMatch(read(path)); it.hasNext();) {
                    words << it.next().captured();
                }
            }
        }
        return words;
    }();
    return kWords;
}

// Functions and types that a page shows in `code`.
QStringList names_in_code(const QString& page) {
    static const QRegularExpression kFence("```.*?```",
                                           QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kSpan("`([^`\\n]+)`");
    static const QRegularExpression kCall(R"((\w+)\(\))");
    static const QRegularExpression kType(R"(^[A-Z][a-z]+[A-Z]\w*(?:::\w+)?$)");
    QStringList names;
    const QString prose = QString(page).remove(kFence);
    for (auto it = kSpan.globalMatch(prose); it.hasNext();) {
        const QString span = it.next().captured(1);
        for (auto call = kCall.globalMatch(span); call.hasNext();) {
            names << call.next().captured(1);
        }
        if (kType.match(span).hasMatch()) {
            names << span.split("::");
        }
    }
    return names;
}

}  // namespace

class ReferencesTest : public QObject {
    Q_OBJECT

private slots:
    void filesExist() {
        static const QRegularExpression kText(R"(\.(h|cpp|inc|comp|glsl|qml|md|txt|cmake|sh)$)");
        static const QRegularExpression kBut("^(third_party|tests/(mutations|data|tidy))/");
        QStringList broken;
        int looked_at = 0;
        for (const QString& path : files()) {
            if (!kText.match(path).hasMatch() || kBut.match(path).hasMatch()) {
                continue;
            }
            ++looked_at;
            for (const QString& name : unknown_files(comments_of(path, read(path)))) {
                broken << path + " names " + name;
            }
        }
        QVERIFY(looked_at > 1000);
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
    }

    void filesOfOneText() {
        for (const char* text : {"see steps.h", "`plan/steps.h`", "(engine/plan/steps.h).",
                                 "tests/.../reader_test.cpp", "NAME_fuzz.cpp", "like llama.cpp",
                                 "a/*.h", "https://example.org/steps_none.h/x"}) {
            QVERIFY2(unknown_files(text).isEmpty(), text);
        }
        for (const char* text : {"see gone.h", "`plan/gone.cpp`", "model/steps.h", "a gone.qml."}) {
            QCOMPARE(unknown_files(text).size(), 1);
        }
        QCOMPARE(comments_of("a.cpp", "#include \"gone.h\"\nf();  // of b.h\n/* c.h */ \"// d.h\""),
                 QString("\n// of b.h\n/* c.h */\n\n"));
        QCOMPARE(comments_of("CMakeLists.txt", "add(a.cpp)  # of b.cpp\n"),
                 QString("# of b.cpp\n"));
    }

    void codeOfPagesExists() {
        QStringList broken;
        int looked_at = 0;
        for (const QString& path : files()) {
            // The list of changes names what there was.
            if (!path.endsWith(".md") || path == "CHANGELOG.md" ||
                path.startsWith("third_party/")) {
                continue;
            }
            for (const QString& name : names_in_code(read(path))) {
                ++looked_at;
                if (!code_words().contains(name)) {
                    broken << path + " names " + name;
                }
            }
        }
        QVERIFY(looked_at > 100);
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
    }

    void codeOfOnePage() {
        QCOMPARE(
            names_in_code("`make_plan()` and `Reader::run()`, `KvCache`, `Home::Vram`, `Q4_0`, "
                          "`run`, f(), NotCode\n```\n`g()`\n```\n"),
            QStringList({"make_plan", "run", "KvCache"}));
    }
};

QTEST_GUILESS_MAIN(ReferencesTest)
#include "references_test.moc"
