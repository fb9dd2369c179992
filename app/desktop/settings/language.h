// The language of the window: its words, and how it writes numbers and dates. It follows the
// setting "window/language" while the window is open.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QLocale>
#include <QObject>
#include <QStringList>
#include <memory>
#include <vector>

class QTranslator;

namespace hearth::ui {

class AppSettings;

class Language : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("main() makes it")
    Q_PROPERTY(QString code READ code NOTIFY codeChanged)  // "en", "de", "zh_CN"

public:
    // Shows the language that the settings name; at its end, the words are English again.
    // `settings` outlives it, and the application does, too. The environment's HEARTH_LANGUAGE goes
    // before the settings.
    explicit Language(AppSettings& settings, QObject* parent = nullptr);
    ~Language() override;

    QString code() const { return code_; }

    // The language for a setting ("system", "de"). wanted: what the system asks for, the best
    // first, as in "de-AT". "en" where it asks for none that Hearth has.
    static QString chosen(const QString& setting, const QStringList& wanted);
    // How numbers and dates are written: as the system does, where it has the same language.
    static QLocale localeFor(const QString& code, const QLocale& system);

signals:
    void codeChanged();
    // The words are those of the new language now. Whoever keeps words makes them anew.
    void changed();

private:
    void follow();
    void use(const QString& code);
    void bring(std::unique_ptr<QTranslator> words);

    AppSettings& settings_;
    const QLocale before_;
    QString code_ = QStringLiteral("en");
    std::vector<std::unique_ptr<QTranslator>> words_;
};

}  // namespace hearth::ui
