// The interfaces of shaders name what a shader is given once for GLSL and C++. The compilers find a
// name that an interface lacks; this finds one that no shader reads, numbers out of order, and
// shaders that declare something by themselves.
#include <QtTest>

namespace {

const QDir kShaders(HEARTH_SOURCE_DIR "/shaders");

QString read(const QString& path) {
    QFile file(kShaders.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString without_comments(QString text) {
    static const QRegularExpression comment("//[^\n]*");
    return text.remove(comment);
}

struct Name {
    QString word;  // "CONSTANT"
    int number = 0;
    QString name;
};

QList<Name> names_of(const QString& text) {
    static const QRegularExpression declared(
        R"re(^(THREADS|CONSTANT|FLAG|UNIT_SIZE|READS|WRITES|UPDATES|SHARES|STEP)\(([^)]*)\);)re",
        QRegularExpression::MultilineOption);
    QList<Name> names;
    for (auto it = declared.globalMatch(text); it.hasNext();) {
        const auto match = it.next();
        const QString word = match.captured(1);
        const QStringList parts = match.captured(2).split(", ");
        if (word == "THREADS") {
            names << Name{word, 0, parts[0]};
        } else {
            const bool typed = word != "FLAG" && word != "UNIT_SIZE" && word != "STEP";
            names << Name{word, parts[0].toInt(), parts.value(typed ? 2 : 1)};
        }
    }
    return names;
}

// `code`: of all shaders that have the interface.
QStringList breaches_of_interface(const QString& text, const QString& code) {
    QStringList breaches;
    const QString plain = without_comments(code);
    int constant = -1;
    int binding = -1;
    for (const Name& name : names_of(text)) {
        const bool is_buffer = name.word == "READS" || name.word == "WRITES" ||
                               name.word == "UPDATES" || name.word == "SHARES" ||
                               name.word == "STEP";
        int& before = is_buffer ? binding : constant;
        if (is_buffer ? name.number != before + 1 : name.number <= before) {
            breaches << QString("%1 has number %2 behind %3")
                            .arg(name.name)
                            .arg(name.number)
                            .arg(before);
        }
        before = name.number;
        const QString read_as = name.word == "STEP" ? "position|counting|activity|past_at"
                                                    : QRegularExpression::escape(name.name);
        const bool is_workgroup = name.word == "THREADS";  // read by the driver
        if (!is_workgroup && !plain.contains(QRegularExpression("\\b(" + read_as + ")\\b"))) {
            breaches << name.name + " is read by no shader";
        }
    }
    return breaches;
}

QStringList breaches_of_shader(const QString& code) {
    static const QRegularExpression own(
        R"re(\b(constant_id|binding\s*=|push_constant|local_size_x))re");
    QStringList breaches;
    for (auto it = own.globalMatch(without_comments(code)); it.hasNext();) {
        breaches << "declares " + it.next().captured(1) + " by itself";
    }
    return breaches;
}

// A file with all that it includes. Interfaces are noted and left out.
QString with_includes(const QString& path, QSet<QString>& seen, QSet<QString>& interfaces) {
    static const QRegularExpression include("^#include \"([^\"]+)\"",
                                            QRegularExpression::MultilineOption);
    if (seen.contains(path)) {
        return {};
    }
    seen << path;
    const QString text = read(path);
    QString all = text;
    for (auto it = include.globalMatch(text); it.hasNext();) {
        const QString header = it.next().captured(1);
        if (header.startsWith("interfaces/")) {
            interfaces << header;
        } else {
            all += with_includes(header.contains('/') ? header : "include/" + header, seen,
                                 interfaces);
        }
    }
    return all;
}

QStringList files_in(const QString& folder, const QString& pattern) {
    QStringList files;
    for (const QString& name : QDir(kShaders.filePath(folder)).entryList({pattern}, QDir::Files)) {
        files << folder + '/' + name;
    }
    return files;
}

}  // namespace

class ShaderInterfacesTest : public QObject {
    Q_OBJECT

private slots:
    void interfacesAreReadByTheirShaders() {
        QHash<QString, QString> code;  // by interface
        for (const QString& path : files_in("kernels", "*.comp")) {
            QSet<QString> seen;
            QSet<QString> interfaces;
            const QString text = with_includes(path, seen, interfaces);
            QVERIFY2(!interfaces.isEmpty(), qPrintable(path + " has no interface"));
            for (const QString& header : interfaces) {
                code[header] += text;
            }
        }
        QStringList breaches;
        const QStringList interfaces = files_in("interfaces", "*.h");
        QVERIFY(interfaces.size() >= 14);
        for (const QString& path : interfaces) {
            const QString text = read(path);
            QVERIFY2(!names_of(text).isEmpty(), qPrintable(path));
            for (const QString& breach : breaches_of_interface(text, code.value(path))) {
                breaches << path + ": " + breach;
            }
        }
        QVERIFY2(breaches.isEmpty(), qPrintable(breaches.join('\n')));
    }

    void shadersDeclareNothingByThemselves() {
        QStringList breaches;
        for (const QString& path : files_in("kernels", "*.comp") + files_in("include", "*.glsl")) {
            for (const QString& breach : breaches_of_shader(read(path))) {
                breaches << path + ": " + breach;
            }
        }
        QVERIFY2(breaches.isEmpty(), qPrintable(breaches.join('\n')));
    }

    void breachesAreFound_data() {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("n");
        const QString whole =
            "CONSTANTS(Some)\nTHREADS(WORKGROUP, 64);\nFLAG(1, FAST, true);\n"
            "BUFFERS\nSTEP(0);\nREADS(1, vec4, x);\nPUSHES(SomeParams)\n";
        const QString shader = "void main() { if (FAST) { y = x[position]; } }";
        QTest::newRow("none") << whole << shader << 0;
        QTest::newRow("a buffer that is not read")
            << whole << "void main() { if (FAST) { y = position; } }" << 1;
        QTest::newRow("a name in a comment")
            << whole << "// x\nvoid main() { if (FAST) { y = position; } }" << 1;
        QTest::newRow("a part of another name")
            << whole << "void main() { if (FAST) { y = xx[position]; } }" << 1;
        QTest::newRow("a flag that is not read")
            << whole << "void main() { y = x[position]; }" << 1;
        QTest::newRow("a step that is not read")
            << whole << "void main() { if (FAST) { y = x[0]; } }" << 1;
        QTest::newRow("a number twice")
            << QString(whole).replace("READS(1", "READS(0") << shader << 1;
        QTest::newRow("a number left out")
            << QString(whole).replace("READS(1", "READS(2") << shader << 1;
        QTest::newRow("a constant's number twice")
            << QString(whole).replace("FLAG(1", "FLAG(0") << shader << 1;
        QTest::newRow("a binding of its own")
            << whole << shader + "layout(binding = 2) buffer B { float b[]; };" << 1;
        QTest::newRow("a constant of its own")
            << whole << shader + "layout(constant_id = 2) const uint N = 1;" << 1;
    }
    void breachesAreFound() {
        QFETCH(const QString, given);
        QFETCH(const QString, code);
        QFETCH(const int, n);
        const QStringList found = breaches_of_interface(given, code) + breaches_of_shader(code);
        QVERIFY2(found.size() == n, qPrintable(found.join('\n')));
    }
};

QTEST_GUILESS_MAIN(ShaderInterfacesTest)
#include "shader_interfaces_test.moc"
