#include "conversation/round_text.h"

#include <algorithm>
#include <utility>

namespace hearth::ui {

namespace {

const QLatin1String kOpen("<think>");
const QLatin1String kClose("</think>");

qsizetype blanksBefore(const QString& text) {
    qsizetype at = 0;
    while (at < text.size() && text.at(at).isSpace()) {
        ++at;
    }
    return at;
}

}  // namespace

QString RoundText::take(const QString& piece) {
    held_ += piece;
    if (phase_ == Phase::Begin) {
        const qsizetype at = blanksBefore(held_);
        const QStringView begin = QStringView(held_).mid(at);
        if (begin.startsWith(kOpen)) {
            held_.remove(0, at + kOpen.size());
            phase_ = Phase::Thought;
        } else if (!QString(kOpen).startsWith(begin)) {
            phase_ = Phase::Gap;
        }
    }
    if (phase_ == Phase::Thought) {
        const qsizetype end = held_.indexOf(kClose);
        if (end >= 0) {
            thought_ += held_.left(end);
            held_.remove(0, end + kClose.size());
            phase_ = Phase::Gap;
        } else {
            // Its last characters may begin the mark.
            const qsizetype known = std::max(qsizetype{0}, held_.size() - kClose.size() + 1);
            thought_ += held_.left(known);
            held_.remove(0, known);
        }
    }
    if (phase_ == Phase::Gap) {
        held_.remove(0, blanksBefore(held_));
        if (!held_.isEmpty()) {
            phase_ = Phase::Answer;
            return (follows_ ? QStringLiteral("\n\n") : QString()) + std::exchange(held_, {});
        }
    }
    return phase_ == Phase::Answer ? std::exchange(held_, {}) : QString();
}

QString RoundText::finish() {
    const QString rest = std::exchange(held_, {});
    if (phase_ == Phase::Thought) {
        thought_ += rest;
        return {};
    }
    const QString text = rest.trimmed();
    return phase_ != Phase::Begin || text.isEmpty()
               ? QString()
               : (follows_ ? QStringLiteral("\n\n") : QString()) + text;
}

}  // namespace hearth::ui
