// third_party/packages.txt is complete: the package manager is asked who owns every QML module,
// program, library, header, plugin and file that the code, the scripts, the installer's lists and
// the tests name. On a machine that has been used for long, what no list names may be there by
// chance.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "tidy/called_programs.h"

using hearth::test::commands_in;
using hearth::test::started_in;

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

// Packages that no list names and that may be relied on, since another one brings them.
struct Brought {
    const char* package;
    const char* through;  // depends on it directly; is listed, essential, or in this table itself
    const char* why;
};
const Brought kBrought[] = {
    {"gcc-12", "gcc", "the compiler's own parts"},
    {"gcc", "g++", "the compiler's own parts"},
    {"g++-12", "g++", "the compiler's own parts"},
    {"binutils", "gcc-12", "the linker: no compiler without it"},
    {"binutils-x86-64-linux-gnu", "binutils", "the linker's files for this architecture"},
    {"libgcc-12-dev", "gcc-12", "the compiler's headers of its intrinsics"},
    {"libstdc++-12-dev", "g++-12", "the headers of C++"},
    {"libc6-dev", "libstdc++-12-dev", "the headers of C"},
    {"linux-libc-dev", "libc6-dev", "the headers of Linux"},
    {"libc6", "libc6-dev", "the C library"},
    {"libgcc-s1", "libgcc-12-dev", "the compiler's library"},
    {"libstdc++6", "libstdc++-12-dev", "the library of C++"},
    {"pkgconf", "pkg-config", "took its place; the old name is empty"},
    {"python3-minimal", "python3", "the program itself"},
    {"gcc-mingw-w64-x86-64-posix", "g++-mingw-w64-x86-64-posix", "that compiler's own parts"},
    {"gcc-mingw-w64-base", "gcc-mingw-w64-x86-64-posix", "their licences"},
    {"binutils-mingw-w64-x86-64", "gcc-mingw-w64-x86-64-posix", "that compiler's linker"},
    {"mingw-w64-x86-64-dev", "gcc-mingw-w64-x86-64-posix", "the headers of Windows"},
};

// Programs that no list needs to name.
struct Optional {
    const char* program;
    const char* why;
};
const Optional kOptional[] = {
    {"sudo", "asked for before it is used; root needs none"},
    {"ccache", "a builder's own choice"},
    {"git", "whoever has a clone has it, and the sources build without"},
    {"kill", "the shell's own"},
};

// A thing that is named, where, and the file that it is on this machine.
struct Named {
    QString what;
    QString where;
    QString path;
};

QString output_of(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessEnvironment([] {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LC_ALL", "C");
        return environment;
    }());
    process.start(program, arguments);
    if (!process.waitForFinished(120'000)) {
        process.kill();
        return {};
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

QString read(const QString& path) {
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// Files below these folders of the project whose names end so, relative to the project.
QStringList files_in(const QStringList& folders, const QStringList& names) {
    QStringList files;
    for (const QString& folder : folders) {
        QDirIterator it(kRoot.filePath(folder), names, QDir::Files | QDir::Hidden,
                        QDirIterator::Subdirectories);
        while (it.hasNext()) {
            files << kRoot.relativeFilePath(it.next());
        }
    }
    files.sort();
    return files;
}

// Names of a list of the installer's: NAME  # why.
QStringList names_in(const QString& path) {
    QStringList names;
    for (const QString& line : read(path).split('\n')) {
        const QString name = line.section('#', 0, 0).trimmed();
        if (!name.isEmpty()) {
            names << name;
        }
    }
    return names;
}

QString program_path(const QString& name) {
    return QStandardPaths::findExecutable(
        name.section('/', -1), {"/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"});
}

}  // namespace

class PackagesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QSettings release("/etc/os-release", QSettings::IniFormat);
        if (release.value("VERSION_CODENAME").toString() != "bookworm" ||
            program_path("dpkg-query").isEmpty()) {
            QSKIP("packages are listed by their names in Debian 12");
        }
        for (const QString& line : read("third_party/packages.txt").split('\n')) {
            const QString name = line.section('#', 0, 0).trimmed();
            if (!name.isEmpty() && !name.startsWith('[')) {
                listed_ << name;
            }
        }
        QVERIFY(listed_.size() > 50);
        const QString all = output_of(
            "dpkg-query",
            {"-W", "-f", "${Package}\t${Essential} ${Priority}\t${Pre-Depends}, ${Depends}\n"});
        for (const QString& line : all.split('\n', Qt::SkipEmptyParts)) {
            const QStringList parts = line.split('\t');
            QVERIFY2(parts.size() == 3, qPrintable(line));
            // Every system of Debian's has both: without the latter dpkg may not run.
            if (parts[1].startsWith("yes") || parts[1].endsWith(" required")) {
                essential_ << parts[0];
            }
            static const QRegularExpression kName("[,|] *([a-z0-9][a-z0-9.+-]+)");
            for (auto it = kName.globalMatch(", " + parts[2]); it.hasNext();) {
                depends_[parts[0]] << it.next().captured(1);
            }
        }
        QVERIFY(essential_.contains("dpkg") && depends_.contains("g++"));
    }

    // The table is right about who depends on whom.
    void broughtPackagesAreBrought() {
        for (const Brought& row : kBrought) {
            QVERIFY2(depends_[row.through].contains(row.package),
                     qPrintable(QString("%1 does not depend on %2").arg(row.through, row.package)));
            QVERIFY2(isRelied(row.through), row.through);
            QVERIFY2(!listed_.contains(row.package), row.package);
        }
    }

    // A package that no list names is found, and by its name.
    void anUnlistedOwnerIsNamed() {
        listed_.remove("qml6-module-qtquick-shapes");
        const QStringList missing = unlisted(qmlModules());
        listed_ << "qml6-module-qtquick-shapes";
        QCOMPARE(missing.size(), 1);
        QVERIFY2(missing.first().startsWith("the QML module QtQuick.Shapes (app/desktop/qml): "
                                            "qml6-module-qtquick-shapes owns it"),
                 qPrintable(missing.first()));
        const QStringList absent =
            unlisted({{"the QML module Qt.No", "a file", "/usr/lib/qt6/qml/Qt/No/qmldir"},
                      {"the plugin no.so", "a list", QString()}});
        QCOMPARE(absent.size(), 2);
        for (const QString& line : absent) {
            QVERIFY2(line.endsWith("it is not here, and no listed package brings it"),
                     qPrintable(line));
        }
    }

    void whatAScriptCalls_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("commands");
        QTest::newRow("lines") << "one a b\n  two # three\n" << QStringList{"one", "two"};
        QTest::newRow("lists") << "one | two && three || four; five &\n"
                               << QStringList{"one", "two", "three", "four", "five"};
        QTest::newRow("in quotes") << "say \"a; one\" \"$(two x)\"\n" << QStringList{"say", "two"};
        QTest::newRow("with variables") << "A=b C=\"$d\" one\n" << QStringList{"one"};
        QTest::newRow("behind words")
            << "if ! one; then two; fi\nexec three\n"
            << QStringList{"if", "one", "then", "two", "fi", "exec", "three"};
        QTest::newRow("behind programs") << "find x | xargs -0 -n 4 one -p\nenv A=b two\n"
                                         << QStringList{"find", "xargs", "one", "env", "two"};
        QTest::newRow("by its place") << "/usr/bin/one; /bin/two\n" << QStringList{"one", "two"};
        QTest::newRow("a text") << "cat <<EOF\none\nEOF\ntwo\n" << QStringList{"cat", "two"};
        QTest::newRow("a function's name") << "one_() {\n" << QStringList();
    }
    void whatAScriptCalls() {
        QFETCH(QString, text);
        QFETCH(QStringList, commands);
        QCOMPARE(commands_in(text), commands);
    }

    void modules() { judge(qmlModules(), 5); }

    void plugins() {
        const QDir folder(output_of("qtpaths6", {"--query", "QT_INSTALL_PLUGINS"}).trimmed());
        QList<Named> named;
        for (const QString& name : names_in("installer/run/plugins.txt")) {
            named.append(
                {"the plugin " + name, "installer/run/plugins.txt", folder.filePath(name)});
        }
        static const QRegularExpression kPlatform("QT_QPA_PLATFORM\"?(?:=|, *\"|=\")([a-z]+)");
        for (const QString& file : files_in({"app", "tests"}, {"*.cpp", "*.h", "*.txt", "*.sh"})) {
            for (auto it = kPlatform.globalMatch(read(file)); it.hasNext();) {
                const QString path = "platforms/libq" + it.next().captured(1) + ".so";
                if (folder.exists(path)) {
                    named.append({"the plugin " + path, file, folder.filePath(path)});
                }
            }
        }
        judge(named, 10);
    }

    void programs() {
        QList<Named> named;
        const auto add = [&](const QStringList& programs, const QString& file) {
            for (const QString& program : programs) {
                const QString path = program_path(program);
                const bool optional =
                    std::any_of(std::begin(kOptional), std::end(kOptional),
                                [&](const auto& o) { return o.program == program; });
                if (!path.isEmpty() && !optional) {
                    named.append({"the program " + program, file, path});
                }
            }
        };
        // The installer's own scripts call what the user's system has.
        for (const QString& file :
             files_in({".ci", "installer", "tests"}, {"*.sh"}) + QStringList{"run.sh", "test.sh"}) {
            if (!file.startsWith("installer/run/")) {
                add(commands_in(read(file)), file);
            }
        }
        for (const QString& file :
             files_in({"app", "engine", "installer", "tests"}, {"*.cpp", "*.h", "*.py"})) {
            if (file != "tests/tidy/packages_test.cpp") {
                add(started_in(read(file)), file);
            }
        }
        static const QRegularExpression kCMake(
            R"((?:\bCOMMAND |find_program\(\w+ (?:NAMES )?(?:REQUIRED )?)([a-z][\w.+-]*))");
        for (const QString& file : files_in({"app", "engine", "installer", "shaders", "tests", "."},
                                            {"CMakeLists.txt", "*.cmake"})) {
            for (auto it = kCMake.globalMatch(read(file)); it.hasNext();) {
                add({it.next().captured(1)}, file);
            }
        }
        judge(named, 50);
    }

    // Linked, loaded by name, or the host's, which a program of ours needs there.
    void libraries() {
        QHash<QString, QString> places;
        static const QRegularExpression kPlace(R"(\s(\S+) \(.*x86-64.*\) => (\S+))");
        for (auto it = kPlace.globalMatch(output_of("/sbin/ldconfig", {"-p"})); it.hasNext();) {
            const auto match = it.next();
            places.insert(match.captured(1), match.captured(2));
        }
        QList<Named> named;
        for (const QString& name : names_in("installer/run/loaded_by_name.txt")) {
            named.append({"the library " + name, "installer/run/loaded_by_name.txt", places[name]});
        }
        static const QRegularExpression kLiteral("\"(lib[\\w+-]+\\.so(?:\\.[0-9.]+)?)\"");
        for (const QString& file : files_in({"app", "engine", "tests"}, {"*.cpp", "*.h"})) {
            for (auto it = kLiteral.globalMatch(read(file)); it.hasNext();) {
                const QString name = it.next().captured(1);
                if (places.contains(name)) {
                    named.append({"the library " + name, file, places[name]});
                }
            }
        }
        static const QRegularExpression kNeeded(R"(\(NEEDED\).*\[(.*)\])");
        QStringList programs;
        for (const char* folder : {"/bin", "/tests"}) {
            for (const QFileInfo& file : QDir(QStringLiteral(HEARTH_BINARY_DIR) + folder)
                                             .entryInfoList(QDir::Files | QDir::Executable)) {
                programs << file.filePath();
            }
        }
        QSet<QString> needed;
        for (auto it = kNeeded.globalMatch(output_of("readelf", QStringList{"-dW"} + programs));
             it.hasNext();) {
            needed << it.next().captured(1);
        }
        for (const QString& name : needed) {
            named.append({"the library " + name, "linked", places[name]});
        }
        judge(named, 10);
    }

    // The libraries that the installer expects on every host come here with what is listed, however
    // far behind.
    void librariesOfTheHost() {
        QSet<QString> reached = listed_ + essential_;
        for (QStringList waiting = reached.values(); !waiting.isEmpty();) {
            for (const QString& next : depends_[waiting.takeLast()]) {
                if (!reached.contains(next)) {
                    reached << next;
                    waiting << next;
                }
            }
        }
        const QString known = output_of("/sbin/ldconfig", {"-p"});
        QList<Named> named;
        for (const QString& name : names_in("installer/run/host_libraries.txt")) {
            const auto at = known.indexOf("\t" + name + " (");
            named.append(
                {"the library " + name, "installer/run/host_libraries.txt",
                 at < 0 ? QString() : known.mid(at).section(" => ", 1).section('\n', 0, 0)});
        }
        const QSet<QString> kept = std::exchange(listed_, reached);
        const QStringList missing = unlisted(named);
        listed_ = kept;
        QVERIFY2(missing.isEmpty(), qPrintable('\n' + missing.join('\n')));
    }

    void headers() {
        QStringList folders = {"/usr/include", "/usr/include/x86_64-linux-gnu",
                               "/usr/include/c++/12", "/usr/lib/gcc/x86_64-linux-gnu/12/include"};
        const QDir qt("/usr/include/x86_64-linux-gnu/qt6");
        for (const QString& name : qt.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            folders << qt.filePath(name);
        }
        folders << qt.path();
        static const QRegularExpression kInclude("^ *# *include <([^>]+)>",
                                                 QRegularExpression::MultilineOption);
        QList<Named> named;
        QSet<QString> seen;
        for (const QString& file : files_in({"app", "engine", "tests"}, {"*.cpp", "*.h"})) {
            for (auto it = kInclude.globalMatch(read(file)); it.hasNext();) {
                const QString header = it.next().captured(1);
                if (seen.contains(header)) {
                    continue;
                }
                seen << header;
                for (const QString& folder : folders) {
                    if (QFileInfo(folder + '/' + header).isFile()) {
                        named.append({"the header " + header, file, folder + '/' + header});
                        break;
                    }
                }
            }
        }
        judge(named, 100);
    }

    // Files of the system that scripts and tests open by their paths. The programs look whether
    // they are there.
    void files() {
        static const QRegularExpression kPath(
            R"((?<![\w./$}-])(/usr/(?:share|lib|libexec)/[\w./+-]+))");
        QList<Named> named;
        for (const QString& file :
             files_in({"tests", ".ci", "installer"}, {"*.cpp", "*.h", "*.sh", "*.py"})) {
            for (auto it = kPath.globalMatch(read(file)); it.hasNext();) {
                const QString path = it.next().captured(1);
                if (QFileInfo::exists(path) && path.count('/') > 3) {
                    named.append({path, file, path});
                }
            }
        }
        judge(named, 1);
    }

private:
    bool isRelied(const QString& package) const {
        return listed_.contains(package) || essential_.contains(package) ||
               std::any_of(std::begin(kBrought), std::end(kBrought),
                           [&](const Brought& row) { return package == row.package; });
    }

    // A -dev package depends on the very library that it links with, and a listed package on what
    // its own library is linked with; only the first is relied on.
    bool comesWithItsDevPackage(const QString& package) const {
        return std::any_of(listed_.begin(), listed_.end(), [&](const QString& listed) {
            return listed.endsWith("-dev") && depends_[listed].contains(package);
        });
    }

    // A line for each thing whose owner is in no list, or that is not here.
    QStringList unlisted(const QList<Named>& named) const {
        // Which path of a merged /usr a package names is its own affair.
        QHash<QString, QStringList> ways;
        QStringList asked;
        for (const Named& one : named) {
            if (one.path.isEmpty() || ways.contains(one.path)) {
                continue;
            }
            QStringList& paths = ways[one.path];
            for (const QString& path : {one.path, QFileInfo(one.path).canonicalFilePath()}) {
                if (path.isEmpty()) {
                    continue;
                }
                paths << path << (path.startsWith("/usr/") ? path.mid(4) : "/usr" + path);
            }
            paths.removeDuplicates();
            asked << paths;
        }
        QHash<QString, QStringList> owners;  // a folder may have several
        for (const QString& line : output_of("dpkg-query", QStringList{"-S"} + asked).split('\n')) {
            if (!line.startsWith("diversion ")) {
                for (const QString& owner : line.section(": ", 0, -2).split(", ")) {
                    owners[line.section(": ", -1)] << owner.section(':', 0, 0);
                }
            }
        }
        QStringList lines;
        for (const Named& one : named) {
            QStringList found;
            for (const QString& path : ways.value(one.path)) {
                found << owners.value(path);
            }
            const bool relied = std::any_of(found.begin(), found.end(), [&](const QString& owner) {
                return isRelied(owner) || comesWithItsDevPackage(owner);
            });
            const QString name = QString("%1 (%2): ").arg(one.what, one.where);
            if (found.isEmpty() && !QFileInfo::exists(one.path)) {
                lines << name + "it is not here, and no listed package brings it";
            } else if (!found.isEmpty() && !relied) {
                lines << name + found.first() +
                             " owns it, which third_party/packages.txt does not list";
            }
        }
        lines.removeDuplicates();
        return lines;
    }

    void judge(const QList<Named>& named, int at_least) {
        QVERIFY2(named.size() >= at_least, qPrintable(QString::number(named.size())));
        const QStringList lines = unlisted(named);
        for (const QString& line : lines) {
            qWarning().noquote() << line;  // a failure's words are cut at a length
        }
        QVERIFY2(lines.isEmpty(), "each is named above");
    }

    // The modules that QML files and sources import, with what these import in turn.
    QList<Named> qmlModules() {
        const QString qt = output_of("qtpaths6", {"--query", "QT_INSTALL_QML"}).trimmed();
        const QString scanner =
            output_of("qtpaths6", {"--query", "QT_INSTALL_LIBEXECS"}).trimmed() +
            "/qmlimportscanner";
        QList<Named> named;
        const QString found =
            output_of(scanner, {"-rootPath", kRoot.filePath("app/desktop/qml"), "-importPath", qt});
        for (const QJsonValue& value : QJsonDocument::fromJson(found.toUtf8()).array()) {
            const QJsonObject one = value.toObject();
            const QString name = one["name"].toString();
            if (one["type"] == "module" && name != "Hearth") {
                named.append({"the QML module " + name, "app/desktop/qml",
                              one["path"].toString().isEmpty()
                                  ? QString()
                                  : one["path"].toString() + "/qmldir"});
            }
        }
        static const QRegularExpression kImport(R"(\bimport (Qt[A-Z]?[\w.]*))");
        for (const QString& file : files_in({"app", "tests"}, {"*.cpp", "*.h"})) {
            for (auto it = kImport.globalMatch(read(file)); it.hasNext();) {
                const QString name = it.next().captured(1);
                named.append({"the QML module " + name, file,
                              qt + '/' + QString(name).replace('.', '/') + "/qmldir"});
            }
        }
        return named;
    }

    QSet<QString> listed_;
    QSet<QString> essential_;
    QHash<QString, QSet<QString>> depends_;
};

QTEST_GUILESS_MAIN(PackagesTest)
#include "packages_test.moc"
