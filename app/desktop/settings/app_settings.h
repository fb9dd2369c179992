// The settings file: a plain INI that people can read, by the keys of setting_table.h.
//
// A model's own settings are in a section "for-1", "for-2", ... whose `path` names the model. The
// model that comes with the program lies elsewhere in each version: the file may name any of them
// and then means that of the running version.
// Values that make no sense count as absent: they stay in the file until the setting is changed,
// and problems() names them. Unknown keys and comments stay, too. A change takes effect at once and
// is written on another thread.
#pragma once

#include <QHash>
#include <QMap>
#include <QObject>
#include <QRect>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <memory>
#include <optional>

#include "bridge/inference_service.h"

namespace hearth::ui {

class SettingsFile;

class AppSettings : public QObject {
    Q_OBJECT

public:
    // Reads the file. A file that cannot be read as settings is copied beside it first, so that
    // nothing is lost when it is written. starter: the model that came with the program; empty:
    // there is none.
    explicit AppSettings(const QString& iniFile, const QString& starter = {});
    ~AppSettings() override;

    // The value in force. For `model`, the path of one, this is the model's own value, else that
    // for all models. Precondition, here and below: the table has the key.
    QString text(const char* key, const QString& model = {}) const;
    // True if there is a value in the file or for now; for a model: one of its own.
    bool isSet(const char* key, const QString& model = {}) const;
    // Sets and keeps the value, which holds from now on. Returns nothing, or a sentence on what is
    // wrong with the text; then nothing changes.
    QString set(const char* key, const QString& text, const QString& model = {});
    // Returns to the value for all models, or to the table's.
    void reset(const char* key, const QString& model = {});
    // "engine/ram=2200M": holds until the program ends or the window changes it, and is not kept.
    // Returns nothing, or what is wrong.
    QString setForNow(const QString& assignment);

    // Waits until all changes are in the file, or the disk refused them.
    void flush();

    // Faults of the file as it was read: a sentence each.
    QStringList problems() const;
    // All faults in one text, for a notice; empty: there are none.
    QString problemText() const;

    // The running version's starter for a starter of any version; else the path itself.
    QString modelNow(const QString& path) const;
    QString lastModelPath() const;  // the starter, if no other model was used
    void setLastModelPath(const QString& path);
    QString themeMode() const;  // "system", "light", "dark"
    void setThemeMode(const QString& mode);
    double zoom() const;  // scale of the text, 0.8 to 2
    void setZoom(double zoom);
    bool motion() const;  // false: nothing moves, whatever the desktop says
    bool listShown() const;
    void setListShown(bool shown);
    QRect windowPlace() const;  // empty: unknown so far
    void setWindowPlace(const QRect& place);
    bool windowMaximized() const;
    void setWindowMaximized(bool maximized);

    // Lists that parts of the window keep in sections of their own, "remote-1", "remote-2", ...;
    // the numbers are in order and may have gaps.
    QStringList sectionsOf(const QString& begin) const;
    QStringList keptIn(const QString& section, const QString& name) const;
    void keepIn(const QString& section, const QString& name, const QStringList& values);
    void removeSection(const QString& section);

    // Values for a model. A chosen preset provides its own values.
    QString preset(const QString& model = {}) const;
    GenerationSettings generation(const QString& model = {}) const;
    LoadOptions loadOptions(const QString& model) const;
    // The settings of section "engine" that lead to these options, by their keys.
    static QHash<QString, QString> textsOf(const LoadOptions& options);
    QString systemPrompt(const QString& model = {}) const;

signals:
    // model: the change is for it alone; empty: it is for all models without a value of their own.
    void changed(const QString& key, const QString& model);
    // A change is in force but could not be kept: a sentence.
    void notKept(const QString& sentence);
    void kept();  // all that was changed is in the file now

private:
    QString normal(const QString& model) const;
    QString place(const char* key, const QString& model) const;
    std::optional<QString> stored(const char* key, const QString& model) const;
    double number(const char* key, const QString& model = {}) const;
    bool flag(const char* key, const QString& model = {}) const;
    void write(const char* key, const QString& text, const QString& model);
    void check();
    void keep(const QString& place, const QVariant& value);  // an invalid value removes the key

    const QString starter_;
    QHash<QString, QVariant> kept_;  // the whole file, by its keys
    // Null: the file is left alone.
    std::unique_ptr<SettingsFile> file_;
    QHash<QString, QString> sections_;  // of models, by their paths
    QHash<QString, QString> forNow_;
    QMap<QString, QVariant> refused_;  // values that made no sense, as they were read
    const QString name_;               // of the file, for people
    QString copy_;                     // of a file of which parts cannot be read
    bool isNoFile_ = false;            // it is something else, or too large
    bool isForbidden_ = false;         // its permissions forbid to read it
};

}  // namespace hearth::ui
