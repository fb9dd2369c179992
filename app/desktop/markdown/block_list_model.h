// One message as a list of blocks: paragraphs, headings, code, lists, quotes, tables, rules,
// formulas.
// Streaming text grows only at its end. Therefore only the last, open block is parsed again and
// only its row changes; finished blocks are never touched.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <QString>

#include "markdown/block.h"
#include "markdown/block_splitter.h"

namespace hearth::ui {

class BlockListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("MessageListModel has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum BlockRole {
        KindRole = Qt::UserRole + 1,  // toString(BlockKind)
        HtmlRole,                     // all kinds but code, rule and formula: see Block::html
        CodeRole,                     // code: the text, without its fence; formula: its source
        LanguageRole,                 // code: "cpp", may be empty
        DrawingRole,                  // code: toString(DrawingCode)
        LevelRole,                    // heading: 1 to 6
        ClosedRole,                   // false: text may still be added
        LastRole,                     // true: no block comes after it
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int count() const { return static_cast<int>(blocks_.size()); }
    const QList<Block>& blocks() const { return blocks_; }

    // Replaces the whole text. finished: no more text will follow.
    void setText(const QString& text, bool finished);
    // Adds text at the end.
    void append(const QString& text);
    // No more text will follow: closes the last block.
    void finish();

signals:
    void countChanged();

private:
    void refreshTail();

    BlockSplitter splitter_;
    QList<Block> blocks_;
    int settledBlocks_ = 0;  // rows whose source can no longer change
};

}  // namespace hearth::ui
