// The text of a document as Hearth reads it, and the reasons why there may be none.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringView>
#include <optional>

namespace hearth::ui {

enum class DocumentKind { Text, Code, Markdown, Pdf, Docx, Odt };

enum class DocumentTrouble {
    None,
    NotThere,     // no file, or no right to read it
    NotAFile,     // a folder, a device
    OtherKind,    // a format that is not read
    Damaged,      // not what its format asks for
    Encrypted,    // a password is needed
    NoText,       // whole, and without a letter: pictures of pages, or empty
    TooDemanding  // its reader needed too much memory or time, or crashed
};

struct DocumentText {
    QString text;            // lines end in "\n", without control characters
    QList<qsizetype> pages;  // where each page begins in `text`, ascending; empty: it has none
    bool cut = false;        // more of it follows than is read

    // The page of a place, from 1; 0: there are none.
    int pageAt(qsizetype place) const;
    // Pages ascend, all of them are in the text, and it is not longer than Hearth reads.
    bool isSound() const;
};

struct DocumentReading {
    DocumentTrouble trouble = DocumentTrouble::None;
    DocumentKind kind = DocumentKind::Text;
    DocumentText document;  // empty after a trouble

    // The form between two processes. Empty: the bytes are no such reading.
    QByteArray toBytes() const;
    static std::optional<DocumentReading> fromBytes(const QByteArray& bytes);
};

// Spellings for the database and QML: "text" "code" "markdown" "pdf" "docx" "odt".
QString toString(DocumentKind kind);
DocumentKind documentKindFromString(const QString& text);
// For people: why `name` was not read. Empty for None.
QString sentenceFor(DocumentTrouble trouble, const QString& name);

// Gathers text up to a bound: line ends become "\n", at most one line in a row stays empty, and
// control characters go.
class TextGatherer {
public:
    // Characters, about 2 million tokens: more than any model reads.
    static constexpr qsizetype kMost = 8'000'000;

    explicit TextGatherer(qsizetype most = kMost) : most_(most) {}

    // False: there is no more room, and the rest of the document need not be read.
    bool add(QStringView text);
    bool endLine();       // nothing where a line has just begun
    bool endParagraph();  // an empty line follows
    void beginPage();
    bool isFull() const { return full_; }
    bool atLineStart() const {
        return out_.text.isEmpty() || out_.text.endsWith(QLatin1Char('\n'));
    }
    // The whole text, without white space at its end.
    DocumentText take();

private:
    bool put(QChar c);

    DocumentText out_;
    qsizetype most_;
    int ends_ = 0;  // line ends just written
    bool full_ = false;
    bool afterReturn_ = false;
};

}  // namespace hearth::ui
