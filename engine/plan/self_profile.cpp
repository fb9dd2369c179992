#include "plan/self_profile.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hearth {
namespace {

// Does not report errors. If the folder is missing afterwards, write_profile() says why.
void make_folder_of(const std::string& path) {
    const std::filesystem::path folder =
        std::filesystem::path(std::u8string(path.begin(), path.end())).parent_path();
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
}

}  // namespace

std::string self_profile_path(const std::string& cache_folder, const std::string& model_hash) {
    return cache_folder + "/profiles/" + model_hash + ".gguf";
}

SelfProfile::SelfProfile(std::string model_hash, int n_layer, int n_ff, NeuronOrder order)
    : model_hash_(std::move(model_hash)),
      order_(std::move(order)),
      fired_(static_cast<std::size_t>(n_layer),
             std::vector<std::uint32_t>(static_cast<std::size_t>(n_ff))) {}

void SelfProfile::name_model(std::string model_hash, NeuronOrder order) {
    model_hash_ = std::move(model_hash);
    order_ = std::move(order);
}

Result<void> SelfProfile::save(const std::string& path) {
    if (tokens_ == 0) {
        return {};
    }
    ActivationProfile profile;
    profile.model_hash = model_hash_;
    profile.tokens = tokens_;
    profile.groups[0] = tokens_;
    for (const auto& fired : fired_) {
        LayerProfile layer;
        layer.fired.fill(std::vector<std::uint32_t>(fired.size()));
        layer.fired[0] = fired;
        profile.layers.push_back(std::move(layer));
    }
    if (!order_.empty()) {
        from_order(profile, order_);
    }
    ModelSpec shape;
    shape.n_layer = static_cast<int>(fired_.size());
    shape.n_ff = fired_.empty() ? 0 : static_cast<int>(fired_[0].size());
    if (auto file = GgufFile::open(path)) {
        if (const auto earlier = read_profile(*file, shape, model_hash_)) {
            merge(profile, *earlier);
        }
    }
    make_folder_of(path);
    if (auto written = write_profile(path, std::move(profile)); !written) {
        return written;
    }
    tokens_ = 0;
    for (auto& fired : fired_) {
        std::fill(fired.begin(), fired.end(), 0U);
    }
    return {};
}

}  // namespace hearth
