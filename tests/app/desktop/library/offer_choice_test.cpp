#include "library/offer_choice.h"

#include <QtTest>

#include "bridge/offer_traits.h"

namespace hearth::ui {

namespace {

constexpr quint64 kGiB = quint64{1} << 30;

CatalogEntry entryOf(const char* title, qint64 bytes, bool suggested = true) {
    CatalogEntry entry;
    entry.title = QString::fromLatin1(title);
    entry.bytes = bytes;
    entry.tokenBytes = bytes;
    entry.suggested = suggested;
    return entry;
}

QList<CatalogEntry> entries() {
    return {entryOf("middle", 2'700'000'000), entryOf("tiny", 500'000'000),
            entryOf("huge", 16'000'000'000), entryOf("large", 5'600'000'000),
            entryOf("not suggested", 5'700'000'000, false)};
}

MachineFacts machineOf(quint64 ramBytes, quint64 cardBytes, bool sharesRam = false) {
    MachineFacts facts;
    facts.ramBytes = ramBytes;
    // The card that comes first is not the one that is used.
    facts.cards = {{.index = 0, .name = QStringLiteral("Other"), .memoryBytes = 64 * kGiB},
                   {.index = 1,
                    .name = QStringLiteral("Card"),
                    .memoryBytes = cardBytes,
                    .sharesRam = sharesRam,
                    .chosen = true}};
    if (cardBytes == 0) {
        facts.cards.removeLast();
    }
    return facts;
}

}  // namespace

class OfferChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void choice_data() {
        QTest::addColumn<quint64>("ram");
        QTest::addColumn<quint64>("card");
        QTest::addColumn<bool>("sharesRam");
        QTest::addColumn<QString>("title");
        QTest::addColumn<bool>("onCard");
        const auto row = [](const char* name, quint64 ram, quint64 card, bool sharesRam,
                            const char* title, bool onCard) {
            QTest::newRow(name) << ram << card << sharesRam << QString::fromLatin1(title) << onCard;
        };
        row("large card", 32 * kGiB, 24 * kGiB, false, "huge", true);
        row("card of 8 GB", 16 * kGiB, 8 * kGiB, false, "large", true);
        row("card of 4 GB beside much memory", 32 * kGiB, 4 * kGiB, false, "large", false);
        row("card of 6 GB beside little memory", 4 * kGiB, 6 * kGiB, false, "middle", true);
        row("a card that shares the memory", 32 * kGiB, 24 * kGiB, true, "large", false);
        row("no card, and the processor answers slowly with more", 128 * kGiB, 0, false, "large",
            false);
        row("8 GB", 8 * kGiB, 0, false, "middle", false);
        row("4 GB", 4 * kGiB, 0, false, "tiny", false);
        row("1 GB", kGiB, 0, false, "", false);
    }

    void choice() {
        QFETCH(quint64, ram);
        QFETCH(quint64, card);
        QFETCH(bool, sharesRam);
        const OfferMemory memory = memoryFor(machineOf(ram, card, sharesRam), {});
        const OfferChoice choice = chooseOffer(entries(), memory);
        QTEST(choice.index < 0 ? QString() : entries().at(choice.index).title, "title");
        QTEST(choice.onCard, "onCard");
        QCOMPARE(memory.card, card > 0 && !sharesRam ? QStringLiteral("Card") : QString());
    }

    // A mixture of 12 GB whose tokens read 3 GB is worth a dense model of 6 GB.
    void mixtures() {
        QList<CatalogEntry> all = entries();
        all.prepend(entryOf("mixture", 12'000'000'000));
        all.first().tokenBytes = 3'000'000'000;
        const auto title = [&](quint64 ram, quint64 card) {
            const OfferChoice choice = chooseOffer(all, memoryFor(machineOf(ram, card), {}));
            return choice.index < 0 ? QString() : all.at(choice.index).title;
        };
        QCOMPARE(title(32 * kGiB, 0), QStringLiteral("mixture"));
        QCOMPARE(title(16 * kGiB, 0), QStringLiteral("large"));
        // Memory and card hold it together, and no dense model so.
        QCOMPARE(title(16 * kGiB, 6 * kGiB), QStringLiteral("mixture"));
        const auto together = [&](quint64 ram, quint64 card) {
            return chooseOffer(all, memoryFor(machineOf(ram, card), {})).together;
        };
        QVERIFY(together(16 * kGiB, 6 * kGiB));
        QVERIFY(!together(32 * kGiB, 6 * kGiB) && !together(32 * kGiB, 24 * kGiB));
        QVERIFY(!together(kGiB, 0));
        QCOMPARE(title(32 * kGiB, 24 * kGiB), QStringLiteral("huge"));
        // The processor is as fast as the bytes of a token let it be.
        all.first().tokenBytes = 6'000'000'001;
        QCOMPARE(title(32 * kGiB, 0), QStringLiteral("large"));
    }

    // The room beside the weights counts.
    void needs() {
        const QList<CatalogEntry> one{entryOf("one", 1'600'000'000)};
        QCOMPARE(chooseOffer(one, {.ramBytes = 2'400'000'000}).index, 0);
        QCOMPARE(chooseOffer(one, {.ramBytes = 2'399'999'999}).index, -1);
        QCOMPARE(chooseOffer(one, {.cardBytes = 2'400'000'000}).index, 0);
        QCOMPARE(chooseOffer(one, {.cardBytes = 2'399'999'999}).index, -1);
    }

    void budgets() {
        const MachineFacts facts = machineOf(32 * kGiB, 24 * kGiB);
        LoadOptions options;
        options.ramBytes = 2 * kGiB;
        options.vramBytes = 3 * kGiB;
        QCOMPARE(memoryFor(facts, options),
                 (OfferMemory{3 * kGiB, 2 * kGiB, QStringLiteral("Card")}));
        options.ramBytes = 64 * kGiB;  // more than there is
        options.vramBytes = 64 * kGiB;
        QCOMPARE(memoryFor(facts, options),
                 (OfferMemory{24 * kGiB, 32 * kGiB, QStringLiteral("Card")}));
        options.gpu = QStringLiteral("none");
        QCOMPARE(memoryFor(facts, options), (OfferMemory{0, 32 * kGiB, {}}));
    }

    // The catalogue in the program has something for most computers, and what it suggests chats.
    void ours() {
        const QList<CatalogEntry> all = ownCatalog().entries;
        int suggested = 0;
        for (const CatalogEntry& entry : all) {
            if (entry.suggested) {
                ++suggested;
                QVERIFY2(entry.traits.chatTemplate == OfferTraits::Template::Known,
                         qPrintable(entry.title));
                QCOMPARE(whatIsMissing(entry.traits), QString());
                QVERIFY2(entry.exact && !entry.sha256.isEmpty(), qPrintable(entry.title));
            }
        }
        QVERIFY(suggested >= 5);
        for (const quint64 ram : {2U, 4U, 8U, 16U, 32U, 64U}) {
            QVERIFY(chooseOffer(all, memoryFor(machineOf(ram * kGiB, 0), {})).index >= 0);
        }
    }
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::OfferChoiceTest)
#include "offer_choice_test.moc"
