// The parts of the settings, the downloads and the library, each alone on scripted models: all that
// is seen, said and asked for in each of its states, from the files in parts/.
// HEARTH_RECORD=FOLDER writes them anew there instead of comparing.
#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include "part_script.h"
#include "part_stage.h"

using namespace hearth::ui::test;

class PartsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();
    void does_data();
    void does();
    void seesWhatIsWrong();

private:
    static QDir folder() { return QDir(QStringLiteral(HEARTH_SOURCE_DIR "/tests/app/ui/parts")); }
    static bool records() { return qEnvironmentVariableIsSet("HEARTH_RECORD"); }

    std::unique_ptr<PartStage> stage_;
    QMap<QString, PartScript> scripts_;
    QMap<QString, QList<QList<QStringList>>> outcomes_;
};

void PartsTest::initTestCase() {
    stage_ = std::make_unique<PartStage>();
    QCOMPARE(stage_->trouble(), QString());
    for (const QString& file : folder().entryList({QStringLiteral("*.txt")}, QDir::Files)) {
        QVERIFY2(scripts_[file].read(folder().filePath(file)), qPrintable(file));
    }
    QVERIFY(!scripts_.isEmpty());
}

void PartsTest::cleanupTestCase() {
    stage_.reset();
    if (!records()) {
        return;
    }
    for (auto it = scripts_.cbegin(); it != scripts_.cend(); ++it) {
        QFile file(qEnvironmentVariable("HEARTH_RECORD") + QLatin1Char('/') + it.key());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(it.value().text(outcomes_[it.key()]).toUtf8());
    }
}

void PartsTest::does_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("which");
    for (auto it = scripts_.cbegin(); it != scripts_.cend(); ++it) {
        for (int i = 0; i < it.value().cases().size(); ++i) {
            QTest::addRow("%s: %s", qPrintable(it.key().chopped(4)),
                          qPrintable(it.value().cases()[i].name))
                << it.key() << i;
        }
    }
}

void PartsTest::does() {
    QFETCH(const QString, file);
    QFETCH(const int, which);
    QTest::failOnWarning(QRegularExpression(QStringLiteral("qrc:|file:|QQuick|QQml")));
    const PartScript& script = scripts_[file];
    const PartCase& one = script.cases()[which];
    const QList<QStringList> outcomes = script.play(*stage_, one);
    outcomes_[file] << outcomes;
    if (!outcomes.isEmpty() && outcomes.last().value(0).startsWith(QLatin1Char('!'))) {
        QFAIL(qPrintable(outcomes.last().first()));
    }
    for (qsizetype step = 0; !records() && step < one.steps.size(); ++step) {
        const QStringList& expected = one.steps[step].expected;
        const QStringList& found = outcomes[step];
        for (qsizetype i = 0; i < std::max(expected.size(), found.size()); ++i) {
            if (found.value(i) != expected.value(i)) {
                QFAIL(qPrintable(QStringLiteral("> %1, line %2\n  is       %3\n  and not  %4")
                                     .arg(one.steps[step].deed)
                                     .arg(i + 1)
                                     .arg(found.value(i), expected.value(i))));
            }
        }
    }
}

// A look must be able to tell one state from another.
void PartsTest::seesWhatIsWrong() {
    const QString items = QStringLiteral(
        "Column { id: part; signal told(int one); width: 300\n"
        "    AppButton { objectName: \"first\"; text: \"One\"; onClicked: part.told(1) }\n"
        "    TokenLine { width: 300; tokens: TokenKeeper { id: keeper; host: \"h\" } } }");
    QCOMPARE(stage_->show(items), QString());
    const QStringList whole = stage_->account();
    const auto differs = [&](const char* change) {
        return stage_->run(QString::fromUtf8(change)).isEmpty() && stage_->account() != whole;
    };
    QCOMPARE(stage_->run(QStringLiteral("nobody.knows = 1")).isEmpty(), false);
    QVERIFY(whole.contains(QStringLiteral("button “One” kind=plain #first [press]")));
    for (const char* change :
         {"keeper.hasToken = true", "keeper.host = \"g\"", "part.children[0].enabled = false",
          "part.children[0].visible = false", "part.children[0].forceActiveFocus()"}) {
        QVERIFY2(differs(change), change);
        QCOMPARE(stage_->show(items), QString());
    }
    stage_->item(QStringLiteral("first"))->forceActiveFocus();
    QTest::keyClick(stage_->window(), Qt::Key_Space);
    QCOMPARE(stage_->asked(), QStringList{QStringLiteral("signal told(1)")});
    QCOMPARE(stage_->run(QStringLiteral("keeper.forget()")), QString());
    QCOMPARE(stage_->asked(), QStringList{QStringLiteral("TokenKeeper.forget()")});
}

QTEST_MAIN(PartsTest)
#include "parts_test.moc"
