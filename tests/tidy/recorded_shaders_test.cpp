// shaders/recorded has modules that not every compiler of shaders can make
// (shaders/recorded.cmake). Each must be made from the sources of today; a compiler of the recorded
// version makes it anew.
#include <QtTest>

namespace {

const QDir kRecorded(HEARTH_SOURCE_DIR "/shaders/recorded");
const QDir kBuilt(HEARTH_BINARY_DIR "/shaders/hearth_shaders");
const QString kAdvice = ".ci/record_shaders.sh makes it anew";

QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The words of each line, by the first of them.
QMap<QString, QStringList> lines_of(const QByteArray& text) {
    QMap<QString, QStringList> lines;
    for (const QString& line : QString::fromUtf8(text).split('\n', Qt::SkipEmptyParts)) {
        QStringList words = line.split(' ');
        const QString first = words.takeFirst();
        lines[first] = words;
    }
    return lines;
}

// built: modules and what they are made from. recorded: likewise, and the hashes of their files.
// file: gives the bytes of a module.
template <class File>
QStringList breaches_of(const QMap<QString, QStringList>& built,
                        const QMap<QString, QStringList>& recorded, const File& file) {
    QStringList breaches;
    for (const QString& module : built.keys() + recorded.keys()) {
        const QStringList of = recorded.value(module);
        if (module == "compiler" || breaches.contains(module)) {
            continue;
        }
        const QByteArray hash =
            QCryptographicHash::hash(file(module), QCryptographicHash::Sha256).toHex();
        if (of.size() != 2 || built.value(module) != of.mid(0, 1) || of[1] != hash) {
            breaches << module;
        }
    }
    breaches.removeDuplicates();
    return breaches;
}

}  // namespace

class RecordedShadersTest : public QObject {
    Q_OBJECT

private slots:
    void eachIsMadeFromTodaysSources() {
        const auto built = lines_of(read(kBuilt.filePath("recorded_from.txt")));
        const auto recorded = lines_of(read(kRecorded.filePath("modules.txt")));
        QVERIFY(built.size() > 8);
        QVERIFY(!recorded["compiler"].isEmpty());
        const QStringList breaches = breaches_of(built, recorded, [](const QString& module) {
            return read(kRecorded.filePath(module + ".spv"));
        });
        QVERIFY2(breaches.isEmpty(), qPrintable(breaches.join(", ") + ": " + kAdvice));
        QCOMPARE(kRecorded.entryList({"*.spv"}).size(), recorded.size() - 1);
    }

    void breachesAreFound() {
        const QByteArray bytes("code");
        const QString hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
        const auto file = [&](const QString&) { return bytes; };
        using Lines = QMap<QString, QStringList>;
        const Lines built{{"compiler", {"no"}}, {"a", {"1"}}, {"b", {"2"}}};
        QCOMPARE(breaches_of(built, Lines{{"a", {"1", hash}}, {"b", {"2", hash}}}, file),
                 QStringList());
        QCOMPARE(breaches_of(built, Lines{{"a", {"1", hash}}}, file), QStringList("b"));
        QCOMPARE(breaches_of(built, Lines{{"a", {"3", hash}}, {"b", {"2", hash}}}, file),
                 QStringList("a"));
        QCOMPARE(breaches_of(built, Lines{{"a", {"1", hash}}, {"b", {"2", "else"}}}, file),
                 QStringList("b"));
        QCOMPARE(
            breaches_of(built, Lines{{"a", {"1", hash}}, {"b", {"2", hash}}, {"c", {"3", hash}}},
                        file),
            QStringList("c"));
    }

    void theSameCompilerMakesTheSame() {
        const auto built = lines_of(read(kBuilt.filePath("recorded_from.txt")));
        const auto recorded = lines_of(read(kRecorded.filePath("modules.txt")));
        if (built["compiler"] != recorded["compiler"]) {
            QSKIP("the compiler of shaders is not the one that made the recorded modules");
        }
        for (const QString& module : recorded.keys()) {
            if (module != "compiler") {
                QVERIFY2(read(kBuilt.filePath(module + ".spv")) ==
                             read(kRecorded.filePath(module + ".spv")),
                         qPrintable(module));
            }
        }
    }
};

QTEST_APPLESS_MAIN(RecordedShadersTest)
#include "recorded_shaders_test.moc"
