#include "library/model_list_model.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QLocale>
#include <utility>

#include "library/model_texts.h"

namespace hearth::ui {

namespace {

// Models that run come first, then those that do not, then files that are no model.
int groupOf(const ModelRow& row) {
    if (!row.factsKnown || row.facts.runs) {
        return 0;
    }
    return row.facts.use == ModelFacts::Use::Model ? 1 : 2;
}

// A copy pays only where single neurons are read from the disk: a sparse model larger than its
// memory.
bool prepares(const ModelRow& row) {
    return row.fit.kind == ModelFit::Kind::Streams && whyNot(row).isEmpty() && row.factsKnown &&
           !row.facts.packed && !row.facts.asksActivation && neuronsRest(row.facts.activation) &&
           // Experts gain from it where predictors name their neurons.
           (row.facts.experts == 0 || row.facts.predictorLayers > 0);
}

// Those that there are, side by side.
QString sentences(QStringList list) {
    list.removeAll(QString());
    return list.join(QLatin1Char(' '));
}

}  // namespace

QString fitWord(ModelFit::Kind kind) {
    switch (kind) {
        case ModelFit::Kind::Unknown:
            return {};
        case ModelFit::Kind::Fits:
            return QStringLiteral("fits");
        case ModelFit::Kind::Partly:
            return QStringLiteral("partly");
        case ModelFit::Kind::Streams:
            return QStringLiteral("streams");
        case ModelFit::Kind::Cannot:
            return QStringLiteral("cannot");
    }
    return {};
}

int ModelListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QHash<int, QByteArray> ModelListModel::roleNames() const {
    return {{PathRole, "path"},        {NameRole, "name"},           {TitleRole, "title"},
            {SummaryRole, "summary"},  {PlaceRole, "place"},         {AppRole, "ownedBy"},
            {RunsRole, "runs"},        {WhyNotRole, "whyNot"},       {SideFileRole, "sideFile"},
            {FitRole, "fit"},          {FitTextRole, "fitText"},     {CurrentRole, "current"},
            {AsksRole, "asks"},        {AsksInputRole, "asksInput"}, {DetailsRole, "details"},
            {PreparesRole, "prepares"}};
}

QVariant ModelListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const ModelRow& row = rows_.at(index.row());
    switch (role) {
        case PathRole:
            return row.found.path();
        case NameRole:
        case Qt::DisplayRole:
            return row.found.name;
        case TitleRole:
            return titleAt(index.row());
        case SummaryRole:
            return summaryOf(row);
        case PlaceRole:
            return row.found.app.isEmpty()
                       ? QDir::toNativeSeparators(QFileInfo(row.found.path()).path())
                       : row.found.app;
        case AppRole:
            return row.found.app;
        case RunsRole:
            return whyNot(row).isEmpty();
        case WhyNotRole:
            return whyNot(row);
        case SideFileRole:
            return groupOf(row) == 2;
        case FitRole:
            return fitWord(row.fit.kind);
        case FitTextRole:
            return sentences(
                {row.facts.noChat, row.facts.guess,
                 withExperts(row.fit.text,
                             row.found.path() == current_ ? experts_ : ExpertShares())});
        case CurrentRole:
            return row.found.path() == current_;
        case AsksRole:
            return row.facts.asksActivation;
        case AsksInputRole:
            return row.facts.asksPredictorInput;
        case DetailsRole:
            return detailsOf(row);
        case PreparesRole:
            return prepares(row);
        default:
            return {};
    }
}

int ModelListModel::indexOf(const QString& path) const {
    for (int i = 0; i < rows_.size(); ++i) {
        if (rows_.at(i).found.path() == path) {
            return i;
        }
    }
    return -1;
}

const ModelRow* ModelListModel::find(const QString& path) const {
    const int row = indexOf(path);
    return row < 0 ? nullptr : &rows_.at(row);
}

QString ModelListModel::nameOf(const QString& path) const {
    const int row = indexOf(path);
    return row >= 0 ? titleAt(row) : QFileInfo(path).completeBaseName();
}

// Headers of several files often have one name: then the file's name, and its folder where even
// that is the same.
QString ModelListModel::titleAt(int row) const {
    const FoundModel& found = rows_.at(row).found;
    const QString title = titleOf(rows_.at(row));
    bool sameTitle = false;
    bool sameName = false;
    for (int other = 0; other < rows_.size(); ++other) {
        if (other != row && titleOf(rows_.at(other)) == title) {
            sameTitle = true;
            sameName = sameName || rows_.at(other).found.name == found.name;
        }
    }
    QStringList words{title};
    if (sameTitle && found.name != title) {
        words << found.name;
    }
    if (sameName) {
        words << (found.app.isEmpty() ? QFileInfo(found.path()).dir().dirName() : found.app);
    }
    return words.join(QStringLiteral(" · "));
}

void ModelListModel::reset(const QList<FoundModel>& models) {
    QHash<QString, ModelRow> known;
    for (const ModelRow& row : std::as_const(rows_)) {
        known.insert(row.found.path(), row);
    }
    beginResetModel();
    rows_.clear();
    for (const FoundModel& model : models) {
        ModelRow row = known.value(model.path());
        if (row.found != model) {
            row = {};
            row.found = model;
        }
        row.recency = static_cast<int>(recent_.indexOf(model.path()));
        rows_ << row;
    }
    endResetModel();
}

void ModelListModel::touch(int row) {
    emit dataChanged(index(row), index(row));
}

void ModelListModel::setFacts(const QString& path, const ModelFacts& facts) {
    const int row = indexOf(path);
    if (row >= 0) {
        const QString before = titleOf(rows_.at(row));
        rows_[row].facts = facts;
        rows_[row].factsKnown = true;
        touch(row);
        for (int other = 0; other < rows_.size(); ++other) {
            const QString title = titleOf(rows_.at(other));
            if (other != row && (title == before || title == titleOf(rows_.at(row)))) {
                touch(other);  // one that shares its name has come or gone
            }
        }
    }
}

void ModelListModel::setFit(const QString& path, const ModelFit& fit) {
    const int row = indexOf(path);
    if (row >= 0) {
        rows_[row].fit = fit;
        touch(row);
    }
}

void ModelListModel::setRecent(const QStringList& paths) {
    recent_ = paths;
    for (int i = 0; i < rows_.size(); ++i) {
        const auto recency = static_cast<int>(recent_.indexOf(rows_.at(i).found.path()));
        if (std::exchange(rows_[i].recency, recency) != recency) {
            touch(i);
        }
    }
}

void ModelListModel::setCurrent(const QString& path) {
    const int before = indexOf(std::exchange(current_, path));
    const int now = indexOf(path);
    if (before != now) {
        experts_ = {};
    }
    for (const int row : {before, now}) {
        if (row >= 0) {
            touch(row);
        }
    }
}

void ModelListModel::setExperts(const ExpertShares& chosen) {
    experts_ = chosen;
    if (const int row = indexOf(current_); row >= 0) {
        touch(row);
    }
}

ModelFilter::ModelFilter(ModelListModel& models, QObject* parent)
    : QSortFilterProxyModel(parent), models_(models) {
    setSourceModel(&models);
    sort(0);
    for (const auto signal :
         {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        connect(this, signal, this, &ModelFilter::countChanged);
    }
    connect(this, &QAbstractItemModel::modelReset, this, &ModelFilter::countChanged);
}

void ModelFilter::setSearch(const QString& text) {
    if (text != search_) {
        search_ = text;
        words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        invalidateFilter();
        emit searchChanged();
    }
}

bool ModelFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    const ModelRow& model = models_.rows().at(row);
    const QString text =
        QStringList{model.found.name,         QFileInfo(model.found.path()).fileName(),
                    model.found.app,          model.facts.name,
                    model.facts.architecture, model.facts.type}
            .join(QLatin1Char(' '));
    for (const QString& word : words_) {
        if (!text.contains(word, Qt::CaseInsensitive)) {
            return false;
        }
    }
    return true;
}

bool ModelFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const ModelRow& a = models_.rows().at(left.row());
    const ModelRow& b = models_.rows().at(right.row());
    if (groupOf(a) != groupOf(b)) {
        return groupOf(a) < groupOf(b);
    }
    // Recently used models come first, the latest before all.
    const auto order = [](const ModelRow& row) {
        return static_cast<unsigned>(row.recency);  // -1 is the largest
    };
    if (order(a) != order(b)) {
        return order(a) < order(b);
    }
    const int titles = titleOf(a).localeAwareCompare(titleOf(b));
    return titles < 0 || (titles == 0 && a.found.name.localeAwareCompare(b.found.name) < 0);
}

}  // namespace hearth::ui
