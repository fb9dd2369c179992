// kill -9 at random moments while the program answers. Afterwards the database is whole, every
// message that was sent is there, and of the answer at most the last half second is missing. The
// settings, changed all the while, are the ones before a change or after it.
// HEARTH_KILLS says how often altogether (30).
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>
#include <chrono>

#include "settings/app_settings.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"

using namespace hearth::ui;

namespace {

constexpr qint64 kMayBeLostMs = 500;

qint64 clockMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct Shown {
    qint64 ms = 0;
    QString text;
};

struct Journal {
    QMap<qint64, QString> sent;        // user messages
    QMap<qint64, QList<Shown>> shown;  // by answer
    QSet<qint64> ended;                // answers
    int set = 0;                       // the last change of the settings that was begun
    int kept = 0;                      // and the last that was on the disk
};

Journal readJournal(const QString& name) {
    Journal journal;
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly)) {
        return journal;
    }
    const QByteArray bytes = file.readAll();
    // What follows the last line end was being written.
    for (const QByteArray& line : bytes.left(bytes.lastIndexOf('\n') + 1).split('\n')) {
        const QList<QByteArray> words = line.split(' ');
        if (words.first() == "sent") {
            const qint64 id = words.value(1).toLongLong();
            journal.sent[id] = QString::fromUtf8(line.mid(6 + words.value(1).size()));
        } else if (words.first() == "shown") {
            journal.shown[words.value(1).toLongLong()].append(
                {words.value(2).toLongLong(),
                 QString::fromUtf8(QByteArray::fromBase64(words.value(3)))});
        } else if (words.first() == "ended") {
            journal.ended.insert(words.value(1).toLongLong());
        } else if (words.first() == "set") {
            journal.set = words.value(1).toInt();
        } else if (words.first() == "kept") {
            journal.kept = words.value(1).toInt();
        }
    }
    return journal;
}

QString integrity(const ConversationStore& store) {
    QSqlQuery query(QSqlDatabase::database(store.connectionName()));
    return query.exec(QStringLiteral("PRAGMA integrity_check")) && query.next()
               ? query.value(0).toString()
               : QStringLiteral("not checked");
}

QString model() {
    const QString starter = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));
    const QString shared =
        QStringLiteral(HEARTH_SHARED_DIR "/starter-model/hearth-starter-f16.gguf");
    return !starter.isEmpty() ? starter : QFileInfo::exists(shared) ? shared : QString();
}

}  // namespace

class KillTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void losesNothing_data();
    void losesNothing();
    void theRealProgramLosesNothing();

private:
    // A quarter each for the engine and the real program, the rest for the scripted one.
    static int killsInAll() {
        bool ok = false;
        const int number = qEnvironmentVariableIntValue("HEARTH_KILLS", &ok);
        return std::max(4, ok ? number : 30);
    }
    static int quarter() { return killsInAll() / 4; }
    // Runs until it shows an answer, then for a random while, then kills it. The moment of the
    // kill.
    qint64 killSometime(QProcess& process, const std::function<bool()>& answers);

    QRandomGenerator random_{QRandomGenerator::securelySeeded()};
};

void KillTest::initTestCase() {
#ifndef Q_OS_UNIX
    QSKIP("kill -9: Unix only");
#endif
}

qint64 KillTest::killSometime(QProcess& process, const std::function<bool()>& answers) {
    QDeadlineTimer patience(20'000);
    while (!answers() && !patience.hasExpired() && process.state() == QProcess::Running) {
        QTest::qWait(5);
    }
    QTest::qWait(random_.bounded(0, 1500));
    const qint64 moment = clockMs();
    process.kill();
    process.waitForFinished();
    return moment;
}

void KillTest::losesNothing_data() {
    QTest::addColumn<bool>("realEngine");
    QTest::addColumn<int>("kills");
    QTest::addRow("scripted") << false << killsInAll() - 2 * quarter();
    QTest::addRow("engine") << true << quarter();
}

void KillTest::losesNothing() {
    QFETCH(bool, realEngine);
    QFETCH(int, kills);
    const QString file = realEngine ? model() : QString();
    if (realEngine && file.isEmpty()) {
        if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP") == 1) {
            QFAIL("no starter model");
        }
        QSKIP("no starter model");
    }
    const QTemporaryDir folder;
    const QString data = folder.filePath(QStringLiteral("data"));
    const QString journalFile = folder.filePath(QStringLiteral("journal"));
    const QString settingsFile = data + QStringLiteral("/hearth.ini");
    const QByteArray written = "; by hand\n[future]\nwarp=9 ; not yet\n";
    QVERIFY(QDir().mkpath(data));
    {
        QFile settings(settingsFile);
        QVERIFY(settings.open(QIODevice::WriteOnly));
        QCOMPARE(settings.write(written), written.size());
    }
    int changes = 0;
    qint64 worst = 0;
    int cutOff = 0;
    int sentInAll = 0;
    for (int run = 0; run < kills; ++run) {
        QFile::remove(journalFile);
        QProcess child;
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_LOGGING_RULES"),
                           QStringLiteral("hearth.*.info=false"));
        child.setProcessEnvironment(environment);
        child.start(QStringLiteral(HEARTH_KILL_CHILD),
                    QStringList({data, journalFile, QString::number(run)}) +
                        (realEngine ? QStringList(file) : QStringList()));
        QVERIFY(child.waitForStarted());
        const qint64 killed = killSometime(child, [&] {
            QFile journal(journalFile);
            return journal.open(QIODevice::ReadOnly) && journal.readAll().contains("shown ");
        });
        QVERIFY2(child.exitStatus() == QProcess::CrashExit, "the child ended by itself");

        ConversationStore store;
        QVERIFY(store.open(data).mode == ConversationStore::Mode::ReadWrite);
        QCOMPARE(integrity(store), QStringLiteral("ok"));
        const Journal journal = readJournal(journalFile);
        QVERIFY(!journal.sent.isEmpty());
        QVERIFY(journal.set > 0);
        const AppSettings settings(settingsFile);
        QVERIFY2(settings.problems().isEmpty(),
                 qPrintable(settings.problems().join(QLatin1Char(' '))));
        for (const char* key : {"engine/predictors", "engine/thresholds"}) {
            const QString text = settings.text(key, QStringLiteral("/other/model.gguf"));
            const int number = text.section(QLatin1Char('/'), 1, 1).toInt();
            QVERIFY2(number >= journal.kept && number <= journal.set, key);
            QVERIFY(number == 0 || text.section(QLatin1Char('/'), 2).size() == 3000);
            changes = number;
        }
        QFile settingsText(settingsFile);
        QVERIFY(settingsText.open(QIODevice::ReadOnly) &&
                settingsText.readAll().startsWith(written));
        sentInAll += static_cast<int>(journal.sent.size());
        for (auto it = journal.sent.begin(); it != journal.sent.end(); ++it) {
            const auto message = store.message(it.key());
            QVERIFY2(message && message->content == it.value(), qPrintable(it.value()));
        }
        for (auto it = journal.shown.begin(); it != journal.shown.end(); ++it) {
            const auto answer = store.message(it.key());
            QVERIFY(answer);
            QString all;
            QString due;
            qint64 firstLost = killed;
            for (const Shown& piece : it.value()) {
                all += piece.text;
                if (piece.ms <= killed - kMayBeLostMs) {
                    due = all;
                }
                if (all.size() > answer->content.size()) {
                    firstLost = std::min(firstLost, piece.ms);
                }
            }
            if (journal.ended.contains(it.key())) {
                QVERIFY(answer->state == MessageState::Complete);
                QCOMPARE(answer->content, all);
                continue;
            }
            QVERIFY(answer->state == MessageState::Interrupted ||
                    answer->state == MessageState::Complete);
            cutOff += answer->state == MessageState::Interrupted ? 1 : 0;
            QVERIFY2(all.startsWith(answer->content), "stored what was never shown");
            QVERIFY2(answer->content.size() >= due.size(),
                     qPrintable(QStringLiteral("lost %1 ms").arg(killed - firstLost)));
            worst = std::max(worst, killed - firstLost);
        }
    }
    QVERIFY2(cutOff > 0, "no kill hit an answer");
    qInfo().noquote() << kills << "kills," << cutOff << "within an answer," << sentInAll
                      << "messages sent, none missing; at most" << worst << "ms of an answer lost;"
                      << changes << "changes of settings";
}

// `hearth` itself, window and all. It writes its answers to standard output as it shows them.
void KillTest::theRealProgramLosesNothing() {
    const QString file = model();
    if (file.isEmpty()) {
        if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP") == 1) {
            QFAIL("no starter model");
        }
        QSKIP("no starter model");
    }
    const int kills = quarter();
    qint64 worst = 0;
    for (int run = 0; run < kills; ++run) {
        const QTemporaryDir folder;
        QStringList arguments({file, QStringLiteral("--data-dir"), folder.path()});
        QStringList texts;
        for (int i = 0; i < 200; ++i) {
            texts << QStringLiteral("Message %1: tell me a story.").arg(i);
            arguments << QStringLiteral("--say") << texts.last();
        }
        QProcess program;
        program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        QByteArray bytes;
        QList<QPair<qint64, qsizetype>> arrivals;  // moment, bytes until then
        connect(&program, &QProcess::readyReadStandardOutput, this, [&] {
            bytes += program.readAllStandardOutput();
            arrivals.append({clockMs(), bytes.size()});
        });
        program.start(QStringLiteral(HEARTH_PROGRAM), arguments);
        QVERIFY(program.waitForStarted());
        const qint64 killed = killSometime(program, [&] { return !bytes.isEmpty(); });
        bytes += program.readAllStandardOutput();
        QVERIFY2(program.exitStatus() == QProcess::CrashExit, "the program ended by itself");
        QVERIFY2(!bytes.isEmpty(), "no answer within 20 seconds");

        ConversationStore store;
        QVERIFY(store.open(folder.path()).mode == ConversationStore::Mode::ReadWrite);
        QCOMPARE(integrity(store), QStringLiteral("ok"));
        const QList<ConversationSummary> conversations = store.conversations();
        QCOMPARE(conversations.size(), 1);
        const QList<Message> path = store.activePath(conversations.first().id);
        QString stored;
        for (qsizetype i = 0; i < path.size(); i += 2) {
            QCOMPARE(path.at(i).content, texts.at(i / 2));
            const Message& answer = path.at(i + 1);
            const bool lastOne = i + 2 == path.size();
            QVERIFY(lastOne || answer.state == MessageState::Complete);
            QVERIFY(answer.state != MessageState::Generating);
            stored += answer.content + (answer.state == MessageState::Complete ? "\n" : "");
        }
        // The log names every answer that was begun.
        QFile log(folder.filePath(QStringLiteral("hearth.log")));
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QByteArray logged = log.readAll();
        QVERIFY(logged.count("answering: message") >= 1);
        QVERIFY(path.size() >= 2 * logged.count("answering: message"));
        QVERIFY2(!logged.contains("story"), "chat text in the log");

        qsizetype due = 0;
        const QByteArray storedBytes = stored.toUtf8();
        for (const auto& [moment, size] : arrivals) {
            due = moment <= killed - kMayBeLostMs ? size : due;
            if (size > storedBytes.size()) {
                worst = std::max(worst, killed - moment);
            }
        }
        // The last line end may be missing: an answer's end is on disk before it is shown.
        QVERIFY2((bytes + '\n').startsWith(storedBytes), "stored what was never shown");
        QVERIFY2(storedBytes.size() >= due, "more than half a second is missing");
    }
    qInfo().noquote() << kills << "kills; at most" << worst << "ms of an answer lost";
}

QTEST_GUILESS_MAIN(KillTest)
#include "kill_test.moc"
