// The real machine: its facts, and plans of the starter model. Asked from the GUI thread, which
// never waits.
#include "bridge/local_machine.h"

#include <QTemporaryDir>
#include <QThread>
#include <QtTest>
#include <optional>

#include "system/app_paths.h"

using namespace hearth::ui;

Q_DECLARE_METATYPE(hearth::ui::LoadOptions)

class LocalMachineTest : public QObject {
    Q_OBJECT

private slots:
    void tellsFacts();
    void plans();
    void twoCopiesSayTheSame();
    void answersTheLatestQuestion();
    void saysWhichModesAreRefused();
    void saysWhyNot_data();
    void saysWhyNot();

private:
    static constexpr int kWaitMs = 60'000;
    const QTemporaryDir cache_;
    const QString starter_ = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));

    LoadOptions starter(const char* gpu = "none") const {
        LoadOptions options;
        options.path = starter_;
        options.gpu = QString::fromLatin1(gpu);
        return options;
    }
    // Empty: none came.
    std::optional<PlanAnswer> plan(const LoadOptions& options) {
        LocalMachine machine(cache_.path(), {});
        std::optional<PlanAnswer> answer;
        connect(&machine, &MachineService::planned, this,
                [&](quint64, const PlanAnswer& planned) { answer = planned; });
        machine.askPlan(1, {options});
        [[maybe_unused]] const bool came =
            QTest::qWaitFor([&] { return answer.has_value(); }, kWaitMs);
        return answer;
    }
};

// Two machines that share their measurements are asked about copies of one file.
void LocalMachineTest::twoCopiesSayTheSame() {
    const QString copy = cache_.filePath(QStringLiteral("copy.gguf"));
    QVERIFY(QFile::copy(starter_, copy));
    LocalMachine first(cache_.path(), {});
    LocalMachine second(cache_.path(), {}, first.speeds());
    QList<PlanAnswer> answers;
    for (LocalMachine* machine : {&first, &second, &first}) {
        connect(machine, &MachineService::planned, this,
                [&](quint64, const PlanAnswer& planned) { answers << planned; });
        LoadOptions options = starter();
        options.path = answers.isEmpty() ? starter_ : copy;
        machine->askPlan(static_cast<quint64>(answers.size()) + 1, {options});
        const qsizetype before = answers.size();
        QTRY_VERIFY_WITH_TIMEOUT(answers.size() > before, kWaitMs);
        machine->disconnect(this);
    }
    QCOMPARE(answers.size(), 3);
    for (const PlanAnswer& answer : answers) {
        QVERIFY(answer.tokensHigh > 0);
        QCOMPARE(answer.tokensLow, answers.first().tokensLow);
        QCOMPARE(answer.tokensHigh, answers.first().tokensHigh);
        QCOMPARE(answer.firstTokenMs, answers.first().firstTokenMs);
    }
}

void LocalMachineTest::tellsFacts() {
    LocalMachine machine(cache_.path(), {});
    std::optional<MachineFacts> known;
    connect(&machine, &MachineService::facts, this, [&](const MachineFacts& facts) {
        QCOMPARE(QThread::currentThread(), thread());
        known = facts;
    });
    machine.askFacts(false);
    QVERIFY(!known.has_value());  // asked aside
    QTRY_VERIFY_WITH_TIMEOUT(known.has_value(), kWaitMs);
    QVERIFY(known->cores > 0 && known->mostThreads >= known->cores && known->threads > 0);
    QVERIFY(known->ramBytes > known->ramFreeBytes / 2 && known->ramFreeBytes > 0);
    QVERIFY(known->cards.isEmpty());  // no program to ask with
}

void LocalMachineTest::plans() {
    QVERIFY2(!starter_.isEmpty(), "no starter model");
    LoadOptions options = starter();
    options.threads = 1;
    options.contextTokens = 256;
    const auto whole = plan(options);
    QVERIFY(whole.has_value() && whole->sentence.isEmpty());
    QCOMPARE(whole->threads, 1);
    QCOMPARE(whole->contextTokens, 256);
    QVERIFY(whole->ramBytes > quint64{36} << 20 && whole->diskBytes == 0 && whole->vramBytes == 0);
    QVERIFY(whole->tokensLow > 0 && whole->tokensHigh >= whole->tokensLow);
    options.ramBytes = quint64{40} << 20;
    options.mode = QStringLiteral("dense");
    const auto less = plan(options);
    QVERIFY(less.has_value() && less->sentence.isEmpty());
    QVERIFY(less->ramBytes <= quint64{40} << 20 && less->diskBytes > 0);
    QCOMPARE(less->mode, QStringLiteral("dense"));
}

void LocalMachineTest::answersTheLatestQuestion() {
    LocalMachine machine(cache_.path(), {});
    QList<quint64> answered;
    connect(&machine, &MachineService::planned, this,
            [&](quint64 id, const PlanAnswer&) { answered << id; });
    for (quint64 id = 1; id <= 20; ++id) {
        machine.askPlan(id, {starter()});
    }
    QTRY_VERIFY_WITH_TIMEOUT(answered.contains(20), kWaitMs);
    QVERIFY2(answered.size() <= 2, qPrintable(QString::number(answered.size())));
}

void LocalMachineTest::saysWhichModesAreRefused() {
    LocalMachine machine(cache_.path(), {});
    std::optional<QHash<QString, QString>> refused;
    connect(&machine, &MachineService::modes, this,
            [&](quint64 id, const QHash<QString, QString>& answer) {
                QCOMPARE(id, quint64{7});
                refused = answer;
            });
    machine.askModes(6, starter());
    machine.askModes(7, starter());
    QTRY_VERIFY_WITH_TIMEOUT(refused.has_value(), kWaitMs);
    QVERIFY(!refused->contains(QStringLiteral("exact")));
    QVERIFY(!refused->contains(QStringLiteral("dense")));
    for (const char* mode : {"predicted", "approximate"}) {
        LoadOptions options = starter();
        options.mode = QString::fromLatin1(mode);
        const auto planned = plan(options);
        QVERIFY(planned.has_value() && !planned->sentence.isEmpty());
        QCOMPARE(refused->value(options.mode), planned->sentence);
    }
}

void LocalMachineTest::saysWhyNot_data() {
    QTest::addColumn<LoadOptions>("options");
    QTest::addColumn<QString>("words");
    LoadOptions small = starter();
    small.ramBytes = quint64{16} << 20;
    QTest::newRow("too little memory") << small << "needs more memory than there is (needs ";
    LoadOptions gone = starter();
    gone.path = QStringLiteral("/nowhere/a.gguf");
    QTest::newRow("no file") << gone << "There is no file";
    QTest::newRow("no such card") << starter("Warp 9000") << "Warp 9000";
}

void LocalMachineTest::saysWhyNot() {
    QFETCH(const LoadOptions, options);
    QFETCH(const QString, words);
    const auto answer = plan(options);
    QVERIFY(answer.has_value());
    QVERIFY2(answer->sentence.contains(words), qPrintable(answer->sentence));
    QVERIFY(answer->sentence.endsWith(QLatin1Char('.')));
}

QTEST_GUILESS_MAIN(LocalMachineTest)
#include "local_machine_test.moc"
