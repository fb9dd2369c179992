// The search of the hub against a server on this computer, which stands in for it as a mirror.
#include "library/hub_search.h"

#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QUrlQuery>
#include <QtTest>
#include <memory>

#include "app/desktop/network/test_server.h"
#include "downloads/downloads.h"
#include "library/model_library.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "network/token_keeper.h"
#include "settings/app_settings.h"

namespace hearth::ui {

using test::ServerAnswer;
using test::ServerRequest;
using test::TestServer;

namespace {

// JSON with single quotes: moc loses its way in raw strings.
QByteArray q(const char* json) {
    return QByteArray(json).replace('\'', '"');
}

// Counts who looks: the keychain may ask for its password.
struct CountingStore final : SecretStore {
    explicit CountingStore(int& reads) : reads_(reads) {}
    void read(const QString&, std::function<void(const QString&)> done) override {
        ++reads_;
        done({});
    }
    void write(const QString&, const QString&, std::function<void(bool)> done) override {
        done(false);
    }
    void remove(const QString&, std::function<void()> done) override { done(); }
    int& reads_;
};

const char* const kCommit = "0123456789012345678901234567890123456789";

QByteArray whole() {
    // Version 3, no tensors, no keys.
    return "GGUF\3" + QByteArray(19, '\0') + QByteArray(200'000, 'w');
}

}  // namespace

class HubSearchTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        hash_ = QCryptographicHash::hash(whole(), QCryptographicHash::Sha256).toHex();
        keychainReads_ = 0;
        answer_ = [this](const ServerRequest& request) { return hub(request); };
        server_ = std::make_unique<TestServer>(
            [this](const ServerRequest& request) { return answer_(request); });
        QVERIFY(server_->start());
        control_ = std::make_unique<NetworkControl>();
        control_->setRules({.mirror = QUrl(server_->base() + QStringLiteral("/hub"))});
        door_ = std::make_unique<NetworkDoor>(*control_);
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("hearth.ini")));
        tokens_ = std::make_unique<TokenKeeper>(*control_,
                                                std::make_unique<CountingStore>(keychainReads_));
        downloads_ =
            std::make_unique<Downloads>(*control_, *tokens_, Downloads::Settings{.file = {}});
        library_ =
            std::make_unique<ModelLibrary>(*settings_, nullptr, ModelLibrary::Places{models(), {}});
        hub_ = std::make_unique<HubSearch>(
            HubSearch::Parts{*control_, *door_, *tokens_, *downloads_, *library_});
    }
    void cleanup() {
        hub_.reset();
        library_.reset();
        downloads_->close();
        downloads_.reset();
        tokens_.reset();
        settings_.reset();
        door_.reset();
        control_.reset();
        server_.reset();
        folder_.reset();
    }

    void fromWordsToAFile() {
        QCOMPARE(hub_->host(), QStringLiteral("127.0.0.1"));
        hub_->search(QStringLiteral("  small & llama "));
        QVERIFY(hub_->busy());
        QTRY_VERIFY(!hub_->busy());
        QCOMPARE(hub_->wrong(), QString());
        QCOMPARE(server_->requests().size(), 1);
        const QUrl asked(QString::fromLatin1(server_->requests().first().target));
        QCOMPARE(asked.path(), QStringLiteral("/hub/api/models"));
        const QUrlQuery query(asked);
        QCOMPARE(query.queryItemValue(QStringLiteral("search"), QUrl::FullyDecoded),
                 QStringLiteral("small & llama"));
        QCOMPARE(query.queryItemValue(QStringLiteral("filter")), QStringLiteral("gguf"));
        QCOMPARE(keychainReads_, 0);  // the search is public
        QCOMPARE(hub_->line(), QStringLiteral("2 found."));
        QCOMPARE(value(hub_->models(), 0, "repository"), QStringLiteral("Org/Small-GGUF"));
        QCOMPARE(value(hub_->models(), 0, "facts"),
                 QStringLiteral("12,345 downloads lately · licence: apache-2.0"));
        QVERIFY(value(hub_->models(), 1, "facts").contains(QLatin1String("only with a token")));

        hub_->open(0);
        QTRY_COMPARE(hub_->repository(), QStringLiteral("Org/Small-GGUF"));
        QCOMPARE(server_->requests().at(1).target,
                 QByteArray("/hub/api/models/Org/Small-GGUF?blobs=true"));
        QCOMPARE(keychainReads_, 1);
        QVERIFY(hub_->terms().contains(QLatin1String("apache-2.0")));
        QVERIFY(!hub_->terms().contains(QLatin1String("token")));
        QCOMPARE(hub_->files().size(), 3);
        QCOMPARE(value(hub_->files(), 0, "facts"), QStringLiteral("Q4_0 · 200.0 kB"));
        QCOMPARE(value(hub_->files(), 0, "warning"), QString());
        QCOMPARE(value(hub_->files(), 1, "facts"), QStringLiteral("Q8_0 · 50 bytes · 2 files"));
        QCOMPARE(value(hub_->files(), 1, "warning"), QString());
        QVERIFY(value(hub_->files(), 2, "warning").contains(QLatin1String("TQ2_0")));
        QCOMPARE(value(hub_->files(), 1, "address"),
                 QStringLiteral("https://huggingface.co/Org/Small-GGUF/resolve/%1/"
                                "small-Q8_0-00001-of-00002.gguf")
                     .arg(QLatin1String(kCommit)));
        QCOMPARE(hub_->states(), QStringList({QString(), QString(), QString()}));

        QVERIFY(hub_->get(0));
        QCOMPARE(hub_->states().first(), QStringLiteral("coming"));
        QVERIFY(!hub_->get(0));
        QVERIFY2(hub_->wrong().contains(QLatin1String("already")), qPrintable(hub_->wrong()));
        const QString path = models() + QStringLiteral("/small-Q4_0.gguf");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 30'000);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), whole());
        QTRY_COMPARE(hub_->states().first(), QStringLiteral("here"));
        QVERIFY(server_->requests().constLast().target.startsWith(
            QByteArray("/hub/Org/Small-GGUF/resolve/") + kCommit + "/q4/small-Q4_0.gguf"));
        QCOMPARE(downloads_->list()->all().first().licence, QStringLiteral("apache-2.0"));
        QVERIFY(!hub_->wrong().isEmpty());
        hub_->back();
        QCOMPARE(hub_->repository(), QString());
        QCOMPARE(hub_->models().size(), 2);
        QCOMPARE(hub_->wrong(), QString());  // it was about a file that is not shown any more
    }

    // The hash that the hub says is the one that counts.
    void anotherFileIsNotTaken() {
        hash_ = QByteArray(64, 'a');
        search();
        hub_->open(0);
        QTRY_VERIFY(!hub_->files().isEmpty());
        QVERIFY(hub_->get(0));
        using State = DownloadStatus::State;
        QTRY_VERIFY_WITH_TIMEOUT(!downloads_->list()->all().isEmpty() &&
                                     downloads_->list()->all().first().state == State::Failed,
                                 30'000);
        QVERIFY(!QFile::exists(models() + QStringLiteral("/small-Q4_0.gguf")));
    }

    void splitOnesAreOneDownload() {
        search();
        hub_->open(0);
        QTRY_VERIFY(!hub_->files().isEmpty());
        QVERIFY(hub_->get(1));
        QTRY_COMPARE(downloads_->list()->all().size(), 1);
        QCOMPARE(downloads_->list()->all().first().paths.size(), 2);
        for (const char* number : {"1", "2"}) {  // each from its own address
            QFile file(
                models() +
                QStringLiteral("/small-Q8_0-0000%1-of-00002.gguf").arg(QLatin1String(number)));
            QTRY_VERIFY_WITH_TIMEOUT(file.exists(), 30'000);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), part(number));
        }
    }

    void gatedOnesSayWhatTheyAsk() {
        search();
        hub_->open(1);
        QTRY_COMPARE(hub_->repository(), QStringLiteral("meta/Gated"));
        QVERIFY2(hub_->terms().contains(QLatin1String("accept its terms")) &&
                     hub_->terms().contains(QLatin1String("access token")),
                 qPrintable(hub_->terms()));
        QCOMPARE(hub_->page(), QStringLiteral("https://huggingface.co/meta/Gated"));
        QCOMPARE(hub_->files().size(), 1);
        QVERIFY(value(hub_->files(), 0, "warning").contains(QLatin1String("missing on the hub")));
        QVERIFY(!hub_->get(0));  // half a model is no download
        QVERIFY(hub_->wrong().contains(QLatin1String("missing on the hub")));
        QVERIFY(!downloads_->willHave(models() + QStringLiteral("/big-00001-of-00002.gguf")));
        QVERIFY(!hub_->get(1));
        QVERIFY(!hub_->get(-1));
        QCOMPARE(tokens_->setToken(QStringLiteral("hf_abc")), QString());
        QVERIFY2(hub_->terms().contains(QLatin1String("your token shows")),
                 qPrintable(hub_->terms()));
        hub_->back();
        QCOMPARE(hub_->terms(), QString());
    }

    // Nothing of an earlier answer stays beside a later one.
    void theSecondSearchIsAnother() {
        search();
        hub_->open(0);
        QTRY_COMPARE(hub_->files().size(), 3);
        answer_ = [](const ServerRequest&) { return ServerAnswer{.body = "[]"}; };
        hub_->search(QStringLiteral("nothing"));
        QVERIFY(hub_->models().isEmpty() && hub_->files().isEmpty() && hub_->states().isEmpty());
        QCOMPARE(hub_->repository(), QString());
        QTRY_VERIFY(!hub_->busy());
        QVERIFY(hub_->searched());
        QVERIFY2(hub_->line().startsWith(QLatin1String("No model with GGUF files")),
                 qPrintable(hub_->line()));
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{.body = q("[{'id':'a/b'},{'id':'../x'},{'id':7}]")};
        };
        hub_->search(QStringLiteral("some"));
        QTRY_COMPARE(hub_->models().size(), 1);
        QVERIFY2(hub_->line().contains(QLatin1String("1 found. 2 left out")),
                 qPrintable(hub_->line()));
    }

    // By the user's switch nothing leaves, and that is said.
    void forbidden() {
        NetworkRules rules = control_->rules();
        rules.forbidAll = true;
        control_->setRules(rules);
        hub_->search(QStringLiteral("llama"));
        QTRY_VERIFY(!hub_->busy());
        QVERIFY2(hub_->wrong().contains(QLatin1String("switched")), qPrintable(hub_->wrong()));
        QCOMPARE(server_->connections(), 0);
        rules.forbidAll = false;
        control_->setRules(rules);
        search();
        QCOMPARE(hub_->wrong(), QString());
        QCOMPARE(hub_->line(), QStringLiteral("2 found."));
    }

    void nothingIsAskedWithoutWords() {
        hub_->search(QStringLiteral("   "));
        QVERIFY(!hub_->busy());
        hub_->open(0);
        hub_->get(0);
        hub_->look();
        QTest::qWait(0);
        QCOMPARE(server_->connections(), 0);
    }

    void hostile_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("words");
        QTest::newRow("not there") << 404 << QByteArray() << "no such file";
        QTest::newRow("a fault") << 503 << QByteArray() << "has an error";
        QTest::newRow("too often") << 429 << QByteArray() << "asks for a pause";
        QTest::newRow("no JSON") << 200 << QByteArray("<html>") << "could not be read";
        QTest::newRow("another shape") << 200 << QByteArray("{}") << "no list of models";
        QTest::newRow("too much") << 200 << QByteArray(4 << 20, '[') << "sent more than";
        QTest::newRow("deep") << 200 << QByteArray(1 << 20, '[') << "could not be read";
    }
    void hostile() {
        QFETCH(const int, status);
        QFETCH(const QByteArray, body);
        QFETCH(const QString, words);
        answer_ = [&](const ServerRequest&) {
            return ServerAnswer{.status = status, .body = body};
        };
        hub_->search(QStringLiteral("llama"));
        QTRY_VERIFY(!hub_->busy());
        QVERIFY2(hub_->wrong().contains(words), qPrintable(hub_->wrong()));
        QVERIFY(!hub_->searched());
    }

    // A later question, or none, ends the one before: its answer changes nothing.
    void isStopped() {
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{.silent = true, .then = ServerAnswer::Then::Stall};
        };
        hub_->search(QStringLiteral("llama"));
        QTRY_COMPARE(server_->requests().size(), 1);
        hub_->stop();
        QVERIFY(!hub_->busy());
        QCOMPARE(hub_->wrong(), QString());
        hub_->search(QStringLiteral("other"));
        QTRY_COMPARE(server_->requests().size(), 2);
        answer_ = [this](const ServerRequest& request) { return hub(request); };
        search();
        QCOMPARE(hub_->models().size(), 2);
        hub_->clear();
        QVERIFY(!hub_->searched() && hub_->models().isEmpty());
    }

    // Who went back sees no repository, also where its answer was on its way.
    void isLeftBeforeTheAnswer() {
        search();
        hub_->open(0);
        QVERIFY(hub_->busy());
        hub_->back();
        QVERIFY(!hub_->busy());
        // Longer than an answer of this server takes. A slower machine could only hide the fault.
        QTest::qWait(200);
        QCOMPARE(hub_->repository(), QString());
        QCOMPARE(hub_->models().size(), 2);
    }

    // Nor where it was there already, and read on the other thread. What is read comes as an event,
    // and just before that event somebody goes back.
    void isLeftWhileTheAnswerIsRead() {
        struct GoesBack : QObject {
            explicit GoesBack(HubSearch& hub) : hub_(hub) {}
            bool eventFilter(QObject*, QEvent* event) override {
                if (event->type() == QEvent::MetaCall) {
                    ++times;
                    hub_.back();
                }
                return false;
            }
            HubSearch& hub_;
            int times = 0;
        };
        for (const bool readable : {true, false}) {
            search();
            GoesBack goesBack(*hub_);
            hub_->installEventFilter(&goesBack);
            if (!readable) {
                answer_ = [](const ServerRequest&) { return ServerAnswer{.body = "<html>"}; };
            }
            hub_->open(0);
            QTRY_COMPARE(goesBack.times, 1);
            QCOMPARE(hub_->repository(), QString());
            QCOMPARE(hub_->wrong(), QString());
            QVERIFY(!hub_->busy());
            QCOMPARE(hub_->models().size(), 2);
        }
    }

    // The first fifty are asked for: where so many come, there may be more.
    void saysWhetherThereAreMore_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("line");
        QTest::newRow("one") << 1 << "1 found.";
        QTest::newRow("all") << 49 << "49 found.";
        QTest::newRow("as many as were asked for")
            << 50 << "These are the 50 most downloaded. Add words to find fewer.";
    }
    void saysWhetherThereAreMore() {
        QFETCH(const int, count);
        QByteArray list;
        for (int i = 0; i < count; ++i) {
            list += (i == 0 ? "" : ",") + q("{'id':'a/m") + QByteArray::number(i) + "\"}";
        }
        answer_ = [&](const ServerRequest&) { return ServerAnswer{.body = '[' + list + ']'}; };
        hub_->search(QStringLiteral("m"));
        QTRY_COMPARE(hub_->models().size(), count);
        QTEST(hub_->line(), "line");
        QCOMPARE(value(hub_->models(), 0, "facts"), QStringLiteral("licence: see its page"));
        const QSignalSpy changed(hub_.get(), &HubSearch::changed);
        hub_->clear();
        QVERIFY(!changed.isEmpty());
        QCOMPARE(hub_->line(), QString());
    }

    // A file that runs stands first; each of the others says what it is.
    void saysWhatEachFileIs() {
        answer_ = [this](const ServerRequest& request) {
            return request.path() != "/hub/api/models/Org/Small-GGUF"
                       ? hub(request)
                       : ServerAnswer{.body = q("{'id':'Org/Small-GGUF','siblings':["
                                                "{'rfilename':'Imatrix.gguf','size':9},"
                                                "{'rfilename':'MMPROJ-F16.gguf','size':9},"
                                                "{'rfilename':'a-TQ1_0.gguf','size':9},"
                                                "{'rfilename':'b-00001-of-00002.gguf','size':9},"
                                                "{'rfilename':'c-Q8_0.gguf'},"
                                                "{'rfilename':'../d.gguf','size':9}]}")};
        };
        search();
        hub_->open(0);
        QTRY_COMPARE(hub_->files().size(), 5);
        QStringList warnings;
        for (int i = 0; i < 5; ++i) {
            warnings << value(hub_->files(), i, "warning");
        }
        QCOMPARE(warnings.takeFirst(), QString());
        QCOMPARE(value(hub_->files(), 0, "facts"), QStringLiteral("Q8_0 · size not known"));
        warnings.sort();
        QCOMPARE(warnings,
                 QStringList({"Hearth cannot run weights of the type TQ1_0 yet.",
                              "Notes about the making of other files, and no model.",
                              "Some of its files are missing on the hub.",
                              "The part of another model that looks at pictures; Hearth cannot use "
                              "it."}));
        QCOMPARE(hub_->line(),
                 QStringLiteral("1 of its files left out: the hub's data about it make no "
                                "sense."));
        QCOMPARE(hub_->terms(), QStringLiteral("The hub names no licence; its page may."));
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{.body = q("{'id':'Org/Small-GGUF','siblings':[]}")};
        };
        hub_->open(0);
        QTRY_COMPARE(hub_->line(), QStringLiteral("It has no GGUF file that can be downloaded."));
        QVERIFY(hub_->files().isEmpty());
    }

private:
    QString models() const { return folder_->filePath(QStringLiteral("models")); }
    static QString value(const QVariantList& list, int index, const char* key) {
        return list.value(index).toMap().value(QString::fromLatin1(key)).toString();
    }
    // A file of a model in parts.
    static QByteArray part(const QByteArray& number) { return whole().left(24) + number; }
    void search() {
        hub_->search(QStringLiteral("small"));
        QTRY_COMPARE(hub_->models().size(), 2);
    }
    ServerAnswer hub(const ServerRequest& request) const {
        const QByteArray path = request.path();
        if (path == "/hub/api/models") {
            return {.body = q("[{'id':'Org/Small-GGUF','downloads':12345,'gated':false,"
                              "'tags':['gguf','license:apache-2.0']},"
                              "{'id':'meta/Gated','gated':'manual'}]")};
        }
        if (path == "/hub/api/models/Org/Small-GGUF") {
            const QByteArray size = QByteArray::number(whole().size());
            return {.body = q("{'id':'Org/Small-GGUF','sha':'") + kCommit +
                            q("','cardData':{'license':'apache-2.0'},'siblings':["
                              "{'rfilename':'q4/small-Q4_0.gguf','size':") +
                            size + q(",'lfs':{'sha256':'") + hash_ + q("','size':") + size +
                            q("}},{'rfilename':'small-TQ2_0.gguf','size':9},"
                              "{'rfilename':'small-Q8_0-00001-of-00002.gguf','size':25},"
                              "{'rfilename':'small-Q8_0-00002-of-00002.gguf','size':25}]}")};
        }
        if (path == "/hub/api/models/meta/Gated") {
            return {.body = q("{'id':'meta/Gated','gated':'manual','siblings':["
                              "{'rfilename':'big-00001-of-00002.gguf','size':9}]}")};
        }
        if (path.endsWith("-of-00002.gguf") && path.contains("small-Q8_0-0000")) {
            return {.body = part(path.chopped(14).right(1))};
        }
        if (path.endsWith("/q4/small-Q4_0.gguf")) {
            ServerAnswer answer{.headers = {{"ETag", "\"1\""}}, .body = whole()};
            if (const auto range = request.range()) {
                const qint64 end = range->second < 0 ? whole().size() : range->second;
                answer.status = 206;
                answer.body = whole().mid(range->first, end - range->first);
                answer.headers.append(qMakePair(QByteArray("Content-Range"),
                                                "bytes " + QByteArray::number(range->first) + '-' +
                                                    QByteArray::number(end - 1) + '/' +
                                                    QByteArray::number(whole().size())));
            }
            return answer;
        }
        return {.status = 404};
    }

    std::unique_ptr<QTemporaryDir> folder_;
    QByteArray hash_;
    int keychainReads_ = 0;
    TestServer::Handler answer_;
    std::unique_ptr<TestServer> server_;
    std::unique_ptr<NetworkControl> control_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<TokenKeeper> tokens_;
    std::unique_ptr<Downloads> downloads_;
    std::unique_ptr<ModelLibrary> library_;
    std::unique_ptr<HubSearch> hub_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::HubSearchTest)
#include "hub_search_test.moc"
