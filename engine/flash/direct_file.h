// A file on disk, read past the page cache where its file system can.
#pragma once

#include <memory>
#include <string>

#include <hearth/result.h>

#include "flash/file_reads.h"

namespace hearth {

// path: UTF-8. direct = false reads through the page cache even where it need not. A file system
// that has no direct reads is no error: facts() says so, and why.
// NotFound, NotAFile, PermissionDenied, ReadFailed, OutOfMemory.
//
// Linux (O_DIRECT, alignments as statx gives them) is tested. Windows (FILE_FLAG_NO_BUFFERING) ran
// under Wine alone, which reads through the page cache all the same. macOS (F_NOCACHE) is written
// after its manual and was never run.
Result<std::unique_ptr<FileReads>> open_direct_file(const std::string& path, bool direct = true);

}  // namespace hearth
