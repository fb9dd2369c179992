// What support/skips_test.cpp runs in a process of its own: rows that are skipped. It is no test by
// itself.
#include "support/test_program.h"

class SkipSampleTest : public QObject {
    Q_OBJECT

private slots:
    void rows_data() {
        QTest::addColumn<QString>("reason");
        QTest::newRow("runs") << QString();
        QTest::newRow("has no driver") << QStringLiteral("there is no driver");
        QTest::newRow("a\nb") << QStringLiteral("there is\tno driver");
    }
    void rows() {
        QFETCH(QString, reason);
        if (!reason.isEmpty()) {
            QSKIP(qPrintable(reason));
        }
    }
    void whole() { QSKIP("was not in the mood"); }
};

QTEST_APPLESS_MAIN(SkipSampleTest)
#include "skip_sample_test.moc"
