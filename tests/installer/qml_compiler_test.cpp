// Releases are compiled from QML by a compiler that gives the same for the same, wherever the
// sources lie.
#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class QmlCompilerTest : public QObject {
    Q_OBJECT

private slots:
    void sameOutputInAnyFolder() {
        if (QLibraryInfo::version() >= QVersionNumber(6, 5)) {
            QSKIP("releases are built on Debian 12");
        }
        QByteArrayList outputs;
        for (const char* place : {"a", "a/b/c", "another/name/altogether"}) {
            for (int time = 0; time < 2; ++time) {
                const QString folder = folder_.filePath(place);
                QVERIFY(QDir().mkpath(folder));
                const QString source = folder + "/Main.qml";
                QFile::remove(source);
                QVERIFY(QFile::copy(QStringLiteral(HEARTH_SOURCE_DIR "/app/desktop/qml/Main.qml"),
                                    source));
                const QString imports = QStringLiteral(HEARTH_BINARY_DIR "/app/desktop");
                const Ended ended = run(
                    {QStringLiteral(HEARTH_SOURCE_DIR "/installer/run/qmlcachegen.py"), "--bare",
                     "--resource-path", "/qt/qml/Hearth/qml/Main.qml", "-I",
                     QLibraryInfo::path(QLibraryInfo::QmlImportsPath), "-i",
                     imports + "/Hearth/qmldir", "--resource", imports + "/.rcc/qmake_Hearth.qrc",
                     "--resource", imports + "/.rcc/hearth_ui_raw_qml_0.qrc", "-o",
                     folder + "/Main.cpp", source},
                    QProcessEnvironment::systemEnvironment());
                QVERIFY2(ended.status == 0, qPrintable(ended.words));
                QFile output(folder + "/Main.cpp");
                QVERIFY(output.open(QIODevice::ReadOnly));
                outputs << output.readAll();
                QVERIFY(outputs.last().contains(" r2_"));
            }
        }
        for (const QByteArray& output : outputs) {
            QVERIFY(output == outputs.first());
        }
    }

private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(QmlCompilerTest)
#include "qml_compiler_test.moc"
