#include "library/model_offers.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "app/desktop/network/test_server.h"
#include "downloads/downloads.h"
#include "library/model_library.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "network/network_rules.h"
#include "network/token_keeper.h"
#include "settings/app_settings.h"
#include "support/fake_machine.h"
#include "support/tiny_model.h"

namespace hearth::ui {

namespace {

struct EmptyStore final : SecretStore {
    void read(const QString&, std::function<void(const QString&)> done) override { done({}); }
    void write(const QString&, const QString&, std::function<void(bool)> done) override {
        done(false);
    }
    void remove(const QString&, std::function<void()> done) override { done(); }
};

}  // namespace

// Nothing leaves this computer: all requests are forbidden, and what is asked for waits. Where they
// are allowed, a server on this computer stands in for the hub.
class ModelOffersTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        control_ = std::make_unique<NetworkControl>();
        control_->setRules({.forbidAll = true});
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("hearth.ini")));
        tokens_ = std::make_unique<TokenKeeper>(*control_, std::make_unique<EmptyStore>());
        downloads_ =
            std::make_unique<Downloads>(*control_, *tokens_, Downloads::Settings{.file = {}});
        machine_ = std::make_unique<FakeMachine>();
        door_ = std::make_unique<NetworkDoor>(*control_);
        library_ = std::make_unique<ModelLibrary>(*settings_, machine_.get(),
                                                  ModelLibrary::Places{models(), {}});
        CatalogEntry sparse;
        sparse.title = QStringLiteral("Sparse");
        sparse.repository = QStringLiteral("some/one");
        sparse.revision = QStringLiteral("main");
        sparse.file = QStringLiteral("sparse.gguf");
        sparse.bytes = 4'700'000'000;
        sparse.exact = true;
        sparse.licence = QStringLiteral("mit");
        sparse.sparse = true;
        sparse.activation = QStringLiteral("reglu");
        sparse.predictorInput = QStringLiteral("residual");
        CatalogEntry dense;
        dense.title = QStringLiteral("Dense");
        dense.repository = QStringLiteral("some/two");
        dense.revision = QStringLiteral("main");
        dense.file = QStringLiteral("dense.gguf");
        dense.bytes = 1'300'000'000;
        dense.tokenBytes = dense.bytes;
        dense.suggested = true;
        for (CatalogEntry* entry : {&sparse, &dense}) {
            entry->traits.architecture = QStringLiteral("llama");
            entry->traits.types = {QStringLiteral("F32")};
            entry->traits.chatTemplate = OfferTraits::Template::Known;
            entry->traits.jinja = ownCatalog().entries.constLast().traits.jinja;  // ChatML
        }
        const Catalog catalog{{sparse, dense}, {}};
        offers_ = std::make_unique<ModelOffers>(
            catalog, ModelOffers::Parts{*downloads_, *library_, *settings_, *door_, machine_.get()},
            folder_->filePath(QStringLiteral("headers")));
        offers_->look();
    }
    void cleanup() {
        offers_.reset();
        library_.reset();
        door_.reset();
        machine_.reset();
        downloads_->close();
        downloads_.reset();
        tokens_.reset();
        settings_.reset();
        control_.reset();
        folder_.reset();
    }

    void saysWhatThereIs() {
        QCOMPARE(offers_->list().size(), 2);
        const QString open = QStringLiteral(" · cannot be verified: no SHA-256 is known");
        QCOMPARE(facts(0), QStringLiteral("4.7 GB · sparse · licence: mit") + open);
        QCOMPARE(
            facts(1),
            QStringLiteral("about 1.3 GB · licence: see %1/some/two").arg(QLatin1String(kHubHost)) +
                open);
        for (const QVariant& row : offers_->list()) {
            QCOMPARE(row.toMap().value(QStringLiteral("missing")).toString(), QString());
        }
        QCOMPARE(offers_->states(), QStringList({{}, {}}));
        QCOMPARE(offers_->folder(), models());
    }

    // Nobody is asked before somebody looks, and then once.
    void suggestsWhatSuitsThisComputer() {
        const auto index = [this] { return offers_->suggested(); };
        const auto text = [this] { return offers_->suggestion(); };
        QCOMPARE(index(), -1);
        QCOMPARE(text(), QString());
        QTRY_COMPARE(index(), 1);
        QCOMPARE(text(), QStringLiteral("For this computer: Dense (1.3 GB). It fits whole into the "
                                        "memory that Aurora RX 900 can spare, 11.3 GB."));
        offers_->look();
        QCOMPARE(machine_->factsAsked(), 1);
        const QSignalSpy changed(offers_.get(), &ModelOffers::suggestionChanged);
        settings_->set("engine/gpu", QStringLiteral("none"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(text(),
                 QStringLiteral("For this computer: Dense (1.3 GB). It fits into the memory that "
                                "this computer can spare, 22.9 GB, and the processor answers "
                                "with it."));
        settings_->set("engine/ram", QStringLiteral("1G"));
        QCOMPARE(index(), -1);
        QCOMPARE(text(), QString());
    }

    void suggestsWhatMemoryAndCardHoldTogether() {
        CatalogEntry mixture;
        mixture.title = QStringLiteral("Mixture");
        mixture.repository = QStringLiteral("some/three");
        mixture.file = QStringLiteral("mixture.gguf");
        mixture.bytes = 30'000'000'000;
        mixture.tokenBytes = 3'000'000'000;
        mixture.suggested = true;
        ModelOffers offers(
            {{mixture}, {}},
            ModelOffers::Parts{*downloads_, *library_, *settings_, *door_, machine_.get()},
            folder_->filePath(QStringLiteral("headers")));
        offers.look();
        QTRY_COMPARE(offers.suggested(), 0);
        QCOMPARE(offers.suggestion(),
                 QStringLiteral("For this computer: Mixture (30.0 GB). The memory that this "
                                "computer and Aurora RX 900 can spare holds it together, 22.9 GB "
                                "and 11.3 GB."));
        settings_->set("engine/gpu", QStringLiteral("none"));
        QCOMPARE(offers.suggestion(), QString());
    }

    void anOrderKeepsWhatTheFileDoesNotSay() {
        const QSignalSpy changed(offers_.get(), &ModelOffers::changed);
        QVERIFY(offers_->get(0));
        QCOMPARE(offers_->states(), QStringList({QStringLiteral("coming"), {}}));
        QVERIFY(!changed.isEmpty());
        const QString path = models() + QStringLiteral("/sparse.gguf");
        QCOMPARE(settings_->text("engine/activation", path), QStringLiteral("reglu"));
        QCOMPARE(settings_->text("engine/predictor-input", path), QStringLiteral("residual"));
        QVERIFY(settings_->text("engine/activation") != QStringLiteral("reglu"));
        QVERIFY(!offers_->get(0));
        QCOMPARE(offers_->said(), QStringLiteral("sparse.gguf is among the downloads already."));
        QVERIFY(offers_->get(1));
        QCOMPARE(offers_->said(), QString());
        QVERIFY(!offers_->get(2));
        QVERIFY(!offers_->get(-1));
    }

    void whatIsThereIsNotFetched() {
        QVERIFY(QDir().mkpath(models()));
        QFile file(models() + QStringLiteral("/dense.gguf"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        offers_->look();
        QCOMPARE(offers_->states(), QStringList({{}, QStringLiteral("here")}));
        QVERIFY(!offers_->get(1));
        QVERIFY(offers_->said().contains(QLatin1String("dense.gguf")));
    }

    void checksOneAtATime() {
        const hearth::test::Bytes bytes = hearth::test::TinyModel({.arch = "llama"}).file().bytes();
        const QByteArray model(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<qsizetype>(bytes.size()));
        test::TestServer server([&](const test::ServerRequest& request) {
            // All of it is its header; the rest is as long as the list says.
            const QByteArray total =
                request.path().endsWith("/dense.gguf") ? "1300000000" : "4700000000";
            return test::ServerAnswer{
                .status = 206,
                .headers = {{"Content-Range",
                             "bytes 0-" + QByteArray::number(model.size() - 1) + '/' + total}},
                .body = model};
        });
        QVERIFY(server.start());
        control_->setRules({.mirror = QUrl(server.base())});
        machine_->setAnswers(false);
        const QSignalSpy changed(offers_.get(), &ModelOffers::checksChanged);
        QCOMPARE(state(0), QString());
        offers_->check(0);
        QCOMPARE(state(0), QStringLiteral("asking"));
        QTRY_COMPARE(machine_->questions().size(), 1);
        QCOMPARE(server.requests().first().path(),
                 QByteArray("/some/one/resolve/main/sparse.gguf"));
        const PlanQuestion asked = machine_->questions().first();
        QCOMPARE(asked.options.activation, QStringLiteral("reglu"));
        QCOMPARE(asked.options.predictorInput, QStringLiteral("residual"));
        QCOMPARE(asked.folder, models());
        machine_->answer(machine_->latestPlan());
        QCOMPARE(state(0), QStringLiteral("known"));
        QCOMPARE(check(0).value(QStringLiteral("fit")).toString(), QStringLiteral("streams"));

        offers_->check(1);
        offers_->check(0);
        QCOMPARE(state(1), QString());
        QCOMPARE(state(0), QStringLiteral("asking"));
        QVERIFY(
            offers_->checkAddress(QStringLiteral("https://huggingface.co/a/b/blob/main/c.gguf")));
        QCOMPARE(state(0), QString());
        QTRY_COMPARE(machine_->questions().size(), 2);
        machine_->answer(machine_->latestPlan());
        QCOMPARE(offers_->addressCheck().value(QStringLiteral("state")).toString(),
                 QStringLiteral("known"));
        offers_->forgetAddress();
        QCOMPARE(offers_->addressCheck().value(QStringLiteral("state")).toString(), QString());
        QVERIFY(downloads_->list()->all().isEmpty());
        QVERIFY(!settings_->isSet("engine/activation", asked.options.path));
        offers_->check(5);
        offers_->check(-1);
        offers_->check(1);
        offers_->cancelCheck();
        QCOMPARE(state(1), QString());
        QVERIFY(changed.size() > 8);
        // An address that is given up while it is looked at is not told of later.
        QVERIFY(
            offers_->checkAddress(QStringLiteral("https://huggingface.co/a/b/blob/main/c.gguf")));
        QTRY_COMPARE(machine_->questions().size(), 3);
        offers_->forgetAddress();
        machine_->answer(machine_->latestPlan());
        QCOMPARE(offers_->addressCheck().value(QStringLiteral("state")).toString(), QString());
        // A changed budget makes all of them untrue, that of another model none.
        machine_->setAnswers(true);
        offers_->check(0);
        QTRY_COMPARE(state(0), QStringLiteral("known"));
        QCOMPARE(settings_->set("engine/ram", QStringLiteral("2G"), asked.options.path + "x"),
                 QString());
        QCOMPARE(settings_->set("window/zoom", QStringLiteral("1.5")), QString());
        QCOMPARE(state(0), QStringLiteral("known"));
        QCOMPARE(settings_->set("engine/ram", QStringLiteral("2G")), QString());
        QCOMPARE(state(0), QString());
    }

    // A mirror that has something else under the name: nothing is forecast, and what a download
    // would compare is in the order.
    void anotherFileIsNoForecast() {
        QByteArray total = "98000000";
        QByteArray model;
        const auto load = [&](const char* arch) {
            const hearth::test::Bytes bytes =
                hearth::test::TinyModel({.arch = arch}).file().bytes();
            model = QByteArray(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<qsizetype>(bytes.size()));
        };
        load("llama");
        test::TestServer server([&](const test::ServerRequest&) {
            return test::ServerAnswer{
                .status = 206,
                .headers = {{"Content-Range",
                             "bytes 0-" + QByteArray::number(model.size() - 1) + '/' + total}},
                .body = model};
        });
        QVERIFY(server.start());
        control_->setRules({.mirror = QUrl(server.base())});
        const auto said = [&](int index) {
            offers_->check(index);
            return QTest::qWaitFor([&] { return state(index) != QStringLiteral("asking"); })
                       ? check(index).value(QStringLiteral("text")).toString()
                       : QStringLiteral("no answer");
        };
        QVERIFY2(said(0).contains(
                     QStringLiteral("%1 bytes instead of %2")
                         .arg(QLocale().toString(98'000'000), QLocale().toString(4'700'000'000))),
                 qPrintable(said(0)));
        QVERIFY2(said(1).contains(QStringLiteral("98.0 MB instead of about 1.3 GB")),
                 qPrintable(said(1)));
        QCOMPARE(state(1), QStringLiteral("wrong"));
        total = "1250000000";
        load("qwen2");
        QVERIFY2(said(1).contains(QStringLiteral("qwen2 instead of llama")), qPrintable(said(1)));
        QVERIFY(machine_->questions().isEmpty());
        load("llama");  // and then the right one
        const QString right = said(1);
        QVERIFY2(right.contains(QStringLiteral("tokens/s")), qPrintable(right));
        QCOMPARE(state(1), QStringLiteral("known"));
        QCOMPARE(machine_->questions().size(), 1);
    }

    void thoseThatChatComeFirst() {
        CatalogEntry refused;
        refused.title = QStringLiteral("Refused");
        refused.repository = QStringLiteral("some/three");
        refused.file = QStringLiteral("refused.gguf");
        refused.bytes = 1;
        refused.traits.architecture = QStringLiteral("llama");
        refused.traits.types = {QStringLiteral("F16")};
        refused.traits.chatTemplate = OfferTraits::Template::Known;
        refused.traits.family = QStringLiteral("Nobody");
        refused.traits.jinja = QStringLiteral("{{ x | frobnicate }}");
        CatalogEntry unknown = refused;
        unknown.title = QStringLiteral("Unknown");
        unknown.file = QStringLiteral("unknown.gguf");
        unknown.traits.chatTemplate = OfferTraits::Template::Unknown;
        CatalogEntry chats = refused;
        chats.title = QStringLiteral("Chats");
        chats.file = QStringLiteral("chats.gguf");
        chats.traits.jinja = ownCatalog().entries.constLast().traits.jinja;
        ModelOffers offers({{refused, unknown, chats}, {}},
                           ModelOffers::Parts{*downloads_, *library_, *settings_, *door_},
                           folder_->filePath(QStringLiteral("headers")));
        const auto row = [&](int index, const char* field) {
            return offers.list().at(index).toMap().value(QLatin1String(field)).toString();
        };
        QCOMPARE(row(0, "title"), QStringLiteral("Chats"));
        QCOMPARE(row(0, "missing"), QString());
        QCOMPARE(row(1, "title"), QStringLiteral("Refused"));
        QCOMPARE(row(1, "missing"),
                 QStringLiteral("This version cannot run its chat template, that of Nobody."));
        QVERIFY(row(2, "missing").startsWith(QStringLiteral("It is not known beforehand")));
        QVERIFY(offers.get(0));  // the numbers are those of the rows
        QVERIFY(downloads_->willHave(models() + QStringLiteral("/chats.gguf")));
    }

    void aCheckIsARequest() {
        offers_->check(0);
        QTRY_COMPARE(state(0), QStringLiteral("wrong"));
        QVERIFY(!check(0).value(QStringLiteral("text")).toString().isEmpty());
        QVERIFY(!offers_->checkAddress(QStringLiteral("http://example.org/b.gguf")));
        QVERIFY(!offers_->said().isEmpty());
        QVERIFY(machine_->questions().isEmpty());
    }

    void addresses_data() {
        QTest::addColumn<QString>("address");
        QTest::addColumn<QString>("file");  // empty: refused
        const QString hub = QStringLiteral("https://") + QLatin1String(kHubHost);
        QTest::newRow("a file") << " https://example.org/a/b.gguf "
                                << "b.gguf";
        QTest::newRow("the hub's page of one")
            << hub + "/some/one/blob/main/c.gguf?download=true#top"
            << "c.gguf";
        QTest::newRow("nothing") << ""
                                 << "";
        QTest::newRow("not encrypted") << "http://example.org/b.gguf"
                                       << "";
        QTest::newRow("not encrypted, and of this computer") << "http://localhost:8080/b.gguf"
                                                             << "b.gguf";
        QTest::newRow("not encrypted, and of this computer by number")
            << "http://127.0.0.1/a/b.gguf"
            << "b.gguf";
        QTest::newRow("a file of this computer") << "file:///etc/b.gguf"
                                                 << "";
        QTest::newRow("no host") << "https:///b.gguf"
                                 << "";
        QTest::newRow("with a name and password") << "https://me:secret@example.org/b.gguf"
                                                  << "";
        QTest::newRow("another file") << "https://example.org/b.exe"
                                      << "";
        QTest::newRow("a folder") << "https://example.org/b/"
                                  << "";
        QTest::newRow("a way out, nowhere") << "https://example.org/..%2F..%2Fb.gguf"
                                            << "b.gguf";
        QTest::newRow("a part") << "https://example.org/b-00002-of-00003.gguf"
                                << "b-00001-of-00003.gguf";
        QTest::newRow("a part that cannot be") << "https://example.org/b-00004-of-00003.gguf"
                                               << "";
        QTest::newRow("words") << "get me a model"
                               << "";
    }
    void addresses() {
        QFETCH(const QString, address);
        QFETCH(const QString, file);
        QCOMPARE(offers_->getAddress(address), !file.isEmpty());
        QCOMPARE(offers_->said().isEmpty(), !file.isEmpty());
        QVERIFY(file.isEmpty() || downloads_->willHave(models() + QLatin1Char('/') + file));
        QCOMPARE(downloads_->willHave(models() + QStringLiteral("/b-00003-of-00003.gguf")),
                 file.startsWith(QLatin1String("b-")));  // all of its parts
    }
    // An address of one part fetches all of them, each from its own.
    void partsComeFromTheirAddresses() {
        const auto part = [](const QByteArray& path) {
            return "GGUF\3" + QByteArray(19, '\0') + path;  // no tensors, no keys
        };
        test::TestServer server([&](const test::ServerRequest& request) {
            return test::ServerAnswer{.body = part(request.path())};
        });
        QVERIFY(server.start());
        control_->setRules({});
        QVERIFY(offers_->getAddress(server.base() + QStringLiteral("/x/b-00002-of-00003.gguf")));
        for (int number = 1; number <= 3; ++number) {
            const QString name = QStringLiteral("b-0000%1-of-00003.gguf").arg(number);
            QFile file(models() + QLatin1Char('/') + name);
            QTRY_VERIFY_WITH_TIMEOUT(file.exists(), 30'000);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), part("/x/" + name.toLatin1()));
        }
        QTRY_VERIFY(downloads_->list()->all().first().state == DownloadStatus::State::Done);
        QCOMPARE(downloads_->list()->all().first().title, QStringLiteral("b"));
    }
    void saysWhyHttpIsRefused() {
        QVERIFY(!offers_->getAddress(QStringLiteral("http://example.org/b.gguf")));
        QVERIFY2(offers_->said().contains(QLatin1String("on this computer alone")),
                 qPrintable(offers_->said()));
        QVERIFY(!offers_->checkAddress(QStringLiteral("http://example.org/b.gguf")));
        QVERIFY(offers_->said().contains(QLatin1String("on this computer alone")));
        QVERIFY(offers_->getAddress(QStringLiteral("https://example.org/b.gguf")));
        QCOMPARE(offers_->said(), QString());
    }

private:
    QString models() const { return folder_->filePath(QStringLiteral("models")); }
    QString facts(int index) const {
        return offers_->list().at(index).toMap().value(QStringLiteral("facts")).toString();
    }

    QVariantMap check(int index) const { return offers_->checks().at(index).toMap(); }
    QString state(int index) const {
        return check(index).value(QStringLiteral("state")).toString();
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<NetworkControl> control_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<TokenKeeper> tokens_;
    std::unique_ptr<Downloads> downloads_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<ModelLibrary> library_;
    std::unique_ptr<ModelOffers> offers_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelOffersTest)
#include "model_offers_test.moc"
