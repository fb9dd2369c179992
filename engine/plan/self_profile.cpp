#include "plan/self_profile.h"

#include <algorithm>
#include <utility>

#include "base/private_folder.h"

namespace hearth {

std::string self_profile_path(const std::string& cache_folder, const std::string& model_hash,
                              bool of_routed_neurons) {
    std::string path = cache_folder + "/profiles/" + model_hash;
    return path.append(of_routed_neurons ? "-neurons.gguf" : ".gguf");
}

SelfProfile::SelfProfile(std::string model_hash, const std::vector<int>& neurons, NeuronOrder order)
    : model_hash_(std::move(model_hash)), order_(std::move(order)) {
    for (const int count : neurons) {
        fired_.emplace_back(static_cast<std::size_t>(count));
    }
}

void SelfProfile::name_model(std::string model_hash, NeuronOrder order) {
    model_hash_ = std::move(model_hash);
    order_ = std::move(order);
}

SelfProfile::Counts SelfProfile::take_news() {
    Counts news{fired_, tokens_ - taken_.tokens};
    for (std::size_t l = 0; l < taken_.fired.size(); ++l) {
        for (std::size_t n = 0; n < taken_.fired[l].size(); ++n) {
            news.fired[l][n] -= taken_.fired[l][n];
        }
    }
    taken_ = {fired_, tokens_};
    return news;
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
    for (const auto& fired : fired_) {
        shape.layers.emplace_back().n_ff = static_cast<int>(fired.size());
    }
    if (auto file = GgufFile::open(path)) {
        if (const auto earlier = read_profile(*file, shape, model_hash_)) {
            merge(profile, *earlier);
        }
    }
    // If the folder is missing afterwards, write_profile() says why.
    make_private_folder(path.substr(0, path.rfind('/') + 1));
    if (auto written = write_profile(path, std::move(profile)); !written) {
        return written;
    }
    tokens_ = 0;
    taken_ = {};
    for (auto& fired : fired_) {
        std::fill(fired.begin(), fired.end(), 0U);
    }
    return {};
}

}  // namespace hearth
