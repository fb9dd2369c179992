// kernel_bench [THREADS] [TABLE]: every kernel as a share of its limit.
//
// A single token's product reads each weight once: bounded by memory, so its figure is GB/s of
// weights and the share of the read bandwidth measured beside it (the memory of a shared machine
// changes its mind every minute). 512 tokens are bounded by arithmetic: operations a second (a
// multiply-add counts two) and the share of what the instruction set can do at most. The same for
// attention: keys and values read by one token, operations of a batch. Every table is checked
// against plain arithmetic before anything is measured.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/kernel_bench.h"
#include "bench/peaks/peaks.h"
#include "cpu/matrix.h"
#include "engine/cpu/kernel_checks.h"
#include "hardware/bandwidth.h"
#include "hardware/cpu_features.h"

namespace {

using namespace hearth;
using namespace hearth::bench;

constexpr int kPrefillTokens = 512;

struct Limits {
    double int8_per_s = 0;
    double f32_per_s = 0;
};

Limits measure_limits(std::uint32_t flags, const char* table, int threads) {
    Limits limits;
    if (const Peak* peak = find_peak(flags, table, PeakKind::Int8)) {
        limits.int8_per_s = measure_peak(*peak, threads).best;
    }
    if (const Peak* peak = find_peak(flags, table, PeakKind::F32)) {
        limits.f32_per_s = measure_peak(*peak, threads).best;
    }
    return limits;
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

void print_matmuls(ThreadPool& pool, const kernels::KernelTable& table, const Limits& limits) {
    std::printf("%-8s %-5s %-11s %9s %6s %6s %10s %6s\n", "table", "type", "rows x cols", "1: GB/s",
                "beside", "share", "512: Tops", "share");
    for (const DType type : {DType::Q4_0, DType::Q8_0, DType::F16, DType::BF16, DType::F32}) {
        for (const auto& [rows, cols] :
             {std::pair{4096, 4096}, {11008, 4096}, {4096, 11008}, {2048, 2048}, {2048, 8192}}) {
            const double before = measure_ram_read_gb_per_s(pool.n_threads());
            const double read = measure_matmul(pool, table, {type, rows, cols, 1}).weights_gb_per_s;
            const double beside = (before + measure_ram_read_gb_per_s(pool.n_threads())) / 2;
            const double done =
                measure_matmul(pool, table, {type, rows, cols, kPrefillTokens}).operations_per_s;
            const double peak = takes_quantized(type) ? limits.int8_per_s : limits.f32_per_s;
            std::printf("%-8s %-5s %5dx%-5d %9.1f %6.1f %5.0f%% %10.3f %5.0f%%\n", table.name,
                        dtype_info(type).name.data(), rows, cols, read, beside,
                        percent(read, beside), done / 1e12, percent(done, peak));
        }
    }
}

void print_attention(ThreadPool& pool, const kernels::KernelTable& table, const Limits& limits) {
    std::printf("%-8s %-13s %9s %9s %6s %6s %10s %6s\n", "table", "attention", "positions",
                "1: GB/s", "beside", "share", "512: Tops", "share");
    for (const AttentionCase& shape : {AttentionCase{"Llama-2-7B", 32, 32, 128, 0, 0},
                                       AttentionCase{"Llama-3.2-1B", 32, 8, 64, 0, 0}}) {
        for (const int n_positions : {512, 1024, 4096, 16384}) {
            AttentionCase c = shape;
            c.n_positions = n_positions;
            c.n_tokens = 1;
            const double before = measure_ram_read_gb_per_s(pool.n_threads());
            const double read = measure_attention(pool, table, c).kv_gb_per_s;
            const double beside = (before + measure_ram_read_gb_per_s(pool.n_threads())) / 2;
            c.n_tokens = kPrefillTokens;
            const double done = measure_attention(pool, table, c).operations_per_s;
            std::printf("%-8s %-13s %9d %9.1f %6.1f %5.0f%% %10.3f %5.0f%%\n", table.name, c.shape,
                        n_positions, read, beside, percent(read, beside), done / 1e12,
                        percent(done, limits.f32_per_s));
        }
    }
}

void print_elementwise(const kernels::KernelTable& table) {
    for (const int n : {2048, 4096, 11008}) {
        std::printf("%-8s %5d values, one thread, in cache, GB/s:", table.name, n);
        for (const ElementwiseSpeed& one : measure_elementwise(table, n)) {
            std::printf(" %s %.0f", one.name, one.gb_per_s);
        }
        std::printf("\n");
    }
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
    const int asked = argc > 1 ? std::atoi(argv[1]) : 0;
    ThreadPool pool(asked > 0 ? asked : cpu.physical_cores);
    const int threads = pool.n_threads();
    std::printf("%s, %d thread%s, memory reads %.1f GB/s\n", cpu.name.c_str(), threads,
                threads == 1 ? "" : "s", measure_ram_read_gb_per_s(threads));
    std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
    const int n_tables = kernels::available(cpu.flags, tables.data());
    for (int i = n_tables - 1; i >= 0; --i) {
        const kernels::KernelTable& table = *tables[static_cast<std::size_t>(i)];
        // generic is for being right; it is measured if asked for.
        if (argc > 2 ? std::strcmp(argv[2], table.name) != 0 : i == 0 && n_tables > 1) {
            continue;
        }
        const Limits limits = measure_limits(cpu.flags, table.name, threads);
        std::printf("\n%s: at most %.2f Top/s int8, %.2f Tflop/s f32\n", table.name,
                    limits.int8_per_s / 1e12, limits.f32_per_s / 1e12);
        print_matmuls(pool, table, limits);
        print_attention(pool, table, limits);
        print_elementwise(table);
        std::fflush(stdout);
    }
    return 0;
}
