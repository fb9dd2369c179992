// hearth-cli run: one answer, chats, interruption; and the starter model when it is there.
#include <QtTest>

#include "cli_process.h"
#include "support/damaged_file.h"
#include "support/tiny_model.h"

#ifndef Q_OS_WIN
#include <csignal>
#endif

using hearth::test::cli_path;
using hearth::test::CliResult;
using hearth::test::has_keys;
using hearth::test::run_cli;
using hearth::test::TinyModel;

class RunTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

    QStringList tiny(const QStringList& more) const {
        return QStringList{"run", "-m", model_, "-n", "12", "--seed", "3"} + more;
    }

    static bool must_not_skip() { return qEnvironmentVariableIsSet("HEARTH_NO_SKIP"); }

private slots:
    void initTestCase() {
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel().write(model_.toStdString()));
    }

    void json() {
        const CliResult result = run_cli(tiny({"-p", "Hello", "--json"}));
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(
            has_keys(object, "run",
                     {"text", "reasoning", "token_ids", "finish", "prompt_tokens", "cached_tokens",
                      "load_ms", "load_gb_per_s", "ttft_ms", "prefill_per_s", "decode_per_s",
                      "settings", "memory", "flash", "share", "experts", "drafts", "notice"},
                     why),
            qPrintable(why));
        QVERIFY(QStringList({"stop", "length"}).contains(object["finish"].toString()));
        QVERIFY(object["token_ids"].toArray().size() <= 12);
        QVERIFY(object["prompt_tokens"].toInt() > 5);
        QCOMPARE(object["cached_tokens"].toInt(), 0);
        QVERIFY(object["load_ms"].toDouble() > 0);
        QVERIFY(object["experts"].isNull());  // the model has none
        const QJsonObject drafts = object["drafts"].toObject();
        QVERIFY(drafts["right"].toInt(-1) >= 0);
        QVERIFY(drafts["right"].toInt() <= drafts["tokens"].toInt(-1));
        for (const char* count : {"tokens", "right"}) {  // by where they came from
            const int of_text = drafts["text"].toObject()[count].toInt(-1);
            const int of_layer = drafts["layer"].toObject()[count].toInt(-1);
            QVERIFY(of_text >= 0);
            QCOMPARE(of_layer, 0);  // the starter model has none
            QCOMPARE(of_text + of_layer, drafts[count].toInt());
        }
        QCOMPARE(object["settings"]["seed"].toInt(), 3);
        const QJsonObject memory = object["memory"].toObject();
        QCOMPARE(memory["ledger_bytes"].toInteger(), memory["weights_bytes"].toInteger() +
                                                         memory["kv_bytes"].toInteger() +
                                                         memory["scratch_bytes"].toInteger());
    }

    // Plain output is the JSON's text and a line end; the same seed says the same.
    void textEqualsJson() {
        const CliResult json = run_cli(tiny({"-p", "Hello", "--json"}));
        const CliResult plain = run_cli(tiny({"-p", "Hello"}));
        QVERIFY2(plain.status == 0, plain.text());
        QCOMPARE(plain.out, json.json()["text"].toString().toUtf8() + "\n");
        for (const char* word : {"first token", "weights", "planned", "tokens"}) {
            QVERIFY2(plain.err.contains(word), plain.text());
        }
        const CliResult input = run_cli(tiny({}), "Hello\n");
        QCOMPARE(input.out, plain.out);
        const CliResult other =
            run_cli(tiny({"-p", "Hello", "-t", "1", "--exact", "--gpu", "none"}));
        QCOMPARE(other.out, plain.out);
    }

    // The starter model in less memory than its weights take: the same text, and the bytes that
    // each token reads from disk, in JSON and for people.
    void aModelLargerThanItsBudget() {
        const QStringList base{"run",   "-p",  "Hello", "-n", "12",    "--temp", "0",
                               "--ctx", "256", "-t",    "2",  "--gpu", "none",   "--exact"};
        const CliResult whole = run_cli(base + QStringList{"--json"});
        QVERIFY2(whole.status == 0, whole.text());
        QCOMPARE(whole.json()["flash"].toObject()["read_bytes"].toInteger(), 0);
        const CliResult streamed = run_cli(base + QStringList{"--ram", "30M", "--json"});
        QVERIFY2(streamed.status == 0, streamed.text());
        QCOMPARE(streamed.json()["text"], whole.json()["text"]);
        const QJsonObject flash = streamed.json()["flash"].toObject();
        QVERIFY2(flash["read_bytes"].toInteger() > 12 * 10'000'000, streamed.text());
        QVERIFY2(streamed.json()["memory"].toObject()["ledger_bytes"].toInteger() <= 30 << 20,
                 streamed.text());
        const CliResult plain = run_cli(base + QStringList{"--ram", "30M"});
        QVERIFY2(plain.status == 0, plain.text());
        QVERIFY2(plain.err.contains("are read from disk for each token"), plain.text());
        QVERIFY2(!run_cli(base).err.contains("from disk"), plain.text());
    }

    // Each option that leaves the likeliest token alone makes the answer that of --temp 0.
    void everySamplingOptionCounts() {
        const QStringList ask =
            tiny({"-p", "Hello", "--top-k", "0", "--top-p", "1", "--min-p", "0"});
        const QByteArray greedy = run_cli(ask + QStringList{"--temp", "0"}).out;
        QVERIFY(greedy.size() > 1);
        const QStringList hot = ask + QStringList{"--temp", "100"};
        const CliResult any = run_cli(hot);
        QVERIFY2(any.status == 0 && any.out != greedy, any.text());
        QStringList other = hot;
        other[other.indexOf("--seed") + 1] = "4";
        QVERIFY(run_cli(other).out != any.out);
        for (const QStringList& alone : {QStringList{"--top-k", "1"}, QStringList{"--min-p", "1"},
                                         QStringList{"--top-p", "0.00001"}}) {
            QStringList options = hot;
            options[options.indexOf(alone[0]) + 1] = alone[1];
            const CliResult result = run_cli(options);
            QVERIFY2(result.out == greedy, result.text());
        }
        const CliResult varied = run_cli(ask + QStringList{"--temp", "0", "--repeat-penalty", "9"});
        QVERIFY2(varied.status == 0 && varied.out != greedy, varied.text());
    }

    // Each option of sampling changes a hot or a greedy answer, as it does in the engine.
    void samplingOptionsReachTheModel() {
        const QStringList greedy = tiny({"-p", "Hello", "--temp", "0", "--gpu", "none"});
        const QByteArray plain = run_cli(greedy).out;
        for (const QStringList& more :
             {QStringList{"--presence-penalty", "50"}, QStringList{"--frequency-penalty", "50"},
              QStringList{"--logit-bias", "100=99"}, QStringList{"--logit-bias", "q=99"}}) {
            const CliResult result = run_cli(greedy + more);
            QVERIFY2(result.status == 0 && result.out != plain, result.text());
            const CliResult none = run_cli(greedy + more + QStringList{"--repeat-last-n", "0"});
            QCOMPARE(none.out == plain, !more[0].startsWith("--logit"));
        }
        const QStringList biased = greedy + QStringList{"--logit-bias", "q=1000"};
        QCOMPARE(run_cli(biased).out, QByteArray("qqqqqqqqqqqq\n"));
        const QStringList dry =
            biased +
            QStringList{"--dry-multiplier", "100", "--dry-base", "4", "--dry-allowed-length", "3"};
        QVERIFY(run_cli(dry).out.startsWith("qqqqqq"));
        QVERIFY(!run_cli(dry).out.startsWith("qqqqqqqqqq"));
        QCOMPARE(run_cli(dry + QStringList{"--dry-last-n", "0"}).out, QByteArray("qqqqqqqqqqqq\n"));
        QCOMPARE(run_cli(dry + QStringList{"--dry-breaker", "q"}).out,
                 QByteArray("qqqqqqqqqqqq\n"));
        QVERIFY(!run_cli(greedy + QStringList{"--logit-bias", "q=1000", "--logit-bias", "q=false"})
                     .out.contains('q'));
        const QStringList hot = tiny({"-p", "Hello", "--temp", "2", "--gpu", "none"});
        const QByteArray any = run_cli(hot).out;
        QVERIFY(run_cli(hot + QStringList{"--typical-p", "0.05"}).out != any);
        QVERIFY(run_cli(hot + QStringList{"--xtc-probability", "1", "--xtc-threshold", "0"}).out !=
                any);
        const CliResult unknown = run_cli(greedy + QStringList{"--logit-bias", "two words=1"});
        QCOMPARE(unknown.status, 1);
        QVERIFY2(unknown.err.contains("logit_bias: \"two words\" is 9 tokens"), unknown.text());
    }

    void grammarsReachTheModel() {
        const auto file = [&](const char* name, const QByteArray& text) {
            const QString path = dir_.filePath(name);
            QFile out(path);
            return out.open(QFile::WriteOnly) && out.write(text) == text.size() ? path : QString();
        };
        const QStringList ask = tiny({"-p", "Hello", "--gpu", "none"});
        const QString gbnf = file("yes.gbnf", "root ::= \"yes\" # one word\n");
        const QString schema = file("list.json", "{\"enum\":[[1,2]]}\n");
        QCOMPARE(run_cli(ask + QStringList{"--grammar", "root ::= \"no\""}).out,
                 QByteArray("no\n"));
        QCOMPARE(run_cli(ask + QStringList{"--grammar-file", gbnf}).out, QByteArray("yes\n"));
        QCOMPARE(run_cli(ask + QStringList{"--json-schema", "{\"const\":7}"}).out,
                 QByteArray("7\n"));
        const CliResult list = run_cli(ask + QStringList{"--json-schema-file", schema, "--json"});
        QCOMPARE(list.json()["text"].toString(), QString("[1,2]"));
        QCOMPARE(list.json()["finish"].toString(), QString("stop"));
        const CliResult stuck = run_cli(ask + QStringList{"--json-schema", "false", "--json"});
        QCOMPARE(stuck.status, 0);
        QCOMPARE(stuck.json()["finish"].toString(), QString("grammar"));
        QVERIFY2(stuck.json()["notice"].toString().contains("grammar"), stuck.text());
        const CliResult wrong = run_cli(ask + QStringList{"--grammar", "root :="});
        QCOMPARE(wrong.status, 1);
        QVERIFY2(wrong.err.contains("grammar: line 1, column 6: ::= is missing"), wrong.text());
        const CliResult refused =
            run_cli(ask + QStringList{"--json-schema", "{\"not\":{}}", "--json"});
        QCOMPARE(refused.status, 1);
        QCOMPARE(refused.error()["field"].toString(), QString("json_schema"));
        const CliResult missing =
            run_cli(ask + QStringList{"--grammar-file", dir_.filePath("none.gbnf")});
        QCOMPARE(missing.status, 1);
        QVERIFY2(missing.err.contains("none.gbnf"), missing.text());
        const CliResult empty =
            run_cli(ask + QStringList{"--json-schema-file", file("empty.json", " \n")});
        QVERIFY2(empty.status == 1 && empty.err.contains("the file is empty"), empty.text());
    }

    // An activation, predictors and thresholds that are named arrive at the model.
    void optionsReachTheModel() {
        const QString none = dir_.filePath("none.gguf");
        const QStringList ask{"-p", "Hello", "--gpu", "none", "--json"};
        const auto mode_of = [](const CliResult& result) {
            return result.json().value("settings").toObject().value("mode").toString();
        };
        const auto mode = [&](const QStringList& more) {
            return mode_of(run_cli(tiny(ask) + more));
        };
        QCOMPARE(mode({}), QString("exact"));
        QCOMPARE(mode({"--activation", "silu"}), QString("dense"));
        const CliResult predictors =
            run_cli(tiny(ask) + QStringList{"--predicted", "--predictors", none});
        QCOMPARE(predictors.error()["path"].toString(), none);
        const QString predicted = dir_.filePath("predicted.gguf");
        QVERIFY(TinyModel({.predictor_width = 64}).write(predicted.toStdString()));
        const QStringList with{"run", "-m",    predicted, "-p",          "Hello", "-n",
                               "2",   "--gpu", "none",    "--predicted", "--json"};
        QCOMPARE(run_cli(with).error()["field"].toString(), QString("hearth.predictor.input"));
        const CliResult stated = run_cli(with + QStringList{"--predictor-input", "normed"});
        QVERIFY2(stated.status == 0, stated.text());
        QCOMPARE(mode_of(stated), QString("predicted"));
        const QString gated = dir_.filePath("gated.gguf");
        QVERIFY(
            TinyModel({.arch = "llama", .type = hearth::DType::Q8_0}).write(gated.toStdString()));
        const CliResult thresholds = run_cli(
            {"run", "-m", gated, "-p", "Hello", "--approximate", "--thresholds", none, "--json"});
        QCOMPARE(thresholds.error()["path"].toString(), none);
    }

    void rawIsNoTurn() {
        const CliResult raw = run_cli(tiny({"-p", "Hello", "--raw", "--json"}));
        const CliResult turn = run_cli(tiny({"-p", "Hello", "--json"}));
        QVERIFY2(raw.status == 0, raw.text());
        QVERIFY(raw.json()["prompt_tokens"].toInt() < turn.json()["prompt_tokens"].toInt());
    }

    void chat() {
        const CliResult result = run_cli(tiny({"--chat"}), "Hello\n\n/new\nAgain\n/quit\nnever\n");
        QVERIFY2(result.status == 0, result.text());
        // Two answers; nothing of prompts and notes for a script.
        QVERIFY2(result.err.isEmpty(), result.text());
        QVERIFY2(result.out.count('\n') >= 2, result.text());
        const CliResult end = run_cli(tiny({"--chat"}));
        QVERIFY2(end.status == 0 && end.out.isEmpty(), end.text());
    }
    // After /new the same message gets the same answer as the first time.
    void chatStartsOver() {
        const QStringList greedy = tiny({"--chat", "--temp", "0"});
        const CliResult once = run_cli(greedy, "Hello\n");
        const CliResult twice = run_cli(greedy, "Hello\n/new\nHello\n");
        QVERIFY2(twice.status == 0, twice.text());
        QCOMPARE(twice.out, once.out + once.out);
        QCOMPARE(run_cli(greedy, "Hello\n \t \n\n").out, once.out);  // a blank line says nothing
    }
    // Lines of a file from Windows end with a return, too.
    void chatReadsWindowsLines() {
        const QStringList greedy = tiny({"--chat", "--temp", "0"});
        const CliResult plain = run_cli(greedy, "Hello\n/new\nAgain\n/quit\nnever\n");
        const CliResult windows = run_cli(greedy, "Hello\r\n/new\r\nAgain\r\n/quit\r\nnever\r\n");
        QVERIFY2(plain.status == 0 && !plain.out.isEmpty(), plain.text());
        QCOMPARE(windows.out, plain.out);
    }
    // So does the question that Windows' echo writes.
    void readsWindowsQuestions() {
        const QStringList greedy = tiny({"--temp", "0"});
        const CliResult plain = run_cli(greedy, "Hello\n");
        QVERIFY2(plain.status == 0 && !plain.out.isEmpty(), plain.text());
        QCOMPARE(run_cli(greedy, "Hello\r\n").out, plain.out);
        QVERIFY(run_cli(greedy, "Hello\r").out != plain.out);  // one line's end, and not all blanks
        QCOMPARE(run_cli(greedy, "\r\n").status, 2);           // the prompt is empty
    }
    // The last message counts also where no line ends it, as `printf` pipes it.
    void chatAnswersALineWithoutItsEnd() {
        const QStringList greedy = tiny({"--chat", "--temp", "0"});
        const CliResult ended = run_cli(greedy, "Hello\nAgain\n");
        QVERIFY2(ended.status == 0 && !ended.out.isEmpty(), ended.text());
        for (const char* typed : {"Hello\nAgain", "Hello\nAgain\r"}) {
            const CliResult open = run_cli(greedy, typed);
            QVERIFY2(open.status == 0, open.text());
            QCOMPARE(open.out, ended.out);
        }
    }

    // The system message counts in a chat as it does for one answer.
    void chatKnowsItsSystemMessage() {
        const QStringList told{"--system", "You are a pirate.", "--temp", "0"};
        const CliResult chat = run_cli(tiny({"--chat"}) + told, "Hello\n/new\nHello\n");
        QVERIFY2(chat.status == 0, chat.text());
        const CliResult once = run_cli(tiny({"-p", "Hello"}) + told);
        QVERIFY2(once.status == 0, once.text());
        QCOMPARE(chat.out, once.out + once.out);
        QVERIFY(once.out != run_cli(tiny({"-p", "Hello", "--temp", "0"})).out);
    }
    // A model whose attention overflows once it has seen a Z: that message fails, and the next one
    // is answered as if it had never been.
    void chatForgetsWhatFailed() {
        constexpr int kColumn = 40;
        const QString path = dir_.filePath("no-z.gguf");
        QVERIFY(TinyModel().write(path.toStdString()));
        const auto set = [&](const char* tensor, int row, std::uint32_t bits) {
            return hearth::test::overwrite_tensor(
                path.toStdString(), tensor, static_cast<std::uint64_t>((row * 64 + kColumn) * 4),
                bits, 4);
        };
        for (int token = 0; token < TinyModel::kVocab; ++token) {
            constexpr std::uint32_t kThousand = 0x447A0000;
            QVERIFY(set("token_embd.weight", token, token == 3 + 'Z' ? kThousand : 0));
        }
        for (int row = 0; row < 32; ++row) {
            QVERIFY(set("blk.0.attn_v.weight", row, 0x7F7FFFFF));
        }
        const QStringList greedy{"run", "-m", path, "-n", "12", "-t", "1", "--chat", "--temp", "0"};
        const CliResult fresh = run_cli(greedy, "Hello\n");
        QVERIFY2(fresh.status == 0 && fresh.err.isEmpty(), fresh.text());
        const CliResult failed = run_cli(greedy, "Z\n");
        QVERIFY2(failed.status == 1 && failed.out.isEmpty(), failed.text());
        QVERIFY2(failed.err.contains("logits: token 0 is NaN"), failed.text());
        const CliResult both = run_cli(greedy, "Z\nHello\n");
        QVERIFY2(both.status == 0, both.text());
        QCOMPARE(both.err, failed.err);
        QCOMPARE(both.out, fresh.out);
    }
    void chatMessageTooLong() {
        const CliResult result = run_cli(tiny({"--chat"}), QByteArray(4000, 'a') + "\nHello\n");
        QVERIFY2(result.status == 0, result.text());  // the last message was answered
        QVERIFY2(!result.out.isEmpty() && !result.err.isEmpty(), result.text());
    }

#ifndef Q_OS_WIN
    void interruptedBench() {
        QProcess process;
        process.start(cli_path(),
                      {"bench", "-m", model_, "-p", "32", "-n", "32", "-r", "10000", "--json"});
        QVERIFY(process.waitForStarted());
        // Before main() has set its handler a signal would end it as any program; loading is over
        // soon.
        QTest::qWait(700);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        const QJsonObject object =
            QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(object["error"]["code"].toString(), "cancelled");
    }

    void interruptedAtThePrompt() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer holds signals back while a program waits in a read");
#endif
        QProcess process;
        process.start(cli_path(), tiny({"--chat"}));
        QVERIFY(process.waitForStarted());
        process.write("Hello\n");
        // The answer shows that it came to the prompt once; after its end it waits there again.
        QVERIFY(process.waitForReadyRead(20'000));
        QTest::qWait(500);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
    }

    // Ctrl-C in an answer of a chat ends that answer; the next message gets a whole one.
    void interruptedChatGoesOn() {
        const QString path = dir_.filePath("talker.gguf");
        QVERIFY(TinyModel({.n_layer = 4, .n_embd = 128, .n_ctx = 16384}).write(path.toStdString()));
        // It never ends an answer nor a line by itself: such logits are 0, the best is not.
        for (const int token : {0, 1, 2, 3 + '\n'}) {
            for (int i = 0; i < 128; ++i) {
                QVERIFY(hearth::test::overwrite_tensor(
                    path.toStdString(), "output.weight",
                    static_cast<std::uint64_t>((token * 128 + i) * 4), 0, 4));
            }
        }
        const int most = 6000;
        QProcess process;
        process.start(cli_path(), {"run", "-m", path, "--chat", "--temp", "0", "-n",
                                   QString::number(most), "--gpu", "none", "-t", "1"});
        QVERIFY(process.waitForStarted());
        process.write("Hello\n");
        QVERIFY(process.waitForReadyRead(20'000));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QByteArray out = process.readAllStandardOutput();
        while (!out.contains('\n')) {
            QVERIFY(process.waitForReadyRead(20'000));
            out += process.readAllStandardOutput();
        }
        const qsizetype first = out.indexOf('\n');
        QVERIFY2(first > 0 && first < most, "the answer was whole before it was interrupted");
        process.write("And then?\n");
        while (out.size() < first + 100) {
            QVERIFY2(process.waitForReadyRead(20'000), "the next message got no answer");
            out += process.readAllStandardOutput();
        }
        QVERIFY2(out.indexOf('\n', first + 1) < 0, "the next answer was cut short");
        process.closeWriteChannel();
        process.kill();
        QVERIFY(process.waitForFinished(20'000));
    }

    // Ctrl-C in the middle of an answer: what was said stays, and the status tells.
    void interruptedAnswer() {
        const QString starter = hearth::test::starter_model();
        if (starter.isEmpty() && !must_not_skip()) {
            QSKIP("no starter model in resources/starter-model");
        }
        QProcess process;
        process.start(cli_path(), {"run", "-m", starter, "--raw", "-p", "Once upon a time",
                                   "--temp", "0", "--repeat-penalty", "1.3", "-t", "1"});
        QVERIFY(process.waitForStarted());
        QVERIFY(process.waitForReadyRead(30'000));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(process.readAllStandardOutput().endsWith('\n'));
        QVERIFY(process.readAllStandardError().contains("cancelled"));
    }
#endif

    void starterModel() {
        const QString starter = hearth::test::starter_model();
        if (starter.isEmpty() && !must_not_skip()) {
            QSKIP("no starter model in resources/starter-model");
        }
        // The same model is used if -m is missing: it is the default.
        const CliResult result = run_cli({"run", "-p", "Who are you?", "--temp", "0", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QVERIFY2(object["text"].toString().startsWith("I am Hearth"), result.text());
        QCOMPARE(object["finish"].toString(), "stop");
        const CliResult stopped =
            run_cli({"run", "-m", starter, "-p", "Who are you?", "--temp", "0", "--stop", "model",
                     "--stop", "never said", "--json"});
        QVERIFY2(stopped.json()["text"].toString().endsWith("starter "), stopped.text());
        QCOMPARE(stopped.json()["finish"].toString(), "stop");
        const CliResult cut = run_cli(
            {"run", "-m", starter, "-p", "Who are you?", "--temp", "0", "-n", "3", "--json"});
        QCOMPARE(cut.json()["finish"].toString(), "length");
        QCOMPARE(cut.json()["token_ids"].toArray().size(), 3);
    }
};

QTEST_GUILESS_MAIN(RunTest)
#include "run_test.moc"
