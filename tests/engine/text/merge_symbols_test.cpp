#include <QTest>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "text/merge_symbols.h"

namespace hearth {
namespace {

using Ids = std::vector<TokenId>;

std::vector<Symbol> symbols_of(const Ids& ids) {
    std::vector<Symbol> symbols;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto at = static_cast<std::uint32_t>(i);
        symbols.push_back({at, at + 1, ids[i]});
    }
    return symbols;
}

Ids ids_of(const std::vector<Symbol>& symbols) {
    Ids ids;
    for (const Symbol& symbol : symbols) {
        ids.push_back(symbol.id);
    }
    return ids;
}

// The definition, on plain lists: look for the best pair from the start, join it, again.
Ids merged_by_hand(Ids ids, const std::map<std::pair<TokenId, TokenId>, MergeResult>& table) {
    while (true) {
        MergeResult best;
        std::size_t where = 0;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            const auto found = table.find({ids[i], ids[i + 1]});
            if (found != table.end() && found->second.rank < best.rank) {
                best = found->second;
                where = i;
            }
        }
        if (best.rank == MergeResult::kNever) {
            return ids;
        }
        ids[where] = best.id;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
}

}  // namespace

class MergeSymbolsTest : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheDefinition_data() {
        QTest::addColumn<int>("letters");
        QTest::addColumn<int>("merges");
        QTest::addColumn<bool>("equal_ranks");
        QTest::newRow("no merges") << 3 << 0 << false;
        QTest::newRow("one letter") << 1 << 6 << false;
        QTest::newRow("two letters") << 2 << 12 << false;
        QTest::newRow("many") << 6 << 60 << false;
        QTest::newRow("ranks shared") << 3 << 40 << true;
    }
    void agreesWithTheDefinition() {
        QFETCH(int, letters);
        QFETCH(int, merges);
        QFETCH(bool, equal_ranks);
        std::mt19937 random(11);
        MergeScratch scratch;
        for (int round = 0; round < 300; ++round) {
            std::map<std::pair<TokenId, TokenId>, MergeResult> table;
            TokenId next = letters;
            for (int i = 0; i < merges; ++i) {
                const auto pick = [&] {
                    return static_cast<TokenId>(random() % static_cast<unsigned>(next));
                };
                const std::pair<TokenId, TokenId> pair{pick(), pick()};
                const auto rank = static_cast<std::uint32_t>(equal_ranks ? i / 4 : i);
                next += table.try_emplace(pair, MergeResult{rank, next}).second ? 1 : 0;
            }
            Ids ids;
            for (auto n = random() % 120; n > 0; --n) {
                ids.push_back(static_cast<TokenId>(random() % static_cast<unsigned>(letters)));
            }
            const auto rule = [&](const Symbol& left, const Symbol& right) {
                const auto found = table.find({left.id, right.id});
                return found == table.end() ? MergeResult{} : found->second;
            };
            const Ids wanted = merged_by_hand(ids, table);
            auto by_search = symbols_of(ids);
            merge_symbols_short(by_search, rule, scratch);
            auto by_heap = symbols_of(ids);
            merge_symbols_long(by_heap, rule, scratch);
            auto chosen = symbols_of(ids);
            merge_symbols(chosen, rule, scratch);
            QCOMPARE(ids_of(by_search), wanted);
            QCOMPARE(ids_of(by_heap), wanted);
            QCOMPARE(ids_of(chosen), wanted);
            // Side by side still, nothing lost.
            std::uint32_t at = 0;
            for (const Symbol& symbol : by_heap) {
                QCOMPARE(symbol.begin, at);
                QVERIFY(symbol.end > symbol.begin);
                at = symbol.end;
            }
            QCOMPARE(at, static_cast<std::uint32_t>(ids.size()));
        }
    }

    // One long word of one letter, whose merges double: twice the text asks for little more than
    // twice the pairs.
    void asksForPairsInProportion() {
        MergeScratch scratch;
        std::vector<std::size_t> asked;
        for (const std::size_t count : {std::size_t{1} << 15, std::size_t{1} << 16}) {
            auto symbols = symbols_of(Ids(count, 0));
            std::size_t pairs = 0;
            merge_symbols(
                symbols,
                [&](const Symbol& left, const Symbol& right) {
                    ++pairs;
                    return left.id == right.id && left.id < 8
                               ? MergeResult{static_cast<std::uint32_t>(left.id), left.id + 1}
                               : MergeResult{};
                },
                scratch);
            QCOMPARE(symbols.size(), count >> 8);
            asked.push_back(pairs);
        }
        QVERIFY2(asked[1] < asked[0] * 9 / 4, qPrintable(QString::number(asked[1])));
        QVERIFY(asked[0] < std::size_t{8} << 15);
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::MergeSymbolsTest)
#include "merge_symbols_test.moc"
