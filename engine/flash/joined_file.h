// The parts of a model as one file, each read past the page cache where its file system can.
#pragma once

#include <memory>

#include <hearth/result.h>

#include "base/input_file.h"
#include "flash/file_reads.h"

namespace hearth {

// The file that `file` has open, or its parts, where they lie in it. As open_direct_file().
Result<std::unique_ptr<FileReads>> open_direct_parts(const InputFile& file, bool direct = true);

}  // namespace hearth
