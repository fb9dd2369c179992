#include "markdown/math_tokens.h"

namespace hearth::ui {

namespace {

bool isCommandLetter(QChar c) {
    return (c >= QLatin1Char('a') && c <= QLatin1Char('z')) ||
           (c >= QLatin1Char('A') && c <= QLatin1Char('Z'));
}

}  // namespace

void MathTokens::skipBlanks() {
    while (at_ < source_.size() && source_[at_].isSpace()) {
        ++at_;
    }
}

MathToken MathTokens::peek() const {
    MathTokens ahead(*this);
    return ahead.next();
}

MathToken MathTokens::next() {
    using Kind = MathToken::Kind;
    skipBlanks();
    if (at_ >= source_.size()) {
        return {};
    }
    const QChar c = source_[at_++];
    switch (c.unicode()) {
        case u'{':
            return {Kind::Open, {}};
        case u'}':
            return {Kind::Close, {}};
        case u'^':
            return {Kind::Sup, {}};
        case u'_':
            return {Kind::Sub, {}};
        case u'&':
            return {Kind::Cell, {}};
        case u'~':
            return {Kind::Command, QStringLiteral(" ")};
        case u'%':  // a comment, for TeX; models mean a percent sign
        case u'#':
        case u'$':
            return {Kind::Bad, {}};
        case u'\\':
            break;
        default:
            if (c.isHighSurrogate() && at_ < source_.size() && source_[at_].isLowSurrogate()) {
                return {Kind::Character, source_.mid(at_++ - 1, 2).toString()};
            }
            return {Kind::Character, QString(c)};
    }
    if (at_ >= source_.size()) {
        return {Kind::Bad, {}};
    }
    const qsizetype from = at_++;
    if (source_[from] == QLatin1Char('\\')) {
        return {Kind::Line, {}};
    }
    if (source_[from].isSpace()) {
        return {Kind::Command, QStringLiteral(" ")};
    }
    if (isCommandLetter(source_[from])) {
        while (at_ < source_.size() && isCommandLetter(source_[at_])) {
            ++at_;
        }
    }
    return {Kind::Command, source_.mid(from, at_ - from).toString()};
}

QString MathTokens::bracedText() {
    skipBlanks();
    if (at_ >= source_.size() || source_[at_] != QLatin1Char('{')) {
        return {};
    }
    int depth = 0;
    for (qsizetype end = at_; end < source_.size(); ++end) {
        if (source_[end] == QLatin1Char('\\')) {
            ++end;
        } else if (source_[end] == QLatin1Char('{')) {
            ++depth;
        } else if (source_[end] == QLatin1Char('}') && --depth == 0) {
            const QString text = source_.mid(at_ + 1, end - at_ - 1).toString();
            at_ = end + 1;
            return text.isNull() ? QStringLiteral("") : text;
        }
    }
    return {};
}

QString MathTokens::bracketedText() {
    skipBlanks();
    if (at_ >= source_.size() || source_[at_] != QLatin1Char('[')) {
        return {};
    }
    int depth = 0;
    for (qsizetype end = at_ + 1; end < source_.size(); ++end) {
        if (source_[end] == QLatin1Char('\\')) {
            ++end;
        } else if (source_[end] == QLatin1Char('{')) {
            ++depth;
        } else if (source_[end] == QLatin1Char('}')) {
            --depth;
        } else if (source_[end] == QLatin1Char(']') && depth == 0) {
            const QString text = source_.mid(at_ + 1, end - at_ - 1).toString();
            at_ = end + 1;
            return text.isNull() ? QStringLiteral("") : text;
        }
    }
    return {};
}

bool MathTokens::takeStar() {
    const bool star = at_ < source_.size() && source_[at_] == QLatin1Char('*');
    at_ += star ? 1 : 0;
    return star;
}

}  // namespace hearth::ui
