// The user's list of servers elsewhere: kept, changed, removed; keys apart from it.
#include "remote/remote_servers.h"

#include "app/desktop/remote/remote_bench.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

class RemoteServersTest : public QObject {
    Q_OBJECT

    std::unique_ptr<RemoteBench> bench_;

    // Waits until its models are known, or why they are not.
    QString askedFor(qsizetype index = 0) {
        if (!QTest::qWaitFor([&] { return !bench_->row(index).value("asking").toBool(); })) {
            return QStringLiteral("it takes for ever");
        }
        return bench_->row(index).value("wrong").toString();
    }
    QStringList models(qsizetype index = 0) const {
        QStringList names;
        for (const QVariant& model : bench_->row(index).value("models").toList()) {
            names << model.toMap().value("name").toString();
        }
        return names;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { bench_ = std::make_unique<RemoteBench>(); }
    void cleanup() { bench_.reset(); }

    // All but the key is in the file; the next start asks no server and no keychain by itself.
    void keepsServersWithoutTheirKeys() {
        TestServer server([](const ServerRequest&) {
            return ServerAnswer{.body = R"({"data":[{"id":"a"},{"id":"b","context_length":512}]})"};
        });
        QVERIFY(server.start());
        QCOMPARE(bench_->servers->add("Far, away", server.base(), "sk-secret"), QString());
        QCOMPARE(askedFor(), QString());
        QCOMPARE(models(), QStringList({"a", "b"}));
        QCOMPARE(server.requests().last().headers.value("authorization"),
                 QByteArray("Bearer sk-secret"));
        const QString id = bench_->id();
        bench_->servers->noteUsed({id, "b"});
        bench_->servers->setAlways(id, true);
        QVERIFY(bench_->row().value("hasKey").toBool() &&
                bench_->row().value("keyIsKept").toBool());
        QVERIFY(!bench_->iniText().contains("secret"));
        QVERIFY(bench_->iniText().contains("Far, away"));
        QCOMPARE(bench_->keychain.values(), QStringList("sk-secret"));
        for (const RequestEntry& entry : bench_->control->log().entries()) {
            QVERIFY(!(entry.path + entry.result + entry.purpose + entry.host).contains("secret"));
        }

        const auto asked = server.requests().size();
        bench_->start();
        QCOMPARE(bench_->id(), id);
        QCOMPARE(bench_->row().value("name").toString(), QStringLiteral("Far, away"));
        QCOMPARE(bench_->row().value("address").toString(), server.base() + "/v1");
        QVERIFY(bench_->row().value("always").toBool());
        QCOMPARE(models(), QStringList("b"));
        QCOMPARE(bench_->servers->contextOf({id, "b"}), 512);
        QVERIFY(!bench_->row().value("hasKey").toBool());  // nobody looked
        bench_->servers->look();
        QVERIFY(bench_->row().value("hasKey").toBool());
        QCOMPARE(server.requests().size(), asked);
        QVERIFY(bench_->servers->knows(remotePath({id, "b"})));
        QVERIFY(!bench_->servers->knows(remotePath({"00000000", "b"})));
        QVERIFY(!bench_->servers->knows("/models/a.gguf"));
    }
    void refusesWhatCannotBe() {
        const auto add = [&](const QString& name, const QString& address, const QString& key = {}) {
            return bench_->servers->add(name, address, key);
        };
        QVERIFY(add("a", "http://example.org/v1").contains("must begin with https://"));
        QVERIFY(add("a", "ftp://example.org").startsWith("Enter the address"));
        QVERIFY(add(QString(101, 'a'), "https://example.org").startsWith("Give the server a name"));
        QVERIFY(add("a", "https://127.0.0.1:1", "two words").startsWith("This is no access token"));
        QVERIFY(bench_->servers->list().isEmpty());
        QCOMPARE(add("", "https://127.0.0.1:1"), QString());
        QCOMPARE(bench_->row().value("name").toString(), QStringLiteral("127.0.0.1:1"));
        QCOMPARE(add("b", "https://127.0.0.1:1/v1/"),
                 QStringLiteral("There is a server of this name or address already."));
        for (int i = 2; i <= kMostRemoteServers; ++i) {
            QCOMPARE(add({}, QStringLiteral("http://127.0.0.1:%1").arg(i)), QString());
        }
        QVERIFY(add({}, "http://127.0.0.1:99").startsWith("There are 20 servers already"));
        QCOMPARE(bench_->servers->list().size(), kMostRemoteServers);
    }
    // Its key goes with it, unless another server of the same site needs it.
    void removesTheKeyWithTheLastOfASite() {
        QCOMPARE(bench_->servers->add("a", "http://127.0.0.1:1/one", "sk-one"), QString());
        QCOMPARE(bench_->servers->add("b", "http://127.0.0.1:1/two", {}), QString());
        QCOMPARE(bench_->servers->add("c", "http://127.0.0.1:2", "sk-two"), QString());
        QSignalSpy moved(bench_->servers.get(), &RemoteServers::moved);
        const QString id = bench_->id(0);
        bench_->servers->remove(id);
        QCOMPARE(moved.size(), 1);
        QCOMPARE(moved.first().first().toString(), id);
        QCOMPARE(bench_->keychain.size(), 2);
        bench_->servers->remove(bench_->id(0));
        QCOMPARE(bench_->keychain.values(), QStringList("sk-two"));
        QCOMPARE(bench_->servers->list().size(), 1);
        bench_->start();
        QCOMPARE(bench_->servers->list().size(), 1);
        QCOMPARE(bench_->row().value("name").toString(), QStringLiteral("c"));
        // A new one takes the place of the first, and no other's.
        QCOMPARE(bench_->servers->add("d", "http://127.0.0.1:3", {}), QString());
        bench_->start();
        QCOMPARE(bench_->servers->list().size(), 2);
    }
    void changesAServer() {
        QCOMPARE(bench_->servers->add("a", "http://127.0.0.1:1", "sk-one"), QString());
        const QString id = bench_->id();
        bench_->servers->noteUsed({id, "m"});
        bench_->servers->setAlways(id, true);
        QSignalSpy moved(bench_->servers.get(), &RemoteServers::moved);
        QCOMPARE(bench_->servers->change(id, "A", "http://127.0.0.1:1", {}), QString());
        QCOMPARE(bench_->row().value("name").toString(), QStringLiteral("A"));
        QVERIFY(bench_->row().value("always").toBool() && moved.isEmpty());
        QCOMPARE(bench_->keychain.values(), QStringList("sk-one"));
        QCOMPARE(bench_->servers->change(id, "A", "http://127.0.0.1:1", "sk-new"), QString());
        QCOMPARE(bench_->keychain.values(), QStringList("sk-new"));
        QVERIFY(!bench_->servers->change(id, "A", "http://example.org", {}).isEmpty());
        QCOMPARE(bench_->row().value("host").toString(), QStringLiteral("127.0.0.1:1"));
        // To another address nothing goes without a question, and the key not at all.
        QCOMPARE(bench_->servers->change(id, "A", "http://127.0.0.1:2", {}), QString());
        QCOMPARE(moved.size(), 1);
        QVERIFY(!bench_->row().value("always").toBool());
        QVERIFY(bench_->keychain.isEmpty() && !bench_->row().value("hasKey").toBool());
        QVERIFY(models().isEmpty());
        QVERIFY(!bench_->servers->change("00000000", "A", "http://127.0.0.1:2", {}).isEmpty());
    }
    void saysWhyThereAreNoModels() {
        ServerAnswer answer;
        TestServer server([&](const ServerRequest&) { return answer; });
        QVERIFY(server.start());
        const QString host = QUrl(server.base()).authority();
        answer = {.status = 401, .body = R"({"error":{"message":"bad sk-secret"}})"};
        QCOMPARE(bench_->servers->add("a", server.base(), "sk-secret"), QString());
        QCOMPARE(askedFor(), host + " refuses the key. It says: “bad …”");
        const auto again = [&](const ServerAnswer& next) {
            answer = next;
            bench_->servers->ask(bench_->id());
            return askedFor();
        };
        QVERIFY(again({.status = 404}).startsWith(host + " has no such model, or no API"));
        QVERIFY(again({.body = "<html>"}).startsWith("This address answers, but"));
        QCOMPARE(again({.body = R"({"data":[]})"}), QStringLiteral("The server has no model now."));
        QCOMPARE(again({.body = R"({"data":[{"id":"m"}]})"}), QString());
        QCOMPARE(models(), QStringList("m"));
        bench_->control->setRules({.forbidAll = true});
        QVERIFY(again({}).endsWith("Allow them in the settings, under Network."));
    }
    // The list of another site is not the list of this one, and it never sees the key.
    void followsNoRedirectToOthers() {
        TestServer other(
            [](const ServerRequest&) { return ServerAnswer{.body = R"({"data":[{"id":"m"}]})"}; });
        QVERIFY(other.start());
        TestServer server([&](const ServerRequest&) {
            return ServerAnswer{.status = 302,
                                .headers = {{"Location", other.base().toLatin1() + "/v1/models"}}};
        });
        QVERIFY(server.start());
        QCOMPARE(bench_->servers->add("a", server.base(), "sk-secret"), QString());
        QVERIFY(askedFor().contains("sends Hearth on to 127.0.0.1"));
        QVERIFY(models().isEmpty());
        QVERIFY(!other.requests().last().headers.contains("authorization"));
    }
    // A file that somebody changed by hand: what makes no sense is left out and left alone.
    void readsAFileThatWasChanged() {
        bench_->settings.reset();
        QFile file(bench_->iniFile());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "[remote-1]\nid=nonsense\nname=a\naddress=https://a.example\n"
            "[remote-2]\nid=00000002\nname=b\naddress=http://b.example\n"
            "[remote-x]\nid=00000003\nname=c\naddress=https://c.example\n"
            "[remote-4]\nid=00000004\nname=d\naddress=https://d.example\nmodels=m\ncontexts=-9\n"
            "[remote-5]\nid=00000004\nname=e\naddress=https://e.example\n");
        file.close();
        bench_->start();
        QCOMPARE(bench_->servers->list().size(), 1);
        QCOMPARE(bench_->row().value("name").toString(), QStringLiteral("d"));
        QCOMPARE(models(), QStringList("m"));
        QCOMPARE(bench_->servers->contextOf({"00000004", "m"}), 0);
        QCOMPARE(bench_->servers->add("f", "http://127.0.0.1:1", {}), QString());
        QVERIFY(bench_->iniText().contains("b.example"));
        QVERIFY(bench_->iniText().contains("[remote-3]"));
    }
    void keepsTheModelsThatWereUsed() {
        QCOMPARE(bench_->servers->add("a", "http://127.0.0.1:1", {}), QString());
        const QString id = bench_->id();
        for (int i = 0; i < kMostUsedModels + 3; ++i) {
            bench_->servers->noteUsed({id, QString::number(i)});
        }
        bench_->servers->noteUsed({id, "5"});
        bench_->servers->noteUsed({"00000000", "nobody's"});
        QCOMPARE(models().size(), kMostUsedModels);
        QCOMPARE(models().first(), QStringLiteral("5"));
        const QVariantMap recent = bench_->servers->recent().value(0).toMap();
        QCOMPARE(recent.value("name").toString(), QStringLiteral("5 · not local"));
        QCOMPARE(recent.value("path").toString(), remotePath({id, "5"}));
    }
};

QTEST_GUILESS_MAIN(RemoteServersTest)
#include "remote_servers_test.moc"
