#include <QtTest>

#include "toolbox/rpc_message.h"

using namespace hearth::toolbox;
using Kind = RpcMessage::Kind;

class RpcMessageTest : public QObject {
    Q_OBJECT

private slots:
    void reads_each_kind() {
        const auto answer = read_rpc(R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
        QVERIFY(answer && answer->kind == Kind::Answer && answer->id == 7);
        QCOMPARE(answer->body["a"].get<int>(), 1);
        const auto failure =
            read_rpc(R"({"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"no"}})");
        QVERIFY(failure && failure->kind == Kind::Failure && failure->id == 8);
        QCOMPARE(failure->code, -32602);
        QCOMPARE(failure->text, std::string("no"));
        const auto request = read_rpc(R"({"jsonrpc":"2.0","id":"x","method":"ping"})");
        QVERIFY(request && request->kind == Kind::Request && request->method == "ping");
        QCOMPARE(request->their_id.get<std::string>(), std::string("x"));
        const auto notice = read_rpc(R"({"jsonrpc":"2.0","method":"n","params":{"b":2}})");
        QVERIFY(notice && notice->kind == Kind::Notice);
        QCOMPARE(notice->body["b"].get<int>(), 2);
        const auto unread = read_rpc(R"({"jsonrpc":"2.0","id":null,"error":{"code":1}})");
        QVERIFY(unread && unread->kind == Kind::Failure && unread->id == -1);
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"", "{", "[]", "7", "{}", R"({"id":1,"result":{}})", R"({"jsonrpc":"1.0","id":1})",
              R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"result":5})",
              R"({"jsonrpc":"2.0","id":"1","result":{}})",
              R"({"jsonrpc":"2.0","id":1.5,"result":{}})", R"({"jsonrpc":"2.0","result":{}})",
              R"({"jsonrpc":"2.0","id":1,"error":"no"})", R"({"jsonrpc":"2.0","method":5})",
              R"({"jsonrpc":"2.0","method":"m","id":{}})",
              R"([{"jsonrpc":"2.0","id":1,"result":{}}])"}) {
            QTest::newRow(text) << QByteArray(text);
        }
        QTest::newRow("deep") << QByteArray("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":") +
                                     QByteArray("{\"a\":").repeated(100) + "1" +
                                     QByteArray("}").repeated(101);
        QTest::newRow("long") << QByteArray(kMostRpcBytes + 1, ' ');
    }

    void refuses() {
        QFETCH(QByteArray, text);
        const auto message = read_rpc(text.toStdString());
        QVERIFY(!message.has_value());
        QVERIFY(!message.error().message.empty());
    }

    void words_of_a_failure_are_bounded() {
        const std::string text =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":99999999999,\"message\":\"" +
            std::string(5000, 'x') + "\"}}";
        const auto failure = read_rpc(text);
        QVERIFY(failure.has_value());
        QCOMPARE(failure->text.size(), std::size_t{1000});
        QCOMPARE(failure->code, 0);
    }

    void writes_one_line() {
        const std::string line = rpc_request(3, "m", {{"text", "two\nlines"}});
        QVERIFY(line.find('\n') == std::string::npos);
        const auto again = read_rpc(line);
        QVERIFY(again && again->kind == Kind::Request && again->their_id == 3);
        QVERIFY(read_rpc(rpc_notice("n", RpcJson::object()))->kind == Kind::Notice);
        QVERIFY(read_rpc(rpc_answer(5, RpcJson::object()))->kind == Kind::Answer);
        QCOMPARE(read_rpc(rpc_failure(5, kNoSuchMethod, "no"))->code, kNoSuchMethod);
    }

    void cuts_between_characters() {
        QCOMPARE(cut_to("aé", 2), std::string("a"));
        QCOMPARE(cut_to("aé", 3), std::string("aé"));
        QCOMPARE(cut_to("\x80\x80\x80", 2), std::string());
    }
};

QTEST_APPLESS_MAIN(RpcMessageTest)
#include "rpc_message_test.moc"
