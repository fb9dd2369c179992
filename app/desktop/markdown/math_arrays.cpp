// The environments of math_reader.h.
#include <algorithm>
#include <iterator>
#include <utility>

#include "markdown/math_parser.h"
#include "markdown/math_reader.h"

namespace hearth::ui {

namespace {

constexpr int kMostColumns = 64;

bool isColumnLetter(QChar c) {
    return QStringView(u"lcr|").contains(c);
}

}  // namespace

MathNode MathReader::environment() {
    const QString name = tokens_.bracedText();
    auto found = mathEnvironment(name);
    if (!found) {
        return fail();
    }
    if (found->argument) {
        QString argument = tokens_.bracedText();
        argument.remove(QLatin1Char(' '));
        if (found->columnsAreArgument) {
            const bool known = !argument.isEmpty() && argument.size() <= 2 * kMostColumns &&
                               std::all_of(argument.begin(), argument.end(), isColumnLetter) &&
                               argument != QString(argument.size(), QLatin1Char('|'));
            if (!known) {
                return fail();
            }
            found->columns = argument;
        } else if (argument.isNull()) {
            return fail();
        }
    }
    return array(*found, name);
}

// Takes the end of the environment; an empty name: a brace.
bool MathReader::endOfArray(const QString& closing) {
    if (closing.isEmpty()) {
        if (tokens_.peek().kind != MathToken::Kind::Close) {
            return false;
        }
        tokens_.next();
        return true;
    }
    if (!tokens_.peek().isCommand("end")) {
        return false;
    }
    tokens_.next();
    failed_ = failed_ || tokens_.bracedText() != closing;
    return true;
}

// \hline before a row.
bool MathReader::takeRowLines(MathNode& array, int row) {
    bool any = false;
    while (tokens_.peek().isCommand("hline")) {
        tokens_.next();
        array.lines.append(row);
        any = true;
        count();
    }
    return any;
}

// A star may follow \\, and how much more space the next row wants.
void MathReader::takeRowEnd(MathNode& array) {
    tokens_.takeStar();
    double gap = 0;
    if (tokens_.peek().isCharacter('[')) {
        MathTokens ahead = tokens_;
        if (const auto length = mathLength(ahead.bracketedText())) {
            tokens_ = ahead;
            gap = *length;
        }
    }
    array.rowGaps.append(gap);
}

MathNode MathReader::array(const MathEnvironment& environment, const QString& closing) {
    MathNode node{.kind = MathKind::Array, .text = environment.open, .closing = environment.close};
    if (!node.text.isEmpty() || !node.closing.isEmpty()) {
        node.cls = MathClass::Inner;
    }
    node.columns = environment.columns;
    node.columnGap = environment.columnGap;
    node.aligned = environment.aligned;
    node.displayed = environment.displayed;
    QString outerLabel = std::exchange(label_, {});
    std::vector<std::vector<MathNode>> rows(1);
    takeRowLines(node, 0);
    while (!failed_) {
        MathNode cell = readRow(closing.isEmpty() ? Until::CellOrBrace : Until::Cell);
        if (!count()) {
            break;
        }
        rows.back().push_back(std::move(cell));
        if (static_cast<int>(rows.back().size()) > kMostColumns) {
            return fail();
        }
        const MathToken token = tokens_.peek();
        if (token.kind == MathToken::Kind::Cell) {
            tokens_.next();
            continue;
        }
        node.rowLabels.append(std::exchange(label_, {}));
        if (endOfArray(closing)) {
            break;
        }
        if (token.kind != MathToken::Kind::Line) {
            return fail();
        }
        tokens_.next();
        takeRowEnd(node);
        takeRowLines(node, static_cast<int>(rows.size()));
        rows.emplace_back();
        if (endOfArray(closing)) {  // \\ behind the last row
            break;
        }
    }
    label_ = outerLabel;
    if (rows.back().empty()) {
        rows.pop_back();
    } else if (rows.size() > 1 && rows.back().size() == 1 && rows.back().front().isEmptyRow()) {
        rows.pop_back();
    }
    for (const auto& row : rows) {
        node.width = std::max(node.width, static_cast<int>(row.size()));
    }
    if (!count(node.width * static_cast<int>(rows.size()))) {
        return fail();
    }
    for (auto& row : rows) {
        row.resize(static_cast<std::size_t>(node.width));
        std::move(row.begin(), row.end(), std::back_inserter(node.parts));
    }
    if (!environment.small) {
        return node;
    }
    MathNode small{.kind = MathKind::Styled, .cls = node.cls, .style = MathStyle::Script};
    small.parts.push_back(std::move(node));
    return small;
}

}  // namespace hearth::ui
