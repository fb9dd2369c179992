#include "base/guarded.h"

#include <QtTest>
#include <stdexcept>
#include <string>

using namespace hearth;

namespace {

const std::string kPath = "a file with a name too long to be kept inside a string";

Result<int> half_of(int number) {
    if (number % 2 != 0) {
        return Error{ErrorCode::InvalidArgument, "it is odd", {}, "number"};
    }
    return number / 2;
}

}  // namespace

class GuardedTest : public QObject {
    Q_OBJECT

private slots:
    void what_is_returned_is_returned() {
        QCOMPARE(guarded(kPath, [] { return half_of(8); }).value(), 4);
        const auto odd = guarded(kPath, [] { return half_of(7); });
        QVERIFY(!odd);
        QCOMPARE(odd.error().message, std::string("it is odd"));
        QVERIFY(odd.error().path.empty());
        QVERIFY(guarded(kPath, [] { return Result<void>(); }));
    }

    void no_memory() {
        const auto result = guarded(kPath, []() -> Result<int> { throw std::bad_alloc(); });
        QVERIFY(!result);
        QVERIFY(result.error().code == ErrorCode::OutOfMemory);
        QCOMPARE(result.error().message, std::string("out of memory"));
        QCOMPARE(result.error().path, kPath);
    }

    // std::string and std::vector throw these for sizes that nothing can have.
    void other_exceptions() {
        const auto result = guarded(kPath, []() -> Result<int> {
            throw std::length_error("a long sentence of a library");
        });
        QVERIFY(!result);
        QVERIFY(result.error().code == ErrorCode::Internal);
        QCOMPARE(result.error().message, std::string("a long sentence of a library"));
        QCOMPARE(result.error().path, kPath);
    }

    void what_is_no_exception_class() {
        const auto result = guarded(kPath, []() -> Result<void> { throw 7; });
        QVERIFY(!result);
        QVERIFY(result.error().code == ErrorCode::Internal);
        QCOMPARE(result.error().message, std::string("internal error"));
    }
};

QTEST_APPLESS_MAIN(GuardedTest)
#include "guarded_test.moc"
