// The search over all chats: how long the first 50 hits take among many messages in three scripts,
// with the files dropped from the system's cache (cold) and again (warm); how large the index is,
// and how long making it takes.
//     search_bench [--messages N] [--folder DIR] [--rounds N]
//   --messages N  100000
//   --folder DIR  where the chats are made and kept; by default a temporary folder, which goes
//   again
//   --rounds N    of each query, warm; the longest is printed (5)
// Every result is checked: each hit holds the words, and the numbers of hits are as many as a scan
// of all texts gives.
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>
#endif

#include "bench/random_numbers.h"
#include "store/conversation_store.h"
#include "store/search_index.h"

using namespace hearth::ui;

namespace {

constexpr int kHits = 50;
constexpr int kChat = 40;  // messages of one

// Words by rank: the n-th is 1/n as frequent as the first, as in texts of every language.
class Words {
public:
    Words(const QString& letters, int count, int shortest, int longest, std::uint64_t seed)
        : random_(seed) {
        double sum = 0;
        while (words_.size() < count) {
            QString word;
            const int length =
                shortest + static_cast<int>(random_.next() % (longest - shortest + 1));
            for (int i = 0; i < length; ++i) {
                // Earlier letters are more frequent.
                const auto a = random_.next() % letters.size();
                const auto b = random_.next() % letters.size();
                word += letters[static_cast<qsizetype>(std::min(a, b))];
            }
            words_ << word;
            sum += 1.0 / static_cast<double>(words_.size());
            ranks_.push_back(sum);
        }
    }
    const QString& word(int rank) const { return words_[rank]; }
    QString text(int count, QChar between) {
        QString text;
        for (int i = 0; i < count; ++i) {
            const double at =
                static_cast<double>(random_.next() >> 11) / 9007199254740992.0 * ranks_.back();
            const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), at);
            text += words_[static_cast<qsizetype>(found - ranks_.begin())];
            if (!between.isNull()) {
                text += between;
            }
        }
        return text;
    }

private:
    hearth::bench::Random random_;
    QStringList words_;
    std::vector<double> ranks_;
};

struct Corpus {
    Words latin{QStringLiteral("etaoinshrdlucmfwypvbgkjqxz"), 30'000, 2, 10, 1};
    Words cyrillic{QStringLiteral("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф"), 30'000, 2, 10, 2};
    Words chinese;
    hearth::bench::Random random{4};

    Corpus() : chinese(ideographs(), 20'000, 1, 3, 3) {}
    static QString ideographs() {
        QString all;
        for (char16_t code = 0x4e00; code < 0x4e00 + 4000; ++code) {
            all += QChar(code);
        }
        return all;
    }
    QString next(int index) {
        const int words = 10 + static_cast<int>(random.next() % 130);
        return index % 3 == 0   ? latin.text(words, QLatin1Char(' '))
               : index % 3 == 1 ? cyrillic.text(words, QLatin1Char(' '))
                                : chinese.text(words, {});
    }
};

bool fill(ConversationStore& store, int messages, Corpus& corpus, qint64* bytes) {
    QSqlDatabase database = QSqlDatabase::database(store.connectionName());
    QSqlQuery chat(database);
    QSqlQuery message(database);
    chat.prepare(
        QStringLiteral("INSERT INTO conversations(title, created_at, updated_at) VALUES(?, ?, ?)"));
    message.prepare(
        QStringLiteral("INSERT INTO messages(conversation_id, parent_id, role, content, state,"
                       " created_at) VALUES(?, ?, ?, ?, 'complete', ?)"));
    bool ok = database.transaction();
    qint64 conversation = 0;
    QVariant parent;
    for (int i = 0; ok && i < messages; ++i) {
        if (i % kChat == 0) {
            chat.bindValue(0, QStringLiteral("Chat %1").arg(i / kChat));
            chat.bindValue(1, i);
            chat.bindValue(2, i);
            ok = chat.exec();
            conversation = chat.lastInsertId().toLongLong();
            parent = QVariant(QMetaType::fromType<qint64>());
        }
        const QString text = corpus.next(i);
        *bytes += text.toUtf8().size();
        message.bindValue(0, conversation);
        message.bindValue(1, parent);
        message.bindValue(2, i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"));
        message.bindValue(3, text);
        message.bindValue(4, i + 1);
        ok = ok && message.exec();
        parent = message.lastInsertId();
    }
    return ok && database.commit() &&
           QSqlQuery(database).exec(QStringLiteral(
               "UPDATE conversations SET active_leaf ="
               " (SELECT max(id) FROM messages m WHERE m.conversation_id = conversations.id)"));
}

// False: the system cannot.
bool dropFromCache(const QString& folder) {
#ifdef __linux__
    for (const char* name : {"hearth.db", "search.db", "hearth.db-wal", "search.db-wal"}) {
        const QString file = QDir(folder).filePath(QString::fromLatin1(name));
        if (!QFile::exists(file)) {
            continue;
        }
        const int handle = ::open(QFile::encodeName(file).constData(), O_RDONLY);
        const bool done = handle >= 0 && fsync(handle) == 0 &&
                          posix_fadvise(handle, 0, 0, POSIX_FADV_DONTNEED) == 0;
        if (handle >= 0) {
            ::close(handle);
        }
        if (!done) {
            return false;
        }
    }
    return true;
#else
    static_cast<void>(folder);
    return false;
#endif
}

// As many messages as a scan finds, up to kHits.
int scanned(const ConversationStore& store, const QString& query) {
    const QStringList words = searchWords(query);
    QSqlQuery all(QSqlDatabase::database(store.connectionName()));
    all.setForwardOnly(true);
    all.exec(QStringLiteral("SELECT content FROM messages ORDER BY id DESC"));
    int found = 0;
    while (found < kHits && all.next()) {
        const QString text = foldForSearch(all.value(0).toString());
        found += std::all_of(words.begin(), words.end(),
                             [&](const QString& word) { return text.contains(word); })
                     ? 1
                     : 0;
    }
    return found;
}

double milliseconds(const QElapsedTimer& timer) {
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    QCommandLineParser parser;
    parser.addOption(
        {QStringLiteral("messages"), {}, QStringLiteral("N"), QStringLiteral("100000")});
    parser.addOption({QStringLiteral("folder"), {}, QStringLiteral("DIR")});
    parser.addOption({QStringLiteral("rounds"), {}, QStringLiteral("N"), QStringLiteral("5")});
    parser.process(app);
    const int messages = parser.value(QStringLiteral("messages")).toInt();
    const int rounds = parser.value(QStringLiteral("rounds")).toInt();
    QTemporaryDir own;
    const QString folder = parser.isSet(QStringLiteral("folder"))
                               ? parser.value(QStringLiteral("folder"))
                               : own.path();
    Corpus corpus;
    ConversationStore store;
    store.open(folder);
    if (store.conversations().isEmpty()) {
        qint64 bytes = 0;
        if (!fill(store, messages, corpus, &bytes)) {
            std::fprintf(stderr, "search_bench: the chats cannot be written\n");
            return 1;
        }
        std::printf("%d messages, %.1f MB of text\n", messages, static_cast<double>(bytes) / 1e6);
    }
    auto index = std::make_unique<SearchIndex>();
    if (!index->open(folder, true)) {
        std::fprintf(stderr, "search_bench: %s\n", qPrintable(index->problem()));
        return 1;
    }
    QElapsedTimer timer;
    timer.start();
    int steps = 0;
    double longest = 0;
    for (bool more = true; more; ++steps) {
        QElapsedTimer step;
        step.start();
        more = index->step();
        longest = std::max(longest, milliseconds(step));
    }
    std::printf(
        "index: %d steps, %.1f s, longest %.0f ms, %.1f MB beside %.1f MB of chats\n", steps,
        milliseconds(timer) / 1000, longest,
        static_cast<double>(QFileInfo(QDir(folder).filePath(QStringLiteral("search.db"))).size()) /
            1e6,
        static_cast<double>(QFileInfo(QDir(folder).filePath(QStringLiteral("hearth.db"))).size()) /
            1e6);

    const Words& latin = corpus.latin;
    const Words& cyrillic = corpus.cyrillic;
    const Words& chinese = corpus.chinese;
    const QString frequent = chinese.word(0) + chinese.word(1);
    struct Query {
        const char* name;
        QString text;
    };
    const std::vector<Query> queries = {
        {"Latin, 1 letter, frequent", QStringLiteral("e")},
        {"Latin, 1 letter, rare", QStringLiteral("z")},
        {"Latin, 2 letters, frequent", QStringLiteral("te")},
        {"Latin, 2 letters, rare", QStringLiteral("zx")},
        {"Latin, a frequent word", latin.word(10)},
        {"Latin, a rare word", latin.word(25'000)},
        {"Latin, three frequent words", latin.word(0) + ' ' + latin.word(1) + ' ' + latin.word(2)},
        {"Latin, a phrase", '"' + latin.word(0) + ' ' + latin.word(1) + ' ' + latin.word(2) + ' ' +
                                latin.word(3) + '"'},
        {"Latin, no message", latin.word(0) + latin.word(1) + latin.word(2) + latin.word(3)},
        {"Cyrillic, 1 letter", QStringLiteral("о")},
        {"Cyrillic, 2 letters", QStringLiteral("то")},
        {"Cyrillic, a frequent word", cyrillic.word(10)},
        {"Cyrillic, a rare word", cyrillic.word(25'000)},
        {"Cyrillic, three frequent words",
         cyrillic.word(0) + ' ' + cyrillic.word(1) + ' ' + cyrillic.word(2)},
        {"Chinese, 1 ideograph, frequent", chinese.word(0).left(1)},
        {"Chinese, 1 ideograph, rare", QString(QChar(0x4e00 + 3990))},
        {"Chinese, 2 ideographs, frequent", frequent.left(2)},
        {"Chinese, 2 ideographs, rare",
         chinese.word(15'000).left(1) + chinese.word(15'001).left(1)},
        {"Chinese, 3 ideographs", frequent.left(3)},
        {"Latin and Chinese, no message", latin.word(0) + ' ' + chinese.word(0)},
    };
    std::printf("%-34s %6s %9s %9s\n", "query", "hits", "cold ms", "warm ms");
    double worst = 0;
    for (const Query& query : queries) {
        index->close();
        const bool isCold = dropFromCache(folder);
        index = std::make_unique<SearchIndex>();
        if (!index->open(folder, true)) {
            return 1;
        }
        dropFromCache(folder);
        timer.restart();
        const QList<SearchHit> hits = index->find(query.text, kHits);
        const double cold = milliseconds(timer);
        double warm = 0;
        for (int round = 0; round < rounds; ++round) {
            timer.restart();
            index->find(query.text, kHits);
            warm = std::max(warm, milliseconds(timer));
        }
        if (hits.size() != scanned(store, query.text)) {
            std::fprintf(stderr, "search_bench: %s: %lld hits, a scan finds %d\n", query.name,
                         static_cast<long long>(hits.size()), scanned(store, query.text));
            return 1;
        }
        worst = std::max({worst, isCold ? cold : 0, warm});
        std::printf("%-34s %6lld %9s %9.1f\n", query.name, static_cast<long long>(hits.size()),
                    isCold ? qPrintable(QString::number(cold, 'f', 1)) : "-", warm);
    }
    std::printf("longest: %.1f ms\n", worst);
    return 0;
}
