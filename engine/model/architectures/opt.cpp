// OPT: learned positions, and a bias for every matrix.
#include <algorithm>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

constexpr int kFirstPosition = 2;  // the row of position_embd that position 0 adds
constexpr std::uint64_t kMostPositions = 1 << 27;

Result<ModelSpec> read_opt(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Layer,
                              .activation = Activation::Relu,
                              .rope = RopePairing::None,
                              .biases = true},
                             stated);
    if (!spec) {
        return spec;
    }
    const RoleTensor found = keys.tensor(Role::PositionEmbd);
    const TensorInfo* positions = found.tensor;
    if (positions == nullptr || positions->shape.size() != 2 ||
        positions->shape[0] <= kFirstPosition || positions->shape[0] > kMostPositions) {
        keys.fail(ErrorCode::BadFile, found.name,
                  found.name + (positions == nullptr ? ": the file has no such tensor"
                                                     : ": is not a table of one row a position"));
        return spec;
    }
    spec->n_positions = static_cast<int>(positions->shape[0]);
    spec->first_learned_position = kFirstPosition;
    spec->n_ctx_train = std::min(spec->n_ctx_train, spec->n_positions - kFirstPosition);
    return spec;
}

}  // namespace

extern constinit const Architecture kOpt{.name = "opt", .read = read_opt};

}  // namespace hearth
