#include "library/model_library.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>
#include <QVariantMap>
#include <tuple>
#include <utility>

#include "library/fit_text.h"
#include "settings/app_settings.h"
#include "system/outside.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kHiddenMost = 256;
constexpr qsizetype kUndoMost = 20;

bool isInside(const QString& path, const QString& folder) {
    return path == folder || path.startsWith(folder + QLatin1Char('/'));
}

}  // namespace

ModelLibrary::ModelLibrary(AppSettings& settings, MachineService* planner, const Places& places,
                           QObject* parent)
    : QObject(parent), settings_(settings), plans_(planner), places_(places), filter_(models_) {
    pool_.setMaxThreadCount(1);
    models_.setRecent(paths("model/recent"));
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key, const QString& of) {
        if (looked_ && key.startsWith(QLatin1String("folders/"))) {
            look();
        } else if (key == QLatin1String("window/language")) {  // both hold sentences
            for (const ModelRow& row : models_.rows()) {
                askFacts(row.found.path());
            }
            askFits();
        } else if (key.startsWith(QLatin1String("engine/")) && of.isEmpty()) {
            askFits();
        } else if (key.startsWith(QLatin1String("engine/"))) {
            askFit(of);
        }
        if (key == QLatin1String("engine/predictors") ||
            key == QLatin1String("engine/predictor-input")) {
            if (models_.find(of) != nullptr) {
                askFacts(of);  // other predictors may leave their input open
            }
        }
    });
}

ModelLibrary::~ModelLibrary() {
    cancelled_ = true;
    pool_.clear();
    pool_.waitForDone();
}

QStringList ModelLibrary::paths(const char* key) const {
    QStringList list = settings_.text(key).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (QString& path : list) {
        path = settings_.modelNow(path);
    }
    list.removeDuplicates();
    return list;
}

void ModelLibrary::setPaths(const char* key, const QStringList& paths) {
    const QString wrong = settings_.set(key, paths.join(QLatin1Char('\n')));
    if (!wrong.isEmpty()) {
        say(wrong);
    }
    emit changed();
}

QStringList ModelLibrary::folders() const {
    return paths("folders/models");
}

QString ModelLibrary::downloadFolder() const {
    const QString chosen = settings_.text("folders/downloads");
    return chosen.isEmpty() ? places_.downloads : chosen;
}

QVariantList ModelLibrary::offered() const {
    const QStringList mine = folders();
    QVariantList list;
    for (const ModelPlace& place : others_) {
        bool inside = false;
        for (const QString& folder : mine) {
            inside = inside || isInside(place.path, QDir::cleanPath(folder));
        }
        if (!inside) {
            list << QVariantMap{{QStringLiteral("app"), place.app},
                                {QStringLiteral("path"), place.path}};
        }
    }
    return list;
}

QVariantList ModelLibrary::recent() const {
    QVariantList list;
    for (const QString& path : paths("model/recent")) {
        list << QVariantMap{{QStringLiteral("path"), path},
                            {QStringLiteral("name"), models_.nameOf(path)}};
    }
    return list;
}

void ModelLibrary::open() {
    if (!looked_) {
        look();
    } else {
        askBusyFits();
    }
}

void ModelLibrary::look() {
    looked_ = true;
    looking_ = true;
    const quint64 id = ++look_;
    QStringList all = folders();
    QStringList files = paths("model/recent");
    if (!places_.starter.isEmpty()) {
        files << places_.starter;
    }
    const QString downloads = downloadFolder();
    pool_.clear();  // drops facts of the earlier list
    pool_.start([this, id, all, files, downloads]() mutable {
        const QList<ModelPlace> places = modelPlacesHere();
        if (QFileInfo(downloads).isDir()) {  // the first download creates it
            all << downloads;
        }
        ScanReport report = scanFolders(all, places, cancelled_);
        QStringList truths;
        for (const FoundModel& model : std::as_const(report.models)) {
            truths << QFileInfo(model.path()).canonicalFilePath();
        }
        for (const QString& file : std::as_const(files)) {
            const QString truth = QFileInfo(file).canonicalFilePath();
            if (const auto model = truths.contains(truth) ? std::nullopt : scanFile(file, places)) {
                truths << truth;
                report.models << *model;
            }
        }
        QMetaObject::invokeMethod(this, [this, id, report, places] {
            if (id == look_) {
                take(report, places);
            }
        });
    });
    emit changed();
}

// Leaves out models that were taken off the list, and starters of other versions, which would have
// this one's name.
QList<FoundModel> ModelLibrary::shownOf(const QList<FoundModel>& models) const {
    const QStringList hidden = paths("model/hidden");
    QList<FoundModel> shown;
    for (const FoundModel& model : models) {
        const QString path = model.path();
        if (!hidden.contains(path) && settings_.modelNow(path) == path) {
            shown << model;
        }
    }
    return shown;
}

void ModelLibrary::take(const ScanReport& report, const QList<ModelPlace>& places) {
    looking_ = false;
    problems_ = report.problems;
    others_ = places;
    models_.setRecent(paths("model/recent"));
    models_.reset(shownOf(report.models));
    models_.setCurrent(current_);
    fitsToAsk_.clear();
    for (const ModelRow& row : models_.rows()) {
        if (!row.factsKnown) {
            askFacts(row.found.path());
        } else if (row.facts.runs && row.fit.kind == ModelFit::Kind::Unknown) {
            fitsToAsk_ << row.found.path();
        }
    }
    askNextFit();
    emit changed();
}

void ModelLibrary::askFacts(const QString& path) {
    pool_.start([this, path, predictors = settings_.text("engine/predictors", path)] {
        if (cancelled_) {
            return;
        }
        const ModelFacts facts = readModelFacts(path, predictors);
        QMetaObject::invokeMethod(this, [this, path, facts] { takeFacts(path, facts); });
    });
}

void ModelLibrary::takeFacts(const QString& path, ModelFacts facts) {
    askCatalog(path, facts);
    // A person's answer holds, whatever the file leaves open.
    facts.asksActivation = facts.asksActivation && !settings_.isSet("engine/activation", path);
    facts.asksPredictorInput =
        facts.asksPredictorInput && !settings_.isSet("engine/predictor-input", path);
    if (settings_.isSet("engine/activation", path)) {
        facts.activation = settings_.loadOptions(path).activation;
    }
    models_.setFacts(path, facts);
    if (paths("model/recent").contains(path)) {
        emit changed();  // recent() has its name
    }
    askFit(path);
}

// A file that came some other way is recognised by its name and size.
void ModelLibrary::askCatalog(const QString& path, const ModelFacts& facts) {
    const QString name = QFileInfo(path).fileName();
    // The catalogue speaks of the predictors inside.
    const bool beside = !settings_.text("engine/predictors", path).isEmpty();
    for (const CatalogEntry& entry : places_.catalog) {
        const double share = static_cast<double>(facts.bytes) / static_cast<double>(entry.bytes);
        const bool same = entry.exact ? facts.bytes == static_cast<quint64>(entry.bytes)
                                      : share > 0.95 && share < 1.05;
        if (entry.file != name || !same) {
            continue;
        }
        for (const auto& [key, value, asks] :
             {std::tuple("engine/activation", entry.activation, facts.asksActivation),
              std::tuple("engine/predictor-input", entry.predictorInput,
                         facts.asksPredictorInput && !beside)}) {
            if (asks && !value.isEmpty() && !settings_.isSet(key, path)) {
                const QString wrong = settings_.set(key, value, path);
                if (!wrong.isEmpty()) {
                    say(wrong);
                }
            }
        }
    }
}

void ModelLibrary::askFit(const QString& path) {
    const ModelRow* row = models_.find(path);
    const bool runs = row != nullptr && row->factsKnown && row->facts.runs;
    if (runs && row->found.partsMissing == 0 && !fitsToAsk_.contains(path)) {
        fitsToAsk_ << path;
        askNextFit();
    }
}

void ModelLibrary::askFits() {
    for (const ModelRow& row : models_.rows()) {
        askFit(row.found.path());
    }
}

void ModelLibrary::askBusyFits() {
    for (const ModelRow& row : models_.rows()) {
        if (row.fit.busy) {
            askFit(row.found.path());
        }
    }
}

void ModelLibrary::askNextFit() {
    if (!plans_.works() || fitAsked_ || fitsToAsk_.isEmpty()) {
        return;
    }
    fitAsked_ = true;
    const QString path = fitsToAsk_.takeFirst();
    plans_.ask({settings_.loadOptions(path)}, this, [this, path](const PlanAnswer& answer) {
        fitAsked_ = false;
        models_.setFit(path, fitOf(answer));
        if (!answer.busy) {
            askBusyFits();  // the computer has become quiet: others can be told better
        }
        askNextFit();
    });
}

void ModelLibrary::addPlace(const QString& path) {
    const QString clean = QDir::cleanPath(path);
    QStringList all = folders();
    if (!all.contains(clean)) {
        setPaths("folders/models", all << clean);  // looks anew
    }
}

void ModelLibrary::removeFolder(const QString& path) {
    QStringList all = folders();
    if (all.removeAll(path) > 0) {
        setPaths("folders/models", all);
    }
}

void ModelLibrary::setCurrent(const QString& path) {
    current_ = path;
    models_.setCurrent(path);
}

void ModelLibrary::setExperts(const ExpertShares& chosen) {
    models_.setExperts(chosen);
}

void ModelLibrary::noteUsed(const QString& path) {
    if (!QDir::isAbsolutePath(path)) {
        return;
    }
    QStringList all = paths("model/recent");
    all.removeAll(path);
    all.prepend(path);
    setPaths("model/recent", all.mid(0, kRecentMost));
    models_.setRecent(paths("model/recent"));
    if (looked_ && models_.find(path) == nullptr) {
        look();  // opened by hand, from a folder that is not listed
    }
}

void ModelLibrary::include(const QString& path) {
    const QStringList all = folders() << downloadFolder();
    for (const QString& folder : all) {
        if (isInside(path, QDir::cleanPath(folder))) {
            look();
            return;
        }
    }
    noteUsed(path);
    look();
}

void ModelLibrary::say(const QString& text) {
    said_ = text;
    emit saidChanged();
}

void ModelLibrary::hide(const QString& path, bool hidden) {
    QStringList all = paths("model/hidden");
    all.removeAll(path);
    if (hidden) {
        all.prepend(path);
    }
    setPaths("model/hidden", all.mid(0, kHiddenMost));
}

void ModelLibrary::remove(const QString& path) {
    const ModelRow* row = models_.find(path);
    if (row == nullptr) {
        return;
    }
    if (path == current_) {
        say(tr("%1 is open. Open another model first, then delete this one.").arg(row->found.name));
        return;
    }
    Deleted entry{row->found.name, path, {}};
    if (!row->found.app.isEmpty() || path == places_.starter) {
        deleted_ << entry;
        deleted_ = deleted_.mid(std::max<qsizetype>(0, deleted_.size() - kUndoMost));
        hide(path, true);
        say(row->found.app.isEmpty()
                ? tr("%1 came with Hearth: its file stays, and it is only taken off this list.")
                      .arg(entry.name)
                : tr("%1 belongs to %2: its file stays, and it is only taken off this list. "
                     "Delete it in %2.")
                      .arg(entry.name, row->found.app));
        look();
        return;
    }
    const QStringList files = row->found.paths;
    pool_.start([this, entry, files]() mutable {
        const BinOutcome outcome = moveToBin(files);
        QMetaObject::invokeMethod(this, [this, entry, outcome]() mutable {
            if (!outcome.wrong.isEmpty()) {
                say(outcome.wrong);
                return;
            }
            if (!outcome.files.isEmpty()) {
                entry.files = outcome.files;
                deleted_ << entry;
                deleted_ = deleted_.mid(std::max<qsizetype>(0, deleted_.size() - kUndoMost));
            }
            QStringList recent = paths("model/recent");
            recent.removeAll(entry.path);
            setPaths("model/recent", recent);
            say(tr("%1 is in the bin. Its space is free once the bin is emptied.").arg(entry.name));
            look();
        });
    });
}

void ModelLibrary::undoRemove() {
    if (deleted_.isEmpty()) {
        return;
    }
    const Deleted entry = deleted_.takeLast();
    if (entry.files.isEmpty()) {
        hide(entry.path, false);
        say(tr("%1 is back in the list.").arg(entry.name));
        look();
        return;
    }
    pool_.start([this, entry] {
        const QString wrong = bringBack(entry.files);
        QMetaObject::invokeMethod(this, [this, entry, wrong] {
            say(wrong.isEmpty() ? tr("%1 is back.").arg(entry.name) : wrong);
            look();
        });
    });
}

void ModelLibrary::showInFolder(const QString& path) {
    const QString folder = QFileInfo(path).path();
    if (!openOutside(QUrl::fromLocalFile(folder))) {
        say(tr("The folder could not be shown. It is %1.").arg(QDir::toNativeSeparators(folder)));
    }
}

void ModelLibrary::answerActivation(const QString& path, const QString& activation) {
    answer(path, "engine/activation", activation);
}

void ModelLibrary::answerPredictorInput(const QString& path, const QString& input) {
    answer(path, "engine/predictor-input", input);
}

void ModelLibrary::answer(const QString& path, const char* key, const QString& value) {
    const QString wrong = settings_.set(key, value, path);
    if (!wrong.isEmpty()) {
        say(wrong);
        return;
    }
    const ModelRow* row = models_.find(path);
    if (row != nullptr) {
        ModelFacts facts = row->facts;
        facts.asksActivation = facts.asksActivation && !settings_.isSet("engine/activation", path);
        facts.asksPredictorInput =
            facts.asksPredictorInput && !settings_.isSet("engine/predictor-input", path);
        facts.activation = settings_.isSet("engine/activation", path)
                               ? settings_.text("engine/activation", path)
                               : facts.activation;
        models_.setFacts(path, facts);
    }
}

}  // namespace hearth::ui
