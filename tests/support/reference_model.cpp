#include "support/reference_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "support/reference/attention.h"
#include "support/reference/blocks.h"
#include "support/reference/states.h"
#include "support/reference/streams.h"
#include "support/reference/tensors.h"

namespace hearth::test {

using namespace reference;

std::optional<ReferenceModel> ReferenceModel::open(const std::string& path) {
    auto file = GgufFile::open(path);
    return file ? make(*std::move(file), {}) : std::nullopt;
}

std::optional<ReferenceModel> ReferenceModel::parse(Bytes bytes) {
    auto file = GgufFile::parse(bytes, "memory");
    return file ? make(*std::move(file), std::move(bytes)) : std::nullopt;
}

std::optional<ReferenceModel> ReferenceModel::make(GgufFile file, Bytes bytes) {
    ReferenceModel model(std::move(file), std::move(bytes));
    const Metadata& keys = model.file_.metadata();
    const auto arch = keys.string("general.architecture");
    if (!arch || !has_test_family(*arch)) {
        return {};
    }
    model.family_ = test_family(*arch);
    const auto integer = [&](const std::string& key, int otherwise) {
        const auto value = keys.integer(*arch + "." + key, 0, 1 << 30);
        return value ? static_cast<int>(*value) : otherwise;
    };
    const auto number = [&](const std::string& key, double otherwise) {
        const auto value = keys.number(key);
        return value ? *value : otherwise;
    };
    model.family_.n_experts = integer("expert_count", 0);
    model.family_.n_used_experts = integer("expert_used_count", 0);
    model.n_layer_ = integer("block_count", 0) - integer("nextn_predict_layers", 0);
    model.n_key_heads_ = integer("ssm.group_count", 0);
    if (const auto ratios = keys.array(*arch + ".attention.compress_ratios", MetadataType::I32)) {
        for (const std::int64_t ratio : (*ratios)->signed_values) {
            model.choice_block_ = std::max(model.choice_block_, static_cast<int>(ratio));
        }
        model.choice_budget_ = integer("attention.indexer.top_k", 0);
    }
    model.delta_dim_ = integer("ssm.state_size", 0);
    model.n_embd_ = integer("embedding_length", 0);
    const int n_head = integer("attention.head_count", 1);
    model.head_dim_ =
        integer(model.family_.latent_rank > 0 ? "rope.dimension_count" : "attention.key_length",
                model.n_embd_ / n_head);
    model.eps_ = number(*arch + (model.family_.layer_norm ? ".attention.layer_norm_epsilon"
                                                          : ".attention.layer_norm_rms_epsilon"),
                        1e-5);
    model.rope_base_ = number(*arch + ".rope.freq_base", 10000);
    model.rope_dim_ = integer("rope.dimension_count", model.head_dim_);
    model.family_.latent_rotated = model.rope_dim_;
    model.family_.latent_values =
        integer("attention.value_length_mla", integer("attention.value_length", 0));
    if (const auto activation = keys.string("hearth.activation")) {
        model.activation_ = *activation;
        model.family_.dense = *activation;
    }
    model.relu_threshold_ = number("hearth.activation.threshold", 0);
    model.embedding_scale_ = model.family_.scaled_embedding ? std::sqrt(model.n_embd_)
                                                            : number("test.embedding_scale", 1);
    model.rope_linear_factor_ = number(*arch + ".rope.scaling.factor", 1);
    const auto scaling = keys.string(*arch + ".rope.scaling.type");
    model.yarn_context_ =
        scaling && *scaling == "yarn" ? integer("rope.scaling.original_context_length", 0) : 0;
    model.yarn_log_multiplier_ = number(*arch + ".rope.scaling.yarn_log_multiplier", 0);
    model.family_.window_head_dim =
        integer("attention.key_length_swa", model.family_.window_head_dim);
    if (model.family_.ngram_size == 0) {  // else it is the width of a row of n-grams
        model.family_.n_embd_layer =
            integer("embedding_length_per_layer_input", model.family_.n_embd_layer);
    }
    model.n_ctx_ = integer("context_length", 0);
    model.threshold_ = number("powerinfer.sparse_threshold", 0);
    const TensorInfo* embedding =
        model.file_.tensors().find(model.family_.name_of("token_embd.weight"));
    if (embedding == nullptr) {
        return {};
    }
    model.n_vocab_ = static_cast<int>(embedding->rows());
    return model;
}

std::vector<double> ReferenceModel::logits(
    const std::vector<std::int32_t>& tokens, const ReferenceOptions& options,
    const std::function<void(const ReferenceBlock&)>& observer) const {
    const ReferenceTensors tensors(file_, bytes_, family_, options.threads);
    const std::size_t n_embd = size(n_embd_);
    std::size_t dim = size(head_dim_);  // of the layer that is computed
    const std::size_t n_tokens = tokens.size();
    ReferenceLayer of;  // the layer that is computed
    const auto begin_layer = [&](int layer) {
        of = options.layers.empty()
                 ? ReferenceLayer{rope_base_, rope_linear_factor_, rope_dim_, eps_, relu_threshold_}
                 : options.layers[size(layer)];
        of.rope_dim = of.rope_dim > 0 ? of.rope_dim : rope_dim_;
    };
    struct {
        int window = 0;
        bool chunked = false;
        double temperature = 0;
        int temperature_length = 0;
        bool rotates = true;
        double rope_base = 0;
        bool factors = true;
    } of_family;
    const auto begin_family = [&](int layer) {
        const int pattern = family_.window_pattern;
        const int all = family_.first_sees_all ? 0 : pattern - 1;
        const bool windowed = pattern > 0 && layer % pattern != all;
        of_family.window = windowed ? family_.window : 0;
        of_family.chunked = family_.chunked;
        const bool tempered = !family_.temperature_of_others || !windowed;
        of_family.temperature = tempered ? family_.temperature : 0;
        of_family.temperature_length = family_.temperature_length;
        if (of.chunk > 0) {
            of_family.window = of.chunk;
            of_family.chunked = true;
        }
        if (of.temperature > 0) {
            of_family.temperature = of.temperature;
            of_family.temperature_length = of.temperature_length;
        }
        if (windowed && family_.window_head_dim > 0) {
            dim = size(family_.window_head_dim);
            of.rope_dim = family_.window_head_dim;
        } else {
            dim = size(head_dim_);
        }
        of_family.factors = !windowed || family_.window_head_dim == 0;
        of_family.rope_base = windowed ? family_.window_rope_base : 0;
        of_family.rotates = (windowed || !family_.window_rotates_alone) &&
                            (family_.unrotated_every == 0 ||
                             layer % family_.unrotated_every != family_.unrotated_every - 1);
    };
    // YaRN makes queries and keys longer, or all scores of latent attention larger.
    const bool grows = yarn_context_ > 0 && family_.latent_rank == 0;
    const double magnitude =
        family_.rope_magnitude * (grows ? 1 + 0.1 * std::log(rope_linear_factor_) : 1);
    const double growth =
        yarn_context_ > 0 ? 1 + yarn_log_multiplier_ * std::log(rope_linear_factor_) : 1;
    const bool halves = family_.halves;
    const bool by_neuron = tensors.find("blk.0.ffn_down_t.weight") != nullptr;
    const bool sparse = file_.container() == Container::Pwri ||
                        tensors.find("blk.0.fc1.weight") != nullptr ||
                        (by_neuron && !family_.dense_by_neuron);

    // shift: the position of the first row.
    const auto rotate_from = [&](Matrix& x, std::size_t width, std::size_t shift,
                                 std::size_t head_width) {
        if (!family_.rotates || !of_family.rotates) {
            return;
        }
        const std::size_t n_rows = x.size() / width;
        const std::size_t rotated = size(of.rope_dim);
        const bool longer = n_ctx_ > family_.longrope_context;
        const std::string factors = family_.longrope_context == 0 ? "rope_freqs.weight"
                                    : longer                      ? "rope_factors_long.weight"
                                                                  : "rope_factors_short.weight";
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::size_t t = shift + row;
            for (std::size_t head = 0; head < width; head += head_width) {
                for (std::size_t pair = 0; pair < rotated / 2; ++pair) {
                    const double own =
                        std::pow(of_family.rope_base > 0 ? of_family.rope_base : of.rope_base,
                                 -2 * static_cast<double>(pair) / static_cast<double>(rotated));
                    double angle = static_cast<double>(t) / of.rope_linear_factor * own;
                    if (yarn_context_ > 0) {
                        // Which pairs turn 32 times and once in the original context.
                        const auto turning = [&](double times) {
                            return static_cast<double>(rotated) / 2 *
                                   std::log(yarn_context_ / (times * 2 * 3.14159265358979323846)) /
                                   std::log(of.rope_base);
                        };
                        const double low = std::max(std::floor(turning(32)), 0.0);
                        const double high =
                            std::min(std::ceil(turning(1)), static_cast<double>(rotated) - 1);
                        const double kept =
                            1 -
                            std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
                        angle = angle * (1 - kept) + static_cast<double>(t) * own * kept;
                    }
                    if (of_family.factors && tensors.find(factors) != nullptr) {
                        angle /= tensors.row(factors, 0)[pair];
                    }
                    const std::size_t at = row * width + head;
                    double& a = x[at + (halves ? pair : 2 * pair)];
                    double& b = x[at + (halves ? pair + rotated / 2 : 2 * pair + 1)];
                    const double old = a * magnitude;
                    const double other = b * magnitude;
                    a = old * std::cos(angle) - other * std::sin(angle);
                    b = old * std::sin(angle) + other * std::cos(angle);
                }
            }
        }
    };
    const auto rotate = [&](Matrix& x, std::size_t width) { rotate_from(x, width, 0, dim); };
    std::vector<double> sinks;  // of the layer that is computed
    // The positions that each token sees in it; empty: all up to its own.
    std::vector<std::vector<bool>> sees;
    const auto choose_positions = [&](const std::string& p, const Matrix& input) {
        const std::string name = p + "indexer.";
        const std::size_t own = tensors.tensor(name + "k_norm.weight").cols();
        Matrix q = tensors.norm(name + "q_norm", tensors.multiply(name + "q_proj", input), own,
                                of.norm_eps);
        rotate_from(q, q.size() / n_tokens, 0, own);
        sees =
            chosen_positions(q, tensors.multiply(name + "k_proj", input), own, size(choice_block_),
                             size(choice_budget_), [&](Matrix mean, std::size_t first) {
                                 mean = tensors.norm(name + "k_norm", mean, own, of.norm_eps);
                                 rotate_from(mean, own, first, own);
                                 return mean;
                             });
    };
    const auto attend = [&](const Matrix& q, const Matrix& k, const Matrix& v) {
        const std::size_t n_q = q.size() / n_tokens;
        const std::size_t n_kv = k.size() / n_tokens;
        Matrix y(n_tokens * n_q);
        for (std::size_t t = 0; t < n_tokens; ++t) {
            for (std::size_t head = 0; head < n_q / dim; ++head) {
                const std::size_t kv = head / (n_q / n_kv) * dim;
                std::vector<double> weight(t + 1);
                double total = 0;
                for (std::size_t past = 0; past <= t; ++past) {
                    double score = 0;
                    for (std::size_t c = 0; c < dim; ++c) {
                        score += q[t * n_q + head * dim + c] * k[past * n_kv + kv + c];
                    }
                    score *= family_.score_scale > 0 ? family_.score_scale
                                                     : 1 / std::sqrt(static_cast<double>(dim));
                    if (of_family.temperature > 0) {
                        const double place = static_cast<double>(t) + family_.temperature_offset;
                        const double turns = std::floor(place / of_family.temperature_length);
                        score *= 1 + of_family.temperature * std::log(1 + turns);
                    }
                    if (family_.soft_cap > 0) {
                        score = family_.soft_cap * std::tanh(score / family_.soft_cap);
                    }
                    const std::size_t window = size(of_family.window);
                    const bool seen =
                        window == 0 ||
                        (of_family.chunked ? t / window == past / window : t - past < window);
                    if (!sees.empty() && !sees[t][past]) {
                        continue;
                    }
                    weight[past] = seen ? std::exp(score) : 0;
                    total += weight[past];
                }
                total += sinks.empty() ? 0 : std::exp(sinks[head]);
                for (std::size_t past = 0; past <= t; ++past) {
                    for (std::size_t c = 0; c < dim; ++c) {
                        y[t * n_q + head * dim + c] +=
                            weight[past] / total * v[past * n_kv + kv + c];
                    }
                }
            }
        }
        return y;
    };
    // The latest of each kind of layer that has some: with a window, and without.
    std::array<std::pair<Matrix, Matrix>, 2> pasts;
    const auto attention = [&](const std::string& p, const Matrix& normed) {
        if (family_.delta_nets && tensors.find(p + "ssm_a") != nullptr) {
            return delta_net(tensors, family_, p, normed, size(n_key_heads_), size(delta_dim_),
                             of.norm_eps);
        }
        if (tensors.find(p + "ssm_in.weight") != nullptr) {
            return mamba(tensors, p, normed, size(n_key_heads_), size(delta_dim_), of.norm_eps);
        }
        if (tensors.find(p + "shortconv.conv.weight") != nullptr) {
            return gated_conv(tensors, p, normed);
        }
        if (family_.latent_rank > 0) {
            return latent_attention(tensors, family_, p, normed, of.norm_eps, growth, rotate);
        }
        if (choice_block_ > 0) {
            choose_positions(p, normed);
        }
        std::pair<Matrix, Matrix>& past = pasts[of_family.window > 0 ? 1 : 0];
        if (tensors.find(p + "attn_k.weight") == nullptr &&
            tensors.find(p + "attn_qkv.weight") == nullptr) {
            Matrix q = tensors.norm(p + "attn_q_norm", tensors.multiply(p + "attn_q", normed), dim,
                                    of.norm_eps);
            rotate(q, q.size() / n_tokens);
            return tensors.multiply(p + "attn_output", attend(q, past.first, past.second));
        }
        Matrix q;
        Matrix k;
        Matrix v;
        Matrix gate;
        if (tensors.find(p + "attn_qkv.weight") != nullptr) {
            const Matrix fused = tensors.multiply(p + "attn_qkv", normed);
            const std::size_t n_q = tensors.tensor(p + "attn_output.weight").cols();
            const std::size_t n_kv = (fused.size() / n_tokens - n_q) / 2;
            for (std::size_t t = 0; t < n_tokens; ++t) {
                const auto at = fused.begin() + static_cast<std::ptrdiff_t>(t * (n_q + 2 * n_kv));
                const auto q_end = at + static_cast<std::ptrdiff_t>(n_q);
                const auto k_end = q_end + static_cast<std::ptrdiff_t>(n_kv);
                q.insert(q.end(), at, q_end);
                k.insert(k.end(), q_end, k_end);
                v.insert(v.end(), k_end, k_end + static_cast<std::ptrdiff_t>(n_kv));
            }
        } else {
            q = tensors.multiply(p + "attn_q", normed);
            if (family_.gated_heads) {
                gate = part_gates(q, dim);
            }
            k = tensors.multiply(p + "attn_k", normed);
            v = tensors.find(p + "attn_v.weight") != nullptr
                    ? tensors.multiply(p + "attn_v", normed)
                    : k;
        }
        if (tensors.find(p + "attn_q_norm.weight") !=
            nullptr) {  // a head is as a token of its width
            const bool whole = family_.whole_norm;
            q = tensors.norm(p + "attn_q_norm", q, whole ? q.size() / n_tokens : dim, of.norm_eps);
            k = tensors.norm(p + "attn_k_norm", k, whole ? k.size() / n_tokens : dim, of.norm_eps);
        }
        rotate(q, q.size() / n_tokens);
        rotate(k, k.size() / n_tokens);
        const auto norm_heads = [&](Matrix& x) {
            for (std::size_t head = 0; head < x.size(); head += dim) {
                double squares = 0;
                for (std::size_t c = 0; c < dim; ++c) {
                    squares += x[head + c] * x[head + c];
                }
                for (std::size_t c = 0; c < dim; ++c) {
                    x[head + c] /= std::sqrt(squares / static_cast<double>(dim) + of.norm_eps);
                }
            }
        };
        if (family_.value_norm) {
            norm_heads(v);
        }
        if (family_.plain_head_norm && of_family.window > 0) {  // behind the rotation
            norm_heads(q);
            norm_heads(k);
        }
        past = {k, v};
        Matrix attended = attend(q, k, v);
        for (std::size_t i = 0; i < gate.size(); ++i) {
            attended[i] *= sigmoid(gate[i]);
        }
        return tensors.multiply(p + "attn_output", attended);
    };
    Matrix begun;  // the stream that the layer which is computed begins with
    const auto feed_forward = [&](int layer, const Matrix& residual, const Matrix& normed) {
        const std::string p = "blk." + std::to_string(layer) + ".";
        if (tensors.find(p + "ffn_gate_inp.weight") != nullptr) {
            if (!family_.dense_beside) {
                return mixture(tensors, family_, p, family_.routed_early ? begun : normed, normed);
            }
            const auto own = [&](const Matrix& values, const char* name, const char* ending) {
                return tensors.norm(p + name, values, n_embd, of.norm_eps, ending);
            };
            Matrix routed = own(residual, "ffn_gate_inp", ".scale");
            for (double& value : routed) {
                value /= std::sqrt(static_cast<double>(n_embd));
            }
            const Matrix experts =
                mixture(tensors, family_, p, routed, own(residual, "pre_ffw_norm_2", ".weight"));
            const Matrix beside = dense_block(tensors, family_, p, "", normed);
            Matrix sum = own(experts, "post_ffw_norm_2", ".weight");
            ReferenceTensors::add(sum, own(beside, "post_ffw_norm_1", ".weight"));
            return sum;
        }
        Matrix score;
        if (tensors.find(p + "fc1.weight") != nullptr) {
            Matrix inner = tensors.multiply(p + "fc1", residual);
            for (double& value : inner) {
                value = std::max(value, 0.0);
            }
            score = tensors.multiply(p + "fc2", inner);
        }
        Matrix gate;
        Matrix up;
        if (tensors.find(p + "ffn_gate_up.weight") != nullptr) {
            const Matrix both = tensors.multiply(p + "ffn_gate_up", normed);
            const auto n_ff = static_cast<std::ptrdiff_t>(both.size() / n_tokens / 2);
            for (auto at = both.begin(); at != both.end(); at += 2 * n_ff) {
                gate.insert(gate.end(), at, at + n_ff);
                up.insert(up.end(), at + n_ff, at + 2 * n_ff);
            }
        } else {
            up = tensors.multiply(p + "ffn_up", normed);
            const bool gated = tensors.find(p + "ffn_gate.weight") != nullptr;
            gate = gated ? tensors.multiply(p + "ffn_gate", normed) : up;
        }
        const std::string& kind = !activation_.empty() ? activation_
                                  : sparse             ? family_.sparse
                                                       : family_.dense;
        Matrix hidden(gate.size());
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            if (options.predicted && !score.empty() && score[i] < threshold_) {
                continue;
            }
            hidden[i] = activated(kind, of.relu_threshold, gate[i], up[i]);
        }
        if (observer) {
            observer({layer, residual, normed, score, gate, hidden});
        }
        return by_neuron ? tensors.multiply_transposed(p + "ffn_down_t", hidden)
                         : tensors.multiply(p + "ffn_down", hidden);
    };

    Matrix x;
    for (std::size_t t = 0; t < n_tokens; ++t) {
        std::vector<double> row =
            tensors.row("token_embd.weight", static_cast<std::size_t>(tokens[t]));
        for (double& value : row) {
            value *= embedding_scale_ * family_.embedding_scale;
        }
        if (family_.has_positions) {
            ReferenceTensors::add(row, tensors.row("position_embd.weight", t + 2));
        }
        for (int stream = 0; stream < std::max(1, family_.n_streams); ++stream) {
            x.insert(x.end(), row.begin(), row.end());
        }
    }
    Matrix layer_inputs;  // [n_tokens, n_layer, n_embd_layer]
    if (const std::size_t width = size(family_.n_embd_layer); width > 0) {
        layer_inputs = tensors.multiply("per_layer_model_proj", x);
        for (double& value : layer_inputs) {
            value /= std::sqrt(static_cast<double>(n_embd));
        }
        layer_inputs = tensors.norm("per_layer_proj_norm", layer_inputs, width, eps_);
        Matrix rows;
        for (const std::int32_t token : tokens) {
            const auto row = tensors.row("per_layer_token_embd.weight", size(token));
            rows.insert(rows.end(), row.begin(), row.end());
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            layer_inputs[i] = (layer_inputs[i] + rows[i] * std::sqrt(static_cast<double>(width))) /
                              std::sqrt(2.0);
        }
    }
    for (int layer = 0; layer < n_layer_; ++layer) {
        begin_layer(layer);
        begin_family(layer);
        sinks = family_.sinks
                    ? tensors.row("blk." + std::to_string(layer) + ".attn_sinks.weight", 0)
                    : std::vector<double>{};
        const std::string p = "blk." + std::to_string(layer) + ".";
        begun = x;
        if (family_.n_streams > 0) {
            if (tensors.find(p + "ple_key.weight") != nullptr) {
                ReferenceTensors::add(x, ngrams(tensors, ngram_keys(file_, family_.arch), p, x,
                                                tokens, n_embd, of.norm_eps));
            }
            const auto add_block = [&](const char* name, const auto& block) {
                Matrix shares;
                const Matrix mixed =
                    mix_streams(tensors, p + name, x, n_embd, of.norm_eps, &shares);
                const Matrix output = block(mixed);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const std::size_t token = i / (x.size() / n_tokens);
                    x[i] += shares[i / n_embd] * output[token * n_embd + i % n_embd];
                }
            };
            add_block("hc_attn", [&](const Matrix& mixed) { return attention(p, mixed); });
            add_block("hc_ffn", [&](const Matrix& mixed) { return feed_forward(layer, x, mixed); });
            continue;
        }
        const auto input = [&](const std::string& name) {
            return family_.input_norms ? tensors.norm(p + name, x, n_embd, of.norm_eps) : x;
        };
        const auto add_output = [&](const std::string& name, Matrix output) {
            if (family_.post_norms) {
                output = tensors.norm(p + name, output, n_embd, of.norm_eps);
            }
            for (double& value : output) {
                value *= family_.residual_scale;
            }
            ReferenceTensors::add(x, output);
        };
        const Matrix normed = input("attn_norm");
        if (family_.parallel) {
            const Matrix own = tensors.find(p + "attn_norm_2.weight") != nullptr
                                   ? tensors.norm(p + "attn_norm_2", x, n_embd, of.norm_eps)
                                   : normed;
            const Matrix attended = attention(p, own);
            const Matrix fed = feed_forward(layer, x, normed);
            ReferenceTensors::add(x, attended);
            ReferenceTensors::add(x, fed);
            continue;
        }
        if (family_.lone_blocks) {
            const bool fed = tensors.find(p + "ffn_up.weight") != nullptr ||
                             tensors.find(p + "ffn_gate_inp.weight") != nullptr;
            add_output({}, fed ? feed_forward(layer, x, normed) : attention(p, normed));
            continue;
        }
        add_output("post_attention_norm", attention(p, normed));
        add_output("post_ffw_norm", feed_forward(layer, x, input("ffn_norm")));
        if (const std::size_t width = size(family_.n_embd_layer); width > 0) {
            Matrix gate = tensors.multiply(p + "inp_gate", x);
            for (std::size_t i = 0; i < gate.size(); ++i) {
                const std::size_t at = i / width * width * size(n_layer_) + size(layer) * width;
                gate[i] = activated("geglu", 0, gate[i], layer_inputs[at + i % width]);
            }
            ReferenceTensors::add(
                x, tensors.norm(p + "post_norm", tensors.multiply(p + "proj", gate), n_embd,
                                of.norm_eps));
        }
        if (family_.layer_scale) {
            for (double& value : x) {
                value *= tensors.row(p + "layer_output_scale.weight", 0)[0];
            }
        }
    }
    const bool tied = tensors.find("output.weight") == nullptr;
    const Matrix last = family_.n_streams > 0
                            ? mix_streams(tensors, "output_hc", x, n_embd, eps_, nullptr)
                            : tensors.norm("output_norm", x, n_embd, eps_);
    Matrix logits = tensors.multiply(tied ? "token_embd" : "output", last);
    for (double& logit : logits) {
        logit *= family_.logit_scale;
        if (family_.logit_soft_cap > 0) {
            logit = family_.logit_soft_cap * std::tanh(logit / family_.logit_soft_cap);
        }
    }
    return logits;
}

}  // namespace hearth::test
