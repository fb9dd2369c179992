#include "settings/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

#include "settings/app_settings.h"
#include "settings/setting_table.h"
#include "system/app_paths.h"
#include "system/pseudo_language.h"
#include "system/translations.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

const char* const kKey = "window/language";
const QString kEnglish = QStringLiteral("en");
// For tests and developers; the page of settings does not offer them.
const QString kPseudo = QStringLiteral("pseudo");
const QString kPseudoMirrored = QStringLiteral("pseudo-rtl");

QStringList offered() {
    return findSetting(QString::fromLatin1(kKey))->wordList();
}

// The same words are read in both: Traditional Chinese is not Simplified Chinese.
bool areAlike(const QLocale& one, const QLocale& other) {
    return one.language() == other.language() && one.script() == other.script();
}

}  // namespace

Language::Language(AppSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), before_(windowLocale()) {
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key == QLatin1String(kKey)) {
            follow();
        }
    });
    setWindowLocale(localeFor(code_, QLocale::system()));
    follow();
}

Language::~Language() {
    words_.clear();  // a translator that goes is installed no more
    setWindowLocale(before_);
}

QString Language::chosen(const QString& setting, const QStringList& wanted) {
    if (setting == kPseudo || setting == kPseudoMirrored) {
        return setting;
    }
    QStringList have = offered();
    have.removeOne(QStringLiteral("system"));
    if (have.contains(setting)) {
        return setting;
    }
    for (const QString& name : wanted) {
        const QLocale locale(name);
        for (const QString& code : have) {
            if (locale.language() != QLocale::C && areAlike(locale, QLocale(code))) {
                return code;
            }
        }
    }
    return kEnglish;
}

QLocale Language::localeFor(const QString& code, const QLocale& system) {
    const QLocale own(code.startsWith(kPseudo) ? kEnglish : code);
    const bool isPlain = system.language() == QLocale::C && own.language() == QLocale::English;
    return isPlain || areAlike(own, system) ? system : own;
}

void Language::follow() {
    const QString wish = languageFromEnvironment();
    use(chosen(wish.isEmpty() ? settings_.text(kKey) : wish, QLocale::system().uiLanguages()));
}

void Language::use(const QString& code) {
    if (code == code_) {
        return;
    }
    code_ = code;
    words_.clear();
    setWindowLocale(localeFor(code, QLocale::system()));
    if (code.startsWith(kPseudo)) {
        bring(std::make_unique<PseudoTranslator>(code == kPseudoMirrored));
    } else if (code != kEnglish) {
        // Qt's own words, such as those of a file that cannot be read, where the system has them.
        auto ofQt = std::make_unique<QTranslator>();
        if (ofQt->load(QStringLiteral("qtbase_") + code,
                       QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
            bring(std::move(ofQt));
        }
        auto ours = std::make_unique<QTranslator>();
        if (loadTranslation(*ours, code)) {
            bring(std::move(ours));
        } else {
            qWarning().noquote() << "no translation is in the program for" << code;
        }
    }
    emit codeChanged();
    emit changed();
}

void Language::bring(std::unique_ptr<QTranslator> words) {
    QCoreApplication::installTranslator(words.get());
    words_.push_back(std::move(words));
}

}  // namespace hearth::ui
