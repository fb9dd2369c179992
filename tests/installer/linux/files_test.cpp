// The files that `cmake --install` puts into a desktop's folders, as the desktop's own programs
// judge them.
#include <QDir>
#include <QImage>
#include <QMimeDatabase>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

namespace {

const char* const kType = "application/x-gguf";

// Returns the output of both channels; the exit status is in `status`, -1 if it did not run.
QByteArray run(const QString& program, const QStringList& arguments, int* status) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    *status = process.waitForStarted() && process.waitForFinished(60'000) &&
                      process.exitStatus() == QProcess::NormalExit
                  ? process.exitCode()
                  : -1;
    return process.readAll();
}

double meanDifference(const QImage& a, const QImage& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QColor one = a.pixelColor(x, y);
            const QColor other = b.pixelColor(x, y);
            sum += std::abs(one.alpha() - other.alpha());
            if (one.alpha() > 0 && other.alpha() > 0) {
                sum += std::abs(one.red() - other.red()) + std::abs(one.green() - other.green()) +
                       std::abs(one.blue() - other.blue());
            }
        }
    }
    return sum / (4.0 * a.width() * a.height());
}

}  // namespace

class FilesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void passTheirValidators_data();
    void passTheirValidators();
    void iconsAreTheDrawing_data();
    void iconsAreTheDrawing();
    void aModelIsKnown_data();
    void aModelIsKnown();

private:
    QString share(const QString& path) const {
        return root_.filePath(path.isEmpty() ? QStringLiteral("usr/share")
                                             : QStringLiteral("usr/share/") + path);
    }

    const QTemporaryDir root_;
};

void FilesTest::initTestCase() {
    for (const auto& [program, package] :
         {std::pair("desktop-file-validate", "desktop-file-utils"),
          std::pair("appstreamcli", "appstream"),
          std::pair("update-mime-database", "shared-mime-info"), std::pair("gio", "libglib2.0-bin"),
          std::pair("rsvg-convert", "librsvg2-bin")}) {
        if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty()) {
            QSKIP(qPrintable(QStringLiteral("%1 is not installed (Debian package %2)")
                                 .arg(QLatin1String(program), QLatin1String(package))));
        }
    }
    qputenv("XDG_DATA_DIRS", share(QString()).toUtf8());
    qputenv("XDG_DATA_HOME", root_.filePath(QStringLiteral("none")).toUtf8());
    int status = -1;
    const QByteArray said =
        run(QStringLiteral(HEARTH_CMAKE),
            {QStringLiteral("--install"), QStringLiteral(HEARTH_BINARY_DIR "/installer/linux"),
             QStringLiteral("--prefix"), root_.filePath(QStringLiteral("usr"))},
            &status);
    QVERIFY2(status == 0, said.constData());
    // The types of this system, and ours beside them.
    const QDir types(QStringLiteral("/usr/share/mime/packages"));
    for (const QString& file : types.entryList({QStringLiteral("freedesktop.org.xml")})) {
        QVERIFY(QFile::copy(types.filePath(file), share(QStringLiteral("mime/packages/") + file)));
    }
    const QByteArray made =
        run(QStringLiteral("update-mime-database"), {share(QStringLiteral("mime"))}, &status);
    QVERIFY2(status == 0 && made.isEmpty(), made.constData());
}

void FilesTest::passTheirValidators_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("arguments");
    QTest::addRow("menu entry") << QStringLiteral("desktop-file-validate")
                                << QStringList(
                                       share(QStringLiteral("applications/hearth.desktop")));
    // Also that the entry, the icons and the description know each other.
    QTest::addRow("description") << QStringLiteral("appstreamcli")
                                 << QStringList({QStringLiteral("validate-tree"),
                                                 QStringLiteral("--no-net"), root_.path()});
}

void FilesTest::passTheirValidators() {
    QFETCH(QString, program);
    QFETCH(QStringList, arguments);
    int status = -1;
    const QByteArray said = run(program, arguments, &status);
    if (program == QLatin1String("appstreamcli")) {
        // AppStream 1.0 fails for the one thing that is owed: Hearth has no page of its own yet.
        bool owed = false;
        for (const QByteArray& line : said.split('\n')) {
            const QByteArray words = line.trimmed();
            if (words.startsWith("E:") || words.startsWith("W:")) {
                QVERIFY2(words.contains("url-homepage-missing"), said.constData());
                owed = true;
            }
        }
        QVERIFY2(owed || (status == 0 && said.contains("successful")), said.constData());
    } else {
        QVERIFY2(status == 0 && !said.contains("hint:"), said.constData());
        QVERIFY2(said.isEmpty(), said.constData());
    }
}

void FilesTest::iconsAreTheDrawing_data() {
    QTest::addColumn<int>("size");
    for (const int size : {16, 22, 24, 32, 48, 64, 128, 256, 512}) {
        QTest::addRow("%d", size) << size;
    }
}

// Versions of the program that draws differ at the edges, no more.
void FilesTest::iconsAreTheDrawing() {
    QFETCH(int, size);
    const QTemporaryDir drawn;
    int status = -1;
    const QByteArray said = run(QStringLiteral(HEARTH_SOURCE_DIR "/resources/icons/make_icons.sh"),
                                {drawn.path()}, &status);
    QVERIFY2(status == 0, said.constData());
    const QImage icon(share(QStringLiteral("icons/hicolor/%1x%1/apps/hearth.png").arg(size)));
    const QImage again(drawn.filePath(QStringLiteral("hearth-%1.png").arg(size)));
    QCOMPARE(icon.size(), QSize(size, size));
    QCOMPARE(again.size(), QSize(size, size));
    QVERIFY(icon.hasAlphaChannel());
    const double difference = meanDifference(icon, again);
    QVERIFY2(difference < 1.0, qPrintable(QString::number(difference)));
    QVERIFY(QFile::exists(share(QStringLiteral("icons/hicolor/scalable/apps/hearth.svg"))));
}

void FilesTest::aModelIsKnown_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<bool>("model");
    const QByteArray model("GGUF\3\0\0\0\1\0\0\0\0\0\0\0", 16);
    const QByteArray bigEndian("GGUF\0\0\0\3\0\0\0\0\0\0\0\1", 16);
    const QByteArray later("GGUF\x9\0\0\0\1\0\0\0\0\0\0\0", 16);
    const QByteArray text("GGUF is a format of files.\n");
    QTest::addRow("by its name") << QStringLiteral("a.gguf") << model << true;
    QTest::addRow("by capital letters") << QStringLiteral("a.GGUF") << model << true;
    QTest::addRow("a name that says nothing") << QStringLiteral("sha256-0a1b") << model << true;
    QTest::addRow("a name of any data") << QStringLiteral("model.bin") << model << true;
    QTest::addRow("in the other order of bytes") << QStringLiteral("b") << bigEndian << true;
    QTest::addRow("of a later version") << QStringLiteral("weights") << later << true;
    QTest::addRow("a text that begins so") << QStringLiteral("c.txt") << text << false;
    QTest::addRow("another file") << QStringLiteral("d") << QByteArray(64, '\1') << false;
}

void FilesTest::aModelIsKnown() {
    QFETCH(QString, name);
    QFETCH(QByteArray, begin);
    QFETCH(bool, model);
    const QTemporaryDir folder;
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(begin) == begin.size());
    file.close();
    int status = -1;
    const QByteArray said = run(QStringLiteral("gio"),
                                {QStringLiteral("info"), QStringLiteral("--attributes"),
                                 QStringLiteral("standard::content-type"), file.fileName()},
                                &status);
    QVERIFY2(status == 0 && said.contains("standard::content-type: "), said.constData());
    QCOMPARE(said.contains(QByteArray("standard::content-type: ") + kType + '\n'), model);
    // Qt's programs read the same table.
    QCOMPARE(QMimeDatabase().mimeTypeForFile(file.fileName()).name() == QLatin1String(kType),
             model);
}

QTEST_GUILESS_MAIN(FilesTest)
#include "files_test.moc"
