// Finds the passages of a document that a question is about.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui {

struct PassageHit {
    int passage = 0;   // its number in the document, from 0
    double score = 0;  // higher is better; to be compared among hits of one kind of search
};

// One way of searching. Words are one (word_search.h); vectors can be another.
class PassageSearch {
public:
    virtual ~PassageSearch() = default;
    // The best passages, best first, `most` at most. Empty: nothing fits. One thread at a time.
    virtual QList<PassageHit> find(const QString& question, int most) = 0;
};

}  // namespace hearth::ui
