// The sums of the released files and their signature, with a key made here.
#include <QtTest>

#include "installer/made_installer.h"

using namespace hearth::test;

class SumsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const QString key = folder_.filePath("key");
        const Ended made = call({"minisign", "-G", "-W", "-p", key + ".pub", "-s", key});
        QVERIFY2(made.status == 0, qPrintable(made.words));
        const QString other = folder_.filePath("other");
        QCOMPARE(call({"minisign", "-G", "-W", "-p", other + ".pub", "-s", other}).status, 0);
    }

    void init() {
        QDir(dist()).removeRecursively();
        QVERIFY(writeFile(dist() + "/hearth-1-linux-x86_64.run", "one\n"));
        QVERIFY(writeFile(dist() + "/hearth_1_amd64.deb", "two\n"));
        const Ended signedNow = call({sign_, dist()}, "key");
        QVERIFY2(signedNow.status == 0, qPrintable(signedNow.words));
        QCOMPARE(check().status, 0);
    }

    void wrong_data() {
        QTest::addColumn<QString>("change");
        QTest::newRow("a byte of a file") << "printf X | dd of=hearth_1_amd64.deb conv=notrunc";
        QTest::newRow("a file cut short") << "truncate -s 3 hearth-1-linux-x86_64.run";
        QTest::newRow("a file missing") << "rm hearth_1_amd64.deb";
        QTest::newRow("a sum changed")
            << "echo evil >hearth_1_amd64.deb && sha256sum *.run *.deb >SHA256SUMS";
        QTest::newRow("no signature") << "rm SHA256SUMS.minisig";
        QTest::newRow("signed by another") << "minisign -S -m SHA256SUMS -s ../other";
        QTest::newRow("a byte of the signature") << "sed -i '2s/....$/AAA=/' SHA256SUMS.minisig";
    }
    void wrong() {
        QFETCH(QString, change);
        QCOMPARE(call({"/bin/sh", "-c", "cd \"$0\" && " + change, dist()}).status, 0);
        const Ended refused = check();
        QVERIFY2(refused.status == 1, qPrintable(refused.words));
        QVERIFY2(refused.words.contains("do not use these files") ||
                     refused.words.contains("get it again"),
                 qPrintable(refused.words));
    }

    void unsignedIsSaid() {
        const Ended plain = call({sign_, dist()});
        QCOMPARE(plain.status, 0);
        QVERIFY2(plain.words.contains("is not signed"), qPrintable(plain.words));
        QVERIFY2(!QFileInfo::exists(dist() + "/SHA256SUMS.minisig"),
                 "an old signature is over other sums");
        QCOMPARE(check().status, 1);
    }

private:
    QString dist() const { return folder_.filePath("dist"); }
    Ended check() { return call({sign_, "--check", dist(), folder_.filePath("key.pub")}); }
    Ended call(const QStringList& command, const QString& key = {}) const {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("HEARTH_SIGNING_KEY");
        if (!key.isEmpty()) {
            environment.insert("HEARTH_SIGNING_KEY", folder_.filePath(key));
        }
        return run(command, environment);
    }

    const QString sign_ = QStringLiteral(HEARTH_SOURCE_DIR "/installer/sign.sh");
    QTemporaryDir folder_{QStringLiteral(HEARTH_BINARY_DIR "/installer-XXXXXX")};
};

QTEST_GUILESS_MAIN(SumsTest)
#include "sums_test.moc"
