#include "system/size_words.h"

#include <QLocale>

#include "system/window_locale.h"

namespace hearth::ui {

QString sizeWords(quint64 bytes, int decimals) {
    return windowLocale().formattedDataSize(static_cast<qint64>(bytes), decimals,
                                            QLocale::DataSizeSIFormat);
}

}  // namespace hearth::ui
