#include "settings/app_settings.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QSet>
#include <QSettings>
#include <array>

#include "bridge/remote_path.h"
#include "settings/setting_table.h"
#include "settings/settings_file.h"
#include "system/app_paths.h"

namespace hearth::ui {

namespace {

const QString kModelSection = QStringLiteral("for-");
const QString kLastRemote = QStringLiteral("model/remote");
// A settings file has a few kilobytes; a larger file was written by something else.
constexpr qint64 kMostFileBytes = 1 << 20;

// True for a file, or for none yet. Reading a pipe or a device would never end.
bool isReadable(const QFileInfo& file) {
    return !file.exists() || (file.isFile() && file.size() <= kMostFileBytes);
}

// Commas turn text without quotes into a list.
QString textOf(const SettingSpec& spec, const QVariant& value) {
    const bool lines = spec.kind == SettingSpec::Kind::Paths;
    return value.toStringList().join(lines ? QStringLiteral("\n") : QStringLiteral(", "));
}

const SettingSpec& specOf(const char* key) {
    const SettingSpec* spec = findSetting(QString::fromLatin1(key));
    Q_ASSERT(spec != nullptr);
    return *spec;
}

struct Preset {
    const char* name;
    double temperature;
    int topK;
    double topP;
    double minP;
};
constexpr std::array kPresets = {Preset{"precise", 0.2, 40, 0.9, 0.1},
                                 Preset{"balanced", 0.8, 40, 0.95, 0.05},
                                 Preset{"creative", 1.2, 100, 0.98, 0.05}};

}  // namespace

AppSettings::AppSettings(const QString& iniFile, const QString& starter)
    : starter_(starter), name_(QDir::toNativeSeparators(iniFile)) {
    // A file that is no settings file is left alone: then nothing is read and nothing kept.
    const bool readable = isReadable(QFileInfo(iniFile));
    const QSettings read(iniFile, readable ? QSettings::IniFormat : QSettings::InvalidFormat);
    const QStringList keys = read.allKeys();
    for (const QString& key : keys) {
        kept_.insert(key, read.value(key));
    }
    check();
    isNoFile_ = !readable;
    isForbidden_ = readable && read.status() == QSettings::AccessError;
    if (readable) {
        file_ = std::make_unique<SettingsFile>(iniFile);
        connect(file_.get(), &SettingsFile::failed, this, &AppSettings::notKept);
        connect(file_.get(), &SettingsFile::worked, this, &AppSettings::kept);
    }
    if (readable && read.status() == QSettings::FormatError) {
        copy_ = iniFile + QStringLiteral(".broken-") +
                QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
        QFile::copy(iniFile, copy_);
    }
}

AppSettings::~AppSettings() = default;

void AppSettings::flush() {
    if (file_) {
        file_->flush();
    }
}

void AppSettings::keep(const QString& place, const QVariant& value) {
    if (value.isValid()) {
        kept_.insert(place, value);
    } else {
        kept_.remove(place);
    }
    if (file_ && value.isValid()) {
        file_->set(place, value.toStringList());
    } else if (file_) {
        file_->remove(place);
    }
}

QString AppSettings::modelNow(const QString& path) const {
    return isAStarter(path, starter_) ? starter_ : path;
}

QString AppSettings::normal(const QString& model) const {
    return model.isEmpty() ? model : QDir::cleanPath(modelNow(model));
}

// Runs once, when the file was read.
void AppSettings::check() {
    QStringList keys = kept_.keys();
    keys.sort();
    for (const QString& stored : keys) {
        QString key = stored;
        if (key.startsWith(kModelSection)) {
            const QString section = key.section(QLatin1Char('/'), 0, 0);
            key = key.section(QLatin1Char('/'), 1);
            if (key == QLatin1String("path")) {
                sections_.insert(normal(kept_.value(stored).toString()), section);
                continue;
            }
        }
        const SettingSpec* spec = findSetting(key);
        if (spec == nullptr) {
            continue;
        }
        if (!checkSetting(*spec, textOf(*spec, kept_.value(stored))).text) {
            refused_.insert(stored, kept_.value(stored));
        }
    }
}

// Worded when they are asked for: the language of the words is itself a setting.
QStringList AppSettings::problems() const {
    QStringList all;
    for (auto refused = refused_.cbegin(); refused != refused_.cend(); ++refused) {
        const QString& stored = refused.key();
        const QString key =
            stored.startsWith(kModelSection) ? stored.section(QLatin1Char('/'), 1) : stored;
        const SettingSpec& spec = *findSetting(key);
        all << QStringLiteral("%1: %2.").arg(stored,
                                             checkSetting(spec, textOf(spec, *refused)).wrong);
    }
    if (isNoFile_) {
        all << tr("The settings in %1 are not read: it is no file, or it is too large. "
                  "Changes are not kept now.")
                   .arg(name_);
    } else if (!copy_.isEmpty()) {
        all << tr("Parts of the settings in %1 cannot be read. A copy of the file as it was "
                  "is kept as %2.")
                   .arg(name_, QDir::toNativeSeparators(copy_));
    } else if (isForbidden_) {
        all << tr("The settings in %1 cannot be read. Check the permissions of the file.")
                   .arg(name_);
    }
    return all;
}

QString AppSettings::problemText() const {
    const QStringList faults = problems();
    if (faults.isEmpty()) {
        return {};
    }
    constexpr qsizetype kShown = 4;
    QString text = faults.mid(0, kShown).join(QLatin1Char(' '));
    if (faults.size() > kShown) {
        text += QLatin1Char(' ') +
                tr("There are %n more.", nullptr, static_cast<int>(faults.size() - kShown));
    }
    return tr("Some settings make no sense, so their defaults are used.") + QLatin1Char(' ') + text;
}

QString AppSettings::place(const char* key, const QString& model) const {
    return model.isEmpty()
               ? QString::fromLatin1(key)
               : sections_.value(normal(model)) + QLatin1Char('/') + QString::fromLatin1(key);
}

// The value in the file, if it makes sense.
std::optional<QString> AppSettings::stored(const char* key, const QString& model) const {
    if (!model.isEmpty() && !sections_.contains(normal(model))) {
        return std::nullopt;
    }
    const SettingSpec& spec = specOf(key);
    QVariant value = kept_.value(place(spec.key, model));
    if (!value.isValid() && *spec.before != '\0') {
        value = kept_.value(place(spec.before, model));
    }
    return value.isValid() ? checkSetting(spec, textOf(spec, value)).text : std::nullopt;
}

QString AppSettings::text(const char* key, const QString& model) const {
    const SettingSpec& spec = specOf(key);
    if (const auto now = forNow_.constFind(QString::fromLatin1(spec.key));
        now != forNow_.constEnd()) {
        return *now;
    }
    if (spec.modelsMayHaveIt() && !model.isEmpty()) {
        if (const auto own = stored(key, model)) {
            return *own;
        }
    }
    if (spec.scope != SettingSpec::Scope::Model) {
        if (const auto common = stored(key, {})) {
            return *common;
        }
    }
    return QString::fromLatin1(spec.fallback);
}

bool AppSettings::isSet(const char* key, const QString& model) const {
    return stored(key, model).has_value() ||
           (model.isEmpty() && forNow_.contains(QString::fromLatin1(key)));
}

void AppSettings::write(const char* key, const QString& text, const QString& model) {
    const SettingSpec& spec = specOf(key);
    if (!model.isEmpty() && !sections_.contains(normal(model))) {
        QSet<QString> sections;
        for (auto stored = kept_.keyBegin(); stored != kept_.keyEnd(); ++stored) {
            sections.insert(stored->section(QLatin1Char('/'), 0, 0));
        }
        int number = 1;
        while (sections.contains(kModelSection + QString::number(number))) {
            ++number;
        }
        const QString section = kModelSection + QString::number(number);
        keep(section + QStringLiteral("/path"), normal(model));
        sections_.insert(normal(model), section);
    }
    const QVariant value = spec.kind == SettingSpec::Kind::Paths
                               ? QVariant(text.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
                               : QVariant(text);
    keep(place(spec.key, model), value);
    if (*spec.before != '\0' && kept_.contains(place(spec.before, model))) {
        keep(place(spec.before, model), {});
    }
}

QString AppSettings::set(const char* key, const QString& text, const QString& model) {
    const SettingSpec& spec = specOf(key);
    const CheckedSetting checked = checkSetting(spec, text);
    if (!checked.text) {
        return checked.wrong + QLatin1Char('.');
    }
    Q_ASSERT(model.isEmpty() ? spec.scope != SettingSpec::Scope::Model : spec.modelsMayHaveIt());
    const bool wasForNow = forNow_.remove(QString::fromLatin1(spec.key)) > 0;
    if (wasForNow || stored(key, model) != checked.text) {
        write(key, *checked.text, model);
        emit changed(QString::fromLatin1(spec.key), model);
    }
    return {};
}

void AppSettings::reset(const char* key, const QString& model) {
    const SettingSpec& spec = specOf(key);
    bool was = forNow_.remove(QString::fromLatin1(spec.key)) > 0;
    if (model.isEmpty() || sections_.contains(normal(model))) {
        for (const char* name : {spec.key, spec.before}) {
            if (*name != '\0' && kept_.contains(place(name, model))) {
                keep(place(name, model), {});
                was = true;
            }
        }
    }
    if (was) {
        emit changed(QString::fromLatin1(spec.key), model);
    }
}

QString AppSettings::setForNow(const QString& assignment) {
    const qsizetype equals = assignment.indexOf(QLatin1Char('='));
    const QString key = assignment.left(equals).trimmed();
    const SettingSpec* spec = findSetting(key);
    if (equals < 0) {
        return tr("“%1” is not KEY=VALUE.").arg(assignment);
    }
    if (spec == nullptr || spec->scope == SettingSpec::Scope::Window) {
        return tr("There is no setting “%1”.").arg(key);
    }
    const CheckedSetting checked = checkSetting(*spec, assignment.mid(equals + 1));
    if (!checked.text) {
        return QStringLiteral("%1: %2.").arg(key, checked.wrong);
    }
    forNow_.insert(QString::fromLatin1(spec->key), *checked.text);
    emit changed(QString::fromLatin1(spec->key), {});
    return {};
}

double AppSettings::number(const char* key, const QString& model) const {
    return text(key, model).toDouble();  // 0 for a word
}

bool AppSettings::flag(const char* key, const QString& model) const {
    return text(key, model) == QLatin1String("true");
}

QString AppSettings::lastModelPath() const {
    const QString remote = kept_.value(kLastRemote).toString();
    if (remoteModelAt(remote)) {
        return remote;
    }
    const QString path = text("model/path");
    return path.isEmpty() ? starter_ : modelNow(path);
}

void AppSettings::setLastModelPath(const QString& path) {
    // A model elsewhere has a place of its own, so that the last file is still known.
    if (isRemotePath(path)) {
        keep(kLastRemote, path);
        return;
    }
    if (kept_.contains(kLastRemote)) {
        keep(kLastRemote, {});
    }
    // The path is kept unchecked: one that cannot be kept costs the next start a question, no more.
    // The starter's path is not kept: the next version brings another one.
    keep(QStringLiteral("model/path"), isAStarter(path, starter_) ? QVariant() : QVariant(path));
}

QString AppSettings::themeMode() const {
    return text("window/theme");
}

void AppSettings::setThemeMode(const QString& mode) {
    set("window/theme", mode);
}

double AppSettings::zoom() const {
    return number("window/zoom");
}

void AppSettings::setZoom(double zoom) {
    set("window/zoom", QString::number(zoom));
}

bool AppSettings::motion() const {
    return text("window/motion") != QLatin1String("none");
}

bool AppSettings::listShown() const {
    return flag("window/list");
}

void AppSettings::setListShown(bool shown) {
    set("window/list", shown ? QStringLiteral("true") : QStringLiteral("false"));
}

QRect AppSettings::windowPlace() const {
    const auto whole = [this](const char* key) { return static_cast<int>(number(key)); };
    return {whole("window/x"), whole("window/y"), whole("window/width"), whole("window/height")};
}

void AppSettings::setWindowPlace(const QRect& place) {
    set("window/x", QString::number(place.x()));
    set("window/y", QString::number(place.y()));
    set("window/width", QString::number(place.width()));
    set("window/height", QString::number(place.height()));
}

bool AppSettings::windowMaximized() const {
    return flag("window/maximized");
}

void AppSettings::setWindowMaximized(bool maximized) {
    set("window/maximized", maximized ? QStringLiteral("true") : QStringLiteral("false"));
}

QStringList AppSettings::sectionsOf(const QString& begin) const {
    QMap<int, QString> sections;
    for (auto key = kept_.keyBegin(); key != kept_.keyEnd(); ++key) {
        const QString section = key->section(QLatin1Char('/'), 0, 0);
        const int number = section.startsWith(begin) ? section.mid(begin.size()).toInt() : 0;
        if (number > 0) {
            sections.insert(number, section);
        }
    }
    return sections.values();
}

QStringList AppSettings::keptIn(const QString& section, const QString& name) const {
    return kept_.value(section + QLatin1Char('/') + name).toStringList();
}

void AppSettings::keepIn(const QString& section, const QString& name, const QStringList& values) {
    if (values != keptIn(section, name)) {
        keep(section + QLatin1Char('/') + name, values.isEmpty() ? QVariant() : QVariant(values));
    }
}

void AppSettings::removeSection(const QString& section) {
    const QStringList keys = kept_.keys();
    for (const QString& key : keys) {
        if (key.startsWith(section + QLatin1Char('/'))) {
            keep(key, {});
        }
    }
}

QString AppSettings::preset(const QString& model) const {
    // Files of earlier versions have values and no preset.
    const bool hasValues = isSet("sampling/temp") || isSet("sampling/top-k") ||
                           isSet("sampling/top-p") || isSet("sampling/min-p");
    const bool hasPreset =
        isSet("sampling/preset") || (!model.isEmpty() && isSet("sampling/preset", model));
    return hasValues && !hasPreset ? QStringLiteral("own") : text("sampling/preset", model);
}

GenerationSettings AppSettings::generation(const QString& model) const {
    GenerationSettings values;
    const QString chosen = preset(model);
    for (const SettingSpec& spec : settingTable()) {
        if (spec.codec.toGeneration != nullptr) {
            spec.codec.toGeneration(text(spec.key, model), values);
        }
    }
    for (const Preset& known : kPresets) {
        if (chosen == QLatin1String(known.name)) {
            values.temperature = known.temperature;
            values.topK = known.topK;
            values.topP = known.topP;
            values.minP = known.minP;
        }
    }
    return values;
}

LoadOptions AppSettings::loadOptions(const QString& model) const {
    LoadOptions options;
    options.path = model;
    for (const SettingSpec& spec : settingTable()) {
        if (spec.codec.toLoad != nullptr) {
            spec.codec.toLoad(text(spec.key, model), options);
        }
    }
    return options;
}

QHash<QString, QString> AppSettings::textsOf(const LoadOptions& options) {
    QHash<QString, QString> texts;
    for (const SettingSpec& spec : settingTable()) {
        if (spec.codec.ofLoad != nullptr) {
            texts.insert(QString::fromLatin1(spec.key), spec.codec.ofLoad(options));
        }
    }
    return texts;
}

QString AppSettings::systemPrompt(const QString& model) const {
    return text("chat/system", model);
}

}  // namespace hearth::ui
