// Downloads and requests that look as real ones do, for pictures and for walks over the window.
#pragma once

#include "downloads/download_queue.h"
#include "network/request_log.h"

namespace hearth::ui::demo {

// One of each state that looks different.
QList<DownloadStatus> downloads();
void fillRequests(RequestLog& log);

}  // namespace hearth::ui::demo
