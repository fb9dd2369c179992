// Reads, counts, searches and quotes documents on threads of its own: the window waits for none of
// it. Files are read one after the other; a question does not wait for them.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "bridge/token_count.h"
#include "documents/document_shelf.h"
#include "documents/document_text.h"
#include "documents/folder_survey.h"
#include "documents/quotes.h"

namespace hearth::ui {

// A file that was read and kept, or why not.
struct ReadFile {
    QString problem;       // a sentence for people; empty: it was read
    bool notKept = false;  // the problem: the disk refuses, and the file may be good
    QString hash;          // its name on the shelf
    DocumentKind kind = DocumentKind::Text;
    qint64 bytes = 0;  // of the file
    qint64 characters = 0;
    bool cut = false;
    TokenCount tokens;
};

// A document of a chat, as a question asks for it.
struct WantedDocument {
    qint64 id = 0;  // of the attachment
    QString hash;
    QString name;
    double tokensPerCharacter = 0.25;
    bool byWordsOnly = false;  // a question without a word of it gets nothing of it
};
struct WantedPassage {
    WantedDocument document;
    int passage = 0;
};
// A message, and what is quoted in it.
struct WantedTurn {
    QString text;
    QList<WantedDocument> whole;
    QList<WantedPassage> passages;
    // Searched for `text`, as many tokens as `searchTokens` at most.
    QList<WantedDocument> searched;
    int searchTokens = 0;
};

struct FoundPassage {
    qint64 id = 0;  // of the attachment
    int passage = 0;
    int page = 0;  // from 1; 0: there are none
};
struct QuotedTurns {
    QStringList texts;          // of the turns, in their order
    QList<FoundPassage> found;  // by the search, in the order of the documents
};

class DocumentDesk : public QObject {
public:
    using Counter =
        std::function<std::optional<TokenCount>(const QString& modelPath, const QString& text)>;
    // So many passages are quoted at most: more distract a model.
    static constexpr int kMostPassages = 8;

    // shelf: see there. Answers come to this object's thread.
    explicit DocumentDesk(const DocumentShelf& shelf, QObject* parent = nullptr);
    const DocumentShelf& shelf() const { return shelf_; }
    ~DocumentDesk() override;

    // The program that reads files (document_child.h), in place of this one, and the counter of
    // tokens, in place of countTokens(). Call them before the first file.
    void setProgram(const QString& path) { program_ = path; }
    void setCounter(const Counter& counter) { counter_ = counter; }

    // Each calls `done` once, later, unless close() comes before. The flag of read() may be set to
    // true by any thread: the file is then not read to its end.
    // root: the folder that the file must stand in (folder_survey.h), or empty.
    std::shared_ptr<std::atomic<bool>> read(const QString& path, const QString& modelPath,
                                            const std::function<void(const ReadFile&)>& done,
                                            const QString& root = {});
    void survey(const QString& root, const std::function<void(const FolderSurvey&)>& done);
    void count(const QString& hash, const QString& modelPath,
               const std::function<void(const TokenCount&)>& done);
    void quote(const QList<WantedTurn>& turns, const std::function<void(const QuotedTurns&)>& done);
    // Empty: the document is gone.
    void parts(const QString& hash,
               const std::function<void(const QList<DocumentFile::Part>&)>& done);
    // Deletes all documents but these. No read() may be under way.
    void keepOnly(const QStringList& hashes);

    // Waits for both threads, which drop what they do. Nothing may be called afterwards.
    void close();

private:
    template <typename Answer>
    void post(QThreadPool& pool, const std::function<Answer()>& work,
              const std::function<void(const Answer&)>& done);
    TokenCount counted(const QString& modelPath, const QString& text) const;

    const DocumentShelf shelf_;
    QString program_;
    Counter counter_;
    std::atomic<bool> stop_ = false;
    QThreadPool reads_;
    QThreadPool looks_;
};

}  // namespace hearth::ui
