#include "support/skips.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using hearth::test::allowed_by;
using hearth::test::AllowedSkip;
using hearth::test::parse_allowed_skips;

class SkipsTest : public QObject {
    Q_OBJECT

private:
    struct Outcome {
        int status = -1;
        QString output;
        QStringList report;
    };

    // The sample's rows, judged by `list`.
    static Outcome run_sample(const QString& list, const QStringList& arguments,
                              const QString& no_skip = {}) {
        const QTemporaryDir dir;
        QFile file(dir.filePath("list.txt"));
        if (!file.open(QIODevice::WriteOnly) || file.write(list.toUtf8()) < 0) {
            return {};
        }
        file.close();
        QProcess sample;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("HEARTH_ALLOWED_SKIPS", file.fileName());
        environment.insert("HEARTH_SKIP_REPORT", dir.filePath("report.tsv"));
        environment.remove("HEARTH_NO_SKIP");
        if (!no_skip.isEmpty()) {
            environment.insert("HEARTH_NO_SKIP", no_skip);
        }
        sample.setProcessEnvironment(environment);
        sample.setProcessChannelMode(QProcess::MergedChannels);
        sample.start(QCoreApplication::applicationFilePath(),
                     QStringList{"skip_sample"} + arguments);
        if (!sample.waitForFinished() || sample.exitStatus() != QProcess::NormalExit) {
            return {};
        }
        QFile report(dir.filePath("report.tsv"));
        const QString lines =
            report.open(QIODevice::ReadOnly) ? QString::fromUtf8(report.readAll()) : QString();
        return {sample.exitCode(), QString::fromUtf8(sample.readAll()),
                lines.split('\n', Qt::SkipEmptyParts)};
    }

private slots:
    void the_projects_list_is_well_formed() {
        QFile file(HEARTH_SOURCE_DIR "/tests/allowed_skips.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::vector<std::string> odd;
        const auto list = parse_allowed_skips(file.readAll().toStdString(), odd);
        QVERIFY2(odd.empty(), odd.empty() ? "" : odd[0].c_str());
        QVERIFY(list.size() > 10);
        // Each names a test that is there, so that no entry outlives its test.
        for (const AllowedSkip& entry : list) {
            const QString test = QString::fromStdString(entry.name).section("::", 0, 0);
            QVERIFY2(test.contains("gpu_checks_") ||
                         QFile::exists(HEARTH_SOURCE_DIR "/tests/" + test + "_test.cpp"),
                     qPrintable(test));
            QVERIFY2(entry.reason != "*", entry.name.c_str());
        }
    }

    void lines_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("good");
        QTest::newRow("entry") << "driver | a/b::c(d) | there is none" << true;
        QTest::newRow("spaces") << "  driver  |  a/b::c(d)  |  there is none  " << true;
        QTest::newRow("two parts") << "driver | a/b::c(d)" << false;
        QTest::newRow("empty name") << "driver |  | there is none" << false;
        QTest::newRow("empty reason") << "driver | a | " << false;
        QTest::newRow("unknown cause") << "mood | a/b::c(d) | there is none" << false;
        QTest::newRow("words") << "anything may be skipped" << false;
    }
    void lines() {
        QFETCH(QString, line);
        QFETCH(bool, good);
        std::vector<std::string> odd;
        const auto list = parse_allowed_skips("# words\n\n" + line.toStdString() + "\n", odd);
        QCOMPARE(list.size(), std::size_t{good ? 1U : 0U});
        QCOMPARE(odd.empty(), good);
        if (good) {
            QCOMPARE(QString::fromStdString(list[0].name), QString("a/b::c(d)"));
            QCOMPARE(QString::fromStdString(list[0].reason), QString("there is none"));
        }
    }

    void allowed_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<bool>("allowed");
        QTest::newRow("as listed") << "a/b::c(d)"
                                   << "no driver" << true;
        QTest::newRow("the star") << "a/b::e(any row)"
                                  << "no driver at all, 7" << true;
        QTest::newRow("another row") << "a/b::c(e)"
                                     << "no driver" << false;
        QTest::newRow("another test") << "a/x::c(d)"
                                      << "no driver" << false;
        QTest::newRow("another reason") << "a/b::c(d)"
                                        << "too busy" << false;
        QTest::newRow("longer") << "a/b::c(d)e"
                                << "no driver" << false;
        QTest::newRow("begins otherwise") << "xa/b::c(d)"
                                          << "no driver" << false;
    }
    void allowed() {
        QFETCH(QString, name);
        QFETCH(QString, reason);
        const std::vector<AllowedSkip> list{{"driver", "a/b::c(d)", "no driver"},
                                            {"driver", "a/b::e(*)", "no *, *"}};
        QTEST(allowed_by(list, {name.toStdString(), reason.toStdString()}) != nullptr, "allowed");
    }

    void what_is_listed_passes_and_is_reported() {
        const Outcome seen = run_sample(
            "driver | support/skip_sample::rows(*) | there is * driver\n"
            "driver | support/skip_sample::rows(*) | there is no driver\n",
            {"rows"});
        QVERIFY2(seen.status == 0, qPrintable(seen.output));
        QCOMPARE(
            seen.report,
            (QStringList{"driver\tsupport/skip_sample::rows(has no driver)\tthere is no driver",
                         "driver\tsupport/skip_sample::rows(a b)\tthere is no driver"}));
        QVERIFY2(seen.output.contains("SKIPPED (driver): support/skip_sample::rows(has no driver)"),
                 qPrintable(seen.output));
    }

    void what_is_not_listed_fails_by_name() {
        const Outcome seen =
            run_sample("driver | support/skip_sample::rows(*) | there is * driver\n", {});
        QVERIFY2(seen.status > 0, qPrintable(seen.output));
        QVERIFY2(
            seen.report.contains("NOT ALLOWED\tsupport/skip_sample::whole()\twas not in the mood"),
            qPrintable(seen.report.join("\n")));
        QVERIFY2(seen.output.contains("FAIL: 1 skipped, which tests/allowed_skips.txt does not"),
                 qPrintable(seen.output));
    }

    void none_is_allowed_where_none_may_be() {
        const QString list = "driver | support/skip_sample::* | *\n";
        QCOMPARE(run_sample(list, {}).status, 0);
        QVERIFY(run_sample(list, {}, "1").status > 0);
        QCOMPARE(run_sample(list, {"rows:runs"}, "1").status, 0);
    }

    void a_list_with_an_odd_line_allows_nothing() {
        const QString list = "driver | support/skip_sample::* | *\n";
        QVERIFY(run_sample(list + "whatever\n", {}).status > 0);
    }

    // QtTest's other outputs stay usable.
    void other_outputs_are_left_alone() {
        const Outcome seen = run_sample("", {"-xml", "rows:runs"});
        QCOMPARE(seen.status, 0);
        QVERIFY2(seen.output.startsWith("<?xml"), qPrintable(seen.output));
    }
};

QTEST_GUILESS_MAIN(SkipsTest)
#include "skips_test.moc"
