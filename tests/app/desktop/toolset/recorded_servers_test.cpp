// Exchanges that were recorded with the protocol's reference servers, replayed: lists, calls and
// failures come out as they did then.
#include <QtTest>

#include "exchange_file.h"
#include "toolset/mcp_client.h"

using namespace hearth::ui;

class RecordedServersTest : public QObject {
    Q_OBJECT

private slots:
    void replays_data() {
        QTest::addColumn<QString>("server");
        QTest::newRow("everything") << "everything";
        QTest::newRow("filesystem") << "filesystem";
    }

    // RECORD.txt has what the client gave then, one line a call: done or failed, and the text as
    // JSON.
    void replays() {
        QFETCH(QString, server);
        const QString record = QStringLiteral(HEARTH_RECORDS "/") + server + ".jsonl";
        auto transport = std::make_unique<test::ReplayTransport>(record);
        const test::ReplayTransport& replay = *transport;
        McpClient client("server", std::move(transport), {60'000, 3'000});
        QSignalSpy done(&client, &ToolSource::done);
        client.start();
        QTRY_VERIFY(client.state() != McpClient::State::Starting);
        QVERIFY2(client.state() == McpClient::State::Ready, qPrintable(client.words()));
        QStringList said = {client.words()};
        for (const OfferedTool& tool : client.tools()) {
            said << "tool " + tool.name;
            QVERIFY(QJsonDocument::fromJson(tool.schema).isObject());
        }
        for (const auto& [name, arguments] : test::callsOf(record)) {
            done.clear();
            client.call(1, name, arguments, {});
            QTRY_COMPARE(done.size(), 1);
            const auto outcome = done.at(0).at(1).value<ToolOutcome>();
            QByteArray text =
                QJsonDocument(QJsonObject{{"text", outcome.text}}).toJson(QJsonDocument::Compact);
            said << name + (outcome.failed ? " failed " : " done ") + QString::fromUtf8(text);
        }
        QCOMPARE(replay.trouble(), QByteArray());
        QVERIFY(replay.atEnd());
        const QString path = QStringLiteral(HEARTH_RECORDS "/") + server + ".txt";
        QFile wanted(path);
        if (qEnvironmentVariableIsSet("HEARTH_RECORD")) {
            QVERIFY(wanted.open(QIODevice::WriteOnly));
            wanted.write((said.join('\n') + '\n').toUtf8());
            return;
        }
        QVERIFY(wanted.open(QIODevice::ReadOnly));
        QCOMPARE(said.join('\n') + '\n', QString::fromUtf8(wanted.readAll()));
    }
};

QTEST_GUILESS_MAIN(RecordedServersTest)
#include "recorded_servers_test.moc"
