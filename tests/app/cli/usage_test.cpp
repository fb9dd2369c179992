// hearth-cli's words about itself and about wrong command lines.
#include <QtTest>

#include "cli_process.h"
#include "support/tiny_model.h"

using hearth::test::CliResult;
using hearth::test::run_cli;

class UsageTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

private slots:
    void initTestCase() {
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(hearth::test::TinyModel().write(model_.toStdString()));
    }

    void version() {
        const CliResult result = run_cli({"--version"});
        QVERIFY2(result.status == 0, result.text());
        QCOMPARE(result.out, QByteArray("hearth-cli 0.1.0\n"));
        QVERIFY2(result.err.isEmpty(), result.text());
    }

    void help_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("mentions");
        QTest::newRow("all") << QStringList{"--help"} << QByteArray("perplexity");
        for (const char* command :
             {"run", "serve", "bench", "logits", "tokenize", "detokenize", "template", "perplexity",
              "inspect", "devices", "quantize", "profile", "pack", "plan", "train-predictor"}) {
            QTest::newRow(command) << QStringList{command, "--help"} << QByteArray("--json");
        }
    }
    void help() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, mentions);
        const CliResult result = run_cli(arguments);
        QVERIFY2(result.status == 0, result.text());
        QVERIFY2(result.out.contains(mentions), result.text());
        QVERIFY2(result.err.isEmpty(), result.text());
    }

    void wrong_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("mentions");
        const auto row = [](const char* name, const QStringList& arguments, const char* mentions) {
            QTest::newRow(name) << arguments << QByteArray(mentions);
        };
        row("nothing", {}, "subcommand");
        row("unknown command", {"fly"}, "unknown command \"fly\"");
        row("unknown command after an option", {"-x", "fly"}, "unknown command \"fly\"");
        row("serve at a port that is none", {"serve", "-m", model_, "--port", "65536"}, "65536");
        row("serve with a prompt", {"serve", "-m", model_, "-p", "x"}, "-p");
        row("unknown option", {"inspect", "--color", "x"}, "--color");
        row("inspect without a file", {"inspect"}, "model");
        row("logits without tokens", {"logits", "-o", "x"}, "--tokens");
        row("logits without output", {"logits", "--tokens", "1"}, "--output");
        row("logits of words", {"logits", "-m", "x", "--tokens", "1,two", "-o", "y"}, "two");
        row("template without messages", {"template"}, "--messages");
        row("perplexity without text", {"perplexity"}, "--file");
        row("pack without output", {"pack", "-m", "x"}, "--output");
        row("pack without a model", {"pack", "-o", "x"}, "--model");
        row("pack with a wrong checkpoint", {"pack", "-m", "x", "-o", "y", "--checkpoint", "often"},
            "--checkpoint");
        row("profile without text", {"profile", "-o", "x"}, "--file");
        row("profile without output", {"profile", "-f", "x"}, "--output");
        row("profile of no tokens", {"profile", "-f", "x", "-o", "y", "-n", "0"}, "--tokens");
        row("quantize without type", {"quantize", "-m", "x", "-o", "y"}, "--type");
        const auto train = [&](const char* name, const QStringList& more, const char* mentions) {
            row(name, QStringList{"train-predictor", "-m", model_, "-o", "y"} + more, mentions);
        };
        row("training without an output", {"train-predictor", "-m", "x", "-f", "x"}, "--output");
        train("training without a text", {}, "--file: is required");
        train("layers the wrong way round", {"-f", "x", "--layers", "5-3"}, "--layers");
        train("layers as words", {"-f", "x", "--layers", "all"}, "--layers");
        train("layers and more", {"-f", "x", "--layers", "3-5x"}, "--layers");
        train("width as a word", {"-f", "x", "--width", "wide"}, "--width");
        train("no width", {"-f", "x", "--width", "0"}, "--width");
        train("recall above one", {"-f", "x", "--recall", "1.5"}, "--recall");
        train("another kind", {"-f", "x", "--kind", "magic"}, "--kind");
        train("another input", {"-f", "x", "--input", "logits"}, "--input");
        train("no size", {"-f", "x", "--sample-memory", "much"}, "--sample-memory");
        train("no passes", {"-f", "x", "--passes", "0"}, "--passes");
        const auto run = [&](const char* name, const QStringList& more, const char* mentions) {
            row(name, QStringList{"run", "-m", model_, "-p", "x"} + more, mentions);
        };
        run("threads 0", {"-t", "0"}, "--threads");
        run("threads in words", {"-t", "many"}, "--threads");
        run("context 0", {"--ctx", "0"}, "--ctx");
        run("ram in words", {"--ram", "lots"}, "--ram");
        run("ram overflows", {"--ram", "99999999999999T"}, "--ram");
        run("vram negative", {"--vram=-1"}, "--vram");
        run("two modes", {"--exact", "--dense"}, "--dense");
        run("predictors nobody asked for", {"--predictors", "x"}, "--predicted");
        run("approximate without thresholds", {"--approximate"}, "--thresholds");
        run("thresholds nobody asked for", {"--thresholds", "x"}, "--approximate");
        run("approximate and exact", {"--approximate", "--thresholds", "x", "--exact"}, "--");
        run("predictor input", {"--predicted", "--predictor-input", "raw"}, "--predictor-input");
        run("activation", {"--activation", "swish"}, "--activation");
        run("other KV cache", {"--kv", "q4_0"}, "q4_0");
        run("temperature", {"--temp=-1"}, "--temp");
        run("temperature is no number", {"--temp", "nan"}, "--temp");
        run("top-p", {"--top-p", "1.5"}, "--top-p");
        run("top-p is no number", {"--top-p", "nan"}, "--top-p");
        run("top-p of nothing", {"--top-p", "0"}, "--top-p");
        run("min-p is no number", {"--min-p", "nan"}, "--min-p");
        run("min-p below nothing", {"--min-p=-0.1"}, "--min-p");
        run("min-p", {"--min-p", "2"}, "--min-p");
        run("top-k", {"--top-k=-3"}, "--top-k");
        run("repeat penalty", {"--repeat-penalty", "0"}, "--repeat-penalty");
        run("typical-p", {"--typical-p", "0"}, "--typical-p: above 0, at most 1");
        run("typical-p is no number", {"--typical-p", "nan"}, "--typical-p");
        run("XTC's probability", {"--xtc-probability", "1.1"}, "--xtc-probability: from 0 to 1");
        run("XTC's threshold", {"--xtc-threshold=-0.1"}, "--xtc-threshold: from 0 to 1");
        run("presence penalty", {"--presence-penalty", "101"},
            "--presence-penalty: from -100 to 100");
        run("frequency penalty", {"--frequency-penalty", "nan"}, "--frequency-penalty");
        run("penalties' window", {"--repeat-last-n=-2"}, "--repeat-last-n: -2 is too small");
        run("DRY's multiplier", {"--dry-multiplier", "-1"}, "--dry-multiplier: from 0 to 100");
        run("DRY's base", {"--dry-base", "0.5"}, "--dry-base: from 1 to 100");
        run("DRY's length", {"--dry-allowed-length", "0"}, "--dry-allowed-length: 0 is too small");
        for (const char* bias : {"5", "=1", "a=", "a=x", "a=1e10", "a=nan", "a=inf", "a=+inf",
                                 "99999999999=1", "a=1x"}) {
            run(qPrintable(QString("bias %1").arg(bias)), {"--logit-bias", bias},
                QString("--logit-bias: \"%1\" is not TOKEN=VALUE").arg(bias).toLatin1());
        }
        run("two grammars", {"--grammar", "root ::= \"a\"", "--json-schema", "{}"}, "one of them");
        run("top-k, without a bound of 300 digits", {"--top-k", "-1"},
            "--top-k: -1 is too small; at least 0\n");
        run("top-k overflows", {"--top-k", "2147483648"}, "at most 2147483647");
        run("seed overflows", {"--seed", "18446744073709551616"}, "at most 18446744073709551615");
        run("seed negative", {"--seed", "-1"}, "at least 0");
        run("seed far below", {"--seed", "-99999999999999999999"}, "at least 0");
        run("seed in words", {"--seed", "1x"}, "--seed");
        run("seed empty", {"--seed", ""}, "--seed");
        run("tokens overflow", {"-n", "9223372036854775808"}, "--max-tokens");
        run("threads overflow", {"-t", "18446744073709551617"}, "at most 1024");
        run("no tokens", {"-n", "0"}, "-n");
        run("empty stop", {"--stop", ""}, "--stop");
        run("chat and prompt", {"--chat"}, "--chat");
        run("raw and system", {"--raw", "--system", "s"}, "--system");
        row("empty prompt", {"run", "-m", model_, "-p", ""}, "the prompt is empty");
        row("no text on standard input", {"run", "-m", model_}, "the prompt is empty");
        row("run without a model's name", {"run", "-m", "", "-p", "x"}, "--model");
        row("inspect without a name", {"inspect", ""}, "model");
        row("quantize without a name", {"quantize", "-m", "", "--type", "F16", "-o", "y"},
            "--model");
        row("bench seed overflows", {"bench", "-m", model_, "--seed", "18446744073709551616"},
            "--seed");
        row("bench repetitions", {"bench", "-m", model_, "-r", "99999999999999999999"},
            "--repetitions");
        const auto perplexity = [&](const char* name, const char* ctx) {
            row(name, {"perplexity", "-m", model_, "-f", "-", "--ctx", ctx}, "--ctx");
        };
        perplexity("windows of one token", "1");
        perplexity("windows of no tokens", "0");
        train("recall is no number", {"-f", "x", "--recall", "nan"}, "--recall");
        train("no recall", {"-f", "x", "--recall", "0"}, "--recall");
        train("a width of no blocks", {"-f", "x", "--width", "33"}, "--width");
        row("sparsity is no number",
            {"profile", "-m", model_, "-f", "x", "-o", "y", "--sparsity", "nan"}, "--sparsity");
        row("sparsity of all", {"profile", "-m", model_, "-f", "x", "-o", "y", "--sparsity", "1"},
            "--sparsity");
        row("moves of three numbers", {"bench", "-m", model_, "--move-budget", "10,1G"},
            "--move-budget");
        row("moves downwards", {"bench", "-m", model_, "--move-budget", "10,2G,1G"},
            "--move-budget");
        row("moves that decode nothing",
            {"bench", "-m", model_, "-n", "0", "--move-budget", "1,1G,2G"}, "--move-budget");
        row("nothing to measure", {"bench", "-m", model_, "-p", "0", "-n", "0"}, "measure");
    }
    void wrong() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, mentions);
        const CliResult plain = run_cli(arguments);
        QVERIFY2(plain.status == 2, plain.text());
        QVERIFY2(plain.out.isEmpty(), plain.text());
        QVERIFY2(plain.err.contains(mentions), plain.text());

        const CliResult json = run_cli(arguments + QStringList{"--json"});
        QVERIFY2(json.status == 2, json.text());
        const QJsonObject object = json.json();
        QCOMPARE(object["schema"].toInt(), 1);
        const QJsonObject error = object["error"].toObject();
        QCOMPARE(error.keys(), (QStringList{"code", "field", "message", "path"}));
        QCOMPARE(error["code"].toString(), "invalid_argument");
        QVERIFY2(!error["message"].toString().isEmpty(), json.text());
    }

    // The same mistake has the same status, whichever command it is made with: 2 where the command
    // line alone shows it, 1 where a file or a stream does.
    void oneStatusForTheSameMistake_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        const QString text = dir_.filePath("text.txt");
        const QString junk = dir_.filePath("junk.gguf");
        for (const QString& path : {text, junk}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("some words") > 0);
        }
        const QString out = dir_.filePath("out.gguf");
        const QList<QStringList> commands{{"run", "-p", "x"},
                                          {"serve", "--port", "0"},
                                          {"bench", "-p", "1", "-n", "1"},
                                          {"logits", "--tokens", "1", "-o", out},
                                          {"tokenize"},
                                          {"detokenize"},
                                          {"template", "--messages", text},
                                          {"perplexity", "-f", text},
                                          {"inspect"},
                                          {"plan"},
                                          {"quantize", "--type", "F16", "-o", out},
                                          {"profile", "-f", text, "-o", out},
                                          {"pack", "-o", out},
                                          {"train-predictor", "-f", text, "-o", out}};
        const auto row = [](const char* mistake, const QStringList& arguments, int status) {
            QTest::addRow("%s: %s", mistake, qPrintable(arguments.join(' ')))
                << arguments << status;
        };
        for (const QStringList& command : commands) {
            row("no such file", command + QStringList{"-m", dir_.filePath("absent")}, 1);
            row("a folder", command + QStringList{"-m", dir_.path()}, 1);
            row("not a model", command + QStringList{"-m", junk}, 1);
            row("a model without a name", command + QStringList{"-m", ""}, 2);
            row("an option nobody knows", command + QStringList{"-m", model_, "--fly"}, 2);
            row("an option without its value", command + QStringList{"-m"}, 2);
        }
        for (const char* command : {"run", "serve", "bench", "logits", "perplexity", "plan",
                                    "profile", "train-predictor"}) {
            const auto whole =
                std::find_if(commands.begin(), commands.end(),
                             [&](const QStringList& one) { return one[0] == command; });
            const QStringList good = *whole + QStringList{"-m", model_};
            row("no threads", good + QStringList{"-t", "0"}, 2);
            row("threads in words", good + QStringList{"-t", "two"}, 2);
            row("half a token of context", good + QStringList{"--ctx", "0.5"}, 2);
            row("no size", good + QStringList{"--ram", "lots"}, 2);
            row("no size", good + QStringList{"--vram", "1.5"}, 2);
            row("an activation nobody knows", good + QStringList{"--activation", "swish"}, 2);
        }
        row("a type nobody knows", {"quantize", "-m", model_, "-o", out, "--type", "Q9"}, 2);
        row("a type nobody knows",
            {"quantize", "-m", model_, "-o", out, "--type", "F16", "--embedding-type", "Q9"}, 2);
        row("a type nobody knows", {"quantize", "-m", model_, "-o", out, "--type", "F16,attn=Q9"},
            2);
        row("half an exception", {"quantize", "-m", model_, "-o", out, "--type", "F16,attn"}, 2);
        row("a type nobody knows", {"pack", "-m", model_, "-o", out, "--down-type", "Q9"}, 2);
        row("a type nobody knows",
            {"train-predictor", "-m", model_, "-f", text, "-o", out, "--type", "Q9"}, 2);
        row("an activation nobody knows",
            {"pack", "-m", model_, "-o", out, "--activation", "swish"}, 2);
        row("an input nobody knows", {"pack", "-m", model_, "-o", out, "--predictor-input", "raw"},
            2);
        row("words for ids", {"logits", "-m", model_, "-o", out, "--tokens", "one"}, 2);
        row("words for ids in a stream", {"logits", "-m", model_, "-o", out, "--tokens", "-"}, 1);
        row("words for ids in a stream", {"detokenize", "-m", model_}, 1);
        for (const char* command : {"perplexity", "profile", "train-predictor"}) {
            row("no such text",
                QStringList{command, "-m", model_, "-f", dir_.filePath("absent")} +
                    (command == QString("perplexity") ? QStringList() : QStringList{"-o", out}),
                1);
        }
    }
    void oneStatusForTheSameMistake() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        const CliResult result = run_cli(arguments, "these are words");
        QVERIFY2(result.status == status, result.text());
        QVERIFY2(result.out.isEmpty() && !result.err.isEmpty(), result.text());
        QVERIFY(!QFile::exists(dir_.filePath("out.gguf")));
    }

    // An argument without dashes is named as well as an option.
    void fieldsOfMistakes() {
        for (const auto& [arguments, field] :
             {std::pair(QStringList{"inspect"}, "model"),
              {QStringList{"inspect", "-x", model_}, "x"},
              {QStringList{"pack", "-m", model_}, "output"},
              {QStringList{"run", "-m", model_, "-p", "x", "-t", "0"}, "threads"}}) {
            const CliResult result = run_cli(arguments + QStringList{"--json"});
            QVERIFY2(result.error()["field"].toString() == field, result.text());
        }
    }

    void defaultsInHelp() {
        QVERIFY(run_cli({"perplexity", "--help"}).out.contains("default: 512"));
        QVERIFY(!run_cli({"run", "--help"}).out.contains("512)"));
    }

    // The largest seed, and numbers that begin with 0, are what they say.
    void exactNumbers() {
        const CliResult result = run_cli({"run", "-m", model_, "-p", "x", "-n", "010", "--seed",
                                          "18446744073709551615", "--temp", "0", "--json"});
        QVERIFY2(result.status == 0, result.text());
        QVERIFY2(result.out.contains("\"seed\":18446744073709551615"), result.text());
        const CliResult cut =
            run_cli({"run", "-m", model_, "-p", "x", "-n", "10", "--temp", "0", "--json"});
        QCOMPARE(result.json()["token_ids"].toArray(), cut.json()["token_ids"].toArray());
    }

    // Values at the end of a range are inside it.
    void bounds_data() {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* option, const char* value) {
            QTest::addRow("%s %s", option, value) << QStringList{option, value};
        };
        row("--top-p", "1");
        row("--min-p", "0");
        row("--min-p", "1");
        row("--top-k", "0");
        row("--temp", "0");
        row("--temp", "100");
        row("--repeat-penalty", "100");
        row("--typical-p", "1");
        row("--typical-p", "0.01");
        row("--xtc-probability", "1");
        row("--xtc-threshold", "0");
        row("--presence-penalty", "-100");
        row("--frequency-penalty", "100");
        row("--repeat-last-n", "-1");
        row("--repeat-last-n", "0");
        row("--dry-multiplier", "100");
        row("--dry-base", "1");
        row("--dry-allowed-length", "1");
        row("--dry-last-n", "-1");
        row("--logit-bias", "0=-1e9");
        row("--logit-bias", "1=false");
        row("-n", "1");
    }
    void bounds() {
        QFETCH(QStringList, arguments);
        QStringList all{"run", "-m", model_, "-p", "x", "--json"};
        if (arguments[0] != "-n") {
            all += {"-n", "2"};
        }
        const CliResult result = run_cli(all + arguments);
        QVERIFY2(result.status == 0, result.text());
    }

    void chatIsNoJson() {
        const CliResult result = run_cli({"run", "-m", model_, "--chat", "--json"}, "Hello\n");
        QVERIFY2(result.status == 2, result.text());
        QCOMPARE(result.error()["field"].toString(), "json");
    }

    void noSuchGpu() {
        const CliResult result = run_cli({"run", "-m", model_, "-p", "x", "--gpu", "77", "--json"});
        QVERIFY2(result.status == 1, result.text());
        QCOMPARE(result.error()["code"].toString(), "invalid_argument");
        QCOMPARE(result.error()["field"].toString(), "gpu");
    }
};

QTEST_GUILESS_MAIN(UsageTest)
#include "usage_test.moc"
