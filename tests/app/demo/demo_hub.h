// Possible answers of the model hub, for pictures and tests.
#pragma once

#include <QByteArray>

namespace hearth::ui::demo {

// To a request for that path: a search finds three repositories, and the first two have files.
// Empty: it has none.
QByteArray hubAnswer(const QByteArray& path);

}  // namespace hearth::ui::demo
