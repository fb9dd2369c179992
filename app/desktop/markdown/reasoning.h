// The reasoning that some models write before their answer, apart from the answer:
// `<think> … </think>`.
//
// It counts where it stands at the beginning. Its opening may be missing: the templates of some
// models write it themselves, and the text then begins within the reasoning. The text on disk and
// the text that the model is told keep both marks.
#pragma once

#include <QString>
#include <QStringView>

namespace hearth::ui {

// Follows a text that only grows at its end. Places are offsets in that text; what they are depends
// on the whole text alone, not on how it grew.
class Reasoning {
public:
    // The text as it is now. finished: nothing will follow. Costs as much as what was added.
    void follow(QStringView text, bool finished);

    // The reasoning without the blank lines around it; empty: there is none.
    QStringView thought(QStringView text) const {
        return text.mid(thoughtBegin_, thoughtEnd_ - thoughtBegin_);
    }
    // All but the reasoning, without the blank lines before it.
    QStringView answer(QStringView text) const { return text.mid(answerBegin_); }
    qsizetype answerBegin() const { return answerBegin_; }
    // The reasoning has begun and not ended.
    bool isOpen() const { return phase_ == Phase::Thought; }

private:
    enum class Phase {
        Begin,    // it may still turn out to begin with the mark
        Thought,  // within the reasoning
        Answer,   // after it
        Plain,    // there is none, unless its end comes
    };

    void followThought(QStringView text, bool finished);
    void keepSearched(QStringView text);

    Phase phase_ = Phase::Begin;
    qsizetype searched_ = 0;  // no mark begins before it that would matter
    bool opened_ = false;     // Plain: an opening stands in the middle, so that no end matters
    qsizetype thoughtBegin_ = 0;
    qsizetype thoughtEnd_ = 0;
    qsizetype answerBegin_ = 0;
};

// The answer in a text that is complete.
QString answerIn(const QString& text);

}  // namespace hearth::ui
