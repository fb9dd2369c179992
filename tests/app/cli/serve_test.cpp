// hearth-cli serve: the program itself, from its start to its end.
#include <QtTest>

#include "app/server/raw_client.h"
#include "cli_process.h"
#include "support/tiny_model.h"

#ifndef Q_OS_WIN
#include <csignal>
#endif

using hearth::test::cli_path;
using hearth::test::CliResult;
using hearth::test::has_keys;
using hearth::test::RawAnswer;
using hearth::test::RawClient;
using hearth::test::run_cli;
using hearth::test::TinyModel;

namespace {

constexpr int kPatienceMs = 60'000;

// The program, and what it said first.
struct Served {
    Served(const QStringList& options, const QByteArray& token) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("HEARTH_API_TOKEN");
        if (!token.isEmpty()) {
            environment.insert("HEARTH_API_TOKEN", QString::fromUtf8(token));
        }
        process.setProcessEnvironment(environment);
        process.start(cli_path(), options);
        while (!out.contains('\n') && process.waitForReadyRead(kPatienceMs)) {
            out += process.readAllStandardOutput();
        }
    }
    ~Served() {
        process.kill();
        process.waitForFinished();
    }
    bool end(int signal_number) {
#ifndef Q_OS_WIN
        ::kill(static_cast<pid_t>(process.processId()), signal_number);
#endif
        const bool ended = process.waitForFinished(kPatienceMs);
        out += process.readAllStandardOutput();
        return ended && process.exitStatus() == QProcess::NormalExit;
    }

    QProcess process;
    QByteArray out;
};

quint16 port_of(const QString& address) {
    return address.section(':', -1).section('/', 0, 0).toUShort();
}

}  // namespace

class ServeTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir dir_;
    QString model_;

    QStringList options(const QStringList& more) const {
        return QStringList{"serve", "-m", model_, "--gpu", "none", "-t", "1", "--port", "0"} + more;
    }

private slots:
    void initTestCase() {
#ifdef Q_OS_WIN
        QSKIP("ends by signals");
#endif
        model_ = dir_.filePath("tiny.gguf");
        QVERIFY(TinyModel({.n_ctx = 512}).write(model_.toStdString()));
    }

    void anAnswerUnderWayIsEnded_data() {
        QTest::addColumn<int>("number");
        QTest::newRow("interrupt") << SIGINT;
        QTest::newRow("terminate") << SIGTERM;
    }
    void anAnswerUnderWayIsEnded() {
        QFETCH(int, number);
        Served served(options({"--json"}), {});
        CliResult first;
        first.out = served.out;
        QString why;
        QVERIFY2(has_keys(first.json(), "serve", {"address", "token", "model"}, why),
                 qPrintable(why));
        QCOMPARE(first.json()["model"].toString(), QString("tiny"));
        const QByteArray token = first.json()["token"].toString().toUtf8();
        QCOMPARE(token.size(), 48);
        const quint16 port = port_of(first.json()["address"].toString());
        const QByteArray bearer = "Authorization: Bearer " + token + "\r\n";
        QCOMPARE(RawClient(port).ask("GET", "/v1/models").status, 401);
        QCOMPARE(RawClient(port).ask("GET", "/v1/models", {}, bearer).status, 200);
        RawClient client(port);
        client.send(RawClient::request(
            "POST", "/v1/completions",
            R"({"prompt":"a","max_tokens":100000,"stream":true,"logit_bias":{"0":-100}})", bearer,
            port));
        QVERIFY(client.wait_for("data: ") || client.wait_for("[DONE]"));
        QVERIFY(served.end(number));
        QCOMPARE(served.process.exitCode(), 0);
        QVERIFY(client.read().is_whole);
        QVERIFY(client.wait_for_end());
        QCOMPARE(served.out.count('\n'), 1);  // one object, whatever comes later
    }

    void words() {
        Served served(options({}), {});
        while (served.out.count('\n') < 2 && served.process.waitForReadyRead(kPatienceMs)) {
            served.out += served.process.readAllStandardOutput();
        }
        const QList<QByteArray> lines = served.out.split('\n');
        QVERIFY2(lines.size() == 3 && lines[0].startsWith("http://127.0.0.1:") &&
                     lines[0].endsWith("/v1") && lines[1].startsWith("token "),
                 served.out);
        QVERIFY(served.end(SIGTERM));
        QCOMPARE(served.process.exitCode(), 0);
    }

    // A token that somebody knows is not printed.
    void givenTokens() {
        const QByteArray secret = "sixteen-letters1";
        QFile file(dir_.filePath("token"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(secret + "\r\n") > 0);
        file.close();
        for (const bool in_file : {true, false}) {
            Served served(options(in_file ? QStringList{"--json", "--token-file", file.fileName()}
                                          : QStringList{"--json"}),
                          in_file ? QByteArray("another-token-here") : secret);
            CliResult first;
            first.out = served.out;
            QVERIFY(first.json()["token"].isNull() && !served.out.contains(secret));
            const quint16 port = port_of(first.json()["address"].toString());
            QCOMPARE(RawClient(port)
                         .ask("GET", "/v1/models", {}, "x-api-key: " + secret + "\r\n")
                         .status,
                     200);
            QVERIFY(served.end(SIGTERM));
        }
    }

    void refusals() {
        QFile file(dir_.filePath("short"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("short\n") > 0);
        file.close();
        CliResult result = run_cli(options({"--json", "--token-file", file.fileName()}));
        QCOMPARE(result.status, 1);
        QCOMPARE(result.error()["field"].toString(), QString("token-file"));
        result = run_cli(options({"--json", "--token-file", dir_.filePath("none")}));
        QCOMPARE(result.status, 1);
        QCOMPARE(result.error()["code"].toString(), QString("not_found"));
        QCOMPARE(run_cli(options({"--json", "--port", "65536"})).status, 2);

        Served first(options({"--json"}), "sixteen-letters1");
        CliResult started;
        started.out = first.out;
        const quint16 port = port_of(started.json()["address"].toString());
        QStringList same = options({"--json"});
        same[same.indexOf("--port") + 1] = QString::number(port);
        result = run_cli(same);
        QCOMPARE(result.status, 1);
        QCOMPARE(result.error()["field"].toString(), QString("port"));
    }
};

QTEST_GUILESS_MAIN(ServeTest)
#include "serve_test.moc"
