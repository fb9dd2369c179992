// How a model would run, in a few words: each kind of plan at its boundaries.
#include "library/fit_text.h"

#include <QtTest>

using namespace hearth::ui;
using Kind = ModelFit::Kind;

class FitTextTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void speeds_data();
    void speeds();
    void fits_data();
    void fits();
    void kindsHaveWords();
};

void FitTextTest::speeds_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<QString>("words");
    QTest::newRow("none") << 0.0 << 0.0 << "";
    QTest::newRow("no low one") << 0.0 << 5.0 << "";
    QTest::newRow("no high one") << 5.0 << 0.0 << "";
    QTest::newRow("two") << 12.4 << 18.0 << "12 to 18 tokens/s";
    QTest::newRow("below ten") << 3.14 << 9.9 << "3.1 to 9.9 tokens/s";
    QTest::newRow("over ten") << 9.9 << 10.0 << "9.9 to 10 tokens/s";
    QTest::newRow("the same") << 4.5 << 4.5 << "about 4.5 tokens/s";
    QTest::newRow("the same in words") << 20.1 << 20.4 << "about 20 tokens/s";
}

void FitTextTest::speeds() {
    QFETCH(const double, low);
    QFETCH(const double, high);
    QTEST(speedWords(low, high), "words");
}

void FitTextTest::fits_data() {
    QTest::addColumn<PlanAnswer>("plan");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const PlanAnswer& plan, Kind kind, const char* text) {
        QTest::newRow(name) << plan << static_cast<int>(kind) << QString::fromUtf8(text);
    };
    constexpr quint64 kGb = 1'000'000'000;
    row("not at all", {.sentence = QStringLiteral("It needs 3 GB."), .ramBytes = kGb}, Kind::Cannot,
        "It needs 3 GB.");
    row("in memory", {.ramBytes = 2 * kGb}, Kind::Fits, "Fits: 2.0 GB of memory");
    row("on the card", {.ramBytes = kGb, .vramBytes = 8 * kGb}, Kind::Fits,
        "Fits: 8.0 GB on the graphics card");
    row("more than an eighth beside it", {.ramBytes = kGb + 1, .vramBytes = 8 * kGb}, Kind::Partly,
        "Fits partly on the graphics card: 8.0 GB there, 1.0 GB in memory");
    row("from the disk", {.ramBytes = 2 * kGb, .vramBytes = kGb, .diskBytes = 3 * kGb},
        Kind::Streams, "Streams from disk: 3.0 GB do not fit in memory");
    row("a byte from the disk", {.ramBytes = 2 * kGb, .diskBytes = 1}, Kind::Streams,
        "Streams from disk: 1 bytes do not fit in memory");
    row("experts in two places",
        {.vramBytes = 8 * kGb, .experts = {.card = 3 * kGb, .memory = kGb}}, Kind::Fits,
        "Fits: 8.0 GB on the graphics card · experts: 75 % graphics card, 25 % memory");
    row("experts in one", {.ramBytes = kGb, .experts = {.memory = kGb}}, Kind::Fits,
        "Fits: 1.0 GB of memory");
    row("with its speed", {.ramBytes = kGb, .tokensLow = 12, .tokensHigh = 18}, Kind::Fits,
        "Fits: 1.0 GB of memory · 12 to 18 tokens/s");
    row("at once", {.ramBytes = kGb, .firstTokenMs = 99.9}, Kind::Fits,
        "Fits: 1.0 GB of memory · first word at once");
    row("after a while", {.ramBytes = kGb, .firstTokenMs = 100}, Kind::Fits,
        "Fits: 1.0 GB of memory · first word after 0.1 s");
    row("after a long while", {.ramBytes = kGb, .firstTokenMs = 12'400}, Kind::Fits,
        "Fits: 1.0 GB of memory · first word after 12 s");
    row("a busy computer",
        {.ramBytes = kGb, .tokensLow = 3, .tokensHigh = 3, .firstTokenMs = 2000, .busy = true},
        Kind::Fits,
        "Fits: 1.0 GB of memory · about 3.0 tokens/s · first word after 2.0 s · perhaps faster: "
        "the computer was busy when this was measured");
    row("busy, and nothing measured", {.ramBytes = kGb, .busy = true}, Kind::Fits,
        "Fits: 1.0 GB of memory");
}

void FitTextTest::fits() {
    QFETCH(const PlanAnswer, plan);
    QFETCH(const int, kind);
    QFETCH(const QString, text);
    const ModelFit fit = fitOf(plan);
    QCOMPARE(fit.text, text);
    QCOMPARE(static_cast<int>(fit.kind), kind);
    QCOMPARE(fit.busy, plan.busy);
}

void FitTextTest::kindsHaveWords() {
    QStringList words;
    for (const Kind kind : {Kind::Unknown, Kind::Fits, Kind::Partly, Kind::Streams, Kind::Cannot}) {
        words << fitWord(kind);
    }
    QCOMPARE(words, QStringList({"", "fits", "partly", "streams", "cannot"}));
}

QTEST_GUILESS_MAIN(FitTextTest)
#include "fit_text_test.moc"
