// The log of tools, latest first: calls, and what servers say on their standard error. In
// memory only, bounded.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QDateTime>
#include <QList>

namespace hearth::ui {

class ToolLog : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ToolShelf has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum LogRole { TimeRole = Qt::UserRole + 1, SourceRole, WordsRole };
    static constexpr int kMostLines = 500;

    using QAbstractListModel::QAbstractListModel;

    void add(const QString& source, const QString& words);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(lines_.size()); }

signals:
    void countChanged();

private:
    struct Line {
        QDateTime time;
        QString source;
        QString words;
    };
    QList<Line> lines_;  // latest first
};

}  // namespace hearth::ui
