// The settings file: a plain INI that people can read, by the keys of setting_table.h.
//
// What a model has of its own stands in a section "for-1", "for-2", ... whose `path` names it. The
// model that comes with the program lies elsewhere in each version: whichever of them the file
// names, that of the running version is meant.
// Values that make no sense count as if they were not there: they stay in the file until the
// setting is changed, and problems() names them. Keys that nobody here knows stay too, and so do
// comments. What is changed holds at once and is written on another thread.
#pragma once

#include <QHash>
#include <QObject>
#include <QRect>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <memory>
#include <optional>

#include "inference_service.h"

namespace hearth::ui {

class SettingsFile;

class AppSettings : public QObject {
    Q_OBJECT

public:
    // Reads the file. What cannot be read as a settings file is copied beside it first, so that
    // nothing is lost when it is written. starter: the model that came with the program; empty:
    // there is none.
    explicit AppSettings(const QString& iniFile, const QString& starter = {});
    ~AppSettings() override;

    // What holds: for `model`, the path of one, what it has of its own, else what holds for all.
    // Precondition, of these: the table has the key.
    QString text(const char* key, const QString& model = {}) const;
    // Whether somebody said something, there and for now; for a model: for it alone.
    bool isSet(const char* key, const QString& model = {}) const;
    // What is wrong with the text, as a sentence, and then nothing changes; empty: it holds from
    // now on and is kept.
    QString set(const char* key, const QString& text, const QString& model = {});
    // Back to what holds for all, or to the table's.
    void reset(const char* key, const QString& model = {});
    // "engine/ram=2200M": holds until the program ends, or is changed in the window, and is not
    // kept. Returns what is wrong, or nothing.
    QString setForNow(const QString& assignment);

    // Waits until what was changed is in the file, or the disk refused it.
    void flush();

    // Of the file as it was read: a sentence each.
    QStringList problems() const { return problems_; }
    // All of them, for a notice; empty: there are none.
    QString problemText() const;

    // That of the running version for a starter of any version; else the path itself.
    QString modelNow(const QString& path) const;
    QString lastModelPath() const;  // the starter where no other was used
    void setLastModelPath(const QString& path);
    QString themeMode() const;  // "system", "light", "dark"
    void setThemeMode(const QString& mode);
    double zoom() const;  // of the text, 0.8 to 2
    void setZoom(double zoom);
    bool motion() const;  // false: nothing moves, whatever the desktop says
    bool listShown() const;
    void setListShown(bool shown);
    QRect windowPlace() const;  // empty: there is none yet
    void setWindowPlace(const QRect& place);
    bool windowMaximized() const;
    void setWindowMaximized(bool maximized);

    // For a model. Those of a preset, where one is chosen.
    QString preset(const QString& model = {}) const;
    GenerationSettings generation(const QString& model = {}) const;
    LoadOptions loadOptions(const QString& model) const;
    // The settings of section "engine" that ask for just these options, by their keys.
    static QHash<QString, QString> textsOf(const LoadOptions& options);
    QString systemPrompt(const QString& model = {}) const;

signals:
    // model: for it alone; empty: for all that have none of their own.
    void changed(const QString& key, const QString& model);
    // A change holds and could not be kept: a sentence.
    void notKept(const QString& sentence);

private:
    QString normal(const QString& model) const;
    QString place(const char* key, const QString& model) const;
    std::optional<QString> stored(const char* key, const QString& model) const;
    double number(const char* key, const QString& model = {}) const;
    bool flag(const char* key, const QString& model = {}) const;
    void write(const char* key, const QString& text, const QString& model);
    void check();
    void keep(const QString& place, const QVariant& value);  // not valid: removed

    const QString starter_;
    QHash<QString, QVariant> kept_;  // all of the file, by its keys
    // None: the file is left alone.
    std::unique_ptr<SettingsFile> file_;
    QHash<QString, QString> sections_;  // of models, by their paths
    QHash<QString, QString> forNow_;
    QStringList problems_;
};

}  // namespace hearth::ui
