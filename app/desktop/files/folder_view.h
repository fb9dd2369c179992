// The content of a folder, from which a person chooses a file or a folder in the window.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <QString>
#include <QStringList>
#include <QVariantList>
#include <memory>

namespace hearth::ui {

class FolderView : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    // Absolute. A new folder is read at once, on another thread; until then the rows are the old
    // ones.
    Q_PROPERTY(QString folder READ folder WRITE setFolder NOTIFY folderChanged)
    Q_PROPERTY(QString folderText READ folderText NOTIFY folderChanged)  // as the system writes it
    // The files to show, by what their names end in, without the dot: "gguf"; "*": all files;
    // empty: only folders.
    Q_PROPERTY(QStringList suffixes MEMBER suffixes_)
    Q_PROPERTY(bool busy READ busy NOTIFY busyChanged)
    // A sentence where something is not shown: the folder cannot be read, is empty, is too full.
    Q_PROPERTY(QString notice READ notice NOTIFY listed)
    Q_PROPERTY(int count READ count NOTIFY listed)
    Q_PROPERTY(bool hasParent READ hasParent NOTIFY folderChanged)
    // Folders in which people keep files: a map with name and path each.
    Q_PROPERTY(QVariantList places READ places CONSTANT)

public:
    enum Roles { NameRole = Qt::UserRole + 1, PathRole, IsFolderRole, DetailRole };
    static constexpr int kMostRows = 5000;

    explicit FolderView(QObject* parent = nullptr);
    ~FolderView() override;

    QString folder() const { return folder_; }
    void setFolder(const QString& folder);
    QString folderText() const;
    bool busy() const { return busy_; }
    QString notice() const { return notice_; }
    int count() const { return static_cast<int>(rows_.size()); }
    bool hasParent() const;
    QVariantList places() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    // The folder to begin in: that of `path`, if it exists, else the user's own.
    Q_INVOKABLE QString folderNear(const QString& path) const;
    Q_INVOKABLE void up();
    // The row of the folder that up() left, or the first; -1: there is no row.
    Q_INVOKABLE int rowToChoose() const;
    // The next row after `row`, round to the start, whose name begins with `begin`; -1: none.
    Q_INVOKABLE int find(const QString& begin, int row) const;
    Q_INVOKABLE QString pathAt(int row) const;
    Q_INVOKABLE bool isFolderAt(int row) const;
    // Takes typed text. It goes to a folder, and returns the path of a file. Otherwise it returns
    // nothing, and notice() says what is wrong.
    Q_INVOKABLE QString take(const QString& typed);

signals:
    void folderChanged();
    void busyChanged();
    void listed();

private:
    struct Row {
        QString name;
        QString path;
        bool isFolder = false;
        qint64 bytes = 0;
        qint64 changedMs = 0;
    };
    struct Listing {
        QList<Row> rows;
        bool readable = false;
        bool whole = true;
    };
    struct Link;  // shared with the threads that read: they may outlive this object

    static Listing list(const QString& folder, const QStringList& suffixes);
    void show(int turn, const Listing& listing);

    QString folder_;
    QString cameFrom_;
    QStringList suffixes_;
    QList<Row> rows_;
    QString notice_;
    bool busy_ = false;
    int turn_ = 0;
    std::shared_ptr<Link> link_;
};

}  // namespace hearth::ui
