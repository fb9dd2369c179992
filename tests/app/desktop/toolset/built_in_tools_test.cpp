#include "toolset/built_in_tools.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/network/test_server.h"
#include "network/network_control.h"
#include "network/network_door.h"

using namespace hearth::ui;

class BuiltInToolsTest : public QObject {
    Q_OBJECT

    NetworkControl control_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<BuiltInTools> tools_;
    std::unique_ptr<QSignalSpy> done_;

    ToolOutcome outcomeOf(const QString& tool, const QJsonObject& arguments,
                          const QString& folder = {}) {
        done_->clear();
        tools_->call(3, tool, QJsonDocument(arguments).toJson(), {folder});
        if (done_->size() > 0) {
            return {true, "it answered before it returned"};
        }
        if (!QTest::qWaitFor([&] { return done_->size() > 0; }, 20'000)) {
            return {true, "no answer"};
        }
        return done_->at(0).at(1).value<ToolOutcome>();
    }

private slots:
    void init() {
        door_ = std::make_unique<NetworkDoor>(control_);
        tools_ = std::make_unique<BuiltInTools>(*door_);
        done_ = std::make_unique<QSignalSpy>(tools_.get(), &ToolSource::done);
    }
    void cleanup() {
        done_.reset();
        tools_.reset();
        door_.reset();
    }

    void schemasAreJson() {
        QCOMPARE(tools_->tools().size(), 6);
        for (const OfferedTool& tool : tools_->tools()) {
            const QJsonObject schema = QJsonDocument::fromJson(tool.schema).object();
            QCOMPARE(schema.value("type").toString(), QString("object"));
        }
    }

    void calculates() {
        QCOMPARE(outcomeOf("calculate", {{"expression", "2 * (3 + 4)"}}).text, QString("14"));
        QVERIFY(outcomeOf("calculate", {{"expression", "2 *"}}).failed);
        QVERIFY(outcomeOf("calculate", {{"expression", 5}}).failed);
        QVERIFY(outcomeOf("nothing", {}).failed);
        QCOMPARE(outcomeOf("calculate", {{"expression", "1 + 1"}}).text, QString("2"));
    }

    void tellsTheTime() {
        const QString text = outcomeOf("time", {{"zone", "Asia/Kolkata"}}).text;
        const QRegularExpression form(
            "^[A-Z][a-z]+day \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d Asia/Kolkata "
            "\\(UTC\\+05:30\\)$");
        QVERIFY2(form.match(text).hasMatch(), qPrintable(text));
        QVERIFY(outcomeOf("time", {{"zone", "Mars/Base"}}).failed);
        QVERIFY(!outcomeOf("time", {}).failed);
    }

    void worksInTheChatsFolderOnly() {
        QTemporaryDir folder;
        QFile file(folder.filePath("a.txt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("one\ntwo\n");
        file.close();
        QVERIFY(outcomeOf("read_file", {{"path", "a.txt"}}).failed);
        QCOMPARE(outcomeOf("read_file", {{"path", "a.txt"}, {"first_line", 2}}, folder.path()).text,
                 QString("two\n"));
        QCOMPARE(outcomeOf("read_file", {{"path", "a.txt"}, {"lines", 1}}, folder.path()).text,
                 QString("one\n[The file goes on at line 2.]"));
        QCOMPARE(outcomeOf("list_folder", {}, folder.path()).text, QString("a.txt (8 bytes)"));
        QCOMPARE(outcomeOf("search_files", {{"text", "TWO"}}, folder.path()).text,
                 QString("a.txt:2: two\n"));
        QVERIFY(BuiltInTools::needsFolder("read_file") && !BuiltInTools::needsFolder("time"));
    }

    void fetchesNoNearAddress_data() {
        QTest::addColumn<QString>("address");
        for (const char* address :
             {"http://127.0.0.1:8080/", "https://localhost/", "https://192.168.1.1/",
              "https://10.0.0.7/x", "https://router/", "https://printer.local/", "https://[::1]/",
              "http://example.org/", "ftp://example.org/", "file:///etc/passwd",
              "https://[::ffff:10.0.0.7]/", "https://172.20.0.1/", "https://user@example.org/", "",
              "https://169.254.169.254/latest"}) {
            QTest::newRow(address) << address;
        }
    }

    void fetchesNoNearAddress() {
        QFETCH(QString, address);
        QVERIFY(!refusalOfPage(address).isEmpty());
        QVERIFY(outcomeOf("fetch_page", {{"address", address}}).failed);
        QCOMPARE(control_.log().entries().size(), 0);
    }

    void asksThroughTheDoor() {
        QVERIFY(refusalOfPage("https://example.org/page").isEmpty());
        control_.setRules({.forbidAll = true});
        const ToolOutcome outcome =
            outcomeOf("fetch_page", {{"address", "https://example.org/page"}});
        QVERIFY(outcome.failed);
        QVERIFY2(outcome.text.contains("switched all network requests off"),
                 qPrintable(outcome.text));
    }

    void aPageIsAllowedByItsHost() {
        const QByteArray page = "{\"address\":\"https://example.org/a?b\"}";
        QCOMPARE(tools_->permissionOf("fetch_page", page), QString("fetch_page@example.org"));
        QCOMPARE(tools_->permissionOf("time", "{}"), QString("time"));
    }
};

QTEST_GUILESS_MAIN(BuiltInToolsTest)
#include "built_in_tools_test.moc"
