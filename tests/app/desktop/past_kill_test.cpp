// kill -9 of the window in a chat of long turns: the next start computes only what is new of it.
// Tokens are counted in the program's log; a second run of the same chat that nobody kills says
// what they must be. HEARTH_PAST_MODEL names another model than the starter.
#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "app/desktop/display_main.h"
#include "app/desktop/real_program.h"
#include "system/app_paths.h"

using namespace hearth::ui;
using hearth::ui::test::RealProgram;

namespace {

constexpr int kTurns = 4;
constexpr int kAttempts = 10;
constexpr int kStarterSentences = 12;  // of a question: the starter model holds 1024 tokens
constexpr int kSentences = 60;

// The prompt of an answer, and how much of it the model remembered.
struct Prompt {
    int tokens = 0;
    int remembered = 0;
    int computed() const { return tokens - remembered; }
    friend bool operator==(const Prompt&, const Prompt&) = default;
};

QList<Prompt> promptsIn(const QByteArray& log) {
    static const QRegularExpression line(
        QStringLiteral("prompt: (\\d+) tokens, of them remembered (\\d+)"));
    QList<Prompt> prompts;
    for (auto found = line.globalMatch(QString::fromUtf8(log)); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        prompts.append({match.captured(1).toInt(), match.captured(2).toInt()});
    }
    return prompts;
}

// The tokens that were kept on disk, the latest last.
QList<int> keptIn(const QByteArray& log) {
    static const QRegularExpression line(QStringLiteral("past: (\\d+) tokens kept"));
    QList<int> kept;
    for (auto found = line.globalMatch(QString::fromUtf8(log)); found.hasNext();) {
        kept.append(found.next().captured(1).toInt());
    }
    return kept;
}

QString question(int number, int sentences) {
    QString text = QStringLiteral("Part %1 of the story. ").arg(number);
    for (int i = 0; i < sentences; ++i) {
        text += QStringLiteral("In house %1 of street %2 lives a cat. ").arg(i).arg(number);
    }
    return text;
}

}  // namespace

class PastKillTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void computesOnlyWhatIsNew_data();
    void computesOnlyWhatIsNew();

private:
    std::unique_ptr<RealProgram> program(const QString& data) const;
    // A new chat with these turns. False: not all of them were answered.
    bool begin(RealProgram& program, int turns) const;
    // The next turn of the chat that is shown.
    static bool ask(RealProgram& program, const QString& text);
    static bool killed(RealProgram& program);

    bool isStarter() const { return model_.contains(QLatin1String("starter")); }
    int sentences() const { return isStarter() ? kStarterSentences : kSentences; }

    QString model_;
    std::unique_ptr<QTemporaryDir> folder_;
};

void PastKillTest::initTestCase() {
    const QString reason = RealProgram::whyNot();
    model_ = qEnvironmentVariable("HEARTH_PAST_MODEL",
                                  starterModel(QFileInfo(QStringLiteral(HEARTH_PROGRAM)).path()));
    if (!reason.isEmpty() || model_.isEmpty()) {
        QSKIP(qPrintable(reason.isEmpty() ? QStringLiteral("no starter model") : reason));
    }
}

void PastKillTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
}

std::unique_ptr<RealProgram> PastKillTest::program(const QString& data) const {
    QDir().mkpath(data);
    test::setSetting(data, "sampling/preset", QStringLiteral("own"));
    test::setSetting(data, "sampling/temp", 0);
    test::setSetting(data, "sampling/max-tokens", 60);
    test::setSetting(data, "engine/ctx", isStarter() ? 1024 : 4096);
    auto program = std::make_unique<RealProgram>(data);
    program->setVariable(QStringLiteral("HEARTH_PAST_SECONDS"), QStringLiteral("0"));
    return program;
}

bool PastKillTest::begin(RealProgram& program, int turns) const {
    QStringList arguments{model_};
    for (int turn = 0; turn < turns; ++turn) {
        arguments << QStringLiteral("--say") << question(turn, sentences());
    }
    return program.start(arguments) && program.waitForLog("tokens kept", turns) &&
           program.waitForLog("answered: message", turns);
}

bool PastKillTest::ask(RealProgram& program, const QString& text) {
    return program.type(text) && program.key(QStringLiteral("Return"));
}

bool PastKillTest::killed(RealProgram& program) {
    return ::kill(static_cast<pid_t>(program.processId()), SIGKILL) == 0 &&
           QTest::qWaitFor([&] { return program.processId() == 0; }, 30'000);
}

void PastKillTest::computesOnlyWhatIsNew_data() {
    QTest::addColumn<bool>("whileItAnswers");
    QTest::addRow("at rest") << false;
    QTest::addRow("in an answer") << true;
}

void PastKillTest::computesOnlyWhatIsNew() {
    QFETCH(bool, whileItAnswers);
    const QString next = QStringLiteral("And then?");
    // The same chat without an end between.
    const QString whole = folder_->filePath(QStringLiteral("whole"));
    QList<Prompt> wanted;
    {
        const auto one = program(whole);
        QVERIFY(begin(*one, kTurns));
        QVERIFY(ask(*one, next));
        QVERIFY(one->waitForLog("remembered", kTurns + 1));
        wanted = promptsIn(one->log());
        QVERIFY(one->quit());
    }
    QCOMPARE(wanted.size(), kTurns + 1);
    // An answer may end before the kill comes: then another chat is tried.
    QString data;
    QList<int> kept;
    for (int attempt = 0; attempt < kAttempts && kept.size() != kTurns; ++attempt) {
        data = folder_->filePath(QStringLiteral("killed %1").arg(attempt));
        const auto first = program(data);
        QVERIFY(begin(*first, kTurns));
        if (whileItAnswers) {
            QVERIFY(ask(*first, QStringLiteral("Tell me a long story of all these cats.")));
            QVERIFY(first->waitForLog("answering: message", kTurns + 1));
        }
        QVERIFY(killed(*first));
        kept = keptIn(first->log());
        QCOMPARE(promptsIn(first->log()).first(kTurns), wanted.first(kTurns));
    }
    QCOMPARE(kept.size(), kTurns);
    const auto second = program(data);
    QVERIFY(second->start({model_}));
    QVERIFY(second->waitForLog("model ready", 2));
    if (!whileItAnswers) {
        QVERIFY(second->key(QStringLiteral("ctrl+Next")));  // opens the chat
    }
    QVERIFY(ask(*second, next));
    QVERIFY(second->waitForLog("remembered", kTurns + 1));
    const Prompt got = promptsIn(second->log()).last();
    qInfo("kept %d tokens; of the next prompt's %d remembered %d, computed %d", kept.last(),
          got.tokens, got.remembered, got.computed());
    QVERIFY(kept.last() > (isStarter() ? 500 : 2000));
    if (whileItAnswers) {
        // All but the turn that was cut off.
        QVERIFY(got.remembered >= kept.last() - 1 && got.remembered <= kept.last());
    } else {
        QCOMPARE(got, wanted.last());
    }
    QVERIFY(second->quit());
}

int main(int argc, char** argv) {
    return hearth::ui::test::mainOnDisplay<PastKillTest>(argc, argv);
}
#include "past_kill_test.moc"
