// latent_store.comp, latent_attention.comp with latent_join.comp, and the products with a matrix
// for each head: gemv.comp, gemm.comp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/half.h"
#include "engine/vulkan/shader_checks.h"
#include "interfaces/gemv.h"
#include "interfaces/latent_attention.h"
#include "interfaces/latent_join.h"
#include "interfaces/latent_store.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;
using vulkan::GemmForm;
using vulkan::GpuMatrix;
using vulkan::InputForm;
using vulkan::LatentTile;

struct Latents {
    std::uint32_t n_head, rank, rotated, plain;

    std::uint32_t dim() const { return rank + rotated; }
    std::uint32_t query_width() const { return plain + rotated; }
};

constexpr Latents kGlm{20, 512, 64, 192};   // GLM 4.7 Flash
constexpr Latents kLite{16, 512, 64, 128};  // DeepSeek V2 Lite
constexpr Latents kSmall{5, 64, 16, 32};
constexpr Latents kOdd{3, 96, 20, 64};

struct LatentCase {
    Latents heads;
    std::uint32_t position;  // of the first token
    std::uint32_t n_tokens;
    std::uint32_t n_parts = 1;
    bool bytes = false;      // the past is held in bytes
    bool neighbours = true;  // how rope pairs
    bool second = false;     // another past lies before it
    LatentTile tile = {};    // {}: the device's own
};

constexpr std::uint32_t kCtx = 470;
constexpr float kEpsilon = 1e-3F;

std::string name_of(const char* shader, const LatentCase& one) {
    const Latents& heads = one.heads;
    return std::string("shader/") + shader + (one.bytes ? "_bytes " : " ") +
           std::to_string(heads.n_head) + " heads of " + std::to_string(heads.rank) + "+" +
           std::to_string(heads.rotated) + " at " + std::to_string(one.position) +
           (one.n_tokens > 1 ? ", " + std::to_string(one.n_tokens) + " tokens" : "") +
           (one.n_parts > 1 ? ", " + std::to_string(one.n_parts) + " parts" : "") +
           (one.neighbours ? "" : ", rope of halves") + (one.second ? ", the second past" : "") +
           (one.tile.queries > 0
                ? ", tiles of " + std::to_string(one.tile.queries) + "x" +
                      std::to_string(one.tile.positions) + "x" + std::to_string(one.tile.rows)
                : "");
}

// The places of a past and of its scales, in words of its buffer.
struct Places {
    explicit Places(const LatentCase& one)
        : row_words(one.heads.dim() / (one.bytes ? 4 : 2)),
          scale_words(one.bytes ? (one.heads.dim() + 63) / 64 : 0),
          first(one.second ? kCtx * (row_words + scale_words) : 0),
          scales(first + kCtx * row_words),
          all(scales + kCtx * scale_words) {}
    std::uint32_t row_words, scale_words, first, scales, all;
};

// The shader finds the past of layer 1.
std::vector<std::uint32_t> step_of(const LatentCase& one) {
    static_assert(STEP_PAST_AT == 3);
    constexpr std::uint32_t kElsewhere = 1U << 30;
    const Places places(one);
    return {one.position, 0, 0, kElsewhere, kElsewhere, places.first, places.scales};
}

params::AttentionParams params_of(const LatentCase& one) {
    params::AttentionParams p{};
    p.n_head = one.heads.n_head;
    p.n_head_kv = 1;
    p.n_rows = kCtx;
    p.n_tokens = one.n_tokens;
    p.scale = 1 / std::sqrt(static_cast<float>(one.heads.query_width()));
    p.rope_pairs = one.heads.rotated / 2;
    p.rope_neighbours = one.neighbours ? 1 : 0;
    p.layer = 1;
    p.epsilon = kEpsilon;
    return p;
}

std::vector<float> angles_of(const LatentCase& one) {
    std::vector<float> angles;
    for (std::uint32_t t = 0; t < one.n_tokens; ++t) {
        for (std::uint32_t i = 0; i < one.heads.rotated / 2; ++i) {
            const double angle = (one.position + t + 0.3) / std::pow(50.0, i / 7.0);
            angles.push_back(static_cast<float>(std::cos(angle)));
            angles.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    return angles;
}

// The rotated part of a token's query or key, which is at x.
std::vector<Sum> rotated(const LatentCase& one, std::span<const float> x, std::uint32_t token,
                         const std::vector<float>& angles) {
    const std::size_t n_pairs = one.heads.rotated / 2;
    std::vector<Sum> out(one.heads.rotated);
    for (std::size_t pair = 0; pair < n_pairs; ++pair) {
        const std::size_t a = one.neighbours ? 2 * pair : pair;
        const std::size_t b = one.neighbours ? 2 * pair + 1 : pair + n_pairs;
        const auto cosine = static_cast<double>(angles[2 * (token * n_pairs + pair)]);
        const auto sine = static_cast<double>(angles[2 * (token * n_pairs + pair) + 1]);
        const auto first = static_cast<double>(x[a]);
        const auto second = static_cast<double>(x[b]);
        out[a].add(first * cosine);
        out[a].add(-second * sine);
        out[b].add(first * sine);
        out[b].add(second * cosine);
    }
    return out;
}

// A past whose rows from n_rows on, and all before it, are no numbers.
std::vector<std::uint32_t> random_past(const LatentCase& one, std::uint32_t n_rows) {
    const Places places(one);
    const std::size_t dim = one.heads.dim();
    std::vector<std::uint32_t> words(places.all, 0xFFFFFFFFU);
    const std::vector<float> random = normal_floats(dim * n_rows, 4);
    auto* const halves = reinterpret_cast<std::uint16_t*>(words.data());
    auto* const codes = reinterpret_cast<std::int8_t*>(words.data());
    for (std::size_t i = 0; i < random.size(); ++i) {
        const std::size_t row = i / dim;
        const std::size_t from = places.first + row * places.row_words;
        if (!one.bytes) {
            halves[2 * from + i % dim] = float_to_half(random[i]);
            continue;
        }
        codes[4 * from + i % dim] =
            static_cast<std::int8_t>(std::clamp(std::lround(random[i] * 40), -127L, 127L));
        const std::size_t block = i % dim / 32;
        halves[2 * (places.scales + row * places.scale_words) + block] =
            float_to_half(0.01F + 0.001F * static_cast<float>((7 * row + 3 * block) % 20));
    }
    return words;
}

// Number `at` of a row as shaders see it: bytes become halves.
double number_of(const LatentCase& one, std::span<const std::uint32_t> past, std::uint32_t row,
                 std::uint32_t at, bool as_half) {
    const Places places(one);
    const auto* const halves = reinterpret_cast<const std::uint16_t*>(past.data());
    const std::size_t from = places.first + std::size_t{row} * places.row_words;
    if (!one.bytes) {
        return static_cast<double>(half_to_float(halves[2 * from + at]));
    }
    const auto code = reinterpret_cast<const std::int8_t*>(past.data())[4 * from + at];
    const std::size_t scales = places.scales + std::size_t{row} * places.scale_words;
    const float value = half_to_float(halves[2 * scales + at / 32]) * static_cast<float>(code);
    return static_cast<double>(as_half ? half_to_float(float_to_half(value)) : value);
}

// ---- storing -----------------------------------------------------------------------------------

CheckOutcome check_store(const ShaderDevice& on, const LatentCase& one) {
    const Latents& heads = one.heads;
    const std::size_t dim = heads.dim();
    const std::vector<float> k = normal_floats(dim * one.n_tokens, 2);
    const std::vector<float> norm = normal_floats(heads.rank, 3);
    const std::vector<float> angles = angles_of(one);
    const std::vector<std::uint32_t> before = random_past(one, one.position);
    ShaderRig rig(on);
    const RigBuffer& keys = rig.buffer_of(before);
    rig.dispatch(
        vulkan::shader_of<interfaces::LatentStore>(),
        {.WORKGROUP = 64, .RANK = heads.rank, .ROTATED = heads.rotated, .BYTES = one.bytes},
        {.step = rig.buffer_of(step_of(one)).view,
         .angles = rig.buffer_of(angles).view,
         .k = rig.buffer_of(k).view,
         .norm = rig.buffer_of(norm).view,
         .keys = keys.view},
        params_of(one), {one.n_tokens, 1, 1});
    rig.run();
    Measure measure(2e-6);
    const auto after = keys.as<const std::uint32_t>();
    const Places places(one);
    for (std::size_t i = 0; i < after.size(); ++i) {
        const bool is_scale = i >= places.scales;
        const std::size_t row = i < places.first ? kCtx
                                : is_scale       ? (i - places.scales) / places.scale_words
                                                 : (i - places.first) / places.row_words;
        const bool stored = row >= one.position && row < one.position + one.n_tokens;
        measure.require(stored || after[i] == before[i], "changed another token's row");
    }
    for (std::uint32_t t = 0; t < one.n_tokens; ++t) {
        const auto of = std::span(k).subspan(t * dim, dim);
        double squares = 0;
        for (std::size_t i = 0; i < heads.rank; ++i) {
            squares += static_cast<double>(of[i]) * static_cast<double>(of[i]);
        }
        const double factor = 1 / std::sqrt(squares / heads.rank + static_cast<double>(kEpsilon));
        std::vector<Sum> wanted = rotated(one, of.subspan(heads.rank), t, angles);
        std::vector<Sum> latent(heads.rank);
        for (std::size_t i = 0; i < heads.rank; ++i) {
            latent[i].add(static_cast<double>(of[i]) * factor * static_cast<double>(norm[i]));
        }
        wanted.insert(wanted.begin(), latent.begin(), latent.end());
        for (std::size_t first = 0; first < dim; first += 32) {
            const std::size_t end = std::min(first + 32, dim);
            double largest = 0;
            for (std::size_t i = first; i < end; ++i) {
                largest = std::max(largest, std::fabs(wanted[i].value));
            }
            for (std::size_t i = first; i < end; ++i) {
                // Half a step of a half, or half a step between bytes and the rounding of a step.
                const double allowed =
                    one.bytes ? largest / 127 * (0.5 + 127 * 0x1p-11)
                              : std::max(std::fabs(wanted[i].value) * 0x1p-11, 0x1p-25);
                const double got =
                    number_of(one, after, one.position + t, static_cast<std::uint32_t>(i), false);
                const double off = std::fabs(got - wanted[i].value) - allowed;
                measure.require(!std::isnan(off), "stored no number");
                measure.add(std::max(off, 0.0), 0, wanted[i].size);
            }
        }
    }
    return measure.outcome();
}

// ---- attending ---------------------------------------------------------------------------------

// softmax(q k) latents of one query over rows up to n_rows - 1.
std::vector<Sum> attended(const LatentCase& one, std::span<const double> query,
                          std::uint32_t n_rows, std::span<const double> numbers) {
    const std::size_t dim = one.heads.dim();
    std::vector<double> scores(n_rows);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        for (std::size_t c = 0; c < dim; ++c) {
            scores[row] += query[c] * numbers[row * dim + c];
        }
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (double& score : scores) {
        score = std::exp(score - most);
        total += score;
    }
    std::vector<Sum> out(one.heads.rank);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        for (std::size_t c = 0; c < out.size(); ++c) {
            out[c].add(scores[row] / total * numbers[row * dim + c]);
        }
    }
    return out;
}

CheckOutcome check_attention(const ShaderDevice& on, const LatentCase& one) {
    const Latents& heads = one.heads;
    const std::uint32_t n_rows = one.position + one.n_tokens;
    const std::uint32_t n_queries = one.n_tokens * heads.n_head;
    const std::vector<float> queries =
        normal_floats(std::size_t{n_queries} * heads.query_width(), 1);
    const std::vector<float> absorbed = normal_floats(std::size_t{n_queries} * heads.rank, 2);
    const std::vector<float> angles = angles_of(one);
    const std::vector<std::uint32_t> past = random_past(one, n_rows);
    const LatentTile tile = one.tile.queries > 0
                                ? one.tile
                                : vulkan::latent_tile(static_cast<int>(heads.dim()),
                                                      on.device->features().shared_bytes_max);
    ShaderRig rig(on);
    const RigBuffer& step = rig.buffer_of(step_of(one));
    // As the engine has it: attended takes the place of absorbed.
    const RigBuffer& in_place = rig.buffer_of(absorbed);
    const RigBuffer& parts =
        rig.room_for<float>(std::size_t{n_queries} * one.n_parts * (heads.rank + 2));
    rig.dispatch(vulkan::shader_of<interfaces::LatentAttention>(),
                 {.WORKGROUP = vulkan::kAttentionThreads,
                  .RANK = heads.rank,
                  .ROTATED = heads.rotated,
                  .PLAIN = heads.plain,
                  .QUERIES = tile.queries,
                  .TILE = tile.positions,
                  .ROWS = tile.rows,
                  .PARTS = one.n_parts,
                  .BYTES = one.bytes},
                 {.step = step.view,
                  .angles = rig.buffer_of(angles).view,
                  .queries = rig.buffer_of(queries).view,
                  .absorbed = in_place.view,
                  .keys = rig.buffer_of(past).view,
                  .parts = parts.view,
                  .attended = in_place.view},
                 params_of(one), {groups_for(n_queries, tile.queries), one.n_parts, 1});
    if (one.n_parts > 1) {
        constexpr std::uint32_t kThreads = 64;
        rig.dispatch(vulkan::shader_of<interfaces::LatentJoin>(),
                     {.WORKGROUP = kThreads,
                      .RANK = heads.rank,
                      .TILE = tile.positions,
                      .PARTS = one.n_parts},
                     {.step = step.view, .parts = parts.view, .attended = in_place.view},
                     params_of(one), {n_queries, groups_for(heads.rank / 2, kThreads), 1});
    }
    rig.run();
    Measure measure(5e-6);
    std::vector<double> numbers;
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        for (std::uint32_t at = 0; at < heads.dim(); ++at) {
            numbers.push_back(number_of(one, past, row, at, true));
        }
    }
    const double scale = static_cast<double>(params_of(one).scale);
    for (std::uint32_t i = 0; i < n_queries; ++i) {
        const std::uint32_t token = i / heads.n_head;
        std::vector<double> query;
        for (std::uint32_t c = 0; c < heads.rank; ++c) {
            query.push_back(scale * static_cast<double>(absorbed[i * heads.rank + c]));
        }
        const auto behind = std::span(queries).subspan(
            std::size_t{i} * heads.query_width() + heads.plain, heads.rotated);
        for (const Sum& value : rotated(one, behind, token, angles)) {
            query.push_back(scale * value.value);
        }
        const std::vector<Sum> sums = attended(one, query, one.position + token + 1, numbers);
        for (std::size_t c = 0; c < sums.size(); ++c) {
            measure.add(static_cast<double>(in_place.as<float>()[i * heads.rank + c]), sums[c]);
        }
    }
    return measure.outcome();
}

// ---- a matrix for each head --------------------------------------------------------------------

struct HeadsCase {
    DType type;
    std::uint32_t n_head, rows, cols;  // of a head
    std::uint32_t behind;              // numbers between the inputs of two heads
    std::uint32_t n_tokens;
    bool in_slices = false;
    GemmForm form = GemmForm::Floats;  // of a batch
    vulkan::CooperativeTiles tiles{};
    TeamForm team{};  // of a token
};

CheckOutcome check_heads(const ShaderDevice& on, const HeadsCase& one) {
    ShaderRig rig(on);
    const std::uint64_t bytes =
        vulkan::MatrixLayout(one.type, std::uint64_t{one.n_head} * one.rows, one.cols).bytes;
    const RigMatrix w(rig, one.type, std::uint64_t{one.n_head} * one.rows, one.cols, 1, one.rows,
                      one.in_slices ? bytes / 2 : ~std::uint64_t{0});
    const std::uint32_t apart = one.cols + one.behind;
    const std::uint32_t stride = one.n_head * apart + 4;
    const std::uint32_t at = 4;
    const std::vector<float> x = normal_floats(std::size_t{one.n_tokens} * stride + at, 2);
    const std::size_t width = std::size_t{one.n_head} * one.rows;
    const RigBuffer& in = rig.buffer_of(x);
    const RigBuffer& y = rig.room_for<float>(one.n_tokens * width);
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        const auto first_row = static_cast<std::uint32_t>(slice.first_row);
        const auto n_heads = static_cast<std::uint32_t>(slice.layout.rows / one.rows);
        if (one.n_tokens == 1) {
            constexpr std::uint32_t kThreads = 128;
            params::GemvParams p{};
            p.matrix = slice.layout.params();
            p.y_at = first_row;
            p.first_row = first_row;
            p.x_at = at;
            p.x_apart = apart;
            rig.dispatch(vulkan::gemv_shader(one.type, InputForm::Floats),
                         {.WORKGROUP = kThreads,
                          .TEAM = one.team.size,
                          .SUBGROUPS = one.team.subgroups,
                          .ROWS = 1,
                          .BLOCKS = one.cols / vulkan::kBlockColumns,
                          .HEAD_ROWS = one.rows,
                          .TOKENS = 1,
                          .AHEAD = 1},
                         {.quads = slice.view,
                          .words = slice.view,
                          .x = in.view,
                          .xd = vulkan::BufferView{},
                          .y = y.view,
                          .bias = vulkan::BufferView{}},
                         p, {groups_for(slice.layout.rows, kThreads / one.team.size), 1, 1},
                         one.team.required_size);
            continue;
        }
        vulkan::ShaderFeatures features = on.device->features();
        features.khr_cooperative_matrix = {one.tiles};
        vulkan::GemmKernel kernel = gemm_kernel(features, one.type, one.form, false);
        kernel.constants.GROUPED = GROUPED_HEADS;
        params::GemmParams p{};
        p.matrix = slice.layout.params();
        p.n_tokens = one.n_tokens;
        p.x_stride = stride;
        p.x_at = at;
        p.x_apart = apart;
        p.y_stride = static_cast<std::uint32_t>(width);
        p.first_place = first_row / one.rows;
        p.n_places = n_heads;
        p.place_rows = one.rows;
        rig.dispatch(
            kernel.shader, kernel.constants,
            {.quads = slice.view,
             .words = slice.view,
             .x = in.view,
             .xd = vulkan::BufferView{},
             .y = y.view,
             .bias = vulkan::BufferView{},
             .pairs = vulkan::BufferView{},
             .tiles = vulkan::BufferView{},
             .x_halves = vulkan::BufferView{}},
            p, {groups_for(one.rows, kernel.tile), groups_for(one.n_tokens, kernel.tile), n_heads},
            kernel.subgroup_size);
    }
    rig.run();
    // Halves keep 11 bits of each factor.
    Measure measure(is_cooperative(one.form) ? 1e-3 : 2e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::uint32_t t = 0; t < one.n_tokens; ++t) {
        for (std::size_t row = 0; row < width; ++row) {
            const std::size_t from = std::size_t{t} * stride + at + row / one.rows * apart;
            Sum sum;
            for (std::size_t c = 0; c < one.cols; ++c) {
                sum.add(w.at(row, c) * static_cast<double>(x[from + c]));
            }
            measure.add(static_cast<double>(y.as<float>()[t * width + row]), sum);
        }
    }
    return measure.outcome();
}

void add_heads(const ShaderDevice& on, HeadsCase one, const char* form,
               std::vector<KernelCheck>& checks) {
    checks.push_back(checked("shader/heads " + std::string(dtype_info(one.type).name) + form + " " +
                                 std::to_string(one.n_head) + "x" + std::to_string(one.rows) + "x" +
                                 std::to_string(one.cols) + " of " + std::to_string(one.n_tokens) +
                                 (one.in_slices ? " in slices" : "") + one.team.name,
                             [on, one] { return check_heads(on, one); }));
}

void add_products(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    const vulkan::ShaderFeatures& features = on.device->features();
    for (const DType type : {DType::F32, DType::BF16, DType::Q8_0, DType::Q5_0, DType::Q4_K}) {
        const std::uint32_t cols = type == DType::Q4_K ? 512 : 192;
        for (const TeamForm& team : team_forms(on)) {
            HeadsCase token{type, 5, 64, cols, 64, 1};
            token.team = team;
            add_heads(on, token, "", checks);
            token.in_slices = true;
            add_heads(on, token, "", checks);
        }
        const auto batches = [&](GemmForm form, const char* name,
                                 const vulkan::CooperativeTiles& tiles) {
            for (const HeadsCase& one :
                 {HeadsCase{type, 3, 96, cols, 20, 7}, HeadsCase{type, 5, 256, cols, 0, 130, true},
                  HeadsCase{type, 2, 32, cols, 4, 64}}) {
                HeadsCase batch = one;
                batch.form = form;
                batch.tiles = tiles;
                add_heads(on, batch, name, checks);
            }
        };
        batches(GemmForm::Floats, "", {});
        if (features.nv_cooperative_matrix) {
            batches(GemmForm::CooperativeNv, " cooperative nv", {});
        }
        if (!features.khr_cooperative_matrix.empty()) {
            batches(GemmForm::CooperativeKhr, " cooperative khr",
                    features.khr_cooperative_matrix.front());
        }
    }
}

using Check = CheckOutcome (*)(const ShaderDevice&, const LatentCase&);

void add(const ShaderDevice& on, const char* shader, Check check,
         const std::vector<LatentCase>& cases, std::vector<KernelCheck>& checks) {
    for (const LatentCase& one : cases) {
        checks.push_back(
            checked(name_of(shader, one), [on, one, check] { return check(on, one); }));
    }
}

}  // namespace

void add_latent_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    add_products(on, checks);

    std::vector<LatentCase> stores;
    for (const bool bytes : {false, true}) {
        stores.push_back({kGlm, 0, 1, 1, bytes});
        stores.push_back({kLite, 200, 7, 1, bytes, true, true});
        stores.push_back({kSmall, 63, 64, 1, bytes, false, true});
        stores.push_back({kOdd, 300, 130, 1, bytes});
        stores.push_back({kOdd, 469, 1, 1, bytes, false});
    }
    add(on, "latent_store", check_store, stores, checks);

    std::vector<LatentCase> cases;
    for (const bool bytes : {false, true}) {
        // One tile and several, one part and many.
        for (const std::uint32_t position : {0U, 15U, 16U, 200U, kCtx - 1}) {
            cases.push_back({kGlm, position, 1, 64, bytes, true, position == 200});
            cases.push_back({kLite, position, 1, 3, bytes, position != 16});
            cases.push_back({kSmall, position, 1, 5, bytes});
            cases.push_back({kOdd, position, 1, 1, bytes, position != 15, true});
        }
        cases.push_back({kGlm, 0, 7, 9, bytes});
        cases.push_back({kGlm, 330, 64, 1, bytes, true, true});
        cases.push_back({kGlm, 0, 130, 1, bytes});
        cases.push_back({kLite, 400, 7, 9, bytes, true, true});
        cases.push_back({kLite, 130, 130, 1, bytes});
        cases.push_back({kSmall, 17, 130, 1, bytes, false});
        cases.push_back({kSmall, 0, 64, 2, bytes, true, true});
        cases.push_back({kOdd, 63, 64, 1, bytes});
        cases.push_back({kOdd, 3, 7, 9, bytes});
        // Lesser devices take these.
        for (const LatentTile tile : {LatentTile{8, 16, 1},
                                      {8, 8, 1},
                                      {8, 8, 2},
                                      {4, 8, 1},
                                      {4, 4, 1},
                                      {2, 2, 1},
                                      {1, 1, 1}}) {
            cases.push_back({kOdd, 50, 7, 3, bytes, true, true, tile});
            cases.push_back({kSmall, 20, 64, 1, bytes, true, false, tile});
        }
    }
    add(on, "attention_latent", check_attention, cases, checks);
}

}  // namespace hearth::test
