// The repository beside its code: no paths of anybody's machine, one model, and a reason and a
// licence for every dependency.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

// Everything git would track: what .gitignore names and git's own folder left out.
QStringList tracked_files() {
    static const QRegularExpression kIgnored(
        R"(^(\.git|build|build-[^/]*|dist|\.cache|compile_commands\.json)(/|$))"
        R"(|(^|/)__pycache__/|\.partial$|\.DS_Store$)");
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

QByteArray read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Absolute paths of a developer's machine. Pieced together, so that this file does not name them.
QString machine_path_in(const QString& text) {
    static const QRegularExpression kMachinePath(
        QStringLiteral("(?<![\\w./$}-])/(?:%1)/\\w|[A-Z]:\\\\\\\\?%2\\\\")
            .arg(QStringList{"ho"
                             "me",
                             "wo"
                             "rk",
                             "ro"
                             "ot",
                             "tm"
                             "p",
                             "Us"
                             "ers"}
                     .join('|'),
                 "Us"
                 "ers"));
    return kMachinePath.match(text).captured();
}

// The packages that may hold a QML module, the most specific first: "QtQuick.Controls.Basic" is in
// its own or in that of QtQuick.Controls, but what QtQuick itself has is imported by that name.
QStringList packages_of_import(const QString& module) {
    QStringList names;
    QString name = module;
    do {
        names << "qml6-module-" + name.toLower().replace('.', '-');
        name = name.section('.', 0, -2);
    } while (name.contains('.'));
    return names;
}

struct Package {
    QString section;
    QString name;
    QString why;
};

// Lines that are no package, section or comment are returned in `odd`.
QList<Package> parse_packages(const QString& text, QStringList& odd) {
    static const QRegularExpression kSection(R"(^\[(build|run|installer|fonts|test|all)\]$)");
    static const QRegularExpression kPackage(R"(^([a-z0-9][a-z0-9.+-]+)\s+#\s*(\S.*)$)");
    QList<Package> packages;
    QString section;
    for (const QString& line : text.split('\n')) {
        const QRegularExpressionMatch package = kPackage.match(line);
        if (kSection.match(line).hasMatch()) {
            section = kSection.match(line).captured(1);
        } else if (package.hasMatch() && !section.isEmpty()) {
            packages.append({section, package.captured(1), package.captured(2)});
        } else if (!line.trimmed().isEmpty() && !line.startsWith('#')) {
            odd << line;
        }
    }
    return packages;
}

}  // namespace

class TreeTest : public QObject {
    Q_OBJECT

private slots:
    void namesNoMachine() {
        const QStringList files = tracked_files();
        QVERIFY(files.contains("CMakeLists.txt") && files.contains("tests/tidy/tree_test.cpp"));
        QStringList found;
        for (const QString& path : files) {
            const QByteArray bytes = read(path);
            if (bytes.left(8192).contains('\0')) {
                continue;  // not text
            }
            const QStringList lines = QString::fromUtf8(bytes).split('\n');
            for (qsizetype i = 0; i < lines.size(); ++i) {
                if (const QString name = machine_path_in(lines[i]); !name.isEmpty()) {
                    found << QString("%1:%2: %3").arg(path).arg(i + 1).arg(name);
                }
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
    }

    void machinePaths_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("found");
        QTest::newRow("home") << QString(
                                     "see /ho"
                                     "me/ann/x")
                              << true;
        QTest::newRow("quoted") << QString(
                                       "\"/wo"
                                       "rk/main\"")
                                << true;
        QTest::newRow("include path") << QString(
                                             "-I/ro"
                                             "ot/x")
                                      << false;  // told apart from a/b
        QTest::newRow("temporary") << QString(
                                          "=/tm"
                                          "p/log")
                                   << true;
        QTest::newRow("mac") << QString(
                                    "(/Us"
                                    "ers/ann)")
                             << true;
        QTest::newRow("windows") << QString(
                                        "C:\\Us"
                                        "ers\\ann")
                                 << true;
        QTest::newRow("relative") << QString(
                                         "../shared/x engine/wo"
                                         "rk/y")
                                  << false;
        QTest::newRow("system") << QString("/proc/self/status /sys/fs/cgroup") << false;
        QTest::newRow("variable") << QString(
                                         "$HOME/wo"
                                         "rk/x")
                                  << false;
    }
    void machinePaths() {
        QFETCH(QString, text);
        QFETCH(bool, found);
        QCOMPARE(!machine_path_in(text).isEmpty(), found);
    }

    void oneStarterModel() {
        constexpr qint64 kMaxBytes = 40'000'000;
        const QDir folder(kRoot.filePath("resources/starter-model"));
        QVERIFY(folder.exists("MODEL_CARD.md"));
        const QFileInfoList models = folder.entryInfoList({"*.gguf"}, QDir::Files);
        QCOMPARE(models.size(), 1);
        QVERIFY2(models[0].size() < kMaxBytes, qPrintable(QString::number(models[0].size())));
        const QString card = QString::fromUtf8(read("resources/starter-model/MODEL_CARD.md"));
        QVERIFY2(card.contains(models[0].fileName()), "the card does not name the shipped file");
    }

    void packagesSayWhy() {
        QStringList odd;
        const QList<Package> packages =
            parse_packages(QString::fromUtf8(read("third_party/packages.txt")), odd);
        QVERIFY2(odd.isEmpty(),
                 qPrintable("neither package, section nor comment: " + odd.join("; ")));
        QSet<QString> sections;
        QSet<QString> names;
        for (const Package& package : packages) {
            sections << package.section;
            QVERIFY2(!names.contains(package.name), qPrintable(package.name + " stands twice"));
            names << package.name;
        }
        QCOMPARE(sections, (QSet<QString>{"build", "run", "installer", "fonts", "test", "all"}));
    }

    void packageLines_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("good");
        QTest::newRow("package") << "libx-dev  # linked: the x" << true;
        QTest::newRow("no why") << "libx-dev" << false;
        QTest::newRow("empty why") << "libx-dev  #  " << false;
        QTest::newRow("two on a line") << "libx-dev liby-dev  # both" << false;
        QTest::newRow("unknown section") << "[docs]" << false;
        QTest::newRow("comment") << "# words" << true;
    }
    void packageLines() {
        QFETCH(QString, line);
        QFETCH(bool, good);
        QStringList odd;
        parse_packages("[build]\n" + line + "\n", odd);
        QCOMPARE(odd.isEmpty(), good);
    }

    // QML's imports are found only when the window opens: on this machine they may be there by
    // chance.
    void importedModulesAreListed() {
        static const QRegularExpression kImport(R"(^\s*import\s+(Qt[\w.]*))");
        QStringList odd;
        QSet<QString> listed;
        for (const Package& package :
             parse_packages(QString::fromUtf8(read("third_party/packages.txt")), odd)) {
            listed << package.name;
        }
        int imports = 0;
        for (const QString& path : tracked_files()) {
            if (!path.endsWith(".qml")) {
                continue;
            }
            for (const QString& line : QString::fromUtf8(read(path)).split('\n')) {
                const QString module = kImport.match(line).captured(1);
                if (module.isEmpty()) {
                    continue;
                }
                ++imports;
                const QStringList names = packages_of_import(module);
                const bool found =
                    std::any_of(names.begin(), names.end(),
                                [&](const QString& name) { return listed.contains(name); });
                QVERIFY2(found,
                         qPrintable(path + ": " + module + " is in none of " + names.join(", ")));
            }
        }
        QVERIFY(imports > 0);
    }

    // Each package whose code ends up in, or is loaded into, a program of ours has a licence line.
    void shippedPackagesHaveLicences() {
        QStringList odd;
        const QString licences = QString::fromUtf8(read("third_party/licences.md"));
        QVERIFY(!licences.isEmpty());
        int checked = 0;
        for (const Package& package :
             parse_packages(QString::fromUtf8(read("third_party/packages.txt")), odd)) {
            if (package.section == "run" || package.why.startsWith("linked")) {
                ++checked;
                QVERIFY2(licences.contains('`' + package.name + '`'),
                         qPrintable(package.name + " has no line in licences.md"));
            }
        }
        QVERIFY(checked >= 10);
    }
};

QTEST_GUILESS_MAIN(TreeTest)
#include "tree_test.moc"
