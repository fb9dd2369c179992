// A chat as the body of a request.
#include "remote/chat_request.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

using namespace hearth::ui;

namespace {

QJsonObject bodyOf(const QList<ChatTurn>& turns, const GenerationSettings& settings = {},
                   bool asksUsage = true) {
    return QJsonDocument::fromJson(
               chatRequest(QStringLiteral("org/model"), turns, settings, asksUsage))
        .object();
}

}  // namespace

class ChatRequestTest : public QObject {
    Q_OBJECT

private slots:
    // No field that a server might not know, unless it is chosen.
    void saysNoMoreThanItMust() {
        const QJsonObject body = bodyOf({{"user", "Hi"}});
        QStringList keys = body.keys();
        keys.sort();
        QCOMPARE(keys, QStringList({"messages", "model", "stream", "stream_options", "temperature",
                                    "top_p"}));
        QCOMPARE(body["model"].toString(), QStringLiteral("org/model"));
        QVERIFY(body["stream"].toBool());
        QVERIFY(body["stream_options"]["include_usage"].toBool());
        QCOMPARE(body["temperature"].toDouble(), 0.8);
        QCOMPARE(body["top_p"].toDouble(), 0.95);
        QVERIFY(!bodyOf({{"user", "Hi"}}, {}, false).contains("stream_options"));
    }
    void saysWhatIsChosen() {
        GenerationSettings settings;
        settings.presencePenalty = 0.5;
        settings.frequencyPenalty = -0.5;
        settings.seed = 0xFFFF'FFFF'FFFF'FFFF;
        settings.maxTokens = 7;
        settings.reasoning = QStringLiteral("high");
        settings.topK = 3;
        settings.dryMultiplier = 1;
        const QJsonObject body = bodyOf({{"user", "Hi"}}, settings);
        QCOMPARE(body["presence_penalty"].toDouble(), 0.5);
        QCOMPARE(body["frequency_penalty"].toDouble(), -0.5);
        QCOMPARE(body["seed"].toInteger(), std::numeric_limits<qint64>::max());
        QCOMPARE(body["max_tokens"].toInt(), 7);
        QCOMPARE(body["reasoning_effort"].toString(), QStringLiteral("high"));
        QVERIFY(!body.contains("top_k") && !body.contains("dry_multiplier"));
        for (const char* other : {"auto", "off", "on"}) {
            settings.reasoning = QString(other);
            QVERIFY(!bodyOf({{"user", "Hi"}}, settings).contains("reasoning_effort"));
        }
    }
    // Calls and their results find each other; reasoning stays at home.
    void tellsOfCalls() {
        GenerationSettings settings;
        settings.tools = {{"calculate", "Does sums", R"({"type":"object","properties":{}})"}};
        const QJsonObject body = bodyOf({{"system", "Be brief."},
                                         {"user", "2+2?"},
                                         {"assistant",
                                          "<think>\nhm\n</think>\n\n",
                                          {{"c1", "calculate", R"({"expression":"2+2"})"}}},
                                         {"tool", "4", {}, "c1", "calculate"},
                                         {"assistant", "<think>\nso\n</think>\n\nFour."},
                                         {"user", "Thanks <think> you"}},
                                        settings);
        const QJsonArray messages = body["messages"].toArray();
        QCOMPARE(messages.size(), 6);
        QCOMPARE(messages[0]["content"].toString(), QStringLiteral("Be brief."));
        QVERIFY(messages[2]["content"].isNull());
        const QJsonObject call = messages[2]["tool_calls"].toArray().at(0).toObject();
        QCOMPARE(call["id"].toString(), QStringLiteral("c1"));
        QCOMPARE(call["type"].toString(), QStringLiteral("function"));
        QCOMPARE(call["function"]["name"].toString(), QStringLiteral("calculate"));
        QCOMPARE(call["function"]["arguments"].toString(),
                 QStringLiteral("{\"expression\":\"2+2\"}"));
        QCOMPARE(messages[3]["role"].toString(), QStringLiteral("tool"));
        QCOMPARE(messages[3]["tool_call_id"].toString(), QStringLiteral("c1"));
        QCOMPARE(messages[4]["content"].toString(), QStringLiteral("Four."));
        QCOMPARE(messages[5]["content"].toString(), QStringLiteral("Thanks <think> you"));
        const QJsonObject tool = body["tools"].toArray().at(0).toObject();
        QCOMPARE(tool["type"].toString(), QStringLiteral("function"));
        QCOMPARE(tool["function"]["name"].toString(), QStringLiteral("calculate"));
        QCOMPARE(tool["function"]["description"].toString(), QStringLiteral("Does sums"));
        QCOMPARE(tool["function"]["parameters"]["type"].toString(), QStringLiteral("object"));
    }
};

QTEST_GUILESS_MAIN(ChatRequestTest)
#include "chat_request_test.moc"
