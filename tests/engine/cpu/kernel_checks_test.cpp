#include <QtTest>

#include "engine/cpu/kernel_checks.h"

class KernelChecksTest : public QObject {
    Q_OBJECT

private slots:
    void check_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < checks_.size(); ++i) {
            QTest::newRow(checks_[i].name.c_str()) << static_cast<int>(i);
        }
        for (const std::string& table : hearth::test::missing_tables()) {
            QTest::newRow((table + "/all").c_str()) << -1;
        }
    }
    void check() {
        QFETCH(int, index);
        if (index < 0) {
            QSKIP("this processor lacks what the table needs");
        }
        const auto outcome = checks_[static_cast<std::size_t>(index)].run();
        QVERIFY2(outcome.passed, outcome.detail.c_str());
    }

private:
    std::vector<hearth::test::KernelCheck> checks_ = hearth::test::kernel_checks();
};

QTEST_GUILESS_MAIN(KernelChecksTest)
#include "kernel_checks_test.moc"
