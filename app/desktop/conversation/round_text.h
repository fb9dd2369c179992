// The text that a model writes after the results of its calls. Reasoning at its beginning belongs
// to the calls, and the rest goes on with the answer.
#pragma once

#include <QString>

namespace hearth::ui {

class RoundText {
public:
    // follows: there is text of the answer already.
    explicit RoundText(bool follows = false) : follows_(follows) {}

    // The part of the answer that is known with the next piece; may be empty.
    QString take(const QString& piece);
    // Nothing follows: the rest of the answer.
    QString finish();
    // The blanks around it are left out.
    QString thought() const { return thought_.trimmed(); }

private:
    enum class Phase { Begin, Thought, Gap, Answer };

    bool follows_;
    Phase phase_ = Phase::Begin;
    QString held_;
    QString thought_;
};

}  // namespace hearth::ui
