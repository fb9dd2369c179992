// Notices are made from what is really in a folder, and a folder that may not be shipped is
// refused.
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

class MakeNoticesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void namesWhatIsThere();
    void knowsLibrariesOfOtherLicences();
    void saysHowToUseAnotherQt();
    void refuses_data();
    void refuses();

private:
    static QString fileOf(const char* package, const char* part);
    struct Run {
        int status;
        QByteArray errors;
    };
    Run make(const QStringList& options = {}) const;
    bool put(const QString& path, const QByteArray& bytes) const;
    QByteArray notices() const {
        QFile file(out());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QString out() const { return folder_->filePath(QStringLiteral("notices.txt")); }
    QString payload() const { return folder_->filePath(QStringLiteral("payload")); }

    QString library_;  // of an installed package, md4c's
    std::unique_ptr<QTemporaryDir> folder_;
};

void MakeNoticesTest::initTestCase() {
    if (QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty() ||
        QStandardPaths::findExecutable(QStringLiteral("dpkg-query")).isEmpty()) {
        QSKIP("python3 and dpkg are needed");
    }
    library_ = fileOf("libmd4c0", "/libmd4c.so.");
    QVERIFY(!library_.isEmpty());
}

// A file of an installed package.
QString MakeNoticesTest::fileOf(const char* package, const char* part) {
    QProcess files;
    files.start(QStringLiteral("dpkg-query"),
                {QStringLiteral("--listfiles"), QString::fromLatin1(package)});
    files.waitForFinished();
    for (const QByteArray& line : files.readAllStandardOutput().split('\n')) {
        const QString path = QFile::decodeName(line);
        if (line.contains(part) && !QFileInfo(path).isSymLink()) {
            return path;
        }
    }
    return {};
}

void MakeNoticesTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(put(QStringLiteral("bin/hearth"), "ours"));
    QVERIFY(put(QStringLiteral("lib/x"), {}) &&
            QFile::remove(payload() + QStringLiteral("/lib/x")));
    QVERIFY(QFile::copy(library_,
                        payload() + QStringLiteral("/lib/") + QFileInfo(library_).fileName()));
}

bool MakeNoticesTest::put(const QString& path, const QByteArray& bytes) const {
    QFile file(payload() + QLatin1Char('/') + path);
    return QDir().mkpath(QFileInfo(file).path()) && file.open(QIODevice::WriteOnly) &&
           file.write(bytes) == bytes.size();
}

MakeNoticesTest::Run MakeNoticesTest::make(const QStringList& options) const {
    QProcess script;
    script.start(
        QStringLiteral("python3"),
        QStringList(QStringLiteral(HEARTH_SOURCE_DIR "/installer/licences/make_notices.py")) +
            options + QStringList({payload(), out()}));
    script.waitForFinished(60'000);
    return {script.exitStatus() == QProcess::NormalExit ? script.exitCode() : -1,
            script.readAllStandardError()};
}

void MakeNoticesTest::namesWhatIsThere() {
    const Run first = make();
    QVERIFY2(first.status == 0 && first.errors.isEmpty(), first.errors.constData());
    const QByteArray text = notices();
    for (const char* part :
         {"MIT License", "CC BY-SA 4.0", "libmd4c0 0.", "    lib/libmd4c.so.",
          "nlohmann-json3-dev 3.", "    compiled into the programs", "Niels Lohmann",
          "use that of the system", "/usr/share/common-licenses/Apache-2.0, which"}) {
        QVERIFY2(text.contains(part), part);
    }
    // What each Debian has is not repeated in its own package.
    QCOMPARE(make({QStringLiteral("--debian")}).status, 0);
    QVERIFY(!notices().contains("Apache-2.0, which") && notices().size() < text.size());
    QVERIFY(!text.contains("libuv"));  // it is installed here, and not in the folder
    QCOMPARE(make().status, 0);
    QCOMPARE(notices(), text);
    // A stripped library, or one that looks elsewhere for others, is the same one.
    const QString copy = payload() + QStringLiteral("/lib/") + QFileInfo(library_).fileName();
    QFile library(copy);
    QVERIFY(library.open(QIODevice::Append) && library.write("more") == 4);
    library.close();
    QCOMPARE(make().status, 0);
    QCOMPARE(notices(), text);
}

// Most of its source package is under the GPL. Qt's network library brings it.
void MakeNoticesTest::knowsLibrariesOfOtherLicences() {
    const QString library = fileOf("libcom-err2", "/libcom_err.so.");
    QVERIFY(!library.isEmpty());
    QVERIFY(QFile::copy(library, payload() + QStringLiteral("/lib/libcom_err.so.2")));
    const Run run = make();
    QVERIFY2(run.status == 0, run.errors.constData());
    QVERIFY(notices().contains("libcom-err2 1.") && notices().contains(": MIT\n") &&
            notices().contains("source: e2fsprogs 1.") &&
            notices().contains("by MIT Student Information Processing Board"));
}

void MakeNoticesTest::saysHowToUseAnotherQt() {
    for (const char* package : {"libqt6core6", "libqt6core6t64"}) {
        const QString library = fileOf(package, "/libQt6Core.so.6.");
        if (!library.isEmpty()) {
            QVERIFY(QFile::copy(library, payload() + QStringLiteral("/lib/libQt6Core.so.6")));
        }
    }
    const Run run = make();
    QVERIFY2(run.status == 0, run.errors.constData());
    const QByteArray text = notices();
    for (const char* part : {"Lesser General Public License", "    qt6-base 6.",
                             "the libraries in lib/.", "common-licenses/LGPL-3, which"}) {
        QVERIFY2(text.contains(part), part);
    }
    QVERIFY2(text.simplified().contains("has to be of the same release, 6."), text.constData());
    // The window's dialog would break what is longer. Debian's own texts follow.
    const QByteArray ours = text.left(text.indexOf("What is in this package"));
    for (const QByteArray& line : ours.split('\n')) {
        QVERIFY2(line.size() <= 80, line.constData());
    }
}

void MakeNoticesTest::refuses_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("says");
    QTest::addRow("a file of nobody") << QStringLiteral("lib/libstranger.so.1") << QByteArray("x")
                                      << QByteArray("nobody owns it");
    QTest::addRow("a package's file, changed") << QStringLiteral("share/fonts/DejaVuSans.ttf")
                                               << QByteArray("x") << QByteArray("nobody owns it");
    QTest::addRow("a module of Qt under the GPL") << QStringLiteral("lib/libQt6Charts.so.6")
                                                  << QByteArray("x") << QByteArray("the GPL alone");
    QTest::addRow("its QML") << QStringLiteral("qml/QtCharts/qmldir") << QByteArray("x")
                             << QByteArray("the GPL alone");
}

void MakeNoticesTest::refuses() {
    QFETCH(QString, file);
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, says);
    QVERIFY(put(file, bytes));
    const Run refused = make();
    QCOMPARE(refused.status, 1);
    QVERIFY2(refused.errors.contains(file.toUtf8() + ": ") && refused.errors.contains(says),
             refused.errors.constData());
    QVERIFY(!QFile::exists(out()));
    // Who packs knows the files of the packing.
    const Run ours = make({QStringLiteral("--ours"), file});
    QCOMPARE(ours.status, says.contains("GPL") ? 1 : 0);
}

QTEST_GUILESS_MAIN(MakeNoticesTest)
#include "make_notices_test.moc"
