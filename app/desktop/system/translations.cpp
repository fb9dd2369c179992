#include "system/translations.h"

#include <QCoreApplication>

namespace hearth::ui {

bool loadTranslation(QTranslator& into, const QString& code) {
    return into.load(QStringLiteral(":/translations/hearth_") + code + QStringLiteral(".qm"));
}

namespace {

// English is always there, below any other language: the sources hold only its form for several.
void bringEnglish() {
    auto* english = new QTranslator(QCoreApplication::instance());
    if (loadTranslation(*english, QStringLiteral("en"))) {
        QCoreApplication::installTranslator(english);
    }
}
Q_COREAPP_STARTUP_FUNCTION(bringEnglish)

}  // namespace

}  // namespace hearth::ui
