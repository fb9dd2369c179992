// Where access tokens are, and where they are not.
#include <QtTest>

#include "network/network_control.h"
#include "network/token_keeper.h"

using namespace hearth::ui;

namespace {

struct Secrets {
    QHash<QString, QString> kept;
    bool refuses = false;
    bool hangs = false;
    bool writesHang = false;
    int reads = 0;
    QList<std::function<void(const QString&)>> held;  // of reads that hang
    QList<std::function<void(bool)>> heldWrites;
    QStringList keysRead;
};

class FakeStore : public SecretStore {
public:
    explicit FakeStore(Secrets& secrets) : secrets_(secrets) {}
    void read(const QString& key, std::function<void(const QString&)> done) override {
        ++secrets_.reads;
        secrets_.keysRead << key;
        if (secrets_.hangs) {
            secrets_.held.append(std::move(done));
        } else {
            done(secrets_.kept.value(key));
        }
    }
    void write(const QString& key, const QString& secret, std::function<void(bool)> done) override {
        if (!secrets_.refuses) {
            secrets_.kept[key] = secret;
        }
        if (secrets_.writesHang) {
            secrets_.heldWrites.append(std::move(done));
        } else {
            done(!secrets_.refuses);
        }
    }
    void remove(const QString& key, std::function<void()> done) override {
        secrets_.kept.remove(key);
        done();
    }

private:
    Secrets& secrets_;
};

}  // namespace

class TokenKeeperTest : public QObject {
    Q_OBJECT

private slots:
    void isInTheKeychain() {
        Secrets secrets;
        {
            NetworkControl control;
            TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
            QVERIFY(!keeper.hasToken());
            QCOMPARE(secrets.reads, 0);  // nobody asked
            QCOMPARE(keeper.setToken(QStringLiteral("  hf_abc \n")), QString());
            QVERIFY(keeper.hasToken());
            QVERIFY(keeper.place().contains(QLatin1String("keychain")));
            QCOMPARE(control.token(keeper.host()), QByteArray("hf_abc"));
        }
        QCOMPARE(secrets.kept.values(), QStringList("hf_abc"));
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        bool loaded = false;
        keeper.load(keeper.host(), this, [&] { loaded = true; });
        QVERIFY(loaded);
        QCOMPARE(control.token(keeper.host()), QByteArray("hf_abc"));
        QVERIFY(keeper.place().contains(QLatin1String("this system's keychain")));
        keeper.load(keeper.host(), this, [] {});
        QCOMPARE(secrets.reads, 1);
        keeper.forget();
        QVERIFY(!keeper.hasToken());
        QVERIFY(secrets.kept.isEmpty());
    }
    void isForgottenWithoutOne() {
        Secrets secrets;
        secrets.refuses = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        QCOMPARE(keeper.setToken(QStringLiteral("hf_abc")), QString());
        QVERIFY(keeper.hasToken());
        QVERIFY(keeper.place().startsWith(QLatin1String("It is forgotten when Hearth ends")));
    }
    void refusesWhatIsNone() {
        Secrets secrets;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        for (const QString& odd :
             {QString(), QStringLiteral("two words"), QStringLiteral("a\r\nHost: evil"),
              QStringLiteral("t\u00f6ken"), QString(2000, QLatin1Char('a'))}) {
            QVERIFY(!keeper.setToken(odd).isEmpty());
        }
        QVERIFY(!keeper.hasToken());
        secrets.kept.insert(QStringLiteral("token for ") + keeper.host(),
                            QStringLiteral("a\r\nHost: evil"));
        keeper.look();
        QVERIFY(!keeper.hasToken());
    }
    // A keychain that waits for its password keeps a download waiting, and a newer token counts.
    void waitsForTheKeychain() {
        Secrets secrets;
        secrets.hangs = true;
        NetworkControl control;
        auto keeper = std::make_unique<TokenKeeper>(control, std::make_unique<FakeStore>(secrets));
        int loaded = 0;
        keeper->load(keeper->host(), this, [&] { ++loaded; });
        keeper->load(keeper->host(), this, [&] { ++loaded; });
        QCOMPARE(loaded, 0);
        QCOMPARE(secrets.reads, 1);
        keeper.reset();
        QCOMPARE(loaded, 0);
        secrets.held.first()(QStringLiteral("hf_late"));  // nobody is there any more
        QCOMPARE(loaded, 0);
    }
    // A keychain that does not answer keeps nobody waiting for ever, and may answer later.
    void goesOnWithoutTheKeychain() {
        Secrets secrets;
        secrets.hangs = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets), nullptr, 1);
        int loaded = 0;
        for (const QString& host : {keeper.host(), QStringLiteral("models.example")}) {
            keeper.load(host, this, [&] { ++loaded; });
            keeper.load(host, this, [&] { ++loaded; });
        }
        QCOMPARE(loaded, 0);
        QTRY_COMPARE(loaded, 4);
        QVERIFY(!keeper.hasToken());
        secrets.held.first()(QStringLiteral("hf_late"));
        QCOMPARE(control.token(keeper.host()), QByteArray("hf_late"));
        QCOMPARE(loaded, 4);  // each of them once
        keeper.load(keeper.host(), this, [&] { ++loaded; });
        QCOMPARE(loaded, 5);
        QCOMPARE(secrets.reads, 2);
    }
    void aNewerTokenCounts() {
        Secrets secrets;
        secrets.hangs = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        int loaded = 0;
        keeper.load(keeper.host(), this, [&] { ++loaded; });
        QCOMPARE(keeper.setToken(QStringLiteral("hf_new")), QString());
        secrets.held.first()(QStringLiteral("hf_old"));
        QCOMPARE(loaded, 1);
        QCOMPARE(control.token(keeper.host()), QByteArray("hf_new"));
    }
    // Nor does the old one come back where the newer one was forgotten meanwhile.
    void aForgottenTokenStaysAway() {
        Secrets secrets;
        secrets.hangs = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        int loaded = 0;
        keeper.load(keeper.host(), this, [&] { ++loaded; });
        keeper.load(QStringLiteral("models.example"), this, [&] { ++loaded; });
        keeper.forget();
        secrets.held.first()(QStringLiteral("hf_old"));
        QVERIFY(!keeper.hasToken());
        secrets.held.last()(QStringLiteral("of_other"));
        QCOMPARE(control.token(QStringLiteral("models.example")), QByteArray("of_other"));
        QCOMPARE(loaded, 2);
        QCOMPARE(keeper.setToken(QStringLiteral("hf_new")), QString());
        QVERIFY(keeper.hasToken());
    }
    // The page that shows the token is told of each change of it.
    void tellsOfEachChange() {
        Secrets secrets;
        secrets.kept.insert(QStringLiteral("token for huggingface.co"), QStringLiteral("hf_abc"));
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        QList<bool> told;
        QObject::connect(&keeper, &TokenKeeper::changed, [&] { told << keeper.hasToken(); });
        keeper.look();
        QCOMPARE(told, QList<bool>({true}));
        keeper.forget();
        QCOMPARE(told.last(), false);
        QCOMPARE(keeper.setToken(QStringLiteral("hf_new")), QString());
        QCOMPARE(told.last(), true);
        QCOMPARE(control.token(QStringLiteral("huggingface.co")), QByteArray("hf_new"));
    }
    // Each host has its own, and only the hub's is spoken of.
    void twoHostsHaveTwoTokens() {
        Secrets secrets;
        const QString other = QStringLiteral("models.example");
        secrets.kept.insert(QStringLiteral("token for ") + other, QStringLiteral("of_other"));
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        keeper.load(other, this, [] {});
        QCOMPARE(control.token(other), QByteArray("of_other"));
        QVERIFY(!keeper.hasToken());
        secrets.refuses = true;
        QCOMPARE(keeper.setToken(QStringLiteral("hf_abc")), QString());
        QVERIFY(keeper.place().startsWith(QLatin1String("It is forgotten")));
        QCOMPARE(control.token(other), QByteArray("of_other"));
        const QString third = QStringLiteral("third.example");
        secrets.kept.insert(QStringLiteral("token for ") + third, QStringLiteral("of_third"));
        keeper.load(third, this, [] {});
        QCOMPARE(control.token(third), QByteArray("of_third"));
        QVERIFY(keeper.place().startsWith(QLatin1String("It is forgotten")));
        keeper.forget();
        QCOMPARE(control.token(other), QByteArray("of_other"));
        keeper.load(other, this, [] {});
        QCOMPARE(secrets.reads, 2);  // each is read once
    }
    // The key of any other site is kept and forgotten as the hub's is, and apart from it.
    void keepsTheKeyOfASite() {
        Secrets secrets;
        const QString site = QStringLiteral("https://a.example:8443");
        {
            NetworkControl control;
            TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
            QVERIFY(!keeper.setTokenOf(site, QStringLiteral("two words")).isEmpty());
            QVERIFY(!keeper.hasTokenOf(site));
            QCOMPARE(keeper.setTokenOf(site, QStringLiteral(" sk-abc ")), QString());
            QCOMPARE(control.token(site), QByteArray("sk-abc"));
            QVERIFY(keeper.isInKeychain(site) && !keeper.hasToken());
        }
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        keeper.load(site, this, [] {});
        QVERIFY(keeper.hasTokenOf(site) && keeper.isInKeychain(site));
        QCOMPARE(keeper.setToken(QStringLiteral("hf_abc")), QString());
        keeper.forgetTokenOf(site);
        QVERIFY(!keeper.hasTokenOf(site) && keeper.hasToken());
        QCOMPARE(secrets.kept.values(), QStringList("hf_abc"));
        keeper.load(site, this, [] {});
        QVERIFY(!keeper.hasTokenOf(site));
        secrets.refuses = true;
        QCOMPARE(keeper.setTokenOf(site, QStringLiteral("sk-new")), QString());
        QVERIFY(keeper.hasTokenOf(site) && !keeper.isInKeychain(site));
        keeper.forget();
        QVERIFY(keeper.hasTokenOf(site));
    }
    // A keychain that refused takes the next one; what was forgotten does not come back.
    void keepsAgainAfterARefusal() {
        Secrets secrets;
        secrets.refuses = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        QCOMPARE(keeper.setToken(QStringLiteral("hf_one")), QString());
        secrets.refuses = false;
        QCOMPARE(keeper.setToken(QStringLiteral("hf_two")), QString());
        QVERIFY(keeper.place().contains(QLatin1String("keychain.")));
        QVERIFY(!keeper.place().startsWith(QLatin1String("It is forgotten")));
        secrets.refuses = true;
        QCOMPARE(keeper.setToken(QStringLiteral("hf_three")), QString());
        QVERIFY(keeper.place().startsWith(QLatin1String("It is forgotten")));
        QCOMPARE(secrets.kept.values(), QStringList("hf_two"));
        keeper.forget();
        QVERIFY(secrets.kept.isEmpty());
        secrets.kept.insert(QStringLiteral("token for ") + keeper.host(),
                            QStringLiteral("hf_other_program"));
        keeper.look();
        QVERIFY(!keeper.hasToken());
    }
    // Letters, digits and signs, a thousand of them at most.
    void takesWhatIsAToken_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("is");
        QTest::addRow("one sign") << QStringLiteral("!") << true;
        QTest::addRow("the last sign") << QStringLiteral("a~") << true;
        QTest::addRow("blanks around it") << QStringLiteral("\t a \n") << true;
        QTest::addRow("a thousand") << QString(1000, QLatin1Char('a')) << true;
        QTest::addRow("one more") << QString(1001, QLatin1Char('a')) << false;
        QTest::addRow("a sign that is none") << QStringLiteral("a\x7f") << false;
        QTest::addRow("a blank within") << QStringLiteral("a b") << false;
        QTest::addRow("blanks alone") << QStringLiteral("  ") << false;
    }
    void takesWhatIsAToken() {
        QFETCH(const QString, text);
        QFETCH(const bool, is);
        Secrets secrets;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        QCOMPARE(keeper.setToken(text),
                 is ? QString()
                    : QStringLiteral("This is no access token: a token has letters, digits and "
                                     "signs, but no spaces."));
        QCOMPARE(keeper.hasToken(), is);
        QCOMPARE(control.token(keeper.host()), is ? text.trimmed().toLatin1() : QByteArray());
        QCOMPARE(keeper.place(),
                 is ? QStringLiteral("It is in this system's keychain.") : QString());
    }
    // The keychain takes a while: until then the token is in memory, and is used already.
    void saysWhereItIsMeanwhile() {
        const QString here = QStringLiteral(
            "It is forgotten when Hearth ends: there is no keychain here that keeps it.");
        Secrets secrets;
        secrets.writesHang = true;
        NetworkControl control;
        auto keeper = std::make_unique<TokenKeeper>(control, std::make_unique<FakeStore>(secrets));
        QStringList places;
        QObject::connect(keeper.get(), &TokenKeeper::changed, [&] { places << keeper->place(); });
        QCOMPARE(keeper->setToken(QStringLiteral("hf_one")), QString());
        QCOMPARE(places, QStringList({here}));
        secrets.heldWrites.takeFirst()(true);
        QCOMPARE(places, QStringList({here, "It is in this system's keychain."}));
        places.clear();
        QCOMPARE(keeper->setToken(QStringLiteral("hf_two")), QString());
        QCOMPARE(places, QStringList({here}));  // the keychain has the one before
        keeper->forget();
        QCOMPARE(places, QStringList({here, QString()}));
        secrets.heldWrites.takeFirst()(true);  // too late
        QCOMPARE(places.size(), 2);
        QVERIFY(!keeper->hasToken());
        QCOMPARE(keeper->setToken(QStringLiteral("hf_three")), QString());
        keeper.reset();
        secrets.heldWrites.takeFirst()(true);  // nobody is there any more
    }
    // It may ask for its password: not for what nobody wants any more, nor for nobody's token.
    void asksTheKeychainSeldom() {
        Secrets secrets;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        int loaded = 0;
        keeper.load({}, this, [&] { ++loaded; });
        QCOMPARE(loaded, 1);
        keeper.forget();
        keeper.look();
        keeper.loadAll(this, [&] { ++loaded; });
        QCOMPARE(loaded, 2);
        QCOMPARE(secrets.reads, 0);
        TokenKeeper other(control, std::make_unique<FakeStore>(secrets));
        other.loadAll(this, [&] { ++loaded; });
        QCOMPARE(loaded, 3);
        QCOMPARE(secrets.keysRead, QStringList({"token for huggingface.co"}));
    }
    // Who has gone is not called, and the next one is.
    void callsNobodyWhoHasGone() {
        Secrets secrets;
        secrets.hangs = true;
        NetworkControl control;
        TokenKeeper keeper(control, std::make_unique<FakeStore>(secrets));
        int loaded = 0;
        auto gone = std::make_unique<QObject>();
        keeper.look();
        keeper.load(keeper.host(), gone.get(), [&] { loaded += 100; });
        keeper.load(keeper.host(), this, [&] { ++loaded; });
        gone.reset();
        secrets.held.first()({});
        QCOMPARE(loaded, 1);
    }
};

QTEST_GUILESS_MAIN(TokenKeeperTest)
#include "token_keeper_test.moc"
