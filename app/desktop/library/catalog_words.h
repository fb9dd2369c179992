// What the list of offers says about a model, in the language of the window.
#pragma once

#include <QString>

namespace hearth::ui {

// about: a sentence of resources/catalog.json. One that no translation has stays as it is.
QString catalogWords(const QString& about);

}  // namespace hearth::ui
