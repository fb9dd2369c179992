#include "markdown/block_list_model.h"

#include <algorithm>

#include "markdown/drawing_source.h"
#include "markdown/markdown_renderer.h"
#include "markdown/math_parser.h"

namespace hearth::ui {

namespace {

DrawingCode drawingOf(const SourcePiece& piece, QStringView code) {
    switch (piece.end) {
        case SourcePiece::End::Open:
            return DrawingCode::None;
        case SourcePiece::End::Closed:
            return isDrawing(piece.language, code) ? DrawingCode::Whole : DrawingCode::None;
        case SourcePiece::End::Cut:
            return beginsDrawing(piece.language, code) ? DrawingCode::TooLong : DrawingCode::None;
    }
    return DrawingCode::None;
}

void render(const SourcePiece& piece, QList<Block>* blocks) {
    if (!piece.isCode && !piece.isFormula) {
        *blocks += renderMarkdown(piece.text);
        return;
    }
    Block block;
    block.kind = BlockKind::Code;
    block.language = piece.isFormula ? QStringLiteral("formula") : piece.language;
    block.code = piece.text;
    if (block.code.endsWith(QLatin1Char('\n'))) {
        block.code.chop(1);
    }
    if (piece.isCode && piece.isFirst) {
        block.drawing = drawingOf(piece, block.code);
    }
    // A formula that cannot be drawn, or has not ended yet, stands as its source.
    if (piece.isFormula && parseFormula(block.code)) {
        block.kind = BlockKind::Formula;
    }
    blocks->append(block);
}

}  // namespace

int BlockListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant BlockListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Block& block = blocks_.at(index.row());
    switch (role) {
        case KindRole:
            return toString(block.kind);
        case HtmlRole:
            return block.html;
        case CodeRole:
            return block.code;
        case LanguageRole:
            return block.language;
        case DrawingRole:
            return toString(block.drawing);
        case LevelRole:
            return block.level;
        case ClosedRole:
            return block.closed;
        case LastRole:
            return index.row() == count() - 1;
        default:
            return {};
    }
}

QHash<int, QByteArray> BlockListModel::roleNames() const {
    return {{KindRole, "kind"},         {HtmlRole, "html"},       {CodeRole, "code"},
            {LanguageRole, "language"}, {DrawingRole, "drawing"}, {LevelRole, "level"},
            {ClosedRole, "closed"},     {LastRole, "last"}};
}

void BlockListModel::setText(const QString& text, bool finished) {
    beginResetModel();
    blocks_.clear();
    settledBlocks_ = 0;
    endResetModel();
    splitter_.clear();
    splitter_.append(text);
    if (finished) {
        splitter_.finish();
    }
    refreshTail();
    emit countChanged();
}

void BlockListModel::append(const QString& text) {
    splitter_.append(text);
    refreshTail();
}

void BlockListModel::finish() {
    splitter_.finish();
    refreshTail();
}

void BlockListModel::refreshTail() {
    QList<Block> tail;
    for (const SourcePiece& piece : splitter_.takeSettled()) {
        render(piece, &tail);
    }
    const qsizetype settled = tail.size();
    for (const SourcePiece& piece : splitter_.open()) {
        render(piece, &tail);
    }
    if (tail.size() > settled) {
        tail.last().closed = false;
    }

    const int first = settledBlocks_;
    const int before = count();
    const int after = first + static_cast<int>(tail.size());
    for (int row = first; row < std::min(before, after); ++row) {
        Block& block = tail[row - first];
        if (blocks_.at(row) != block) {
            blocks_[row] = block;
            emit dataChanged(index(row), index(row));
        }
    }
    if (after > before) {
        beginInsertRows({}, before, after - 1);
        blocks_ += tail.mid(before - first);
        endInsertRows();
    } else if (after < before) {
        beginRemoveRows({}, after, before - 1);
        blocks_.remove(after, before - after);
        endRemoveRows();
    }
    // Reports two rows, not all: a binding to the count would be evaluated in each row.
    const int formerLast = std::min(before, after) - 1;
    if (after != before && formerLast >= 0) {
        emit dataChanged(index(formerLast), index(formerLast), {LastRole});
    }
    settledBlocks_ += static_cast<int>(settled);
    if (after != before) {
        emit countChanged();
    }
}

}  // namespace hearth::ui
