// The search by words: SQLite's FTS5, ranked by bm25.
#pragma once

#include <QSqlDatabase>
#include <QStringList>

#include "documents/passage_search.h"

namespace hearth::ui {

// A text for the index: letters of scripts that put no space between words stand alone.
QString wordsForIndex(const QString& text);
// The question to FTS5: any of its words, and pairs of neighbours where letters stand alone. Empty:
// it has no word.
QString matchForQuestion(const QString& question);

class WordSearch : public PassageSearch {
public:
    // The connection is open, belongs to this thread, and outlives it.
    explicit WordSearch(const QSqlDatabase& database) : database_(database) {}

    // Makes the index, which is empty. False: the database refuses.
    static bool create(const QSqlDatabase& database);
    bool add(int passage, const QString& text);

    QList<PassageHit> find(const QString& question, int most) override;

private:
    QSqlDatabase database_;
};

}  // namespace hearth::ui
