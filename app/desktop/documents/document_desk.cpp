#include "documents/document_desk.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QUuid>
#include <algorithm>
#include <utility>

#include "documents/child_reading.h"
#include "documents/document_reader.h"
#include "documents/word_search.h"

namespace hearth::ui {

namespace {

constexpr double kUsualTokensPerCharacter = 0.25;  // of European languages

struct RankedPassage {
    const WantedDocument* document = nullptr;
    PassageHit hit;
    DocumentFile::Part part;
};

// Passages of one document after the other, in the order in which they stand there.
void sortByPlace(QList<RankedPassage>& chosen, const QList<WantedDocument>& documents) {
    QHash<qint64, qsizetype> order;
    for (const WantedDocument& document : documents) {
        order.insert(document.id, order.size());
    }
    std::sort(chosen.begin(), chosen.end(), [&](const RankedPassage& a, const RankedPassage& b) {
        return std::pair(order.value(a.document->id), a.hit.passage) <
               std::pair(order.value(b.document->id), b.hit.passage);
    });
}

// The first passages, where a question has no word of the document ("What is this about?").
QList<PassageHit> firstOf(int most) {
    QList<PassageHit> hits;
    for (int i = 0; i < most; ++i) {
        hits.append({i, 0});
    }
    return hits;
}

// Scores of a document count within it: a word that is rare there may stand in all others. So the
// candidates of several documents are indexed once more, together.
void rankTogether(QList<RankedPassage>& found, const QString& question) {
    const QString name = QStringLiteral("hearth-ranking-") + QUuid::createUuid().toString();
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(QStringLiteral(":memory:"));
        if (database.open() && WordSearch::create(database)) {
            WordSearch words(database);
            QSqlQuery(database).exec(QStringLiteral("BEGIN"));
            for (int i = 0; i < found.size(); ++i) {
                words.add(i, found.at(i).part.text);
                found[i].hit.score = 0;
            }
            for (const PassageHit& hit : words.find(question, static_cast<int>(found.size()))) {
                found[hit.passage].hit.score = hit.score;
            }
        }
    }
    QSqlDatabase::removeDatabase(name);
}

QList<RankedPassage> search(const DocumentShelf& shelf, const WantedTurn& turn,
                            const std::atomic<bool>& stop) {
    QList<RankedPassage> found;
    const auto look = [&](bool byWords) {
        for (const WantedDocument& document : turn.searched) {
            const auto file =
                stop || (document.byWordsOnly && !byWords) ? nullptr : shelf.open(document.hash);
            if (!file) {
                continue;
            }
            const QList<PassageHit> hits =
                byWords ? file->search().find(turn.text, DocumentDesk::kMostPassages)
                        : firstOf(DocumentDesk::kMostPassages);
            for (const PassageHit& hit : hits) {
                if (const auto part = file->part(hit.passage)) {
                    found.append({&document, hit, *part});
                }
            }
        }
    };
    look(true);
    if (found.isEmpty()) {
        look(false);
    } else if (turn.searched.size() > 1) {
        rankTogether(found, turn.text);
    }
    std::stable_sort(
        found.begin(), found.end(),
        [](const RankedPassage& a, const RankedPassage& b) { return a.hit.score > b.hit.score; });
    QList<RankedPassage> chosen;
    double tokens = 0;
    for (const RankedPassage& candidate : found) {
        const double more = static_cast<double>(candidate.part.text.size()) *
                            candidate.document->tokensPerCharacter;
        if (chosen.size() < DocumentDesk::kMostPassages &&
            (chosen.isEmpty() || tokens + more <= turn.searchTokens)) {
            chosen.append(candidate);
            tokens += more;
        }
    }
    sortByPlace(chosen, turn.searched);
    return chosen;
}

QString textOf(const DocumentShelf& shelf, const WantedTurn& turn, const std::atomic<bool>& stop,
               QList<FoundPassage>* found) {
    QList<QuotedText> quotes;
    for (const WantedDocument& document : turn.whole) {
        const auto file = shelf.open(document.hash);
        quotes.append({document.name, 0, file ? file->text() : QString(), true});
    }
    for (const WantedPassage& wanted : turn.passages) {
        const auto file = shelf.open(wanted.document.hash);
        const auto part = file ? file->part(wanted.passage) : std::nullopt;
        quotes.append({wanted.document.name, part ? part->page : 0, part ? part->text : QString()});
    }
    for (const RankedPassage& candidate : search(shelf, turn, stop)) {
        quotes.append({candidate.document->name, candidate.part.page, candidate.part.text});
        found->append({candidate.document->id, candidate.hit.passage, candidate.part.page});
    }
    return withQuotes(turn.text, quotes);
}

}  // namespace

DocumentDesk::DocumentDesk(const DocumentShelf& shelf, QObject* parent)
    : QObject(parent),
      shelf_(shelf),
      program_(QCoreApplication::applicationFilePath()),
      counter_(countTokens) {
    for (QThreadPool* pool : {&reads_, &looks_}) {
        pool->setMaxThreadCount(1);
        pool->setThreadPriority(QThread::LowPriority);
    }
}

DocumentDesk::~DocumentDesk() {
    close();
}

void DocumentDesk::close() {
    stop_ = true;
    for (QThreadPool* pool : {&reads_, &looks_}) {
        pool->clear();
        pool->waitForDone();
    }
}

template <typename Answer>
void DocumentDesk::post(QThreadPool& pool, const std::function<Answer()>& work,
                        const std::function<void(const Answer&)>& done) {
    pool.start([this, work, done] {
        if (stop_) {
            return;
        }
        const Answer answer = work();
        QMetaObject::invokeMethod(
            this,
            [this, done, answer] {
                if (!stop_) {
                    done(answer);
                }
            },
            Qt::QueuedConnection);
    });
}

TokenCount DocumentDesk::counted(const QString& modelPath, const QString& text) const {
    if (const auto count = modelPath.isEmpty() ? std::nullopt : counter_(modelPath, text)) {
        return *count;
    }
    return {static_cast<int>(static_cast<double>(text.size()) * kUsualTokensPerCharacter) + 1,
            false};
}

std::shared_ptr<std::atomic<bool>> DocumentDesk::read(
    const QString& path, const QString& modelPath, const std::function<void(const ReadFile&)>& done,
    const QString& root) {
    const auto unwanted = std::make_shared<std::atomic<bool>>(false);
    post<ReadFile>(
        reads_,
        [this, path, modelPath, unwanted, root] {
            ReadFile file;
            const QFileInfo info(path);
            // Asked again behind the reading: a link may have taken the file's place.
            const auto stands = [&] {
                return root.isEmpty() || standsInFolder(root, QDir(root).relativeFilePath(path));
            };
            DocumentReading reading;
            reading.trouble = DocumentTrouble::NotThere;
            if (stands() && !*unwanted) {
                reading = readInChild(program_, path, [&] { return stop_ || *unwanted; });
            }
            if (!stands()) {
                reading = {DocumentTrouble::NotThere, DocumentKind::Text, {}};
            }
            file.problem = sentenceFor(reading.trouble, info.fileName());
            if (!file.problem.isEmpty()) {
                return file;
            }
            file.hash = shelf_.add(reading);
            if (file.hash.isEmpty()) {
                file.notKept = true;
                file.problem =
                    QCoreApplication::translate(
                        "Documents",
                        "The text of %1 could not be kept: the disk is full, or its folder cannot "
                        "be written.")
                        .arg(info.fileName());
                return file;
            }
            file.kind = reading.kind;
            file.bytes = info.size();
            file.characters = reading.document.text.size();
            file.cut = reading.document.cut;
            file.tokens = counted(modelPath, reading.document.text);
            return file;
        },
        done);
    return unwanted;
}

void DocumentDesk::survey(const QString& root,
                          const std::function<void(const FolderSurvey&)>& done) {
    post<FolderSurvey>(
        reads_, [this, root] { return surveyFolder(root, [this] { return stop_.load(); }); }, done);
}

void DocumentDesk::count(const QString& hash, const QString& modelPath,
                         const std::function<void(const TokenCount&)>& done) {
    post<TokenCount>(
        reads_,
        [this, hash, modelPath] {
            const auto file = shelf_.open(hash);
            return counted(modelPath, file ? file->text() : QString());
        },
        done);
}

void DocumentDesk::quote(const QList<WantedTurn>& turns,
                         const std::function<void(const QuotedTurns&)>& done) {
    post<QuotedTurns>(
        looks_,
        [this, turns] {
            QuotedTurns quoted;
            for (const WantedTurn& turn : turns) {
                quoted.texts.append(textOf(shelf_, turn, stop_, &quoted.found));
            }
            return quoted;
        },
        done);
}

void DocumentDesk::parts(const QString& hash,
                         const std::function<void(const QList<DocumentFile::Part>&)>& done) {
    post<QList<DocumentFile::Part>>(
        looks_,
        [this, hash] {
            const auto file = shelf_.open(hash);
            return file ? file->parts() : QList<DocumentFile::Part>();
        },
        done);
}

void DocumentDesk::keepOnly(const QStringList& hashes) {
    reads_.start([this, hashes] {
        if (!stop_) {
            shelf_.keepOnly(hashes);
        }
    });
}

}  // namespace hearth::ui
