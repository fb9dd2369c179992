// The models on this computer, one a row. ModelFilter sorts and searches them for the window.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QSortFilterProxyModel>

#include "bridge/expert_shares.h"
#include "bridge/model_facts.h"
#include "library/found_model.h"

namespace hearth::ui {

// The way a model would run here.
struct ModelFit {
    enum class Kind { Unknown, Fits, Partly, Streams, Cannot };
    Kind kind = Kind::Unknown;
    QString text;       // a few words for the list; for Cannot a sentence
    bool busy = false;  // its speed was measured while other work went on

    friend bool operator==(const ModelFit&, const ModelFit&) = default;
};

// "", "fits", "partly", "streams", "cannot"
QString fitWord(ModelFit::Kind kind);

struct ModelRow {
    FoundModel found;
    ModelFacts facts;
    bool factsKnown = false;
    ModelFit fit;
    int recency = -1;  // 0: used last; -1: not recently
};

class ModelListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        PathRole = Qt::UserRole + 1,
        NameRole,     // of the file, or as its application calls it
        TitleRole,    // titleOf(), and what tells it apart where another row has that title
        SummaryRole,  // "llama · Q4_0 · 6.7 billion parameters · 3.8 GB"
        PlaceRole,    // "Ollama", or the folder
        AppRole,      // the application that owns the file; empty: it is the user's
        RunsRole,     // as far as known: true until the file was read
        WhyNotRole,   // a sentence; empty: it runs
        SideFileRole,
        FitRole,  // fitWord()
        FitTextRole,
        CurrentRole,    // the open model
        AsksRole,       // asks for its activation
        AsksInputRole,  // asks for its predictors' input
        DetailsRole,    // a list of {label, value}
        PreparesRole,   // a packed copy of it would answer faster
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    const QList<ModelRow>& rows() const { return rows_; }
    const ModelRow* find(const QString& path) const;
    QString nameOf(const QString& path) const;  // its title; for an unlisted model the file's name

    // Keeps the facts of files that stay the same.
    void reset(const QList<FoundModel>& models);
    void setFacts(const QString& path, const ModelFacts& facts);
    void setFit(const QString& path, const ModelFit& fit);
    void setRecent(const QStringList& paths);
    void setCurrent(const QString& path);
    // Of the open model's tokens; nothing: none were chosen yet.
    void setExperts(const ExpertShares& chosen);

private:
    int indexOf(const QString& path) const;
    QString titleAt(int row) const;
    void touch(int row);

    QList<ModelRow> rows_;
    QStringList recent_;
    QString current_;
    ExpertShares experts_;  // of it
};

class ModelFilter : public QSortFilterProxyModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ModelLibrary has it")
    Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    explicit ModelFilter(ModelListModel& models, QObject* parent = nullptr);

    QString search() const { return search_; }
    void setSearch(const QString& text);
    int count() const { return rowCount(); }

signals:
    void searchChanged();
    void countChanged();

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    const ModelListModel& models_;
    QString search_;
    QStringList words_;
};

}  // namespace hearth::ui
