// The options of ./test.sh: each of these calls ends before anything is installed, built or run.
#include <QProcess>
#include <QtTest>

class TestScriptTest : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        QTest::newRow("unknown option") << QStringList{"--al"} << "unknown option --al";
        QTest::newRow("unknown stage") << QStringList{"--all", "--from", "nowhere"}
                                       << "no stage is called nowhere: tests gpu ";
        QTest::newRow("a part of a name")
            << QStringList{"--all", "--from", "asan"} << "no stage is called asan: tests gpu ";
        QTest::newRow("two names")
            << QStringList{"--all", "--from", "tests gpu"} << "no stage is called tests gpu: ";
        QTest::newRow("no stage") << QStringList{"--all", "--from"}
                                  << "--from needs the name of a stage: tests gpu ";
        QTest::newRow("an empty stage")
            << QStringList{"--all", "--from", ""} << "no stage is called : tests gpu ";
        QTest::newRow("without --all") << QStringList{"--from", "gpu"} << "--from goes with --all";
        QTest::newRow("a stage alone") << QStringList{"gpu"} << "unknown option gpu";
    }
    void refused() {
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        const auto [status, out, errors] = call(options);
        QCOMPARE(status, 2);
        QCOMPARE(out, QString());
        QVERIFY2(errors.startsWith("test.sh: " + words), qPrintable(errors));
        QVERIFY2(errors.endsWith("; ./test.sh --help lists what there is\n"), qPrintable(errors));
    }

    // The stages that the help lists are those that --from knows and that something is done in.
    void stages() {
        const auto [status, out, errors] = call({"--help"});
        QCOMPARE(status, 0);
        QCOMPARE(errors, QString());
        QStringList told;
        const QString list = out.section("The stages of --all:\n", 1).section("\n\n", 0, 0);
        for (const QString& line : list.split('\n')) {
            told << line.simplified().section(' ', 0, 0);
        }
        QVERIFY2(told.size() > 10 && told.contains("clang-tidy"), qPrintable(out));
        const auto [wrong, nothing, known] = call({"--all", "--from", "x"});
        QCOMPARE(known.section(": ", 2).section(';', 0, 0), told.join(' '));

        QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/test.sh"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString run = QString::fromUtf8(file.readAll()).section("\nrun_stage() {", 1, 1);
        for (const QString& name : told) {
            const QRegularExpression place("^        (" + name + "|[a-z-]* \\| " + name + "|" +
                                               name.section('-', 0, 0) + "-\\*)\\)",
                                           QRegularExpression::MultilineOption);
            QVERIFY2(run.contains(place), qPrintable(name));
        }
    }

private:
    struct Ended {
        int status;
        QString out, errors;
    };
    static Ended call(const QStringList& options) {
        QProcess process;
        process.start("bash", QStringList{QStringLiteral(HEARTH_SOURCE_DIR "/test.sh")} + options);
        const bool ended = process.waitForFinished(60'000);
        return {ended ? process.exitCode() : -1, QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }
};

QTEST_GUILESS_MAIN(TestScriptTest)
#include "test_script_test.moc"
