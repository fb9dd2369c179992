// hearth-cli plan: the contract's fields, and what it says to people.
#include <QtTest>

#include "cli_process.h"
#include "support/tiny_model.h"

using hearth::test::CliResult;
using hearth::test::has_keys;
using hearth::test::run_cli;
using hearth::test::TinyModel;

class PlanTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

    CliResult plan(QStringList arguments) {
        return run_cli(QStringList{"plan", "-m", model_, "--assume-ram", "10"} << arguments);
    }
    static QStringList keys(const QJsonValue& object) { return object.toObject().keys(); }

private slots:
    void initTestCase() {
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel().write(model_.toStdString()));
    }

    void json_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("fits");
        QTest::newRow("ram") << QStringList{} << "ram";
        QTest::newRow("split") << QStringList{"--vram", "60000", "--assume-gpu", "1M,500,0.01"}
                               << "split";
        QTest::newRow("gpu") << QStringList{"--vram", "1M", "--assume-gpu", "1M,500,0.01"} << "gpu";
        QTest::newRow("no") << QStringList{"--ram", "1K"} << "no";
    }
    void json() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, fits);
        const CliResult result = plan(QStringList{"--json"} << arguments);
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject object = result.json();
        QString why;
        QVERIFY2(has_keys(object, "plan",
                          {"budgets", "residency", "layers", "output", "solver", "forecast", "fits",
                           "reasons"},
                          why),
                 qPrintable(why));
        QCOMPARE(object["fits"].toString(), fits);
        QCOMPARE(keys(object["budgets"]), (QStringList{"ram_bytes", "vram_bytes"}));
        const QJsonObject residency = object["residency"].toObject();
        QCOMPARE(residency.keys(), (QStringList{"flash", "ram", "vram"}));
        const QStringList purposes{"kv_bytes", "predictors_bytes", "scratch_bytes",
                                   "weights_bytes"};
        QCOMPARE(keys(residency["ram"]), purposes);
        QCOMPARE(keys(residency["vram"]), purposes);
        QCOMPARE(keys(residency["flash"]), QStringList{"weights_bytes"});
        QCOMPARE(keys(object["solver"]),
                 (QStringList{"chosen", "greedy_value", "integer_value", "ms", "optimal"}));
        const QJsonObject forecast = object["forecast"].toObject();
        QCOMPARE(forecast.keys(), (QStringList{"decode_per_s", "peak_ram_bytes", "peak_vram_bytes",
                                               "prefill_per_s", "ttft_ms"}));
        QCOMPARE(keys(forecast["decode_per_s"]), (QStringList{"high", "low", "mid"}));
        // The assumed GPU's arithmetic is not known.
        QCOMPARE(forecast["prefill_per_s"].isDouble(), fits == "ram");
        QCOMPARE(forecast["ttft_ms"].isDouble(), fits == "ram");
        QCOMPARE(forecast["decode_per_s"]["mid"].isDouble(), fits != "no");
        QVERIFY(forecast["decode_per_s"]["low"].toDouble() <=
                forecast["decode_per_s"]["mid"].toDouble());
        QVERIFY(fits == "no" || forecast["decode_per_s"]["low"].toDouble() <
                                    forecast["decode_per_s"]["high"].toDouble());
        for (const char* memory : {"ram", "vram"}) {
            qint64 bytes = 0;
            for (const QString& purpose : purposes) {
                bytes += residency[memory].toObject()[purpose].toInteger();
            }
            const QJsonValue peak = forecast[QString("peak_%1_bytes").arg(memory)];
            QCOMPARE(peak.isNull(), fits == "no");
            QCOMPARE(peak.toInteger(), bytes);
        }
        // Keys and values of two heads of 16, of 128 tokens in two layers, as halves.
        const qint64 kv = fits == "no" ? 0 : 2 * 2 * 16 * 128 * 2 * 2;
        QCOMPARE(residency["ram"].toObject()["kv_bytes"].toInteger() +
                     residency["vram"].toObject()["kv_bytes"].toInteger(),
                 kv);
        QCOMPARE(object["layers"].toArray().size(), fits == "no" ? 0 : 2);
        qint64 vram = 0;
        for (const QJsonValue& layer : object["layers"].toArray()) {
            QCOMPARE(keys(layer), (QStringList{"attention", "ffn", "index", "kv"}));
            QCOMPARE(keys(layer["ffn"]),
                     (QStringList{"flash_bytes", "hot_neurons", "ram_bytes", "vram_bytes"}));
            vram += layer["ffn"]["vram_bytes"].toInteger();
        }
        vram += object["output"].toString() == "vram" ? 1 : 0;
        const qint64 weights = residency["vram"]["weights_bytes"].toInteger();
        QVERIFY(weights >= vram && (weights > 0) == (vram > 0));
        QCOMPARE(vram > 0, fits == "split" || fits == "gpu");
        QVERIFY(weights <= object["budgets"]["vram_bytes"].toInteger());
        QCOMPARE(object["solver"]["chosen"].isNull(), vram == 0);
        if (fits == "no") {
            QVERIFY(!object["reasons"].toArray().isEmpty());
        }
    }

    // Loading solves no integer program; the paper's is solved where it is asked for, and where its
    // solver is missing, greedy stands in and the plan says so.
    void thePapersSolver() {
        const QStringList gpu{"--vram", "60000", "--assume-gpu", "1M,500,0.01"};
        const QJsonObject usual = plan(gpu + QStringList{"--json"}).json()["solver"].toObject();
        QCOMPARE(usual["chosen"].toString(), "forecast");
        QVERIFY(usual["integer_value"].isNull() && usual["greedy_value"].isNull());
        QVERIFY(usual["ms"].isDouble() && usual["optimal"].isBool());

        const QStringList paper = gpu + QStringList{"--solver", "paper"};
        const QJsonObject here = plan(paper + QStringList{"--json"}).json()["solver"].toObject();
        QVERIFY(here["greedy_value"].isDouble());
        const CliResult layers = plan(paper + QStringList{"--split", "layers", "--json"});
        QVERIFY2(layers.status == 1, layers.text());
        QCOMPARE(layers.error()["field"].toString(), "solver");
        QVERIFY(plan({"--solver", "guess"}).status == 2);
        if (here["integer_value"].isNull()) {
            QSKIP("no solver: that one can be missing was not tried");
        }
        // A library of that name which is none comes first.
        QTemporaryDir broken;
        QVERIFY(QFile::copy(model_, broken.filePath(HEARTH_CBC_LIBRARY)));
        qputenv("LD_LIBRARY_PATH", broken.path().toUtf8());
        const CliResult missing = plan(paper + QStringList{"--json"});
        const CliResult said = plan(paper);
        const CliResult unasked = plan(gpu);
        qunsetenv("LD_LIBRARY_PATH");
        const QString words = HEARTH_CBC_LIBRARY " (COIN-OR CBC), which this build found";
        QVERIFY2(missing.status == 0, missing.text());
        const QJsonObject solver = missing.json()["solver"].toObject();
        QCOMPARE(solver["chosen"].toString(), "greedy");
        QVERIFY(solver["integer_value"].isNull() && solver["greedy_value"].isDouble());
        QVERIFY2(missing.out.contains(words.toUtf8()), missing.text());
        QVERIFY2(said.status == 0 && said.out.contains(words.toUtf8()), said.text());
        QVERIFY2(unasked.status == 0 && !unasked.out.contains("COIN-OR"), unasked.text());
    }

    // Layers of a mixture say how many of their experts lie in VRAM.
    void aMixture() {
        const QString mixture = dir_.filePath("mixture.gguf");
        QVERIFY(TinyModel({.arch = "qwen3moe", .n_experts = 8, .n_used_experts = 2})
                    .write(mixture.toStdString()));
        const QStringList command{"plan", "-m",           mixture,       "--assume-ram",
                                  "10",   "--assume-gpu", "2M,500,0.01", "--vram"};
        const CliResult all = run_cli(QStringList{command} << "2M");
        QVERIFY2(all.status == 0 && all.out.contains("in VRAM (8 of 8 experts)"), all.text());
        const CliResult some = run_cli(QStringList{command} << "1M"
                                                            << "--json");
        QVERIFY2(some.status == 0, some.text());
        const QJsonArray layers = some.json()["layers"].toArray();
        QVERIFY(!layers.isEmpty());
        int in_vram = 0;
        for (const QJsonValue& layer : layers) {
            QCOMPARE(layer["experts"]["count"].toInt(), 8);
            in_vram += layer["experts"]["vram"].toInt();
        }
        QVERIFY2(in_vram > 0 && in_vram < 8 * layers.size(), some.text());
    }

    void text() {
        const CliResult ram = plan({});
        QVERIFY2(ram.status == 0 && ram.out.contains("layers 0 to 1: feed-forward 72.0 KiB in RAM"),
                 ram.text());
        const CliResult asked = plan({"--dense", "-t", "2", "--ctx", "96"});
        QVERIFY2(asked.out.startsWith("fits      ram; dense, context 96, 2 threads\n"),
                 asked.text());
        const CliResult usual = plan({"--exact", "-t", "3"});
        QVERIFY2(usual.out.startsWith("fits      ram; exact, context 128, 3 threads\n"),
                 usual.text());
        const CliResult gpu = plan({"--assume-gpu", "60000,500,0.01", "--vram", "60000"});
        QVERIFY2(gpu.status == 0 && gpu.out.contains("assumed") && gpu.out.contains("hot neurons"),
                 gpu.text());
        const CliResult all = plan({"--assume-gpu", "1M,500,0.01", "--vram", "1M"});
        QVERIFY2(all.status == 0 &&
                     all.out.contains("in VRAM (96 hot neurons); attention and KV cache in VRAM") &&
                     all.out.contains("output head in VRAM"),
                 all.text());
        const CliResult no = plan({"--ram", "1K"});
        QVERIFY2(
            no.status == 0 && no.out.startsWith("does not fit\n") && no.out.contains("\n- needs "),
            no.text());
        QVERIFY2(ram.out.contains("\nprefill ") && ram.out.contains("first token"), ram.text());
        const QByteArray help = run_cli({"plan", "--help"}).out;
        QVERIFY2(help.contains("--assume-gpu") && help.contains("24G,900,20"), help);
    }

    void wrongUsage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("field");
        QTest::newRow("vram") << QStringList{"--vram", "much"} << "vram";
        QTest::newRow("beyond any machine") << QStringList{"--ram", "999999999G"} << "ram";
        QTest::newRow("beyond 64 bits") << QStringList{"--vram", "99999999999999G"} << "vram";
        QTest::newRow("ram") << QStringList{"--ram", "1.5"} << "ram";
        for (const char* gpu : {"24G", "24G,1", "24G,,1", "x,1,1", "24G,nan,1", "24G,-1,1",
                                "24G,1,1,1", "24G,inf,1"}) {
            QTest::newRow(gpu) << QStringList{"--assume-gpu", gpu} << "assume-gpu";
        }
        QTest::newRow("ctx") << QStringList{"--ctx", "0"} << "ctx";
    }
    void wrongUsage() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, field);
        const CliResult result = plan(QStringList{"--json"} << arguments);
        QVERIFY2(result.status == 2, result.text());
        QCOMPARE(result.error()["field"].toString(), field);
    }

    void failures() {
        const CliResult missing = run_cli({"plan", "-m", dir_.filePath("none.gguf"), "--json"});
        QVERIFY2(missing.status == 1, missing.text());
        QCOMPARE(missing.error()["code"].toString(), "not_found");
        const CliResult long_context = plan({"--ctx", "129", "--json"});
        QVERIFY2(long_context.status == 1, long_context.text());
        QCOMPARE(long_context.error()["field"].toString(), "ctx");
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
