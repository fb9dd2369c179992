#include "engine/vulkan/check_sample.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <set>
#include <sstream>
#include <string_view>

#include "gguf/encoding.h"
#include "support/covering_sample.h"

namespace hearth::test {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_type(const std::string& word) {
    return is_one_of(word,
                     {"F32",    "F16",   "BF16",    "Q8_0",  "Q4_0",   "Q4_1",   "Q5_0",  "Q5_1",
                      "Q2_K",   "Q3_K",  "Q4_K",    "Q5_K",  "Q6_K",   "IQ1_S",  "IQ1_M", "IQ2_XXS",
                      "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS", "MXFP4"});
}

// Types whose codes are of one kind are one module of a shader (shaders/CMakeLists.txt).
std::string kind_of(const std::string& type) {
    const auto known = dtype_from_name(type);
    return known ? std::to_string(static_cast<int>(encoding_of(*known).codes)) : type;
}

// Each form of a shader with each of its modules; each type twice, as values and as codes, which
// the forms take apart by the same functions. lavapipe compiles a row for some seconds.
std::vector<std::string> features_of_shader(const std::vector<std::string>& words) {
    std::string type;
    std::string form = words[0];
    std::string rest;
    std::string team;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool leads = rest.empty();
        if (leads && is_type(words[i])) {
            type = words[i];
        } else if (leads &&
                   is_one_of(words[i], {"bytes", "transposed", "cooperative", "nv", "khr"})) {
            form += ' ' + words[i];
        } else if (words[i] == "subgroups") {
            team = " subgroups";
        } else {
            rest += ' ' + words[i];
        }
    }
    const bool as_codes = form.find(" bytes") != std::string::npos;
    return {form + " of " + kind_of(type), form + " as" + rest, form + team,
            type.empty() ? form : (as_codes ? "codes of " : "values of ") + type};
}

// True if the shaders of a token's attention treat it by one include: attention_token.glsl,
// attention_parts.glsl or rope.glsl.
bool is_of_includes(const std::string& word) {
    return word == ", no rope" || word == ", rope of neighbours" || word == ", normed heads" ||
           word == ", soft cap" || word == ", temperature" || word == ", another's past" ||
           word.starts_with(", window of ");
}

// "shader/attention_decode 8/2 heads of 64 at 200, the second past, window of 1": each shape of
// heads, each length of the past and each of the words behind it, of each shader or, of three
// shaders that share their code for it, of one.
std::vector<std::string> features_of_attention(const std::string& name) {
    std::vector<std::string> features;
    const std::string shader = name.substr(0, name.find(' '));
    const bool of_a_token = shader.starts_with("shader/attention_decode");
    const std::string shared = of_a_token ? "shader/attention_decode" : shader;
    const std::size_t comma = std::min(name.find(", "), name.size());
    const std::string heads = name.substr(0, comma);
    const std::size_t at = std::min(heads.find(" at "), heads.size());
    // 16 queries a key are the same code as 8, and lavapipe compiles them for half a minute.
    if (heads.find(" 16/1 ") == std::string::npos) {
        features.push_back(shared + heads.substr(shader.size(), at - shader.size()));
    }
    features.push_back(shared + heads.substr(at));
    features.push_back(shader + (heads.find(" heads of 64") != std::string::npos ? "" : " heads"));
    for (std::size_t from = comma; from < name.size();) {
        const std::size_t next = std::min(name.find(", ", from + 1), name.size());
        const std::string word = name.substr(from, next - from);
        features.push_back((is_of_includes(word) ? shared : shader) + word);
        from = next;
    }
    return features;
}

std::vector<std::string> features_of_split(const std::string& name) {
    const std::size_t comma = name.find(", ");
    const std::string rest = comma == std::string::npos ? "" : name.substr(comma);
    const std::vector<std::string> words = words_of(name.substr(0, comma));
    std::string kind = words[0];  // "split/falcon with two norms"
    std::size_t at = 1;
    while (at < words.size() && !is_type(words[at])) {
        kind += ' ' + words[at++];
    }
    const std::string own_type = at < words.size() ? words[at++] : "";
    const std::string type = kind_of(own_type);
    std::string layout;  // "by neuron exact"
    std::string share;   // "70 %"
    std::string order;
    for (; at < words.size(); ++at) {
        const bool is_share =
            words[at] == "%" || words[at].find_first_not_of("0123456789") == std::string::npos;
        std::string& part = is_share ? share : words[at] == "ordered" ? order : layout;
        part += ' ' + words[at];
    }
    const std::string uploaded = rest.ends_with(", uploaded") ? " uploaded" : "";
    return {kind + layout,           type + layout, type + uploaded,
            kind + uploaded + " at", kind + rest,   "share" + share + layout,
            "order" + order + layout};
}

// Each shape of heads compiles attention's shaders anew, which shader/attention checks by itself.
std::vector<std::string> features_of_feature(const std::string& name) {
    constexpr std::array<std::string_view, 2> kAlways{" 3 queries a key", " heads of 80"};
    for (const std::string_view shape : {" queries a key", " heads of "}) {
        const bool always = std::any_of(kAlways.begin(), kAlways.end(),
                                        [&](std::string_view one) { return name.ends_with(one); });
        if (name.find(shape) != std::string::npos && !always) {
            return {"feature" + std::string(shape)};
        }
    }
    return {name};
}

}  // namespace

std::vector<std::string> features_of(const std::string& name) {
    if (name.starts_with("shader/attention")) {
        return features_of_attention(name);
    }
    if (name.starts_with("shader/")) {
        return features_of_shader(words_of(name));
    }
    if (name.starts_with("split/")) {
        return features_of_split(name);
    }
    if (name.starts_with("feature/") && !name.starts_with("feature/refused")) {
        return features_of_feature(name);
    }
    return {name};
}

namespace {

bool is_attention(const std::string& name) {
    return name.starts_with("shader/attention");
}

// Compiling a row of attention takes as long as a thread or a team holds values of its heads.
std::ptrdiff_t cost_of_attention(const std::string& name) {
    const std::string heads = name.substr(name.find(' ') + 1);
    int n_head = 1;
    int n_head_kv = 1;
    int head_dim = 64;
    std::sscanf(heads.c_str(), "%d/%d heads of %d", &n_head, &n_head_kv, &head_dim);
    return 64 + head_dim * std::max(n_head / std::max(n_head_kv, 1), 1);
}

// Takes, again and again, the row that costs least for each feature that no row before it has:
// lavapipe compiles each of attention's rows for seconds, and few rows cover all. Among equals the
// last one counts.
void take_attention(const std::vector<KernelCheck>& checks, std::vector<bool>& takes) {
    std::set<std::string> seen;
    for (;;) {
        std::size_t best = checks.size();
        double most = 0;
        for (std::size_t i = 0; i < checks.size(); ++i) {
            if (takes[i] || !is_attention(checks[i].name)) {
                continue;
            }
            const std::vector<std::string> features = features_of(checks[i].name);
            const auto n_new =
                std::count_if(features.begin(), features.end(),
                              [&](const std::string& one) { return !seen.contains(one); });
            const double worth =
                static_cast<double>(n_new) / static_cast<double>(cost_of_attention(checks[i].name));
            if (n_new > 0 && worth >= most) {
                best = i;
                most = worth;
            }
        }
        if (best == checks.size()) {
            return;
        }
        takes[best] = true;
        for (std::string& feature : features_of(checks[best].name)) {
            seen.insert(std::move(feature));
        }
    }
}

}  // namespace

std::vector<KernelCheck> sample_of(std::vector<KernelCheck> checks) {
    CoveringSample sample;
    std::vector<bool> takes(checks.size(), all_rows());
    const auto look_at = [&](std::size_t i, bool subgroups) {
        const std::string& name = checks[i].name;
        if (!is_attention(name) && (name.find(" subgroups") != std::string::npos) == subgroups) {
            takes[i] = sample.takes(features_of(name));
        }
    };
    take_attention(checks, takes);
    // Checks with subgroups come second, so that they stand for subgroups alone and others for
    // types: lavapipe compiles the products with subgroups for up to 18 s each, those of the first
    // types fastest.
    for (std::size_t i = checks.size(); i-- > 0;) {
        look_at(i, false);
    }
    for (std::size_t i = 0; i < checks.size(); ++i) {
        look_at(i, true);
    }
    std::vector<KernelCheck> taken;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        if (takes[i]) {
            taken.push_back(std::move(checks[i]));
        }
    }
    return taken;
}

}  // namespace hearth::test
