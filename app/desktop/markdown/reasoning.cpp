#include "markdown/reasoning.h"

#include <algorithm>

namespace hearth::ui {

namespace {

constexpr QStringView kOpening(u"<think>");
constexpr QStringView kClosing(u"</think>");

qsizetype firstNonBlank(QStringView text, qsizetype from) {
    while (from < text.size() && text[from].isSpace()) {
        ++from;
    }
    return from;
}

qsizetype endWithoutBlanks(QStringView text, qsizetype from, qsizetype end) {
    while (end > from && text[end - 1].isSpace()) {
        --end;
    }
    return end;
}

// The begin of a mark whose rest is not there yet; else the text's end.
qsizetype openEnd(QStringView text, QStringView mark) {
    qsizetype at = std::max(qsizetype{0}, text.size() - mark.size() + 1);
    while (at < text.size() && !mark.startsWith(text.mid(at))) {
        ++at;
    }
    return at;
}

}  // namespace

void Reasoning::follow(QStringView text, bool finished) {
    if (phase_ == Phase::Begin) {
        const qsizetype begin = firstNonBlank(text, 0);
        const QStringView head = text.mid(begin, kOpening.size());
        if (head == kOpening) {
            phase_ = Phase::Thought;
            searched_ = begin + kOpening.size();
            thoughtBegin_ = searched_;
        } else if (!finished && kOpening.startsWith(head)) {
            answerBegin_ = text.size();  // what may be the mark is not shown
            return;
        } else {
            phase_ = Phase::Plain;
            answerBegin_ = 0;
        }
    }
    if (phase_ == Phase::Plain && !opened_) {
        const qsizetype closing = text.indexOf(kClosing, searched_);
        const qsizetype opening = text.indexOf(kOpening, searched_);
        opened_ = opening >= 0 && (closing < 0 || opening < closing);
        if (closing >= 0 && !opened_) {
            phase_ = Phase::Thought;
        } else {
            keepSearched(text);
        }
    }
    if (phase_ == Phase::Thought) {
        followThought(text, finished);
    }
    if (phase_ == Phase::Answer) {
        answerBegin_ = firstNonBlank(text, answerBegin_);
    }
}

void Reasoning::followThought(QStringView text, bool finished) {
    const qsizetype closing = text.indexOf(kClosing, searched_);
    thoughtBegin_ = firstNonBlank(text, thoughtBegin_);
    if (closing < 0) {
        keepSearched(text);
        const qsizetype end = finished ? text.size() : openEnd(text, kClosing);
        thoughtEnd_ = endWithoutBlanks(text, thoughtBegin_, end);
        answerBegin_ = text.size();
    } else {
        phase_ = Phase::Answer;
        thoughtEnd_ = endWithoutBlanks(text, thoughtBegin_, closing);
        answerBegin_ = closing + kClosing.size();
    }
}

// The next search begins where a mark could that is not there whole yet.
void Reasoning::keepSearched(QStringView text) {
    searched_ = std::max(searched_, text.size() - kClosing.size() + 1);
}

QString answerIn(const QString& text) {
    Reasoning reasoning;
    reasoning.follow(text, true);
    return reasoning.answer(text).toString();
}

}  // namespace hearth::ui
