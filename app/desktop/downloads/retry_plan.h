// The time after which a server is asked again.
#pragma once

#include <QByteArray>
#include <QDateTime>

namespace hearth::ui {

// The time to wait before try number `tries` (from 1), in ms. It doubles from a second to five
// minutes, and `random`, from 0 to 1, cuts it to between half and all. Clients that failed together
// therefore do not come back together.
qint64 backOffMs(int tries, double random);

// The header Retry-After, seconds or a date, in ms; at most an hour. -1: it says nothing.
qint64 retryAfterMs(const QByteArray& header, const QDateTime& now);

}  // namespace hearth::ui
