// When to ask a server again.
#pragma once

#include <QByteArray>
#include <QDateTime>

namespace hearth::ui {

// The time to wait before try number `tries` (from 1), in ms: doubling from a second to five
// minutes, of which `random`, from 0 to 1, leaves between half and all. Clients that failed
// together do not come back together.
qint64 backOffMs(int tries, double random);

// Of the header Retry-After, seconds or a date; at most an hour. -1: it says nothing.
qint64 retryAfterMs(const QByteArray& header, const QDateTime& now);

}  // namespace hearth::ui
