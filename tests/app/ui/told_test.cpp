// The recorded walks in told/, and that they can fail. tests/app/ui/told_file.h says how they are
// written.
#include <QLocale>
#include <QLoggingCategory>
#include <QTest>

#include "part_bench.h"
#include "told_file.h"

using namespace hearth::ui::test;

class ToldTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QLoggingCategory::setFilterRules(QStringLiteral("hearth.*.info=false"));
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    }
    void holds_data();
    void holds();
    void cleanupTestCase();
    void seesWhatIsWrong();

private:
    QMap<QString, QList<ToldWalk>> recorded_;
};

void ToldTest::holds_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("index");
    for (const QString& file : toldFiles()) {
        const QList<ToldWalk> walks = readTold(file);
        QVERIFY2(!walks.isEmpty(), qPrintable(file));
        for (qsizetype i = 0; i < walks.size(); ++i) {
            QVERIFY2(!walks[i].steps.isEmpty(), qPrintable(file));
            QTest::addRow("%s, %s", qPrintable(file), qPrintable(walks[i].name)) << file << int(i);
        }
    }
}

void ToldTest::holds() {
    QFETCH(QString, file);
    QFETCH(int, index);
    const ToldWalk walk = readTold(file).at(index);
    const ToldWalk found = walked(walk);
    if (qEnvironmentVariableIsSet("HEARTH_RECORD")) {
        if (!recorded_.contains(file)) {
            recorded_[file] = readTold(file);
        }
        recorded_[file][index] = found;
        return;
    }
    const QString wrong = difference(walk, found);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void ToldTest::cleanupTestCase() {
    for (auto it = recorded_.cbegin(); it != recorded_.cend(); ++it) {
        writeTold(it.key(), it.value());
    }
}

void ToldTest::seesWhatIsWrong() {
    PartBench bench(
        "AppButton { id: part; objectName: \"one\"; text: \"Send\"; kind: \"primary\" }");
    QCOMPARE(bench.error(), QString());
    const QStringList at_first = bench.told();
    QCOMPARE(at_first,
             QStringList({"Button \"Send\"", "text \"Send\" surface 13", "ground accent"}));
    bench.act(QStringLiteral("focus one; hold Return; click one; key A"));
    QCOMPARE(bench.heard(), QStringList({"clicked", "clicked"}));
    QCOMPARE(bench.heard(), QStringList());
    for (const char* wrong :
         {"text: \"Sent\"", "enabled: false", "kind: \"plain\"", "iconName: \"send\"",
          "visible: false", "opacity: 0", "Accessible.name: \"x\"", "Accessible.description: \"x\"",
          "Accessible.role: Accessible.Link", "activeFocusOnTab: false", "font.pixelSize: 14",
          "ink: Theme.text"}) {
        const QByteArray what = QByteArray(wrong).startsWith("text") ? "" : "text: \"Send\"; ";
        const QByteArray kind = QByteArray(wrong).startsWith("kind") ? "" : "kind: \"primary\"; ";
        PartBench other("AppButton { id: part; " + what + kind + wrong + " }");
        QCOMPARE(other.error(), QString());
        QVERIFY2(other.told() != at_first, wrong);
    }
    ToldWalk walk{.name = {}, .part = QStringLiteral("AppSwitch { id: part }"), .steps = {{}, {}}};
    walk.steps[1].does = QStringLiteral("key Tab; key Space");
    const ToldWalk found = walked(walk);
    QVERIFY(found.steps[1].told.contains(QStringLiteral("heard asked true")));
    QCOMPARE(difference(found, found), QString());
    QVERIFY(difference(walk, found).contains(QLatin1String("the start")));
    walk.steps[0] = found.steps[0];
    QVERIFY(difference(walk, found).contains(QLatin1String("+ heard asked true")));
}

QTEST_MAIN(ToldTest)
#include "told_test.moc"
