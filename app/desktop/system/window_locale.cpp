#include "system/window_locale.h"

#include <QMutex>
#include <optional>

namespace hearth::ui {

namespace {

QMutex mutex;
std::optional<QLocale> chosen;  // under the mutex

}  // namespace

QLocale windowLocale() {
    const QMutexLocker locker(&mutex);
    return chosen ? *chosen : QLocale();
}

void setWindowLocale(const QLocale& locale) {
    QLocale::setDefault(locale);
    const QMutexLocker locker(&mutex);
    chosen = locale;
}

}  // namespace hearth::ui
