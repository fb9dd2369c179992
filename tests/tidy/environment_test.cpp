// Environment variables are read in one place of each program, and the manual lists them all.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

// Who reads variables: the engine, the command line (the system's only), the window. And who hands
// all of them on to a program that it starts.
const QStringList kReaders = {"engine/base/environment.cpp",
                              "engine/base/child_process.cpp",
                              "app/cli/system.cpp",
                              "app/desktop/system/app_paths.cpp",
                              "app/desktop/system/display.cpp",
                              "app/desktop/system/outside.cpp",
                              "app/desktop/system/own_caches.cpp"};
const char* const kManual = "docs/manual/command-line.md";

QString read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

bool reads_environment(const QString& code) {
    static const QRegularExpression kCall(
        R"(\b(_?w?q?getenv(_s)?|secure_getenv|qEnvironmentVariable\w*|QProcessEnvironment)"
        R"(|GetEnvironmentVariable\w*|environ)\b)");
    return kCall.match(code).hasMatch();
}

QStringList matches_of(const char* pattern, const QString& text) {
    QStringList names;
    for (auto it = QRegularExpression(pattern).globalMatch(text); it.hasNext();) {
        names << it.next().captured(1);
    }
    names.removeDuplicates();
    names.sort();
    return names;
}

QStringList names_in_code(const QString& code) {
    return matches_of(R"~("(HEARTH_[A-Z_]+)")~", code);
}

QStringList names_in_manual(const QString& text) {
    return matches_of(R"(\n\| `(HEARTH_[A-Z_]+)[=`])", text);
}

}  // namespace

class EnvironmentRulesTest : public QObject {
    Q_OBJECT

private slots:
    void oneReader_data() {
        QTest::addColumn<QString>("path");
        for (const char* top : {"engine", "app"}) {
            QDirIterator it(kRoot.filePath(top), {"*.h", "*.cpp", "*.mm"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = kRoot.relativeFilePath(it.next());
                QTest::newRow(qPrintable(path)) << path;
            }
        }
    }
    void oneReader() {
        QFETCH(QString, path);
        QCOMPARE(reads_environment(read(path)), kReaders.contains(path));
    }

    void theManualListsThem() {
        QStringList read_by_code;
        for (const QString& path : kReaders) {
            read_by_code << names_in_code(read(path));
        }
        read_by_code.sort();
        QVERIFY(read_by_code.contains("HEARTH_CPU") && read_by_code.contains("HEARTH_DATA_DIR"));
        QCOMPARE(names_in_manual(read(kManual)), read_by_code);
    }

    // Breaches, so that the checks are known to fail.
    void examples() {
        for (const char* code : {"std::getenv(name)", "qgetenv(\"A\")", "_wgetenv(L\"A\")",
                                 "qEnvironmentVariableIntValue(\"A\")", "char** environ;"}) {
            QVERIFY2(reads_environment(code), code);
        }
        QVERIFY(!reads_environment("const Environment environment = read_environment();"));
        QCOMPARE(names_in_code("f(\"HEARTH_B\"), g(HEARTH_C, \"HEARTH_A\")"),
                 QStringList({"HEARTH_A", "HEARTH_B"}));
        QCOMPARE(names_in_manual("\n| `HEARTH_B=1` | x |\n| `HEARTH_A` | `HEARTH_C` |\n"),
                 QStringList({"HEARTH_A", "HEARTH_B"}));
    }
};

QTEST_GUILESS_MAIN(EnvironmentRulesTest)
#include "environment_test.moc"
