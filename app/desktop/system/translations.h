// The translations that are in the program: resources/translations, one a language.
#pragma once

#include <QString>
#include <QTranslator>

namespace hearth::ui {

// code: "de", "zh_CN"; "en" has the forms of English for one and for several. False: it is not in
// the program.
bool loadTranslation(QTranslator& into, const QString& code);

}  // namespace hearth::ui
