#include "support/temp_dir.h"

#include <filesystem>
#include <random>
#include <system_error>

#include "base/assert.h"

namespace hearth::test {

TempDir::TempDir() {
    std::random_device random;
    const auto base = std::filesystem::temp_directory_path();
    for (int attempt = 0; attempt < 16 && path_.empty(); ++attempt) {
        const auto path = base / ("hearth-test-" + std::to_string(random()));
        std::error_code failed;
        if (std::filesystem::create_directory(path, failed)) {
            path_ = path.string();
        }
    }
    HEARTH_ASSERT(!path_.empty());
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace hearth::test
