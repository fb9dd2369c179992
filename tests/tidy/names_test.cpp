// Names that only some folders may use: everything else reads the table's row, so that a new weight
// type is a row, a new architecture a file, and either touches nothing else. And names of types:
// none stands for two things.
#include <QtTest>
#include <algorithm>
#include <iterator>

namespace {

// The families that a file of architectures/ defines.
QStringList defined_in(const QString& text) {
    static const QRegularExpression kDefinition(R"re(Architecture k\w+\{\s*\.name = "([a-z_]+))re");
    QStringList found;
    auto definitions = kDefinition.globalMatch(text);
    while (definitions.hasNext()) {
        found << definitions.next().captured(1);
    }
    return found;
}

// The families that there are or may be, as a file, a type, a constant and a macro spell them.
QString architectures() {
    QStringList families = {"baichuan", "bloom",   "cohere",   "deepseek", "exaone",  "gemma",
                            "gpt2",     "granite", "internlm", "mamba",    "minicpm", "mistral",
                            "mixtral",  "mpt",     "nemotron", "olmo",     "phi",     "qwen",
                            "rwkv",     "smollm",  "stablelm", "starcoder"};
    QDirIterator files(QDir(HEARTH_SOURCE_DIR).filePath("engine/model/architectures"), {"*.cpp"});
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly)) {
            families << defined_in(QString::fromUtf8(file.readAll()));
        }
    }
    QStringList capital;
    QStringList macro;
    for (const QString& family : families) {
        capital << family.left(1).toUpper() + family.mid(1);
        macro << family.toUpper();
    }
    // Not the "opt" of "adopt", "kOptions" or "OPTION".
    return QString("(?:(?<![A-Za-z])(?:%1)|(?:%2)|(?<![A-Z])(?:%3)(?![A-Z]))(?![a-z])")
        .arg(families.join('|'), capital.join('|'), macro.join('|'));
}

struct NameRule {
    QString name;
    QRegularExpression files;    // where names are looked for
    QRegularExpression pattern;  // of code; comments may name anything
    QRegularExpression places;   // where they belong
};
QRegularExpression re(const QString& pattern) {
    return QRegularExpression(pattern);
}
const NameRule kRules[] = {
    {"weight types are rows of gguf/encoding.cpp", re("^engine/"),
     re(R"(\bDType::(?!I8\b|I16\b|I32\b|I64\b|F64\b)[A-Z]|\bBlockI?[QT]\d)"),
     re("^engine/(gguf|cpu/kernels/[a-z0-9]+)/|"
        "^engine/tools/weight_mix\\.cpp$")},
    // The pre-tokenizers' rows and marks of calls are called after models, and the published mixes
    // tell them apart.
    {"architectures are rows of engine/model/architectures", re("^engine/"), re(architectures()),
     re(R"(^engine/(model/|text/(answer_marks|pre_tokenizer_rows)\.cpp$|tools/weight_mix\.cpp$))")},
    {"the window writes sizes with sizeWords()", re("^app/desktop/"),
     re(R"(\bformattedDataSize\b)"), re(R"(^app/desktop/system/size_words\.cpp$)")},
};

// Files that still break a rule. One that no longer does is to be taken off.
const QStringList kToDo = {};

// Without // and /* */, but for those in strings.
QString code_of(const QString& text) {
    static const QRegularExpression kComment(R"re(("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/)re",
                                             QRegularExpression::DotMatchesEverythingOption);
    QString code = text;
    return code.replace(kComment, "\\1");
}

QStringList breaches(const QString& path, const QString& text) {
    QStringList found;
    for (const NameRule& rule : kRules) {
        if (!rule.files.match(path).hasMatch() || rule.places.match(path).hasMatch()) {
            continue;
        }
        int number = 0;
        for (const QString& line : code_of(text).split('\n')) {
            ++number;
            if (rule.pattern.match(line).hasMatch()) {
                found << QString("%1 (%2)").arg(line.trimmed(), rule.name);
            }
        }
    }
    return found;
}

// A type at namespace scope, where lines are not indented. Types inside a class have the class's
// name before their own, and a forward declaration declares no second thing.
const QRegularExpression kType(
    R"(^(?:template <[^>]*>\s*)?(?:class|struct|union|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?=(?: ?:(?!:)[^;{]*)?\s*\{))",
    QRegularExpression::MultilineOption);

const QRegularExpression kAlias("^using (\\w+) =", QRegularExpression::MultilineOption);

QStringList types_of(const QString& path, const QString& text) {
    QStringList types;
    for (const QRegularExpression* pattern : {&kType, &kAlias}) {
        if (pattern == &kAlias && !path.endsWith(".h")) {
            continue;  // a source file may shorten any name
        }
        auto found = pattern->globalMatch(code_of(text));
        while (found.hasNext()) {
            types << found.next().captured(1);
        }
    }
    return types;
}

struct SharedName {
    QRegularExpression name, places;
    const char* why;
};
const SharedName kSharedNames[] = {
    {re("^(Activations|Bytes|Ints|Floats|BlockFloats)$"), re("^engine/cpu/kernels/"),
     "each instruction set has the same vocabulary in its own namespace"},
};

bool may_share(const QString& name, const QStringList& paths) {
    return std::any_of(std::begin(kSharedNames), std::end(kSharedNames), [&](const auto& shared) {
        return shared.name.match(name).hasMatch() &&
               std::all_of(paths.begin(), paths.end(), [&](const QString& path) {
                   return shared.places.match(path).hasMatch();
               });
    });
}

// The names that stand for two things. A source file's own type counts where a header has one of
// that name. files: by path, their texts.
QStringList names_for_two_things(const QMap<QString, QString>& files) {
    QMap<QString, QStringList> in_headers, in_sources;
    for (auto file = files.begin(); file != files.end(); ++file) {
        for (const QString& type : types_of(file.key(), file.value())) {
            (file.key().endsWith(".h") ? in_headers : in_sources)[type] << file.key();
        }
    }
    QStringList found;
    for (auto type = in_headers.begin(); type != in_headers.end(); ++type) {
        QStringList paths = type.value() + in_sources.value(type.key());
        paths.removeDuplicates();
        if (paths.size() > 1 && !may_share(type.key(), paths)) {
            found << QString("%1: %2").arg(type.key(), paths.join(", "));
        }
    }
    return found;
}

QMap<QString, QString> sources_below(const QStringList& tops, const QStringList& patterns) {
    QMap<QString, QString> files;
    const QDir root(HEARTH_SOURCE_DIR);
    for (const QString& top : tops) {
        QDirIterator it(root.filePath(top), patterns, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            if (file.open(QIODevice::ReadOnly)) {
                files[root.relativeFilePath(file.fileName())] = QString::fromUtf8(file.readAll());
            }
        }
    }
    return files;
}

}  // namespace

class NamesTest : public QObject {
    Q_OBJECT

private slots:
    void theTree_data() {
        QTest::addColumn<QString>("path");
        const QDir root(HEARTH_SOURCE_DIR);
        for (const char* top : {"engine", "app/desktop"}) {
            QDirIterator it(root.filePath(top), {"*.h", "*.cpp", "*.inc"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = root.relativeFilePath(it.next());
                QTest::newRow(qPrintable(path)) << path;
            }
        }
    }
    void theTree() {
        QFETCH(QString, path);
        QFile file(QDir(HEARTH_SOURCE_DIR).filePath(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList found = breaches(path, QString::fromUtf8(file.readAll()));
        if (kToDo.contains(path)) {
            QVERIFY2(!found.isEmpty(), "breaks no rule any more: take it off the list");
        } else {
            QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
        }
    }

    void theListNamesFiles() {
        for (const QString& path : kToDo) {
            QVERIFY2(QFile::exists(QDir(HEARTH_SOURCE_DIR).filePath(path)), qPrintable(path));
        }
    }

    void oneNameIsOneThing() {
        const auto files = sources_below({"engine", "app"}, {"*.h", "*.cpp"});
        QVERIFY(files.size() > 300);
        const QStringList found = names_for_two_things(files);
        QVERIFY2(found.isEmpty(), qPrintable(found.join("\n")));
    }

    void aSecondTypeOfOneNameIsFound() {
        const QString one = "namespace a {\nstruct Role {\n};\n}\n";
        for (const char* other :
             {"using Role = std::variant<int>;", "enum class Role : std::uint8_t {\n};",
              "class Role final : public QObject {\n};", "template <class T>\nclass Role {\n};",
              "enum Role { A };", "struct Role : Base<T> {\n};",
              "class [[nodiscard]] Role {\n};"}) {
            QCOMPARE(names_for_two_things({{"engine/a.h", one}, {"app/b.h", other}}),
                     QStringList("Role: app/b.h, engine/a.h"));
            if (QByteArray(other).startsWith("using")) {
                continue;
            }
            QCOMPARE(names_for_two_things({{"engine/a.h", one}, {"app/b.cpp", other}}),
                     QStringList("Role: engine/a.h, app/b.cpp"));
            QVERIFY(names_for_two_things({{"engine/a.cpp", one}, {"app/b.cpp", other}}).isEmpty());
        }
        for (const char* other :
             {"struct Role;", "enum class Role : int;", "class A {\n    enum Role { B };\n};",
              "struct Role::Impl {\n};", "// struct Role {", "struct RoleRow {\n};"}) {
            const QMap<QString, QString> files{{"engine/a.h", one}, {"app/b.h", other}};
            QVERIFY2(names_for_two_things(files).isEmpty(), other);
        }
        const QString ints = "struct Ints {\n};";
        const QString kernels = "engine/cpu/kernels/";
        QVERIFY(
            names_for_two_things({{kernels + "avx2/simd.h", ints}, {kernels + "neon/simd.h", ints}})
                .isEmpty());
        QCOMPARE(
            names_for_two_things({{kernels + "avx2/simd.h", ints}, {"engine/vulkan/a.h", ints}})
                .size(),
            1);
    }

    // A permission that nobody needs any more goes.
    void everySharedNameIsShared() {
        const auto files = sources_below({"engine", "app"}, {"*.h"});
        for (const SharedName& shared : kSharedNames) {
            QHash<QString, int> times;
            for (auto file = files.begin(); file != files.end(); ++file) {
                for (const QString& type : types_of(file.key(), file.value())) {
                    times[type] += shared.name.match(type).hasMatch() &&
                                   shared.places.match(file.key()).hasMatch();
                }
            }
            QVERIFY2(std::any_of(times.begin(), times.end(), [](int n) { return n > 1; }),
                     shared.why);
        }
    }

    void familiesAreFound() {
        QCOMPARE(defined_in("const Architecture kSomeOf{.name = \"some\", .read = r};\n"
                            "const Architecture kOther{\n    .name = \"other2\"};"),
                 QStringList({"some", "other"}));
    }

    void theRulesFindNames() {
        const QString file = "engine/tools/pack.cpp";
        for (const char* line : {"if (type == DType::Q5_0) {", "DType type = DType::F32;",
                                 "case DType::IQ4_NL:", "sizeof(BlockQ8_0)",
                                 "f(\"//\", DType::BF16);", "/* a */ DType::MXFP4"}) {
            QCOMPARE(breaches(file, line).size(), 1);
            QVERIFY(breaches("engine/gguf/rows.cpp", line).isEmpty());
            QVERIFY(breaches("engine/cpu/kernels/avx2/codes.h", line).isEmpty());
            QCOMPARE(breaches("engine/cpu/kernels/kernels.h", line).size(), 1);
        }
        for (const char* line : {"tensor.type = DType::I32;", "case CodeKind::F32:",
                                 "f();  // as DType::Q4_0", "/* DType::Q4_0 */", "DType type{};"}) {
            QVERIFY2(breaches(file, line).isEmpty(), line);
        }
        for (const char* line :
             {"if (arch == \"llama\") {", "is_opt(spec)", "spec.arch == \"opt\"",
              "case Arch::Opt:", "FalconNorms norms;", "read_bamboo(keys)",
              "constexpr int kQwen2 = 1;", "#define HEARTH_GEMMA 1", "mistral_window"}) {
            QVERIFY2(breaches(file, line).size() == 1, line);
            QVERIFY2(breaches("engine/model/weights.cpp", line).isEmpty(), line);
            QVERIFY2(breaches("engine/text/pre_tokenizer_rows.cpp", line).isEmpty(), line);
        }
        for (const char* line :
             {"std::optional<int> options;", "is_optimal", "adopt(x)", "  // llama", "kOptions",
              "VK_COMMAND_BUFFER", "OPTION", "HOST_COHERENT_BIT"}) {
            QVERIFY2(breaches(file, line).isEmpty(), line);
        }
        const char* const size = "QLocale().formattedDataSize(bytes)";
        QCOMPARE(breaches("app/desktop/library/fit_text.cpp", size).size(), 1);
        QVERIFY(breaches("app/desktop/system/size_words.cpp", size).isEmpty());
        QVERIFY(breaches(file, size).isEmpty());
    }
};

QTEST_APPLESS_MAIN(NamesTest)
#include "names_test.moc"
