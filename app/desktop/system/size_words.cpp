#include "system/size_words.h"

#include <QLocale>

namespace hearth::ui {

QString sizeWords(quint64 bytes, int decimals) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), decimals,
                                       QLocale::DataSizeSIFormat);
}

}  // namespace hearth::ui
