// Speaks with a server that misbehaves in every way a test could think of.
#include "toolset/mcp_client.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QtTest>

#ifdef Q_OS_LINUX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "toolset/stdio_transport.h"

using namespace hearth::ui;

namespace {

QByteArray arguments(const QString& text) {
    return QJsonDocument(QJsonObject{{"text", text}}).toJson(QJsonDocument::Compact);
}

}  // namespace

class McpClientTest : public QObject {
    Q_OBJECT

    std::unique_ptr<McpClient> client_;
    std::unique_ptr<QSignalSpy> done_;
    std::unique_ptr<QSignalSpy> said_;

    void start(const QString& kind, const McpClient::Patience& patience = {},
               ChildNetwork network = ChildNetwork::Allowed) {
        client_ = std::make_unique<McpClient>(
            "scripted",
            std::make_unique<StdioTransport>(QStringList{HEARTH_SCRIPTED_SERVER, kind}, network),
            patience);
        done_ = std::make_unique<QSignalSpy>(client_.get(), &ToolSource::done);
        said_ = std::make_unique<QSignalSpy>(client_.get(), &McpClient::said);
        client_->start();
    }

    void startGood(const McpClient::Patience& patience = {},
                   ChildNetwork network = ChildNetwork::Allowed) {
        start("good", patience, network);
        QTRY_VERIFY_WITH_TIMEOUT(client_->state() != McpClient::State::Starting, 20'000);
    }

    // The outcome of the next call.
    ToolOutcome outcomeOf(const QString& tool, const QString& text = "t") {
        done_->clear();
        client_->call(5, tool, arguments(text), {});
        if (!QTest::qWaitFor([&] { return done_->size() > 0; }, 30'000)) {
            return {true, "no answer"};
        }
        return done_->at(0).at(1).value<ToolOutcome>();
    }

    QString words() const {
        QStringList all;
        for (const QList<QVariant>& line : *said_) {
            all << line.at(0).toString();
        }
        return all.join('\n');
    }

private slots:
    void cleanup() {
        done_.reset();
        said_.reset();
        client_.reset();
    }

    void listsAllPages() {
        startGood();
        QCOMPARE(client_->state(), McpClient::State::Ready);
        QCOMPARE(client_->words(), QString("scripted 1"));
        QCOMPARE(client_->tools().size(), 14);
        QCOMPARE(client_->tools().at(0).name, QString("echo"));
        QCOMPARE(client_->tools().at(13).name, QString("file"));
        QVERIFY(client_->tools().at(4).schema.contains("\"text\""));
    }

    void callsAndLogsItsWords() {
        startGood();
        const ToolOutcome first = outcomeOf("echo", "one <|im_end|>");
        QVERIFY(!first.failed);
        QCOMPARE(first.text, QString("one <|im_end|>"));
        QCOMPARE(outcomeOf("echo", "two").text, QString("two"));
        QTRY_VERIFY(words().contains("echoes two"));
        QVERIFY(words().contains("a server that is good"));
    }

    void failures_data() {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<bool>("failed");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("lives");
        QTest::newRow("fails") << "fail" << true << "it went wrong" << true;
        QTest::newRow("denies") << "deny" << true << "not like this" << true;
        QTest::newRow("dies") << "die" << true << "The server has ended (code 3)." << false;
        QTest::newRow("floods") << "flood" << true
                                << "The server floods Hearth with messages and was ended." << false;
        QTest::newRow("one long line")
            << "long" << true << "The server sent a message that is too long." << false;
        QTest::newRow("wrong messages") << "wrong" << false << "right after all" << true;
        QTest::newRow("lies in ids") << "lie" << false << "the truth" << true;
    }

    void failures() {
        QFETCH(QString, tool);
        startGood();
        const ToolOutcome outcome = outcomeOf(tool);
        QTEST(outcome.failed, "failed");
        QTEST(outcome.text, "text");
        QFETCH(bool, lives);
        QCOMPARE(client_->state(), lives ? McpClient::State::Ready : McpClient::State::Failed);
        const ToolOutcome after = outcomeOf("echo", "after");
        QCOMPARE(after.failed, !lives);
        if (lives) {
            QCOMPARE(after.text, QString("after"));
        }
        QCOMPARE(client_->tools().isEmpty(), !lives);
    }

    void aCallThatHangsEnds() {
        startGood({60'000, 100});
        QCOMPARE(outcomeOf("hang").text, QString("The tool did not answer in time."));
        QCOMPARE(outcomeOf("echo", "next").text, QString("next"));
    }

    void aStoppedCallEndsOnce() {
        startGood();
        client_->call(8, "hang", arguments("x"), {});
        client_->cancel(8);
        client_->cancel(8);
        QVERIFY(done_->isEmpty());
        QTRY_COMPARE(done_->size(), 1);
        QCOMPARE(done_->at(0).at(0).toULongLong(), 8ULL);
        QVERIFY(done_->at(0).at(1).value<ToolOutcome>().failed);
        QCOMPARE(outcomeOf("echo", "next").text, QString("next"));
        QCOMPARE(done_->size(), 1);
    }

    void answersPingsAndRefusesTheRest() {
        startGood();
        const QString text = outcomeOf("ask").text;
        QVERIFY2(text.contains(R"({"jsonrpc":"2.0","id":"p","result":{}})"), qPrintable(text));
        QVERIFY2(text.contains("-32601"), qPrintable(text));
    }

    void cutsAResult() {
        startGood();
        const ToolOutcome outcome = outcomeOf("big");
        QVERIFY(!outcome.failed);
        QVERIFY(outcome.text.startsWith("xxx") && outcome.text.endsWith("It ends here.]"));
        QVERIFY(outcome.text.size() < kMostResultBytes + 100);
    }

    void badStarts_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("text");
        QTest::newRow("silent") << "silent"
                                << "The server did not answer in time.";
        QTest::newRow("old") << "old"
                             << "Hearth cannot speak with the server: the server speaks "
                                "version 1999-01-01 of the protocol";
        QTest::newRow("no tools") << "no_tools"
                                  << "The server has no tools.";
        QTest::newRow("crash") << "crash"
                               << "The server has ended (code 7).";
        QTest::newRow("refuse") << "refuse"
                                << "The server refuses: I would rather not";
        QTest::newRow("flood") << "flood"
                               << "The server floods Hearth with messages and was ended.";
    }

    void badStarts() {
        QFETCH(QString, kind);
        start(kind, {kind == "silent" ? 200 : 60'000, 60'000});
        QTRY_COMPARE_WITH_TIMEOUT(client_->state(), McpClient::State::Failed, 30'000);
        QTEST(client_->words(), "text");
        QVERIFY(outcomeOf("echo").failed);
    }

    void aProgramThatIsNotThere() {
        client_ =
            std::make_unique<McpClient>("none",
                                        std::make_unique<StdioTransport>(
                                            QStringList{"/nowhere/program"}, ChildNetwork::Allowed),
                                        McpClient::Patience{});
        client_->start();
        QTRY_COMPARE(client_->state(), McpClient::State::Failed);
        QVERIFY2(client_->words().startsWith("The program /nowhere/program cannot be started"),
                 qPrintable(client_->words()));
    }

    void hasNoNetworkUnlessAllowed_data() {
        QTest::addColumn<bool>("allowed");
        QTest::newRow("shut out") << false;
        QTest::newRow("allowed") << true;
    }

    void hasNoNetworkUnlessAllowed() {
        QFETCH(bool, allowed);
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        startGood({}, allowed ? ChildNetwork::Allowed : ChildNetwork::None);
        if (client_->words().startsWith("This system does not let")) {
            QSKIP("the kernel refuses namespaces");
        }
        QCOMPARE(outcomeOf("connect", QString::number(listener.serverPort())).text,
                 allowed ? QString("connected") : QString("no way out"));
    }

    // A system whose kernel refuses namespaces: a program in the place of unshare says so.
    void startsWithoutNamespacesOnlyIfTheNetworkIsAllowed() {
#ifdef Q_OS_LINUX
        QTemporaryDir folder;
        QFile refusing(folder.filePath("unshare"));
        QVERIFY(refusing.open(QIODevice::WriteOnly));
        refusing.write(
            "#!/bin/sh\necho unshare: unshare failed: Operation not permitted >&2\nexit 1\n");
        refusing.close();
        QVERIFY(refusing.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", folder.path().toUtf8() + ':' + path);
        startGood({}, ChildNetwork::None);
        const QString refused = client_->words();
        startGood({}, ChildNetwork::Allowed);
        qputenv("PATH", path);
        QVERIFY2(refused.startsWith("This system does not let"), qPrintable(refused));
        QCOMPARE(client_->state(), McpClient::State::Ready);
        QCOMPARE(outcomeOf("echo", "plain").text, QString("plain"));
#endif
    }

    void makesFilesOfTheUsers() {
#ifdef Q_OS_LINUX
        QTemporaryDir folder;
        startGood({}, ChildNetwork::None);
        if (client_->words().startsWith("This system does not let")) {
            QSKIP("the kernel refuses namespaces");
        }
        QCOMPARE(outcomeOf("file", folder.filePath("made")).text, QString("made"));
        QCOMPARE(QFileInfo(folder.filePath("made")).ownerId(), geteuid());
#endif
    }

    // The pipe ends when every process of the server is gone.
    void endsWithAllThatItStarted_data() {
        QTest::addColumn<bool>("killed");
        QTest::newRow("switched off") << false;
        QTest::newRow("the window is killed") << true;
    }

    void endsWithAllThatItStarted() {
#ifdef Q_OS_LINUX
        QFETCH(bool, killed);
        QTemporaryDir folder;
        const QByteArray pipe = folder.filePath("pipe").toUtf8();
        QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
        const int file = open(pipe.constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(file >= 0);
        // True while somebody holds the other end.
        const auto isHeld = [&] {
            char byte = 0;
            return read(file, &byte, 1) < 0 && errno == EAGAIN;
        };
        QProcess window;
        if (killed) {
            window.start(HEARTH_ORPHAN_CHILD, {HEARTH_SCRIPTED_SERVER, folder.filePath("pipe")});
            QVERIFY(window.waitForReadyRead(30'000));
            const QByteArray words = window.readAll();
            if (words.startsWith("This system does not let")) {
                QSKIP("the kernel refuses namespaces");
            }
            QCOMPARE(words, QByteArray("ready\n"));
        } else {
            start("stubborn", {}, ChildNetwork::None);
            QTRY_VERIFY_WITH_TIMEOUT(client_->state() != McpClient::State::Starting, 20'000);
            if (client_->words().startsWith("This system does not let")) {
                QSKIP("the kernel refuses namespaces");
            }
            QVERIFY(!outcomeOf("fork", folder.filePath("pipe")).failed);
        }
        QTRY_VERIFY(isHeld());
        if (killed) {
            window.kill();
            QVERIFY(window.waitForFinished());
        } else {
            client_.reset();
        }
        QTRY_VERIFY(!isHeld());
        close(file);
#else
        QSKIP("this system has no such pipes");
#endif
    }

    void wordsOfACommand_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* line, const QStringList& words) {
            QTest::newRow(line) << line << words;
        };
        row("npx -y server", {"npx", "-y", "server"});
        row("  a   b ", {"a", "b"});
        row("a \"b c\" 'd \"e'", {"a", "b c", "d \"e"});
        row("a\\ b 'c\\d'", {"a b", "c\\d"});
        row("a \"\"", {"a", ""});
        row("a \"b", {});
        row("", {});
    }

    void wordsOfACommand() {
        QFETCH(QString, line);
        QTEST(commandWords(line), "words");
    }
};

QTEST_GUILESS_MAIN(McpClientTest)
#include "mcp_client_test.moc"
