#include "gguf/dtype.h"

#include <QtTest>
#include <set>
#include <string>

using namespace hearth;

class DTypeTest : public QObject {
    Q_OBJECT

private slots:
    // Sizes computed from each format's parts, not copied from the table.
    void sizes_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("values");
        QTest::addColumn<int>("bytes");
        const auto row = [](int number, const char* name, int values, int bytes) {
            QTest::newRow(name) << number << QString(name) << values << bytes;
        };
        row(0, "F32", 1, 4);
        row(1, "F16", 1, 2);
        row(2, "Q4_0", 32, 2 + 32 / 2);
        row(3, "Q4_1", 32, 2 + 2 + 32 / 2);
        row(6, "Q5_0", 32, 2 + 32 / 8 + 32 / 2);
        row(7, "Q5_1", 32, 2 + 2 + 32 / 8 + 32 / 2);
        row(8, "Q8_0", 32, 2 + 32);
        row(9, "Q8_1", 32, 2 + 2 + 32);
        row(10, "Q2_K", 256, 256 / 16 + 256 / 4 + 2 + 2);
        row(11, "Q3_K", 256, 256 / 8 + 256 / 4 + 12 + 2);
        row(12, "Q4_K", 256, 2 + 2 + 12 + 256 / 2);
        row(13, "Q5_K", 256, 2 + 2 + 12 + 256 / 8 + 256 / 2);
        row(14, "Q6_K", 256, 256 / 2 + 256 / 4 + 256 / 16 + 2);
        row(15, "Q8_K", 256, 4 + 256 + 2 * 256 / 16);
        row(16, "IQ2_XXS", 256, 2 + 2 * 256 / 8);
        row(17, "IQ2_XS", 256, 2 + 2 * 256 / 8 + 256 / 32);
        row(18, "IQ3_XXS", 256, 2 + 3 * 256 / 8);
        row(19, "IQ1_S", 256, 2 + 256 / 8 + 256 / 16);
        row(20, "IQ4_NL", 32, 2 + 32 / 2);
        row(21, "IQ3_S", 256, 2 + 256 / 4 + 256 / 32 + 256 / 8 + 256 / 64);
        row(22, "IQ2_S", 256, 2 + 256 / 4 + 256 / 32 + 256 / 32);
        row(23, "IQ4_XS", 256, 2 + 2 + 256 / 64 + 256 / 2);
        row(24, "I8", 1, 1);
        row(25, "I16", 1, 2);
        row(26, "I32", 1, 4);
        row(27, "I64", 1, 8);
        row(28, "F64", 1, 8);
        row(29, "IQ1_M", 256, 256 / 8 + 256 / 16 + 256 / 32);
        row(30, "BF16", 1, 2);
        row(34, "TQ1_0", 256, 2 + 256 / 64 + (256 - 4 * 256 / 64) / 5);
        row(35, "TQ2_0", 256, 2 + 256 / 4);
        row(39, "MXFP4", 32, 1 + 32 / 2);
    }
    void sizes() {
        QFETCH(int, number);
        QFETCH(QString, name);
        QFETCH(int, values);
        QFETCH(int, bytes);
        const DTypeInfo* info = find_dtype(static_cast<std::uint32_t>(number));
        QVERIFY(info != nullptr);
        QCOMPARE(QString::fromStdString(std::string(info->name)), name);
        QCOMPARE(static_cast<int>(info->block_values), values);
        QCOMPARE(static_cast<int>(info->block_bytes), bytes);
        QCOMPARE(static_cast<int>(dtype_info(info->type).type), number);
        QVERIFY(dtype_from_name(name.toStdString()) == info->type);
    }

    void numbers_nobody_names() {
        for (const std::uint32_t number : {4U, 5U, 31U, 32U, 33U, 36U, 40U, 99U, 0xFFFFFFFFU}) {
            QVERIFY(find_dtype(number) == nullptr);
        }
        for (const char* name : {"", "q4_0", "Q4", "Q4_0 ", "FP16"}) {
            QVERIFY(!dtype_from_name(name));
        }
    }
};

QTEST_APPLESS_MAIN(DTypeTest)
#include "dtype_test.moc"
