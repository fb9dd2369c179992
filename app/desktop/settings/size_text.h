// Bytes for people: "1.2 GB".
#pragma once

#include <QLocale>
#include <QString>

namespace hearth::ui {

// In the units that settings are written in: multiples of 1024.
inline QString bytesText(quint64 bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), bytes < (1U << 30) ? 0 : 1,
                                       QLocale::DataSizeTraditionalFormat);
}

}  // namespace hearth::ui
