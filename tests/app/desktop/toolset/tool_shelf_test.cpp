#include "toolset/tool_shelf.h"

#include <QTcpServer>
#include <QTemporaryDir>
#include <QtTest>

#include "network/network_control.h"
#include "network/network_door.h"

using namespace hearth::ui;

class ToolShelfTest : public QObject {
    Q_OBJECT

    NetworkControl control_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ToolShelf> shelf_;

    void start() {
        shelf_.reset();
        shelf_ = std::make_unique<ToolShelf>(folder_->filePath("tools.json"), control_, *door_);
    }
    QVariant shown(int row, int role) {
        return shelf_->servers()->data(shelf_->servers()->index(row), role);
    }
    QString phase(int row = 0) { return shown(row, ServerListModel::PhaseRole).toString(); }
    QStringList names(bool hasFolder = true) {
        QStringList all;
        for (const ShelfTool& tool : shelf_->offered(hasFolder)) {
            all << tool.name;
        }
        return all;
    }
    QString log() {
        QStringList all;
        for (int i = 0; i < shelf_->log()->count(); ++i) {
            all << shelf_->log()->data(shelf_->log()->index(i), ToolLog::WordsRole).toString();
        }
        return all.join('\n');
    }
    static QString command(const char* kind = "good") {
        return QStringLiteral("\"%1\" %2").arg(HEARTH_SCRIPTED_SERVER, kind);
    }

private slots:
    void init() {
        door_ = std::make_unique<NetworkDoor>(control_);
        folder_ = std::make_unique<QTemporaryDir>();
        start();
    }
    void cleanup() {
        shelf_.reset();
        door_.reset();
    }

    void nothingIsOnUntilSwitchedOn() {
        QCOMPARE(shelf_->onCount(), 0);
        QCOMPARE(shelf_->builtIns().size(), 6);
        for (const QVariant& tool : shelf_->builtIns()) {
            QVERIFY(!tool.toMap().value("on").toBool());
        }
        QCOMPARE(shelf_->addServer("Scripted", command(), true), QString());
        QCOMPARE(phase(), QString("off"));
        QVERIFY(log().isEmpty());  // no program was started
    }

    void keepsWhatIsOn() {
        shelf_->setBuiltInOn("time", true);
        shelf_->setBuiltInOn("read_file", true);
        QCOMPARE(names(), QStringList({"time", "read_file"}));
        QCOMPARE(names(false), QStringList({"time"}));
        shelf_->addServer("Scripted", command(), true);
        shelf_->setServerOn(1, true);
        start();
        QCOMPARE(shelf_->servers()->count(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(phase(), QString("ready"), 20'000);
        QCOMPARE(shelf_->onCount(), 16);
        shelf_->setBuiltInOn("time", false);
        shelf_->removeServer(1);
        start();
        QCOMPARE(names(), QStringList({"read_file"}));
    }

    void refusesASecondServerOfTheName() {
        QCOMPARE(shelf_->addServer(" Scripted ", command(), true), QString());
        QVERIFY(!shelf_->addServer("Scripted", command(), true).isEmpty());
        QVERIFY(!shelf_->addServer("Other", "", true).isEmpty());
        QCOMPARE(shelf_->servers()->count(), 1);
    }

    void namesOfTwoServersDiffer() {
        shelf_->addServer("One", command(), true);
        shelf_->addServer("Two words", command(), true);
        shelf_->setServerOn(1, true);
        shelf_->setServerOn(2, true);
        QTRY_COMPARE_WITH_TIMEOUT(phase(0) + phase(1), QString("readyready"), 20'000);
        const QStringList all = names();
        QCOMPARE(all.size(), 28);
        QVERIFY(all.contains("echo") && all.contains("Two_words_echo"));
        QCOMPARE(QSet<QString>(all.begin(), all.end()).size(), all.size());
    }

    void callsAndLogs() {
        shelf_->addServer("Scripted", command(), true);
        shelf_->setServerOn(1, true);
        QTRY_COMPARE_WITH_TIMEOUT(phase(), QString("ready"), 20'000);
        QSignalSpy done(shelf_.get(), &ToolShelf::done);
        const ShelfTool echo = shelf_->offered(false).first();
        const quint64 first = shelf_->call(echo, R"({"text":"hi"})", {});
        QTRY_COMPARE(done.size(), 1);
        QCOMPARE(done.at(0).at(0).toULongLong(), first);
        QCOMPARE(done.at(0).at(1).value<ToolOutcome>().text, QString("hi"));
        QVERIFY(log().contains("echo is called") && log().contains("echo answered"));
        QTRY_VERIFY(log().contains("echoes hi"));

        // A tool of a server that is off by now.
        shelf_->setServerOn(1, false);
        QCOMPARE(phase(), QString("off"));
        QVERIFY(shelf_->call(echo, "{}", {}) != first);
        QTRY_COMPARE(done.size(), 2);
        QVERIFY(done.at(1).at(1).value<ToolOutcome>().failed);
    }

    void aCallUnderWayEndsWithItsServer() {
        shelf_->addServer("Scripted", command(), true);
        shelf_->setServerOn(1, true);
        QTRY_COMPARE_WITH_TIMEOUT(phase(), QString("ready"), 20'000);
        QSignalSpy done(shelf_.get(), &ToolShelf::done);
        shelf_->call(shelf_->offered(false).at(3), "{}", {});  // hangs
        shelf_->setServerOn(1, false);
        QTRY_COMPARE(done.size(), 1);
        QVERIFY(done.at(0).at(1).value<ToolOutcome>().failed);
    }

    void aServerThatFailedIsStartedAnew() {
        shelf_->addServer("Scripted", command("crash"), true);
        shelf_->setServerOn(1, true);
        QTRY_COMPARE_WITH_TIMEOUT(phase(), QString("failed"), 20'000);
        QCOMPARE(shown(0, ServerListModel::WordsRole).toString(),
                 QString("The server has ended (code 7)."));
        shelf_->setServerOn(1, true);
        QCOMPARE(phase(), QString("starting"));
        QTRY_COMPARE_WITH_TIMEOUT(phase(), QString("failed"), 20'000);
    }

    // The switch that forbids all requests holds for programs, too.
    void aProgramHasNoNetworkWhileAllIsForbidden() {
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        const QByteArray port = "{\"text\":\"" + QByteArray::number(listener.serverPort()) + "\"}";
        shelf_->addServer("Scripted", command(), true);
        shelf_->setServerOn(1, true);
        QSignalSpy done(shelf_.get(), &ToolShelf::done);
        const auto said = [&] {
            const auto waits = [&] { return phase() != QLatin1String("starting"); };
            if (!QTest::qWaitFor(waits, 20'000) || phase() != QLatin1String("ready")) {
                return shown(0, ServerListModel::WordsRole).toString();
            }
            done.clear();
            shelf_->call(shelf_->offered(false).at(10), port, {});
            if (!QTest::qWaitFor([&] { return !done.isEmpty(); }, 20'000)) {
                return QString("no answer");
            }
            return done.at(0).at(1).value<ToolOutcome>().text;
        };
        QCOMPARE(said(), QString("connected"));
        control_.setRules({.forbidAll = true});
        const QString forbidden = said();
        control_.setRules({});
        if (forbidden.startsWith("This system does not let")) {
            QSKIP("the kernel refuses namespaces");
        }
        QCOMPARE(forbidden, QString("no way out"));
        QCOMPARE(said(), QString("connected"));
    }

    void saysThatNothingIsSaved() {
        QVERIFY(QDir(folder_->path()).removeRecursively());
        shelf_->setBuiltInOn("time", true);
        QVERIFY(!shelf_->trouble().isEmpty());
        QCOMPARE(names(), QStringList({"time"}));
        QVERIFY(QDir().mkpath(folder_->path()));
        shelf_->setBuiltInOn("calculate", true);
        QVERIFY(shelf_->trouble().isEmpty());
    }

    void theLogIsBounded() {
        for (int i = 0; i < ToolLog::kMostLines + 10; ++i) {
            shelf_->log()->add("s", QString::number(i));
        }
        QCOMPARE(shelf_->log()->count(), ToolLog::kMostLines);
        QVERIFY(log().startsWith(QString::number(ToolLog::kMostLines + 9) + '\n'));
    }
};

QTEST_GUILESS_MAIN(ToolShelfTest)
#include "tool_shelf_test.moc"
