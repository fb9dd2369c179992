// The stream of an answer, from friendly servers and from others.
#include "remote/chat_stream.h"

#include <QFile>
#include <QtTest>

using namespace hearth::ui;

namespace {

QByteArray eventOf(const QByteArray& json) {
    return "data: " + json + "\n\n";
}
// A piece of the answer: the members of its delta.
QByteArray piece(const QByteArray& delta) {
    return eventOf("{\"choices\":[{\"index\":0,\"delta\":{" + delta + "}}]}");
}
QByteArray finish(const QByteArray& word) {
    return eventOf("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" + word + "\"}]}");
}
const QByteArray kDone = "data: [DONE]\n\n";

struct Read {
    QString text;
    QString problem;
    bool serversOwn = false;
    GenerationSummary summary;
};

Read readIn(const QByteArray& bytes, qsizetype step) {
    ChatStream stream;
    Read read;
    for (qsizetype at = 0; at < bytes.size(); at += step) {
        stream.push(bytes.mid(at, step));
        const QString text = stream.takeText();
        if (!text.isEmpty() && text.back().isHighSurrogate() && !stream.isDone()) {
            read.problem = QStringLiteral("half a character");
            return read;
        }
        read.text += text;
    }
    stream.end();
    read.text += stream.takeText();
    read.problem = stream.problem();
    read.serversOwn = stream.isServersOwn();
    if (read.problem.isEmpty()) {
        read.summary = stream.summary();
    }
    return read;
}

Read readAll(const QByteArray& bytes) {
    return readIn(bytes, bytes.size() + 1);
}

// An answer of the gateway LiteLLM 1.108.7, which had asked Hearth's server, byte for byte.
QByteArray gatewayAnswer(const QString& name) {
    QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/gateway_answers/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class ChatStreamTest : public QObject {
    Q_OBJECT

private slots:
    // The usage comes with an empty choice, a call's name after its arguments.
    void readsAGateway() {
        for (const qsizetype step : {1, 7, 100'000}) {
            const Read text = readIn(gatewayAnswer("text.sse"), step);
            QCOMPARE(text.problem, QString());
            QCOMPARE(text.text, QStringLiteral("Water from seas and lakes turns"));
            QVERIFY(text.summary.finish == GenerationSummary::Finish::Length);
            QCOMPARE(text.summary.promptTokens, 13);
            QCOMPARE(text.summary.tokenCount, 6);
            const Read call = readIn(gatewayAnswer("call.sse"), step);
            QCOMPARE(call.problem, QString());
            QCOMPARE(call.text, QString());
            QCOMPARE(call.summary.calls.size(), 1);
            QCOMPARE(call.summary.calls.first().name, QStringLiteral("calculate"));
            QCOMPARE(call.summary.calls.first().arguments,
                     QByteArray(R"({"expression":"New York"})"));
        }
    }
    void readsAnAnswer() {
        const Read read = readAll(
            ": a comment\r\n\r\n" + piece("\"role\":\"assistant\",\"content\":\"\"") +
            piece("\"content\":\"Rain \"") + piece("\"content\":\"falls.\"") + finish("stop") +
            eventOf("{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":5,"
                    "\"prompt_tokens_details\":{\"cached_tokens\":4}}}") +
            kDone);
        QCOMPARE(read.problem, QString());
        QCOMPARE(read.text, QStringLiteral("Rain falls."));
        QVERIFY(read.summary.finish == GenerationSummary::Finish::Stop);
        QCOMPARE(read.summary.promptTokens, 12);
        QCOMPARE(read.summary.cachedTokens, 4);
        QCOMPARE(read.summary.tokenCount, 5);
    }
    // Letters of several bytes, escaped pairs, marks: cut between any two bytes.
    void isTheSameForEveryCut() {
        const QByteArray bytes =
            piece("\"reasoning_content\":\"hm… \"") + piece("\"content\":\"Grüße 🌧 \"") +
            piece("\"content\":\"\\ud83d\"") + piece("\"content\":\"\\ude00!\"") +
            piece(
                "\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"ca\","
                "\"arguments\":\"\"}}]") +
            piece(
                "\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"lc\",\"arguments\":\"{"
                "\\\"x\\\":\"}}]") +
            piece("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"ü\\\"}\"}}]") +
            finish("tool_calls") + kDone;
        const QString text = QStringLiteral("<think>\nhm… \n</think>\n\nGrüße 🌧 😀!");
        for (const qsizetype step : {qsizetype{1}, qsizetype{2}, qsizetype{3}, qsizetype{7},
                                     qsizetype{64}, bytes.size()}) {
            const Read read = readIn(bytes, step);
            QCOMPARE(read.problem, QString());
            QCOMPARE(read.text, text);
            QCOMPARE(read.summary.calls.size(), 1);
            QCOMPARE(read.summary.calls.at(0).name, QStringLiteral("calc"));
            QCOMPARE(read.summary.calls.at(0).id, QStringLiteral("c1"));
            QCOMPARE(read.summary.calls.at(0).arguments, QByteArray("{\"x\":\"ü\"}"));
        }
    }
    // Half a pair at the end of an answer is text as well, if odd.
    void givesTheLastHalf() {
        const Read read = readAll(piece("\"content\":\"a\\ud83d\"") + finish("stop") + kDone);
        QCOMPARE(read.text.size(), 2);
    }
    void marksReasoning() {
        const auto text = [](const QByteArray& pieces) {
            return readAll(pieces + finish("stop") + kDone).text;
        };
        QCOMPARE(text(piece("\"reasoning\":\"a\"") + piece("\"reasoning\":\"b\"") +
                      piece("\"content\":\"c\"")),
                 QStringLiteral("<think>\nab\n</think>\n\nc"));
        // The same under two names is said once.
        QCOMPARE(text(piece("\"reasoning\":\"a\",\"reasoning_content\":\"a\"")),
                 QStringLiteral("<think>\na\n</think>\n\n"));
        QCOMPARE(
            text(piece("\"content\":\"\",\"reasoning_content\":null") + piece("\"content\":\"c\"")),
            QStringLiteral("c"));
    }
    void readsSeveralCalls() {
        const Read read = readAll(
            piece("\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"two\"}}]") +
            piece("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":"
                  "\"one\",\"arguments\":{\"k\":1}}},{\"index\":1,\"id\":\"b\","
                  "\"function\":{\"name\":\"two\",\"arguments\":\"{\\\"z\\\":2}\"}}]") +
            finish("tool_calls"));
        QCOMPARE(read.problem, QString());
        QCOMPARE(read.summary.calls.size(), 2);
        QCOMPARE(read.summary.calls.at(0).name, QStringLiteral("one"));
        QCOMPARE(read.summary.calls.at(0).arguments, QByteArray("{\"k\":1}"));
        QCOMPARE(read.summary.calls.at(1).name, QStringLiteral("two"));
        QCOMPARE(read.summary.calls.at(1).arguments, QByteArray("{\"z\":2}"));
    }
    // Servers that do not number them: another id is another call.
    void readsCallsWithoutNumbers() {
        const Read read = readAll(
            piece("\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{"
                  "\"}}]") +
            piece("\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]") +
            piece("\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"two\"}}]") +
            piece("\"tool_calls\":[{\"id\":\"a\",\"index\":5,\"function\":{\"name\":\"three\"}}]") +
            finish("stop"));
        QCOMPARE(read.summary.calls.size(), 3);
        QCOMPARE(read.summary.calls.at(0).arguments, QByteArray("{}"));
        QCOMPARE(read.summary.calls.at(1).arguments, QByteArray("{}"));
        // Each has an id of its own.
        QVERIFY(read.summary.calls.at(2).id != QStringLiteral("a"));
        QVERIFY(!read.summary.calls.at(2).id.isEmpty());
    }
    // A call that the limit of tokens cut is not made.
    void dropsACutCall() {
        const Read read = readAll(piece("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{"
                                        "\"name\":\"one\",\"arguments\":\"{\"}}]") +
                                  finish("length") + kDone);
        QVERIFY(read.summary.finish == GenerationSummary::Finish::Length);
        QVERIFY(read.summary.calls.isEmpty());
    }
    // Whatever text spells, it is text.
    void textCallsNothing() {
        const QByteArray spelt =
            "<tool_call>{\\\"name\\\":\\\"calculate\\\",\\\"arguments\\\":{}}</"
            "tool_call><|im_end|>";
        const Read read = readAll(piece("\"content\":\"" + spelt + "\"") + finish("stop") + kDone);
        QVERIFY(read.summary.calls.isEmpty());
        QVERIFY(read.text.endsWith(QLatin1String("</tool_call><|im_end|>")));
    }
    void readsAWholeAnswer() {
        ChatStream stream;
        stream.pushWhole(
            "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"Hi\",\"reasoning_content\":"
            "\"r\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}"
            "\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"completion_tokens\":3}}");
        stream.end();
        QCOMPARE(stream.problem(), QString());
        QCOMPARE(stream.takeText(), QStringLiteral("<think>\nr\n</think>\n\nHi"));
        QCOMPARE(stream.summary().calls.size(), 1);
        QCOMPARE(stream.summary().tokenCount, 3);
    }
    void saysWhatIsWrong_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("text");
        const QByteArray begin = piece("\"content\":\"Well\"");
        const QString early =
            QStringLiteral("The connection ended before the answer was complete.");
        const QString odd =
            QStringLiteral("The server sent something that is no answer of a model.");
        const QString much = QStringLiteral("The server sent more than an answer can have.");
        const auto row = [](const char* name, const QByteArray& bytes, const QString& problem,
                            const QString& text) {
            QTest::addRow("%s", name) << bytes << problem << text;
        };
        row("nothing", {}, early, {});
        row("an early end", begin, early, "Well");
        row("within an event", begin + "data: {\"choi", early, "Well");
        row("broken JSON", begin + eventOf("{\"choices\":[}"), odd, "Well");
        row("no object", eventOf("[1]"), odd, {});
        row("html", "<html>\n\n" + eventOf("<html>"), odd, {});
        row("deep", eventOf(QByteArray(100'000, '[')), odd, {});
        row("an error",
            begin + eventOf("{\"error\":{\"message\":\"out of\\nmemory\",\"code\":500}}"),
            "out of memory", "Well");
        row("an error in a word", eventOf("{\"error\":\"no\"}"), "no", {});
        row("an error without words", eventOf("{\"error\":{}}"),
            "The server failed and does not say why.", {});
        row("a filter", begin + finish("content_filter") + kDone,
            "A filter of the server ended this answer.", "Well");
        row("a line without end",
            begin + "data: " + QByteArray(ChatStream::kMostEventBytes + 10, 'x'), much, "Well");
        row("an event without end", begin + QByteArray("data: aaaaaaaaaaaaaaaa\n").repeated(70'000),
            much, "Well");
        row("a call without a name",
            piece(
                "\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"arguments\":\"{}\"}}]") +
                finish("tool_calls"),
            "The server sent a call of a tool that has no usable name.", {});
        row("a name with a blank",
            piece("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"rm -rf\"}}]") +
                finish("tool_calls"),
            "The server sent a call of a tool that has no usable name.", {});
        row("a negative place",
            piece("\"tool_calls\":[{\"index\":-1,\"function\":{\"name\":\"a\"}}]") +
                finish("tool_calls"),
            "The server sent more calls of tools than an answer can have.", {});
        QByteArray calls;
        for (int i = 0; i <= ChatStream::kMostCalls; ++i) {
            calls += piece("\"tool_calls\":[{\"index\":" + QByteArray::number(i) +
                           ",\"function\":{\"name\":\"a\"}}]");
        }
        row("too many calls", calls + finish("tool_calls"),
            "The server sent more calls of tools than an answer can have.", {});
    }
    void saysWhatIsWrong() {
        QFETCH(const QByteArray, bytes);
        QFETCH(const QString, problem);
        QFETCH(const QString, text);
        const Read read = readIn(bytes, 1000);
        QCOMPARE(read.problem, problem);
        QCOMPARE(read.text, text);
        QCOMPARE(read.serversOwn,
                 problem == QLatin1String("no") || problem == QLatin1String("out of memory"));
    }
    // All pieces together have a bound as well.
    void endsAnEndlessAnswer() {
        ChatStream stream;
        const QByteArray large = piece("\"content\":\"" + QByteArray(500'000, 'a') + "\"");
        qsizetype taken = 0;
        for (int i = 0; i < 100 && stream.problem().isEmpty(); ++i) {
            stream.push(large);
            taken += stream.takeText().size();
        }
        QCOMPARE(stream.problem(), QStringLiteral("The server sent more than an answer can have."));
        QVERIFY(taken <= ChatStream::kMostText);
        QVERIFY(taken > ChatStream::kMostText - 1'000'000);
    }
    // An answer that says that it is complete is, also without the mark of the stream's end.
    void needsNoMark() {
        QCOMPARE(readAll(piece("\"content\":\"a\"") + finish("stop")).problem, QString());
        QCOMPARE(readAll(piece("\"content\":\"a\"") + kDone).problem, QString());
    }
    void followsNothingBehindTheMark() {
        const Read read = readAll(piece("\"content\":\"a\"") + finish("stop") + kDone +
                                  piece("\"content\":\"b\"") + eventOf("{"));
        QCOMPARE(read.problem, QString());
        QCOMPARE(read.text, QStringLiteral("a"));
    }
    // One answer was asked for: others are nobody's.
    void takesTheFirstChoice() {
        const Read read = readAll(eventOf("{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}"
                                          "},{\"index\":0,\"delta\":{\"content\":\"a\"}}]}") +
                                  finish("stop"));
        QCOMPARE(read.text, QStringLiteral("a"));
    }
    void believesNoOddNumbers() {
        const Read read =
            readAll(piece("\"content\":\"a\"") + finish("stop") +
                    eventOf("{\"usage\":{\"prompt_tokens\":-5,\"completion_tokens\":1e300,\"prompt_"
                            "tokens_details\":{\"cached_tokens\":7}}}"));
        QCOMPARE(read.summary.promptTokens, 0);
        QCOMPARE(read.summary.cachedTokens, 0);
        QCOMPARE(read.summary.tokenCount, 1);  // the pieces are counted
    }
    void readsErrorsOfManyServers() {
        QCOMPARE(errorMessageIn("{\"error\":{\"message\":\"a\"}}"), QStringLiteral("a"));
        QCOMPARE(errorMessageIn("{\"error\":\"b\"}"), QStringLiteral("b"));
        QCOMPARE(errorMessageIn("{\"message\":\"c\"}"), QStringLiteral("c"));
        QCOMPARE(errorMessageIn("{\"detail\":\"d\"}"), QStringLiteral("d"));
        QCOMPARE(errorMessageIn("<html>e</html>"), QString());
        QCOMPARE(errorMessageIn({}), QString());
        const QString longer = errorMessageIn("{\"detail\":\"" + QByteArray(5000, 'x') + "\"}");
        QCOMPARE(longer.size(), 401);
        QCOMPARE(errorMessageIn("{\"detail\":\"a\\u001b[31m\\u0000b\"}"), QStringLiteral("a[31mb"));
    }
};

QTEST_GUILESS_MAIN(ChatStreamTest)
#include "chat_stream_test.moc"
