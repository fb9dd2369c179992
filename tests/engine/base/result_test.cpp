#include <QtTest>
#include <string>

#include <hearth/result.h>

using namespace hearth;

class ResultTest : public QObject {
    Q_OBJECT

private slots:
    void holds_a_value_or_an_error() {
        const Result<int> good = 7;
        QVERIFY(good);
        QCOMPARE(*good, 7);
        const Result<int> bad = Error{ErrorCode::BadFile, "m", "p", "f"};
        QVERIFY(!bad);
        QCOMPARE(bad.error().message, std::string("m"));
        const Result<void> fine;
        QVERIFY(fine);
        const Result<void> failed = Error{ErrorCode::DiskFull, "m", {}, {}};
        QVERIFY(!failed);
        QVERIFY(failed.error().code == ErrorCode::DiskFull);
    }

    void moves_the_value_out() {
        Result<std::string> text = std::string(100, 'x');
        const std::string taken = *std::move(text);
        QCOMPARE(taken.size(), std::size_t{100});
    }

    void spells_codes_in_snake_case_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("name");
        const auto row = [](ErrorCode code, const char* name) {
            QTest::newRow(name) << static_cast<int>(code) << QByteArray(name);
        };
        row(ErrorCode::InvalidArgument, "invalid_argument");
        row(ErrorCode::NotFound, "not_found");
        row(ErrorCode::NotAFile, "not_a_file");
        row(ErrorCode::PermissionDenied, "permission_denied");
        row(ErrorCode::ReadFailed, "read_failed");
        row(ErrorCode::WriteFailed, "write_failed");
        row(ErrorCode::DiskFull, "disk_full");
        row(ErrorCode::BadFile, "bad_file");
        row(ErrorCode::Unsupported, "unsupported");
        row(ErrorCode::OutOfMemory, "out_of_memory");
        row(ErrorCode::OverBudget, "over_budget");
        row(ErrorCode::ContextFull, "context_full");
        row(ErrorCode::Cancelled, "cancelled");
        row(ErrorCode::Internal, "internal");
    }
    void spells_codes_in_snake_case() {
        QFETCH(int, code);
        QFETCH(QByteArray, name);
        const auto spelled = to_string(static_cast<ErrorCode>(code));
        QCOMPARE(QByteArray(spelled.data(), static_cast<qsizetype>(spelled.size())), name);
    }
};

QTEST_APPLESS_MAIN(ResultTest)
#include "result_test.moc"
