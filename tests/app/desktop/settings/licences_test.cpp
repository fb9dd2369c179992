#include "settings/licences.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class LicencesTest : public QObject {
    Q_OBJECT

private slots:
    void readsTheFirstThatIsThere();
    void areInTheProgram();
    void sayThatThereIsNone();

private:
    static QString read(const QStringList& files) {
        Licences licences(files);
        QSignalSpy done(&licences, &Licences::done);
        licences.read();
        return done.wait(30'000) ? done.first().first().toString() : QString();
    }
};

void LicencesTest::readsTheFirstThatIsThere() {
    const QTemporaryDir root;
    QVERIFY(QDir(root.path()).mkpath(QStringLiteral("bin")) &&
            QDir(root.path()).mkpath(QStringLiteral("share/doc/hearth")));
    const QStringList places = Licences::places(root.filePath(QStringLiteral("bin")));
    QFile file(root.filePath(QStringLiteral("share/doc/hearth/copyright")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of the installation \xc3\xbc \xff") > 0);
    file.close();
    QCOMPARE(read(places), QStringLiteral("of the installation ü \uFFFD"));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));  // nothing is in it
    file.close();
    QVERIFY(read(places).contains(QLatin1String("libpcre2")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(100'000'000));
    file.close();
    QCOMPARE(read(places).size(), 16 * 1024 * 1024);
}

void LicencesTest::areInTheProgram() {
    const QString text = read(Licences::places(QStringLiteral("/nowhere/bin")));
    QVERIFY(text.contains(QLatin1String("libpcre2-dev")) &&
            text.contains(QLatin1String("LGPL-3.0")));
}

void LicencesTest::sayThatThereIsNone() {
    const QString text = read({QStringLiteral("/nowhere/copyright")});
    QVERIFY2(text.startsWith(QLatin1String("The licences cannot be read.")) &&
                 text.contains(QLatin1String("/nowhere/copyright")),
             qPrintable(text));
}

QTEST_GUILESS_MAIN(LicencesTest)
#include "licences_test.moc"
