// The token of the local API: made once, kept in the keychain, or in memory where there is none.
#include "serving/serving_token.h"

#include <QtTest>
#include <memory>

#include "fake_secrets.h"
#include "support/fake_serving.h"

using namespace hearth::ui;
using hearth::ui::test::FakeStore;
using hearth::ui::test::Secrets;

namespace {

const QString kKey = QStringLiteral("token of the local API");

}  // namespace

class ServingTokenTest : public QObject {
    Q_OBJECT

private slots:
    void isMadeOnceAndKept() {
        Secrets secrets;
        FakeServing service;
        QByteArray first;
        {
            ServingToken token(service, std::make_unique<FakeStore>(secrets));
            QCOMPARE(secrets.reads, 0);  // the keychain may ask for its password
            for (int i = 0; i < 2; ++i) {
                token.get(this, [&](const QByteArray& got) { first = got; });
                QCOMPARE(first, QByteArray("token-of-a-test-number-1"));
            }
            QCOMPARE(secrets.reads, 1);
            QVERIFY(token.isInKeychain());
        }
        QCOMPARE(secrets.kept.value(kKey), QString::fromLatin1(first));
        ServingToken later(service, std::make_unique<FakeStore>(secrets));
        QByteArray again;
        later.get(this, [&](const QByteArray& got) { again = got; });
        QCOMPARE(again, first);
        QVERIFY(later.isInKeychain());
    }

    void withoutAKeychain() {
        Secrets secrets;
        secrets.refuses = true;
        FakeServing service;
        ServingToken token(service, std::make_unique<FakeStore>(secrets));
        QByteArray got;
        token.get(this, [&](const QByteArray& one) { got = one; });
        QVERIFY(!got.isEmpty() && !token.isInKeychain());
        QCOMPARE(token.token(), got);
    }

    void whatIsNoTokenIsReplaced_data() {
        QTest::addColumn<QString>("kept");
        QTest::newRow("short") << QStringLiteral("0123456789abcde");
        QTest::newRow("blank") << QStringLiteral("0123456789 abcdef");
        QTest::newRow("not ASCII") << QStringLiteral("0123456789abcdéf");
        QTest::newRow("line end") << QStringLiteral("0123456789abcdef\n");
        QTest::newRow("long") << QStringLiteral("a").repeated(513);
    }
    void whatIsNoTokenIsReplaced() {
        QFETCH(QString, kept);
        Secrets secrets;
        secrets.kept[kKey] = kept;
        FakeServing service;
        ServingToken token(service, std::make_unique<FakeStore>(secrets));
        token.get(this, [](const QByteArray&) {});
        QCOMPARE(token.token(), QByteArray("token-of-a-test-number-1"));
        QCOMPARE(secrets.kept.value(kKey), QString("token-of-a-test-number-1"));
    }

    void itIsRenewed() {
        Secrets secrets;
        FakeServing service;
        ServingToken token(service, std::make_unique<FakeStore>(secrets));
        QSignalSpy changed(&token, &ServingToken::changed);
        for (int i = 1; i <= 2; ++i) {
            QVERIFY(token.renew());
            QCOMPARE(token.token(), "token-of-a-test-number-" + QByteArray::number(i));
            QCOMPARE(secrets.kept.value(kKey), QString::fromLatin1(token.token()));
        }
        QVERIFY(changed.size() >= 2);
        service.setHasRandom(false);
        QVERIFY(!token.renew());
        QCOMPARE(token.token(), QByteArray("token-of-a-test-number-2"));
    }

    // A keychain that answers late changes nothing, and its own token stays in it.
    void aSlowKeychain() {
        Secrets secrets;
        secrets.hangs = true;
        secrets.kept[kKey] = QStringLiteral("the-token-of-before");
        FakeServing service;
        ServingToken token(service, std::make_unique<FakeStore>(secrets), nullptr, 1);
        QByteArray got;
        token.get(this, [&](const QByteArray& one) { got = one; });
        QVERIFY(got.isEmpty());
        QTRY_COMPARE(got, QByteArray("token-of-a-test-number-1"));
        secrets.held.takeFirst()(QStringLiteral("the-token-of-before"));
        QCOMPARE(token.token(), got);
        QVERIFY(!token.isInKeychain());
        QCOMPARE(secrets.kept.value(kKey), QString("the-token-of-before"));
    }

    void aNewTokenBeforeTheKeychainAnswers() {
        Secrets secrets;
        secrets.hangs = true;
        FakeServing service;
        ServingToken token(service, std::make_unique<FakeStore>(secrets));
        QByteArray got;
        token.get(this, [&](const QByteArray& one) { got = one; });
        QVERIFY(token.renew());
        QCOMPARE(got, token.token());
        secrets.held.takeFirst()(QStringLiteral("the-token-of-before"));
        QCOMPARE(token.token(), got);
    }

    void theTokenIsGone() {
        Secrets secrets;
        secrets.hangs = true;
        FakeServing service;
        auto token = std::make_unique<ServingToken>(service, std::make_unique<FakeStore>(secrets));
        bool called = false;
        token->get(this, [&](const QByteArray&) { called = true; });
        token.reset();
        secrets.held.takeFirst()(QStringLiteral("the-token-of-before"));
        QVERIFY(!called);
    }
};

QTEST_GUILESS_MAIN(ServingTokenTest)
#include "serving_token_test.moc"
