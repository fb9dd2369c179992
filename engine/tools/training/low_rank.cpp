#include "tools/training/low_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "tools/training/float_gemm.h"
#include "tools/training/random.h"

namespace hearth::tools {
namespace {

constexpr int kMoreColumns =
    16;  // drawn beyond the rank, so that its last directions are found too
constexpr int kIterations = 3;
constexpr int kMostSweeps = 30;

std::size_t size_of(int count) {
    return static_cast<std::size_t>(count);
}

// Row-major, rows [row] of `cols` floats.
struct Rows {
    int rows = 0;
    int cols = 0;
    std::vector<float> values;

    Rows(int r, int c) : rows(r), cols(c), values(size_of(r) * size_of(c)) {}
    float* row(int r) { return values.data() + size_of(r) * size_of(cols); }
    const float* row(int r) const { return values.data() + size_of(r) * size_of(cols); }
};

double dot(const float* a, const float* b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

// Rows become orthogonal and of length 1 (modified Gram-Schmidt, twice); rows that lie in the span
// of those before become 0.
void orthogonalise(Rows& q) {
    for (int r = 0; r < q.rows; ++r) {
        const double before = std::sqrt(dot(q.row(r), q.row(r), q.cols));
        for (int round = 0; round < 2; ++round) {
            for (int s = 0; s < r; ++s) {
                const auto part = static_cast<float>(dot(q.row(r), q.row(s), q.cols));
                for (int c = 0; c < q.cols; ++c) {
                    q.row(r)[c] -= part * q.row(s)[c];
                }
            }
        }
        const double length = std::sqrt(dot(q.row(r), q.row(r), q.cols));
        const bool spent = !(length > 1e-5 * before);
        for (int c = 0; c < q.cols; ++c) {
            q.row(r)[c] = spent ? 0.0F : static_cast<float>(q.row(r)[c] / length);
        }
    }
}

// Eigenvectors of a symmetric matrix [n, n] as rows of the result, the greatest eigenvalue first
// (cyclic Jacobi).
std::vector<std::vector<double>> eigenvectors(std::vector<std::vector<double>> a) {
    const std::size_t n = a.size();
    std::vector<std::vector<double>> v(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        v[i][i] = 1;
    }
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        double off = 0;
        double trace = 0;
        for (std::size_t i = 0; i < n; ++i) {
            trace += a[i][i] * a[i][i];
            for (std::size_t j = i + 1; j < n; ++j) {
                off += a[i][j] * a[i][j];
            }
        }
        if (off <= 1e-20 * trace) {
            break;
        }
        for (std::size_t p = 0; p < n; ++p) {
            for (std::size_t q = p + 1; q < n; ++q) {
                if (a[p][q] == 0) {
                    continue;
                }
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1);
                const double s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double kp = a[k][p];
                    const double kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double pk = a[p][k];
                    const double qk = a[q][k];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                    const double vp = v[p][k];
                    const double vq = v[q][k];
                    v[p][k] = c * vp - s * vq;
                    v[q][k] = s * vp + c * vq;
                }
            }
        }
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return a[x][x] > a[y][y]; });
    std::vector<std::vector<double>> sorted;
    for (const std::size_t i : order) {
        sorted.push_back(v[i]);
    }
    return sorted;
}

}  // namespace

Result<LowRank> low_rank(std::span<const float> matrix, int rows, int cols, int rank,
                         std::uint64_t seed, ThreadPool& pool, const Cancellation& cancellation) {
    const int drawn = std::min(rank + kMoreColumns, std::min(rows, cols));
    // Directions are kept as rows: those of the neurons' space [drawn, rows] and of the input's
    // [drawn, cols].
    Rows left(drawn, rows);
    Rows right(drawn, cols);
    std::vector<float> transposed(size_of(rows) * size_of(cols));  // [cols, rows]
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            transposed[size_of(c) * size_of(rows) + size_of(r)] =
                matrix[size_of(r) * size_of(cols) + size_of(c)];
        }
    }
    const auto to_left = [&] {  // left = right matrix^T
        multiply(pool, {.a = right.values.data(),
                        .a_row_stride = size_of(cols),
                        .b = transposed.data(),
                        .b_stride = size_of(rows),
                        .c = left.values.data(),
                        .c_stride = size_of(rows),
                        .m = drawn,
                        .n = rows,
                        .k = cols});
    };
    const auto to_right = [&] {  // right = left matrix
        multiply(pool, {.a = left.values.data(),
                        .a_row_stride = size_of(rows),
                        .b = matrix.data(),
                        .b_stride = size_of(cols),
                        .c = right.values.data(),
                        .c_stride = size_of(cols),
                        .m = drawn,
                        .n = cols,
                        .k = rows});
    };
    Random random(seed);
    for (float& value : right.values) {
        value = static_cast<float>(random.normal());
    }
    for (int i = 0; i <= kIterations; ++i) {
        if (cancellation.requested()) {
            return Error{ErrorCode::Cancelled, "stopped", {}, {}};
        }
        to_left();
        orthogonalise(left);
        to_right();
        if (i < kIterations) {
            orthogonalise(right);
        }
    }
    // matrix ~ left^T right. The best of rank `rank` inside of that: the leading eigenvectors of
    // right right^T, which is small.
    std::vector<std::vector<double>> gram(size_of(drawn), std::vector<double>(size_of(drawn)));
    for (int i = 0; i < drawn; ++i) {
        for (int j = 0; j <= i; ++j) {
            gram[size_of(i)][size_of(j)] = dot(right.row(i), right.row(j), cols);
            gram[size_of(j)][size_of(i)] = gram[size_of(i)][size_of(j)];
        }
    }
    const auto directions = eigenvectors(std::move(gram));
    LowRank result;
    result.fc1.resize(size_of(rank) * size_of(cols));
    result.fc2.resize(size_of(rows) * size_of(rank));
    for (int i = 0; i < rank; ++i) {
        const std::vector<double>& direction = directions[size_of(i)];
        for (int d = 0; d < drawn; ++d) {
            const auto part = static_cast<float>(direction[size_of(d)]);
            for (int c = 0; c < cols; ++c) {
                result.fc1[size_of(i) * size_of(cols) + size_of(c)] += part * right.row(d)[c];
            }
            for (int r = 0; r < rows; ++r) {
                result.fc2[size_of(r) * size_of(rank) + size_of(i)] += part * left.row(d)[r];
            }
        }
    }
    return result;
}

}  // namespace hearth::tools
