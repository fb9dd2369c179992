// Matrix kernels as decode (one token) and prefill (512 tokens) use them: kernel_bench [THREADS].
// Decode is bounded by memory, so its figure is GB/s of weights and the share of the read bandwidth
// measured in the same run; prefill is bounded by arithmetic, so its figure is 10^12 operations a
// second (a multiply-add counts two).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "engine/cpu/kernel_checks.h"
#include "gguf/rows.h"
#include "hardware/bandwidth.h"
#include "hardware/cpu_features.h"

namespace {

using namespace hearth;
using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 7;
constexpr int kPrefillTokens = 512;
// More weights than any cache holds, so that every token reads them from memory.
constexpr std::uint64_t kDecodeBytes = 512ULL << 20;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Case {
    DType type;
    int rows, cols, n_tokens;
};

// Seconds one product takes.
double measure(ThreadPool& pool, const kernels::KernelTable& table, const Case& c) {
    const auto rows = static_cast<std::uint64_t>(c.rows);
    const auto cols = static_cast<std::uint64_t>(c.cols);
    const std::uint64_t matrix_bytes = packed_bytes(c.type, rows, cols);
    const std::uint64_t n_matrices = c.n_tokens == 1 ? kDecodeBytes / matrix_bytes + 1 : 1;
    // Ordinary numbers: denormal scales would measure the processor's slow path.
    std::vector<float> row(cols, 0.5F);
    std::vector<std::byte> file(row_bytes(c.type, cols) * kernels::kTileRows);
    for (std::size_t r = 0; r < kernels::kTileRows; ++r) {
        row[r] = -1.0F;
        quantize_row(c.type, row, &file[r * row_bytes(c.type, cols)]);
    }
    std::vector<std::byte> weights(matrix_bytes * n_matrices);
    const std::uint64_t tile_bytes = packed_bytes(c.type, kernels::kTileRows, cols);
    pack_tile(c.type, file.data(), kernels::kTileRows, c.cols, weights.data());
    for (std::uint64_t at = tile_bytes; at < weights.size(); at += tile_bytes) {
        std::memcpy(&weights[at], weights.data(), tile_bytes);
    }
    const auto n_tokens = static_cast<std::size_t>(c.n_tokens);
    std::vector<float> x(n_tokens * cols, 0.25F);
    std::vector<std::byte> quantized(quantized_bytes(c.cols, c.n_tokens));
    const ActivationRows input{x.data(), cols, quantized.data(), c.cols, c.n_tokens};
    for (int t = 0; t < c.n_tokens; ++t) {
        quantize_into(table, input, t, 0, c.cols / kBlockValues, x.data());
    }
    std::vector<float> y(n_tokens * rows);
    const auto run = [&](std::uint64_t index) {
        const PackedMatrix matrix{c.type, c.rows, c.cols, &weights[index * matrix_bytes]};
        const Product product{&matrix, y.data(), rows};
        multiply(pool, table, {&product, 1}, input);
    };
    run(0);
    std::vector<double> seconds;
    for (int i = 0; i < kRepetitions; ++i) {
        const auto start = Clock::now();
        for (std::uint64_t index = 0; index < n_matrices; ++index) {
            run(index);
        }
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count() /
                          static_cast<double>(n_matrices));
    }
    return median(std::move(seconds));
}

}  // namespace

int main(int argc, char** argv) {
    for (const test::KernelCheck& check : test::kernel_checks()) {
        if (const test::CheckOutcome outcome = check.run(); !outcome.passed) {
            std::fprintf(stderr, "%s: %s\n", check.name.c_str(), outcome.detail.c_str());
            return 1;
        }
    }
    const CpuFeatures cpu = detect_cpu_features();
    const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : cpu.physical_cores;
    ThreadPool pool(threads);
    const double before = measure_ram_read_gb_per_s(threads);
    std::printf("%s, %d threads, memory reads %.1f GB/s\n", cpu.name.c_str(), threads, before);
    std::printf("%-8s %-5s %-12s %9s %7s %9s\n", "table", "type", "shape", "1: GB/s", "share",
                "512: Tops");
    std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
    const int n_tables = kernels::available(cpu.flags, tables.data());
    for (int i = n_tables - 1; i > 0; --i) {  // generic is for being right
        const kernels::KernelTable& table = *tables[static_cast<std::size_t>(i)];
        for (const DType type : {DType::Q4_0, DType::Q8_0, DType::F16}) {
            for (const auto& [rows, cols] :
                 {std::pair{4096, 4096}, {11008, 4096}, {4096, 11008}, {2048, 2048}}) {
                const double decode_s = measure(pool, table, {type, rows, cols, 1});
                const double prefill_s = measure(pool, table, {type, rows, cols, kPrefillTokens});
                const double gb =
                    static_cast<double>(packed_bytes(type, static_cast<std::uint64_t>(rows),
                                                     static_cast<std::uint64_t>(cols))) /
                    1e9;
                std::printf("%-8s %-5s %5dx%-6d %9.1f %6.0f%% %9.3f\n", table.name,
                            dtype_info(type).name.data(), rows, cols, gb / decode_s,
                            100 * gb / decode_s / before,
                            2e-12 * rows * cols * kPrefillTokens / prefill_s);
            }
        }
    }
    std::printf("memory reads %.1f GB/s after\n", measure_ram_read_gb_per_s(threads));
    return 0;
}
