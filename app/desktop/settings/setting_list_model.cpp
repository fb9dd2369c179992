#include "settings/setting_list_model.h"

#include <QSet>
#include <algorithm>
#include <cmath>

#include "bridge/remote_path.h"
#include "settings/app_settings.h"
#include "system/size_words.h"

namespace hearth::ui {

namespace {

QString controlName(SettingControl control) {
    switch (control) {
        case SettingControl::Choice:
            return QStringLiteral("choice");
        case SettingControl::Amount:
            return QStringLiteral("amount");
        case SettingControl::Switch:
            return QStringLiteral("switch");
        case SettingControl::Text:
            return QStringLiteral("text");
        case SettingControl::LongText:
            return QStringLiteral("longText");
        case SettingControl::File:
            return QStringLiteral("file");
        case SettingControl::Folder:
            return QStringLiteral("folder");
        case SettingControl::Folders:
            return QStringLiteral("folders");
    }
    return {};
}

bool matches(const SettingSpec& spec, const QString& search) {
    const QString all = spec.page.labelText() + QLatin1Char(' ') + spec.page.saysText() +
                        QLatin1Char(' ') + QString::fromLatin1(spec.key) + QLatin1Char(' ') +
                        sectionTitle(QString::fromLatin1(spec.page.section));
    const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return all.contains(word, Qt::CaseInsensitive);
    });
}

QVariantMap choice(const QString& value, const QString& label, const QString& note = {},
                   const QString& whyNot = {}) {
    return {{QStringLiteral("value"), value},
            {QStringLiteral("label"), label},
            {QStringLiteral("note"), note},
            {QStringLiteral("whyNot"), whyNot}};
}

// "24 GB, 900 GB/s. Works." or why the card is left out.
QString noteOf(const GraphicsCard& card) {
    QStringList parts;
    if (card.memoryBytes > 0) {
        parts << (card.sharesRam ? SettingListModel::tr("%1, shared with the processor")
                                 : QStringLiteral("%1"))
                     .arg(sizeWords(card.memoryBytes));
    }
    if (card.gbPerSecond > 0) {
        parts << SettingListModel::tr("%1 GB/s").arg(qRound(card.gbPerSecond));
    }
    QString verdict = card.status == QLatin1String("ok") ? SettingListModel::tr("tried, works")
                      : card.status == QLatin1String("unprobed")
                          ? SettingListModel::tr("not tried yet")
                      : card.status == QLatin1String("skipped")
                          ? SettingListModel::tr("this version cannot use it")
                          : SettingListModel::tr("tried, failed");
    if (!card.chosen && !card.reason.isEmpty()) {
        verdict += SettingListModel::tr("; not used automatically: %1").arg(card.reason);
    }
    parts << verdict;
    return parts.join(QStringLiteral(", "));
}

// The settings that a question to a model of another computer carries (remote/chat_request.h), and
// those that have to do with no model.
bool reachesServers(const QString& key) {
    static const QSet<QString> kSent = {QStringLiteral("sampling/preset"),
                                        QStringLiteral("sampling/temp"),
                                        QStringLiteral("sampling/top-p"),
                                        QStringLiteral("sampling/presence-penalty"),
                                        QStringLiteral("sampling/frequency-penalty"),
                                        QStringLiteral("sampling/max-tokens"),
                                        QStringLiteral("sampling/seed")};
    const bool isOfModels =
        key.startsWith(QLatin1String("engine/")) || key.startsWith(QLatin1String("sampling/"));
    return !isOfModels || kSent.contains(key);
}

}  // namespace

SettingListModel::SettingListModel(AppSettings& settings, QObject* parent)
    : QAbstractListModel(parent), settings_(settings) {
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        problems_.remove(key);
        refresh();
        lookAtPlaces();
    });
    connect(&places_, &PlaceCheck::looked, this, [this](const QHash<QString, QString>& said) {
        said_ = said;
        refresh();
    });
    filter();
}

int SettingListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> SettingListModel::roleNames() const {
    return {{KeyRole, "key"},           {SectionRole, "sectionTitle"},
            {LabelRole, "label"},       {SaysRole, "says"},
            {ControlRole, "control"},   {ValueRole, "value"},
            {NumberRole, "number"},     {LeastRole, "least"},
            {MostRole, "most"},         {StepRole, "step"},
            {HasAutoRole, "hasAuto"},   {AutoRole, "isAuto"},
            {AutoWordRole, "autoWord"}, {ChoicesRole, "choices"},
            {RunsRole, "runs"},         {ChangedRole, "isChanged"},
            {OwnRole, "own"},           {EnabledRole, "usable"},
            {WhyNotRole, "whyNot"},     {PlaceRole, "place"},
            {ProblemRole, "problem"}};
}

QVariant SettingListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const SettingSpec& spec = *shown_[index.row()];
    const SettingOnPage& page = spec.page;
    const QString key = QString::fromLatin1(spec.key);
    const QString value = valueOf(spec);
    const bool isAmount = page.control == SettingControl::Amount;
    const QStringList words = spec.wordList();
    switch (role) {
        case KeyRole:
            return key;
        case SectionRole:
            return sectionTitle(QString::fromLatin1(page.section));
        case Qt::DisplayRole:
        case LabelRole:
            return page.labelText();
        case SaysRole:
            return page.saysText();
        case ControlRole:
            return controlName(page.control);
        case ValueRole:
            return value;
        case NumberRole:
            return isAmount ? number(spec) : 0;
        case LeastRole:
            return page.least;
        case MostRole:
            return isAmount ? most(spec) : 0;
        case StepRole:
            return page.step;
        case HasAutoRole:
            return isAmount && !words.isEmpty();
        case AutoRole:
            return words.contains(value);
        case AutoWordRole:
            return words.value(0);
        case ChoicesRole:
            return choices(spec);
        case RunsRole:
            return QStringList{sizeShown(spec, value), runs(key)}.join(QLatin1Char(' ')).trimmed();
        case ChangedRole:
            return settings_.isSet(spec.key, modelFor(spec));
        case OwnRole:
            return !model_.isEmpty() && spec.modelsMayHaveIt() && settings_.isSet(spec.key, model_);
        case EnabledRole:
            return whyNot(spec).isEmpty();
        case WhyNotRole:
            return whyNot(spec);
        case PlaceRole:
            return said_.value(key);
        case ProblemRole:
            return problems_.value(key);
        default:
            return {};
    }
}

// A model with a value of its own hides the value for all: a change then goes to the model's own.
QString SettingListModel::modelFor(const SettingSpec& spec) const {
    const bool own = spec.scope == SettingSpec::Scope::Model ||
                     (spec.scope == SettingSpec::Scope::Either &&
                      (forModel() || (hasModel() && settings_.isSet(spec.key, model_))));
    return own ? model_ : QString();
}

// The value in force: with a named style, that style's values.
QString SettingListModel::valueOf(const SettingSpec& spec) const {
    const QString key = QString::fromLatin1(spec.key);
    if (key == QLatin1String("sampling/preset")) {
        return settings_.preset(model_);
    }
    const GenerationSettings counts = settings_.generation(model_);
    if (key == QLatin1String("sampling/temp")) {
        return QString::number(counts.temperature);
    }
    if (key == QLatin1String("sampling/top-k")) {
        return QString::number(counts.topK);
    }
    if (key == QLatin1String("sampling/top-p")) {
        return QString::number(counts.topP);
    }
    if (key == QLatin1String("sampling/min-p")) {
        return QString::number(counts.minP);
    }
    return settings_.text(spec.key, spec.modelsMayHaveIt() ? model_ : QString());
}

QString SettingListModel::whyNot(const SettingSpec& spec) const {
    if (spec.scope == SettingSpec::Scope::Model && !hasModel()) {
        return tr("First open the model that this setting is for.");
    }
    const QString key = QString::fromLatin1(spec.key);
    const bool isOwnValue =
        key == QLatin1String("sampling/temp") || key == QLatin1String("sampling/top-k") ||
        key == QLatin1String("sampling/top-p") || key == QLatin1String("sampling/min-p");
    if (isOwnValue && settings_.preset(model_) != QLatin1String("own")) {
        return tr("The style decides. Choose “Own values” to change it.");
    }
    return {};
}

// Typed sizes count by 1024, as on the command line, and all pages show sizes by 1000: this line
// has both.
QString SettingListModel::sizeShown(const SettingSpec& spec, const QString& value) {
    const auto bytes = spec.kind == SettingSpec::Kind::Size ? bytesOf(value) : std::nullopt;
    return bytes && *bytes > 0 ? tr("%1 is %2.").arg(value, sizeWords(*bytes)) : QString();
}

QString SettingListModel::runs(const QString& key) const {
    const EngineReport& now = report_;
    if (isRemotePath(model_)) {
        return reachesServers(key) ? QString()
                                   : tr("Not for the model that answers now: it is not local.");
    }
    if (now.modelPath.isEmpty() || now.modelPath != model_) {
        return {};
    }
    if (key == QLatin1String("engine/gpu")) {
        if (now.gpu.isEmpty()) {
            return now.gpuNote.isEmpty() ? tr("Now: none.") : tr("Now: none. %1").arg(now.gpuNote);
        }
        return tr("Now: %1, with %2 % of the model.").arg(now.gpu).arg(qRound(100 * now.gpuShare));
    }
    if (key == QLatin1String("engine/vram")) {
        return now.gpu.isEmpty() ? tr("Now: no card takes part.")
                                 : tr("Now: holds %1 of %2.")
                                       .arg(sizeWords(now.vramUsed), sizeWords(now.vramBudget));
    }
    if (key == QLatin1String("engine/ram")) {
        const QString held =
            tr("Now: holds %1 of %2.").arg(sizeWords(now.ramUsed), sizeWords(now.ramBudget));
        return now.diskPerToken == 0
                   ? held
                   : held + QLatin1Char(' ') +
                         tr("%1 of the model are read from the disk for each word.")
                             .arg(sizeWords(now.diskPerToken));
    }
    if (key == QLatin1String("engine/threads")) {
        return tr("Now: %n threads.", nullptr, now.threads);
    }
    if (key == QLatin1String("engine/ctx")) {
        return tr("Now: %1 tokens.").arg(now.contextTokens);
    }
    if (key == QLatin1String("engine/mode")) {
        return tr("Now: %1.").arg(wordText(key, now.mode).toLower());
    }
    if (key == QLatin1String("chat/system") && !now.defaultSystem.isEmpty()) {
        constexpr qsizetype kShown = 400;
        const QString words = now.defaultSystem.simplified();
        return tr("Without instructions, this model is told: “%1”")
            .arg(words.size() > kShown ? words.left(kShown) + QStringLiteral("…") : words);
    }
    return {};
}

QString SettingListModel::whyNotChoice(const QString& key, const QString& word) const {
    if (key == QLatin1String("engine/mode")) {
        return refusedModes_.value(word);
    }
    const bool isOpen = !report_.modelPath.isEmpty() && report_.modelPath == model_;
    if (key == QLatin1String("chat/reasoning") && isOpen &&
        !report_.reasoningWords().contains(word)) {
        return tr("The open model does not know it.");
    }
    return {};
}

QVariantList SettingListModel::choices(const SettingSpec& spec) const {
    const QString key = QString::fromLatin1(spec.key);
    QVariantList list;
    if (key == QLatin1String("engine/gpu")) {
        list << choice(QStringLiteral("auto"), wordText(key, QStringLiteral("auto")))
             << choice(QStringLiteral("none"), wordText(key, QStringLiteral("none")),
                       tr("The processor alone."));
        const QString value = settings_.text(spec.key, model_);
        bool known = value == QLatin1String("auto") || value == QLatin1String("none");
        for (const GraphicsCard& card : facts_.cards) {
            const bool alone = std::count_if(facts_.cards.begin(), facts_.cards.end(),
                                             [&](const GraphicsCard& other) {
                                                 return other.name == card.name;
                                             }) == 1;
            const QString name = alone ? card.name : QString::number(card.index);
            list << choice(name, card.name, noteOf(card));
            known = known || value == name;
        }
        if (!known) {
            list << choice(value, value);
        }
        return list;
    }
    const QStringList words =
        spec.kind == SettingSpec::Kind::Choice ? spec.wordList() : QStringList();
    for (const QString& word : words) {
        list << choice(word, wordText(key, word), {}, whyNotChoice(key, word));
    }
    return list;
}

double SettingListModel::most(const SettingSpec& spec) const {
    if (spec.page.most > 0) {
        return spec.page.most;
    }
    const QString key = QString::fromLatin1(spec.key);
    if (key == QLatin1String("engine/threads")) {
        return std::max(facts_.mostThreads, 1);
    }
    quint64 bytes = facts_.ramBytes;
    if (key == QLatin1String("engine/vram")) {
        bytes = 0;
        for (const GraphicsCard& card : facts_.cards) {
            bytes = std::max(bytes, card.memoryBytes);
        }
    }
    const double steps = std::floor(static_cast<double>(bytes) / spec.page.step);
    return std::max(steps * spec.page.step, spec.page.least + spec.page.step);
}

double SettingListModel::number(const SettingSpec& spec) const {
    const QString value = valueOf(spec);
    const QString key = QString::fromLatin1(spec.key);
    if (const auto bytes = spec.kind == SettingSpec::Kind::Size ? bytesOf(value) : std::nullopt) {
        return static_cast<double>(*bytes);
    }
    if (!spec.wordList().contains(value)) {
        return value.toDouble();
    }
    const double runs = key == QLatin1String("engine/ram")       ? double(report_.ramBudget)
                        : key == QLatin1String("engine/vram")    ? double(report_.vramBudget)
                        : key == QLatin1String("engine/threads") ? report_.threads
                        : key == QLatin1String("engine/ctx")     ? report_.contextTokens
                                                                 : 0;
    return std::clamp(runs, spec.page.least, most(spec));
}

QString SettingListModel::textFor(const QString& key, double number) const {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr || !std::isfinite(number)) {
        return {};
    }
    const double kept = std::clamp(number, spec->least, spec->most);
    switch (spec->kind) {
        case SettingSpec::Kind::Size:
            return sizeText(static_cast<quint64>(kept));
        case SettingSpec::Kind::Whole:
            return QString::number(std::llround(kept));
        default:
            return QString::number(std::round(kept * 100) / 100);
    }
}

bool SettingListModel::set(const QString& key, const QString& text) {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr || !whyNot(*spec).isEmpty()) {
        return false;
    }
    const QString wrong = settings_.set(spec->key, text, modelFor(*spec));
    if (wrong.isEmpty()) {
        problems_.remove(key);
    } else {
        problems_.insert(key, wrong);
    }
    refresh();
    return wrong.isEmpty();
}

bool SettingListModel::setNumber(const QString& key, double number) {
    return set(key, textFor(key, number));
}

void SettingListModel::reset(const QString& key) {
    if (const SettingSpec* spec = findSetting(key)) {
        problems_.remove(key);
        settings_.reset(spec->key, modelFor(*spec));
        refresh();
    }
}

bool SettingListModel::addFolder(const QString& key, const QString& folder) {
    const SettingSpec* spec = findSetting(key);
    return spec != nullptr && set(key, settings_.text(spec->key) + QLatin1Char('\n') + folder);
}

QString SettingListModel::textOf(const QString& key) const {
    const SettingSpec* spec = findSetting(key);
    return spec == nullptr ? QString() : valueOf(*spec);
}

int SettingListModel::indexOf(const QString& key) const {
    for (int row = 0; row < count(); ++row) {
        if (key == QLatin1String(shown_[row]->key)) {
            return row;
        }
    }
    return -1;
}

void SettingListModel::setSection(const QString& section) {
    if (section != section_ || !search_.isEmpty()) {
        section_ = section;
        search_.clear();
        filter();
    }
}

void SettingListModel::setSearch(const QString& search) {
    if (search != search_) {
        search_ = search;
        filter();
    }
}

// Rows that stay are not told anew: to make the controls of a row takes milliseconds, and somebody
// types.
void SettingListModel::filter() {
    QList<const SettingSpec*> wanted;
    const QString words = search_.simplified();
    for (const SettingSpec& spec : settingTable()) {
        if (spec.isOnPage() && (words.isEmpty() ? section_ == QLatin1String(spec.page.section)
                                                : matches(spec, words))) {
            wanted.append(&spec);
        }
    }
    for (int row = count() - 1; row >= 0; --row) {
        if (!wanted.contains(shown_.at(row))) {
            beginRemoveRows({}, row, row);
            shown_.removeAt(row);
            told_.removeAt(row);
            endRemoveRows();
        }
    }
    // Both are in the order of the table.
    for (int row = 0; row < wanted.size(); ++row) {
        if (row == count() || shown_.at(row) != wanted.at(row)) {
            beginInsertRows({}, row, row);
            shown_.insert(row, wanted.at(row));
            told_.insert(row, all(row));
            endInsertRows();
        }
    }
    emit countChanged();
    emit shownChanged();
    lookAtPlaces();
}

void SettingListModel::setWatched(bool watched) {
    watched_ = watched;
    asked_.clear();  // a disk may have come or gone since
    lookAtPlaces();
}

void SettingListModel::lookAtPlaces() {
    if (!watched_) {
        return;
    }
    PlaceCheck::Questions questions;
    for (const SettingSpec* spec : shown_) {
        const bool folders = spec->page.control == SettingControl::Folders;
        const bool target = spec->page.control == SettingControl::Folder;
        if (!folders && !target && spec->page.control != SettingControl::File) {
            continue;
        }
        const QStringList paths = valueOf(*spec).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        if (!paths.isEmpty()) {
            questions.insert(QString::fromLatin1(spec->key), {folders  ? PlaceCheck::Wanted::Folders
                                                              : target ? PlaceCheck::Wanted::Target
                                                                       : PlaceCheck::Wanted::File,
                                                              paths});
        }
    }
    if (questions == asked_) {
        return;
    }
    asked_ = questions;
    said_.removeIf([&](auto it) { return !questions.contains(it.key()); });
    refresh();
    places_.look(questions);
}

QVariantList SettingListModel::all(int row) const {
    QVariantList values;
    for (int role = KeyRole; role <= ProblemRole; ++role) {
        values.append(data(index(row), role));
    }
    return values;
}

// Reports changed rows only: reported choices are built anew, and the one with the keyboard focus
// would be lost.
void SettingListModel::refresh() {
    for (int row = 0; row < count(); ++row) {
        const QVariantList now = all(row);
        QList<int> changed;
        for (int i = 0; i < now.size(); ++i) {
            if (now.at(i) != told_.at(row).at(i)) {
                changed.append(KeyRole + i);
            }
        }
        if (!changed.isEmpty()) {
            told_[row] = now;
            emit dataChanged(index(row), index(row), changed);
        }
    }
}

void SettingListModel::setForModel(bool forModel) {
    if (forModel != forModel_) {
        forModel_ = forModel;
        emit forModelChanged();
        refresh();
    }
}

void SettingListModel::setModel(const QString& path) {
    if (path != model_) {
        model_ = path;
        problems_.clear();
        emit forModelChanged();
        refresh();
        lookAtPlaces();
    }
}

void SettingListModel::setReport(const EngineReport& report) {
    report_ = report;
    refresh();
}

void SettingListModel::setFacts(const MachineFacts& facts) {
    facts_ = facts;
    refresh();
}

void SettingListModel::setRefusedModes(const QHash<QString, QString>& refused) {
    if (refused != refusedModes_) {
        refusedModes_ = refused;
        refresh();
    }
}

}  // namespace hearth::ui
