#include "toolset/tool_config.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class ToolConfigTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString file_;

    void put(const QByteArray& bytes) {
        QFile file(file_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = folder_->filePath("tools.json");
    }

    void comesBackAsItWas() {
        ToolConfig config;
        config.builtIns = {"time", "calculate"};
        config.servers = {{1, "Files", "server --root \"a b\"", true, true},
                          {2, "Far", "https://example.org/mcp", false, false}};
        QCOMPARE(writeToolConfig(file_, config), QString());
        QVERIFY(readToolConfig(file_) == config);
        QCOMPARE(QFile::permissions(file_) & (QFile::ReadGroup | QFile::ReadOther),
                 QFile::Permissions());
    }

    void nothingIsOnAtFirst() { QVERIFY(readToolConfig(file_) == ToolConfig()); }

    void aDamagedFileIsKept_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("no JSON") << QByteArray("{\"version\": 1");
        QTest::newRow("of another version") << QByteArray("{\"version\": 2}");
        QTest::newRow("an array") << QByteArray("[]");
    }

    void aDamagedFileIsKept() {
        QFETCH(QByteArray, bytes);
        put(bytes);
        QVERIFY(readToolConfig(file_) == ToolConfig());
        QFile kept(file_ + ".damaged");
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), bytes);
    }

    void takesNoServerThatCouldNotBeAdded() {
        // moc does not get past two slashes in a raw string.
        QByteArray json =
            "{'version':1,'builtIns':[5],'servers':[{'name':'a','entry':'x'},{'name':'a',"
            "'entry':'y'},{'name':'','entry':'z'},{'name':'b'},7,{'name':'c','entry':"
            "'http://far.example/'},{'name':'d','entry':'w','on':true}]}";
        put(json.replace('\'', '"'));
        const ToolConfig config = readToolConfig(file_);
        QCOMPARE(config.servers.size(), 2);
        QCOMPARE(config.servers.at(1).name, QString("d"));
        QCOMPARE(config.servers.at(1).id, 2);
        QVERIFY(config.servers.at(1).on && !config.servers.at(0).on);
    }

    void saysWhatTheDiskRefuses() {
        QVERIFY(!writeToolConfig(folder_->filePath("no/where.json"), {}).isEmpty());
        QCOMPARE(writeToolConfig({}, {}), QString());
    }

    void tellsAddressesFromCommands() {
        const auto refusal = [](const char* entry) {
            return refusalOfServer({0, "n", entry, false, false}, {});
        };
        QVERIFY(refusal("https://example.org/mcp").isEmpty());
        QVERIFY(refusal("http://127.0.0.1:3000/mcp").isEmpty());
        QVERIFY(!refusal("http://example.org/mcp").isEmpty());
        QVERIFY(!refusal("https://user:word@example.org/").isEmpty());
        QVERIFY(refusal("npx server").isEmpty());
        QVERIFY(!refusal("npx \"server").isEmpty());
        QVERIFY(!refusal("").isEmpty());
    }
};

QTEST_GUILESS_MAIN(ToolConfigTest)
#include "tool_config_test.moc"
