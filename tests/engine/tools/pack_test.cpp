// Packed files against the models they were made from, byte by byte.
#include <QtTest>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

#include <hearth/tools.h>

#include "gguf/convert_neuron_row.h"
#include "gguf/rows.h"
#include "gguf/writer.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "model/predictor_file.h"
#include "plan/known_profile.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"
#include "support/split_model.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;
using test::tensor_data;
using test::TinyModel;
using test::TinyModelOptions;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFf = 96;  // no whole number of clusters
constexpr std::size_t kEmbd = 64;

// Any counts that a profile may have.
ActivationProfile random_profile(const std::string& model_hash, unsigned seed = 1) {
    std::mt19937 random(seed);
    ActivationProfile profile;
    profile.model_hash = model_hash;
    profile.tokens = profile.groups[0] = 1000;
    profile.layers.resize(2);
    for (LayerProfile& layer : profile.layers) {
        layer.fired.fill(std::vector<std::uint32_t>(kFf));
        for (std::uint32_t& fired : layer.fired[0]) {
            fired = static_cast<std::uint32_t>(random() % 300);  // some of them equal
        }
    }
    return profile;
}

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

Bytes slice(const Bytes& bytes, std::size_t at, std::size_t count) {
    return {bytes.begin() + static_cast<std::ptrdiff_t>(at),
            bytes.begin() + static_cast<std::ptrdiff_t>(at + count)};
}

// Row r of a tensor, as its bytes.
Bytes row_of(const GgufFile& file, const std::string& name, std::size_t r) {
    const TensorInfo* tensor = file.tensors().find(name);
    const std::size_t bytes = row_bytes(tensor->type, tensor->cols());
    return slice(tensor_data(file, name), r * bytes, bytes);
}

// Column c of a matrix as floats, then as a row of `type`.
Bytes column_as(const GgufFile& file, const std::string& name, std::size_t c, DType type) {
    const TensorInfo* tensor = file.tensors().find(name);
    const Bytes data = tensor_data(file, name);
    std::vector<float> row(tensor->cols());
    std::vector<float> column;
    for (std::size_t r = 0; r < tensor->rows(); ++r) {
        dequantize_row(tensor->type, data.data() + r * row_bytes(tensor->type, tensor->cols()),
                       row);
        column.push_back(row[c]);
    }
    Bytes out(row_bytes(type, column.size()));
    quantize_row(type, column, out.data());
    return out;
}

// Of all the work: every byte is written and read back.
double part_of(const tools::PackProgress& progress) {
    return static_cast<double>(progress.written_bytes + progress.verified_bytes) /
           static_cast<double>(2 * progress.output_bytes);
}

}  // namespace

class PackTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<test::TempDir> dir_;
    std::string model_, profile_, predictors_, output_;
    const Cancellation never_{};

    std::string hash_of(const std::string& path) {
        auto file = GgufFile::open(path);
        return file ? *model_hash(*file) : std::string();
    }

    // The model, and with `seed` a profile of it.
    void make(const TinyModelOptions& options, unsigned seed = 1) {
        QVERIFY(TinyModel(options).write(model_));
        QVERIFY(write_profile(profile_, random_profile(hash_of(model_), seed)));
    }

    // A side file with predictors of both layers.
    void make_predictors(GgufBuilder builder = {}, std::uint64_t width = 32) {
        builder.key("general.architecture", "hearth-predictors")
            .key("hearth.format_version", std::uint32_t{1})
            .key("hearth.model_hash", hash_of(model_))
            .key("hearth.predictor.input", "normed")
            .key("hearth.predictor.kind", "low_rank")
            .key("hearth.predictor.threshold", 0.25F)
            .array("hearth.predictor.recall", std::vector<float>{0.5F, 0.75F});
        for (const std::string layer : {"blk.0.", "blk.1."}) {
            std::vector<float> values(kFf * width);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = static_cast<float>(i);
            }
            builder.tensor(layer + "fc1.weight", {width, kEmbd}, DType::F16)
                .tensor_f32(layer + "fc2.weight", {kFf, width}, values);
        }
        QVERIFY(builder.write(predictors_));
    }

    Result<tools::PackReport> pack(
        const tools::PackOptions& changes = {},
        const std::function<void(const tools::PackProgress&)>& progress = {},
        const Cancellation* cancellation = nullptr) {
        tools::PackOptions options = changes;
        options.output_path = output_;
        return tools::pack(model_, options, progress, cancellation ? *cancellation : never_);
    }

private slots:
    void init() {
        dir_ = std::make_unique<test::TempDir>();
        model_ = dir_->file("model.gguf");
        profile_ = dir_->file("profile.gguf");
        predictors_ = dir_->file("predictors.gguf");
        output_ = dir_->file("packed.gguf");
    }

    // Without a profile that is named the one counts that the model made of itself, if it has seen
    // enough tokens.
    void the_models_own_profile_orders_it() {
        make({.type = DType::F16});
        const test::TempDir cache;
        const std::string hash = hash_of(model_);
        const auto use = [&](int tokens) {
            SelfProfile profile(hash, std::vector<int>(2, kFf));
            for (int t = 0; t < tokens; ++t) {
                ++profile.fired(0)[7];
                ++profile.fired(1)[95];
                profile.token_done();
            }
            QVERIFY(profile.save(self_profile_path(cache.path(), hash)));
        };
        const auto packed = [&](bool with_cache) {
            return tools::pack(
                model_,
                {.output_path = output_, .cache_folder = with_cache ? cache.path() : std::string()},
                {}, never_);
        };
        use(99);
        const auto too_few = packed(true);
        QVERIFY2(too_few, too_few ? "" : too_few.error().message.c_str());
        QVERIFY(!too_few->by_hotness && !too_few->by_itself);
        use(1);
        QVERIFY(!packed(false)->by_hotness);
        const auto enough = packed(true);
        QVERIFY(enough && enough->by_hotness && enough->by_itself);
        QCOMPARE(enough->profile_tokens, std::uint64_t{100});
        const auto file = GgufFile::open(output_);
        const auto spec = read_model_spec(*file);
        const auto order = read_neuron_order(*file, *read_packed_layout(*file, *spec));
        QVERIFY(order);
        QCOMPARE((*order)[0][0], 7);
        QCOMPARE((*order)[0][1], 0);
        QCOMPARE((*order)[1][0], 95);
        // A short one that is named is taken at its word.
        ActivationProfile named = random_profile(hash);
        halve(named);
        while (named.tokens > 50) {
            halve(named);
        }
        named.groups[0] = named.tokens;
        QVERIFY(write_profile(profile_, named));
        const auto by_name = tools::pack(
            model_,
            {.output_path = output_, .profile_path = profile_, .cache_folder = cache.path()}, {},
            never_);
        QVERIFY2(by_name, by_name ? "" : by_name.error().message.c_str());
        QVERIFY(by_name->by_hotness && !by_name->by_itself);
        QCOMPARE(by_name->profile_tokens, named.tokens);
        // A plan of the packed model reads that profile in the order of the packed neurons.
        const auto by_hotness = GgufFile::open(output_);
        const auto known = find_profile(*by_hotness, *spec, profile_, {});
        QVERIFY(known && known->source == ProfileSource::Given);
        for (const LayerProfile& layer : known->profile->layers) {
            QVERIFY(std::is_sorted(layer.fired[0].rbegin(), layer.fired[0].rend()));
        }
        const auto inside = find_profile(*by_hotness, *spec, {}, cache.path());
        QVERIFY(inside && inside->source == ProfileSource::InModel);
        QVERIFY(inside->profile->layers[0].fired == known->profile->layers[0].fired);
        // Of a file that is not downloaded there is the header, and a hole: no neuron has fired.
        const std::string header = cache.path() + "/header.gguf";
        std::filesystem::copy_file(output_, header);
        const auto bytes = std::filesystem::file_size(header);
        std::uint64_t data = bytes;
        for (const TensorInfo& tensor : by_hotness->tensors().entries()) {
            data = std::min(data, tensor.offset);
        }
        std::filesystem::resize_file(header, data);
        std::filesystem::resize_file(header, bytes);
        const auto served = GgufFile::open(header);
        QVERIFY(served && holds_profile(*served));
        const auto none = find_profile(*served, *spec, {}, {});
        QVERIFY(none && none->source == ProfileSource::None && none->get() == nullptr);
        // Of a model in several files one part's counts may have come: that is none either.
        const auto fill = [&](int layer) {
            const std::string name = "blk." + std::to_string(layer) + ".ffn_fired";
            const Bytes counts = tensor_data(*by_hotness, name);
            std::fstream out(header, std::ios::binary | std::ios::in | std::ios::out);
            out.seekp(static_cast<std::streamoff>(by_hotness->tensors().find(name)->offset));
            out.write(reinterpret_cast<const char*>(counts.data()),
                      static_cast<std::streamsize>(counts.size()));
            return out.good();
        };
        QVERIFY(fill(1));
        const auto half = find_profile(*served, *spec, {}, {});
        QVERIFY(half && half->source == ProfileSource::None);
        QVERIFY(fill(0));
        const auto all = find_profile(*served, *spec, {}, {});
        QVERIFY(all && all->source == ProfileSource::InModel);
        QVERIFY(all->profile->layers[0].fired == inside->profile->layers[0].fired);
    }

    void every_row_is_the_models_data() {
        QTest::addColumn<TinyModelOptions>("options");
        QTest::addColumn<DType>("down_type");     // as stored
        QTest::addColumn<QString>("asked_type");  // of the caller
        QTest::addColumn<bool>("profile");
        QTest::addColumn<std::uint32_t>("format");
        const auto row = [](const char* name, const TinyModelOptions& options, DType down,
                            const char* asked = "", bool profile = true) {
            for (const std::uint32_t format : {1U, 2U}) {
                QTest::addRow("%s, format %u", name, format)
                    << options << down << asked << profile << format;
            }
        };
        row("F32", {.type = DType::F32}, DType::F32);
        row("F16", {.type = DType::F16}, DType::F16);
        row("BF16", {.type = DType::BF16}, DType::BF16);
        row("Q8_0", {.type = DType::Q8_0}, DType::Q8_0);
        row("Q4_0", {.type = DType::Q4_0}, DType::Q8_0);
        row("Q4_0 kept small", {.type = DType::Q4_0}, DType::Q4_0, "Q4_0");
        row("F32 as Q8_0", {.type = DType::F32}, DType::Q8_0, "Q8_0");
        row("without a profile", {.type = DType::F16}, DType::F16, "", false);
        row("by neuron, F16", {.type = DType::F16, .by_neuron = true}, DType::F16);
        row("by neuron, Q4_0", {.type = DType::Q4_0, .by_neuron = true}, DType::Q4_0);
        row("by neuron, as Q8_0", {.type = DType::Q4_0, .by_neuron = true}, DType::Q8_0, "Q8_0");
        row("PWRI", {.arch = "llama", .type = DType::Q4_0, .by_neuron = true, .pwri = true},
            DType::Q4_0);
        row("attention biases",
            {.arch = "llama", .type = DType::F16, .qkv_bias = true, .by_neuron = true}, DType::F16);
    }
    void every_row_is_the_models() {
        QFETCH(TinyModelOptions, options);
        QFETCH(DType, down_type);
        QFETCH(QString, asked_type);
        QFETCH(bool, profile);
        QFETCH(std::uint32_t, format);
        make(options);
        const auto report = pack({.profile_path = profile ? profile_ : std::string(),
                                  .down_type = asked_type.toStdString(),
                                  .format = format});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        auto source = GgufFile::open(model_);
        auto packed = GgufFile::open(output_);
        QVERIFY(source && packed);
        const auto spec = read_model_spec(*source);
        const auto packed_spec = read_model_spec(*packed);
        QVERIFY(spec && packed_spec);
        // Even where the source said so only by its magic or the name of a tensor.
        QVERIFY(packed_spec->activation() == spec->activation());
        QVERIFY(packed->container() == Container::Gguf);
        const auto layout = read_packed_layout(*packed, *packed_spec);
        QVERIFY2(layout.has_value(), layout ? "" : layout.error().message.c_str());
        QCOMPARE(layout->model_hash, *model_hash(*source));
        QCOMPARE(layout->version, format);
        // As format 1 has them side by side, or each as a neuron row.
        const auto append = [&](Bytes& record, DType type, const Bytes& file_row) {
            const std::size_t at = record.size();
            record.resize(at + (format == 1 ? file_row.size() : neuron_row_bytes(type, kEmbd)));
            if (format == 1) {
                std::copy(file_row.begin(), file_row.end(),
                          record.begin() + static_cast<std::ptrdiff_t>(at));
            } else {
                to_neuron_row(type, file_row.data(), kEmbd, record.data() + at);
            }
        };
        const auto order = read_neuron_order(*packed, *layout);
        QVERIFY2(order.has_value(), order ? "" : order.error().message.c_str());
        std::uint64_t gate_bytes = 0;
        for (std::size_t l = 0; l < 2; ++l) {
            const std::string prefix = "blk." + std::to_string(l) + ".ffn_";
            const PackedLayer& layer = layout->layers[l];
            QVERIFY(layer.rows[Role::Gate].type == options.type &&
                    layer.rows[Role::Up].type == options.type);
            QVERIFY(layer.rows[Role::Down].type == down_type);
            QCOMPARE(layer.neurons->offset % 4096, std::uint64_t{0});
            // Format 1 is for those that know no gate matrices.
            QCOMPARE(layer.gates != nullptr, format == 2);
            const Bytes gates = format == 2 ? tensor_data(*packed, layer.gates->name) : Bytes{};
            gate_bytes += gates.size();
            const Bytes records = tensor_data(*packed, prefix + "neurons.weight");
            for (std::size_t i = 0; i < kFf; ++i) {
                const auto n = static_cast<std::size_t>((*order)[l][i]);
                Bytes wanted;
                append(wanted, options.type, row_of(*source, prefix + "gate.weight", n));
                append(wanted, options.type, row_of(*source, prefix + "up.weight", n));
                Bytes down;
                if (!options.by_neuron) {
                    down = column_as(*source, prefix + "down.weight", n, down_type);
                } else if (down_type == options.type) {
                    down = row_of(*source, prefix + "down_t.weight", n);
                } else {
                    std::vector<float> values(kEmbd);
                    dequantize_row(options.type,
                                   row_of(*source, prefix + "down_t.weight", n).data(), values);
                    down.resize(row_bytes(down_type, kEmbd));
                    quantize_row(down_type, values, down.data());
                }
                append(wanted, down_type, down);
                QCOMPARE(padded_neuron_bytes(wanted.size(), format), layout->neuron_bytes);
                wanted.resize(layout->neuron_bytes);
                QVERIFY2(slice(records, i * layout->neuron_bytes, layout->neuron_bytes) == wanted,
                         qPrintable(QString("layer %1, place %2").arg(l).arg(i)));
                const Bytes gate = row_of(*source, prefix + "gate.weight", n);
                QVERIFY(format == 1 || slice(gates, i * gate.size(), gate.size()) == gate);
            }
            const Bytes rest = slice(records, kFf * layout->neuron_bytes,
                                     records.size() - kFf * layout->neuron_bytes);
            QVERIFY(rest == Bytes(rest.size()));
            QCOMPARE(records.size() % (64 * layout->neuron_bytes), std::size_t{0});
        }
        // All that is no feed-forward matrix is there as it was.
        std::size_t others = 0;
        for (const TensorInfo& tensor : source->tensors().entries()) {
            if (tensor.name.find(".ffn_") == std::string::npos ||
                tensor.name.ends_with("norm.weight")) {
                QVERIFY2(tensor_data(*packed, tensor.name) == tensor_data(*source, tensor.name),
                         tensor.name.c_str());
                QVERIFY(packed->tensors().find(tensor.name)->type == tensor.type);
                QVERIFY(packed->tensors().find(tensor.name)->shape == tensor.shape);
                ++others;
            }
        }
        // A layer: records, permutation, profile, gates.
        const std::size_t added = 2U + (profile ? 1U : 0U) + (format == 2 ? 1U : 0U);
        QCOMPARE(report->gate_matrix_bytes, gate_bytes);
        QCOMPARE(packed->tensors().entries().size(), others + 2 * added);
        std::uint64_t all = 0;
        for (const TensorInfo& tensor : packed->tensors().entries()) {
            all += tensor.bytes;
        }
        QCOMPARE(report->verified_bytes, all);
        QCOMPARE(report->output_bytes, fs::file_size(output_));
        QCOMPARE(report->by_hotness, profile);
        QCOMPARE(report->down_types[1].source, std::string(dtype_info(options.type).name));
        QCOMPARE(report->down_types[1].stored, std::string(dtype_info(down_type).name));
        QCOMPARE(files_in(dir_->path()), std::size_t{3});  // nothing but model, profile, output
        // Keys too, but for those a packed file has for itself.
        for (const auto& [key, value] : source->metadata().entries()) {
            QVERIFY2(packed->metadata().contains(key), key.c_str());
        }
    }

    void neurons_stand_by_hotness_with_their_profile() {
        make({.type = DType::F16});
        QVERIFY(pack({.profile_path = profile_}));
        auto packed = GgufFile::open(output_);
        QVERIFY(packed);
        const auto spec = read_model_spec(*packed);
        const auto layout = read_packed_layout(*packed, *spec);
        const auto order = read_neuron_order(*packed, *layout);
        auto inside = read_profile(*packed, *spec, hash_of(model_));
        QVERIFY2(inside.has_value(), inside ? "" : inside.error().message.c_str());
        for (const LayerProfile& layer : inside->layers) {
            QVERIFY(std::is_sorted(layer.fired[0].rbegin(), layer.fired[0].rend()));
            QVERIFY(layer.fired[0].front() > layer.fired[0].back());
        }
        // And the way back.
        from_order(*inside, *order);
        const ActivationProfile original = random_profile(hash_of(model_));
        QVERIFY(inside->layers[0].fired == original.layers[0].fired);
        QVERIFY(inside->layers[1].fired == original.layers[1].fired);
        // Neurons that fired as often as each other keep their order.
        for (std::size_t i = 0; i + 1 < kFf; ++i) {
            const auto a = static_cast<std::size_t>((*order)[0][i]);
            const auto b = static_cast<std::size_t>((*order)[0][i + 1]);
            QVERIFY(original.layers[0].fired[0][a] != original.layers[0].fired[0][b] || a < b);
        }
    }

    void a_profile_inside_a_packed_file_will_do() {
        make({.type = DType::F16});
        QVERIFY(pack({.profile_path = profile_}));
        const Bytes first = test::read_file(output_);
        fs::rename(output_, dir_->file("first.gguf"));
        QVERIFY(pack({.profile_path = dir_->file("first.gguf")}));
        QVERIFY(test::read_file(output_) == first);
    }

    // Taken apart by the permutation, the records give the model's matrices again.
    void permutation_round_trip() {
        make({.type = DType::Q4_0, .by_neuron = true});
        QVERIFY(pack({.profile_path = profile_}));
        auto source = GgufFile::open(model_);
        auto packed = GgufFile::open(output_);
        QVERIFY(source && packed);
        const auto layout = read_packed_layout(*packed, *read_model_spec(*packed));
        QVERIFY(layout);
        for (std::size_t l = 0; l < 2; ++l) {
            const PackedLayer& layer = layout->layers[l];
            const std::string prefix = "blk." + std::to_string(l) + ".ffn_";
            const auto order = read_permutation(*packed, layer);
            QVERIFY(order);
            QVERIFY(!std::is_sorted(order->begin(), order->end()));
            const Bytes records = tensor_data(*packed, prefix + "neurons.weight");
            const std::size_t bytes = row_bytes(DType::Q4_0, kEmbd);
            QVERIFY(layout->in_neuron_rows());
            for (const auto& [name, offset] :
                 {std::pair<std::string, std::uint64_t>{"gate.weight", 0},
                  {"up.weight", layer.rows[Role::Up].offset},
                  {"down_t.weight", layer.rows[Role::Down].offset}}) {
                Bytes matrix(kFf * bytes);
                for (std::size_t i = 0; i < kFf; ++i) {
                    from_neuron_row(DType::Q4_0, records.data() + i * layout->neuron_bytes + offset,
                                    kEmbd,
                                    matrix.data() + static_cast<std::size_t>((*order)[i]) * bytes);
                }
                QVERIFY2(matrix == tensor_data(*source, prefix + name), name.c_str());
            }
        }
    }

    void predictors_come_inside_in_the_same_order() {
        make({.type = DType::F16});
        make_predictors();
        const auto report = pack({.profile_path = profile_, .predictors_path = predictors_});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->predictor_layers, (std::vector<int>{0, 1}));
        auto packed = GgufFile::open(output_);
        auto from = GgufFile::open(predictors_);
        QVERIFY(packed && from);
        const auto spec = read_model_spec(*packed);
        const auto layout = read_packed_layout(*packed, *spec);
        const auto order = read_neuron_order(*packed, *layout);
        const auto bound = bind_predictors(*packed, *spec, hash_of(model_));
        QVERIFY2(bound.has_value(), bound ? "" : bound.error().message.c_str());
        QVERIFY(bound->input == PredictorInput::Normed);
        QVERIFY(bound->linear);
        QCOMPARE(bound->layers[1].threshold, 0.25F);
        QVERIFY(packed->metadata().contains("hearth.predictor.recall"));
        QVERIFY(tensor_data(*packed, "blk.1.fc1.weight") == tensor_data(*from, "blk.1.fc1.weight"));
        for (std::size_t i = 0; i < kFf; ++i) {
            const auto n = static_cast<std::size_t>((*order)[1][i]);
            QVERIFY(row_of(*packed, "blk.1.fc2.weight", i) == row_of(*from, "blk.1.fc2.weight", n));
        }
    }

    // A PowerInfer file brings its own, and what they read is known by its format alone.
    void the_models_own_predictors() {
        make({.arch = "llama",
              .type = DType::Q4_0,
              .by_neuron = true,
              .pwri = true,
              .predictor_width = 64,
              .sparse_threshold = 0.5F});
        const auto report = pack({.profile_path = profile_});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        auto packed = GgufFile::open(output_);
        QVERIFY(packed);
        const auto spec = read_model_spec(*packed);
        const auto bound = bind_predictors(*packed, *spec, hash_of(model_));
        QVERIFY2(bound.has_value(), bound ? "" : bound.error().message.c_str());
        QVERIFY(bound->input == PredictorInput::Residual);
        QCOMPARE(bound->layers[0].threshold, 0.5F);
        QCOMPARE(bound->layers[1].width(), 96);
    }

    void refuses_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* what, ErrorCode code, const char* wanted) {
            QTest::newRow(what) << what << static_cast<int>(code) << wanted;
        };
        row("profile of another model", ErrorCode::InvalidArgument, "the profile was made for");
        row("profile cut short", ErrorCode::BadFile, "blk.1.ffn_fired: ends at byte");
        row("no profile", ErrorCode::NotFound, "no such file");
        row("predictors of another model", ErrorCode::BadFile, "made for another model");
        row("predictors of another shape", ErrorCode::BadFile, "blk.0.fc2.weight: has shape");
        row("predictors that do not say", ErrorCode::InvalidArgument, "normed or residual");
        row("an input nobody knows", ErrorCode::InvalidArgument, "not \"guess\"");
        row("never silent", ErrorCode::Unsupported, "never fall silent (its function is silu)");
        row("an activation nobody knows", ErrorCode::InvalidArgument, "\"swish\" is no activation");
        row("a type nobody writes", ErrorCode::InvalidArgument, "cannot be written as \"Q6_K\"");
        row("a format nobody knows", ErrorCode::InvalidArgument, "format has the number 3");
        row("experts", ErrorCode::Unsupported,
            "blk.0.ffn_up_exps.weight: is a tensor this version does not know how to pack");
        row("up missing", ErrorCode::BadFile, "blk.1.ffn_up.weight: the file has no such tensor");
        row("down turned", ErrorCode::BadFile,
            "blk.1.ffn_down.weight: has shape [96, 64], must have [64, 96]");
        row("packed already", ErrorCode::InvalidArgument, "packed already");
        row("onto itself", ErrorCode::InvalidArgument, "are the same file");
        row("no folder", ErrorCode::NotFound, "");
        row("a folder", ErrorCode::NotAFile, "is a folder");
    }
    void refuses() {
        QFETCH(QString, what);
        QFETCH(int, code);
        QFETCH(QString, wanted);
        make({.arch = what.startsWith("never") || what.contains("activation") ? "llama" : "bamboo",
              .type = DType::F16});
        tools::PackOptions options{.profile_path = profile_};
        const GgufBuilder model = TinyModel({.type = DType::F16}).file();
        if (what == "profile of another model") {
            QVERIFY(write_profile(profile_, random_profile(std::string(32, '1'))));
        } else if (what == "profile cut short") {
            fs::resize_file(profile_, fs::file_size(profile_) - 1);
        } else if (what == "no profile") {
            fs::remove(profile_);
        } else if (what == "predictors of another model") {
            make_predictors();
            GgufBuilder other = TinyModel({.type = DType::F16}, 2).file();
            QVERIFY(other.write(model_));
            options = {.predictors_path = predictors_};
        } else if (what == "predictors of another shape") {
            GgufBuilder builder;
            builder.key("hearth.predictor.input", "normed")
                .tensor("blk.0.fc1.weight", {32, kEmbd}, DType::F16)
                .tensor("blk.0.fc2.weight", {kFf - 1, 32}, DType::F16);
            QVERIFY(builder.write(predictors_));
            options.predictors_path = predictors_;
        } else if (what == "predictors that do not say") {
            GgufBuilder builder;
            builder.tensor("blk.0.fc1.weight", {32, kEmbd}, DType::F16)
                .tensor("blk.0.fc2.weight", {kFf, 32}, DType::F16);
            QVERIFY(builder.write(predictors_));
            options.predictors_path = predictors_;
        } else if (what == "an input nobody knows") {
            options.predictor_input = "guess";
        } else if (what == "an activation nobody knows") {
            options.activation = "swish";
        } else if (what == "a type nobody writes") {
            options.down_type = "Q6_K";
        } else if (what == "a format nobody knows") {
            options.format = 3;
        } else if (what == "experts") {
            QVERIFY(GgufBuilder(model)
                        .tensor("blk.0.ffn_up_exps.weight", {2, kFf, kEmbd}, DType::F16)
                        .write(model_));
        } else if (what == "up missing") {
            QVERIFY(GgufBuilder(model).without("blk.1.ffn_up.weight").write(model_));
        } else if (what == "down turned") {
            QVERIFY(GgufBuilder(model)
                        .without("blk.1.ffn_down.weight")
                        .tensor("blk.1.ffn_down.weight", {kFf, kEmbd}, DType::F16)
                        .write(model_));
        } else if (what == "packed already") {
            QVERIFY(pack(options));
            fs::rename(output_, model_);
        } else if (what == "onto itself") {
            output_ = model_;
        } else if (what == "no folder") {
            output_ = dir_->file("no/packed.gguf");
        } else if (what == "a folder") {
            fs::create_directory(output_);
        }
        if (what == "up missing" || what == "down turned" || what == "experts") {
            options.profile_path.clear();
        }
        const std::size_t files = files_in(dir_->path());
        const auto report = pack(options);
        QVERIFY(!report);
        QVERIFY2(QString::fromStdString(report.error().message).contains(wanted),
                 report.error().message.c_str());
        QVERIFY2(static_cast<int>(report.error().code) == code, report.error().message.c_str());
        QCOMPARE(files_in(dir_->path()), files);
    }

    void force_and_activation_make_a_llama_file_fit() {
        make({.arch = "llama", .type = DType::F16});
        QVERIFY(pack({.force = true}));
        auto packed = GgufFile::open(output_);
        QVERIFY(packed);
        QVERIFY(read_model_spec(*packed)->activation() == Activation::SiluGated);
        // No mode computes its gates without all else.
        QVERIFY(packed->tensors().find("blk.0.ffn_gate.weight") == nullptr);
        QVERIFY(pack({.activation = "reglu"}));
        packed = GgufFile::open(output_);
        QVERIFY(read_model_spec(*packed)->activation() == Activation::ReluGated);
        QVERIFY(packed->tensors().find("blk.0.ffn_gate.weight") != nullptr);
    }

    // A model of more bytes than the disk has free: a file of holes.
    void disk_too_small() {
        make({.type = DType::F16});
        auto small = GgufFile::open(model_);
        QVERIFY(small);
        std::error_code error;
        const std::uint64_t free = fs::space(dir_->path(), error).available;
        std::vector<TensorInfo> tensors = small->tensors().entries();
        TensorInfo ballast;
        ballast.name = "ballast";
        ballast.type = DType::F32;
        ballast.shape = {free / 4096 + (1U << 20), 1024};
        tensors.push_back(ballast);
        const auto layout = lay_out_gguf(small->metadata(), tensors);
        QVERIFY(layout);
        QVERIFY(test::write_file(model_, layout->header));
        fs::resize_file(model_, layout->file_bytes, error);
        if (error) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("this file system holds no files larger than itself");
        }
        QVERIFY(test::write_file(output_, test::bytes_of(std::vector<int>{7})));
        const std::size_t files = files_in(dir_->path());
        const auto report = pack();
        QVERIFY(!report);
        QVERIFY2(report.error().code == ErrorCode::DiskFull, report.error().message.c_str());
        QCOMPARE(files_in(dir_->path()), files);
        QCOMPARE(fs::file_size(output_), std::uintmax_t{4});
    }

    void goes_on_after_a_stop_data() {
        QTest::addColumn<double>("stop");  // fraction of the progress
        for (const double stop : {0.01, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6}) {
            QTest::addRow("at %g", stop) << stop;
        }
    }
    void goes_on_after_a_stop() {
        QFETCH(double, stop);
        make({.type = DType::Q4_0});
        const tools::PackOptions options{.profile_path = profile_};
        QVERIFY(pack(options));
        const Bytes undisturbed = test::read_file(output_);
        const Bytes old = test::bytes_of(std::vector<int>{1, 2, 3});
        QVERIFY(test::write_file(output_, old));
        Cancellation cancellation;
        double reached = 0;
        const auto stopped = pack(
            options,
            [&](const tools::PackProgress& progress) {
                const double fraction = part_of(progress);
                if (fraction >= stop && fraction < 1) {
                    reached = std::max(reached, fraction);
                    cancellation.request();
                }
            },
            &cancellation);
        QVERIFY(!stopped);
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
        QVERIFY(test::read_file(output_) == old);
        const auto report = pack(options);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QVERIFY(test::read_file(output_) == undisturbed);
        // What was written, but for the tensor that was being written; verifying begins anew.
        const double kept = static_cast<double>(report->resumed_bytes) /
                            static_cast<double>(2 * report->output_bytes);
        QVERIFY2(kept > std::min(reached, 0.5) - 0.1, qPrintable(QString::number(kept)));
        QCOMPARE(files_in(dir_->path()), std::size_t{3});
    }

    void progress_is_in_bytes() {
        make({.type = DType::Q4_0});
        std::vector<tools::PackProgress> told;
        const auto report =
            pack({}, [&](const tools::PackProgress& progress) { told.push_back(progress); });
        QVERIFY(report);
        for (std::size_t i = 0; i < told.size(); ++i) {
            QCOMPARE(told[i].output_bytes, report->output_bytes);
            QVERIFY(told[i].verified_bytes == 0 || told[i].written_bytes == told[i].output_bytes);
            QVERIFY(i == 0 || (told[i].written_bytes >= told[i - 1].written_bytes &&
                               told[i].verified_bytes >= told[i - 1].verified_bytes));
        }
        QCOMPARE(told.back().verified_bytes, report->output_bytes);
        QCOMPARE(std::uint64_t{fs::file_size(output_)}, report->output_bytes);
    }

    void a_preview_says_what_comes() {
        make({.type = DType::Q4_0});
        tools::PackOptions options{.output_path = output_, .profile_path = profile_};
        const std::size_t files = files_in(dir_->path());
        const auto before = tools::preview_pack(model_, options);
        QVERIFY2(before, before ? "" : before.error().message.c_str());
        QCOMPARE(files_in(dir_->path()), files);
        QVERIFY(before->by_hotness);
        QCOMPARE(before->profile_tokens, std::uint64_t{1000});
        QCOMPARE(before->kept_bytes, std::uint64_t{0});
        Cancellation cancellation;
        QVERIFY(!pack(
            options,
            [&](const tools::PackProgress& progress) {
                if (part_of(progress) > 0.4) {
                    cancellation.request();
                }
            },
            &cancellation));
        const auto stopped = tools::preview_pack(model_, options);
        QVERIFY(stopped && stopped->kept_bytes > stopped->output_bytes / 2);
        const auto report = pack(options);
        QVERIFY(report);
        QCOMPARE(report->resumed_bytes, stopped->kept_bytes);
        QCOMPARE(report->output_bytes, before->output_bytes);
        QCOMPARE(report->input_bytes, before->input_bytes);
        const auto again = tools::preview_pack(output_, {.output_path = model_});
        QVERIFY(!again && again.error().code == ErrorCode::InvalidArgument);
    }

    // A file that was written to since an attempt stopped, at whatever size, is packed from its
    // beginning: what is there may be of what it was.
    void a_model_that_changed_since_begins_afresh() {
        make({.type = DType::Q4_0});
        const auto stop_half_way = [&] {
            Cancellation cancellation;
            return !pack(
                {.output_path = output_},
                [&](const tools::PackProgress& progress) {
                    if (part_of(progress) > 0.4) {
                        cancellation.request();
                    }
                },
                &cancellation);
        };
        QVERIFY(stop_half_way());
        const auto kept = tools::preview_pack(model_, {.output_path = output_});
        QVERIFY(kept && kept->kept_bytes > 0);
        fs::last_write_time(model_, fs::last_write_time(model_) + std::chrono::seconds(5));
        const auto changed = tools::preview_pack(model_, {.output_path = output_});
        QVERIFY(changed && changed->kept_bytes == 0);
        const auto report = pack({.output_path = output_});
        QVERIFY(report);
        QCOMPARE(report->resumed_bytes, std::uint64_t{0});
    }

    void what_an_attempt_left_is_removed() {
        make({.type = DType::Q4_0});
        QVERIFY(tools::discard_partial_pack(output_));  // nothing there
        QVERIFY(test::write_file(output_, test::bytes_of(std::vector<int>{1})));
        const std::size_t files = files_in(dir_->path());
        Cancellation cancellation;
        bool refused = false;
        QVERIFY(!pack(
            {.checkpoint_bytes = 1},
            [&](const tools::PackProgress& progress) {
                if (part_of(progress) > 0.4) {
                    refused = !tools::discard_partial_pack(output_);  // it is being written
                    cancellation.request();
                }
            },
            &cancellation));
        QVERIFY(refused);
        QCOMPARE(files_in(dir_->path()), files + 2);
        QVERIFY(tools::discard_partial_pack(output_));
        QCOMPARE(files_in(dir_->path()), files);
        QCOMPARE(fs::file_size(output_), std::uintmax_t{4});
    }

    // Whenever it changes, the sentence is of the model, not of a disk that fails, and nothing is
    // kept.
    void the_model_changes_meanwhile_data() {
        QTest::addColumn<double>("when");
        QTest::addColumn<int>("part");  // 0: the model is one file
        for (const double when : {0.1, 0.4, 0.5, 0.9}) {
            QTest::addRow("at %g", when) << when << 0;
        }
        QTest::addRow("the first part") << 0.4 << 1;
        QTest::addRow("the last part") << 0.4 << 3;
    }
    void the_model_changes_meanwhile() {
        QFETCH(double, when);
        QFETCH(int, part);
        make({.type = DType::Q4_0});
        std::string file_that_changes = model_;
        if (part > 0) {
            model_ = test::split_model(model_, 3);
            QVERIFY(!model_.empty());
            file_that_changes = test::part_of(model_, part);
        }
        const std::size_t files = files_in(dir_->path());
        bool changed = false;
        const auto report = pack({}, [&](const tools::PackProgress& progress) {
            if (part_of(progress) >= when && !changed) {
                changed = true;
                std::fstream file(file_that_changes,
                                  std::ios::binary | std::ios::in | std::ios::out);
                file.seekp(static_cast<std::streamoff>(fs::file_size(file_that_changes) - 1));
                file.put('x');
                file.close();
                fs::last_write_time(file_that_changes,
                                    fs::last_write_time(file_that_changes) + std::chrono::hours(1));
            }
        });
        QVERIFY(changed);
        QVERIFY(!report);
        QVERIFY2(report.error().code == ErrorCode::ReadFailed && report.error().field == "source",
                 report.error().message.c_str());
        QCOMPARE(files_in(dir_->path()), files);
    }

    void begins_afresh_when_anything_is_different_data() {
        QTest::addColumn<QString>("what");
        QTest::newRow("nothing") << "nothing";  // so that the others show what they claim
        QTest::newRow("another profile") << "profile";
        QTest::newRow("no profile") << "no profile";
        QTest::newRow("another type") << "type";
        QTest::newRow("another format") << "format";
        QTest::newRow("another model") << "model";
        QTest::newRow("predictors") << "predictors";
    }
    void begins_afresh_when_anything_is_different() {
        QFETCH(QString, what);
        make({.type = DType::Q4_0});
        tools::PackOptions options{.profile_path = profile_, .checkpoint_bytes = 1};
        Cancellation cancellation;
        QVERIFY(!pack(
            options,
            [&](const tools::PackProgress& progress) {
                if (part_of(progress) > 0.4) {
                    cancellation.request();
                }
            },
            &cancellation));
        if (what == "profile") {
            QVERIFY(write_profile(profile_, random_profile(hash_of(model_), 2)));
        } else if (what == "no profile") {
            options.profile_path.clear();
        } else if (what == "type") {
            options.down_type = "F16";
        } else if (what == "format") {
            options.format = 1;
        } else if (what == "model") {
            QVERIFY(TinyModel({.type = DType::Q4_0}, 2).write(model_));
            QVERIFY(write_profile(profile_, random_profile(hash_of(model_))));
        } else if (what == "predictors") {
            make_predictors();
            options.predictors_path = predictors_;
        }
        const auto report = pack(options);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->resumed_bytes > 0, what == "nothing");
        const Bytes got = test::read_file(output_);
        fs::remove(output_);
        QVERIFY(pack(options));
        QVERIFY(test::read_file(output_) == got);
    }

    // One byte that comes back otherwise, wherever it is, is found before the file gets its name.
    void reads_back_what_it_wrote_data() {
        QTest::addColumn<QString>("tensor");
        for (const char* tensor :
             {"blk.0.ffn_neurons.weight", "blk.1.ffn_neurons.weight", "blk.1.ffn_permutation",
              "blk.0.ffn_fired", "token_embd.weight", "blk.1.ffn_norm.weight", ""}) {
            QTest::addRow("%s", *tensor == '\0' ? "header" : tensor) << tensor;
        }
    }
    void reads_back_what_it_wrote() {
        QFETCH(QString, tensor);
        make({.type = DType::Q4_0});
        QVERIFY(pack({.profile_path = profile_}));
        auto good = GgufFile::open(output_);
        QVERIFY(good);
        std::uint64_t place = 0;  // the magic
        if (!tensor.isEmpty()) {
            const TensorInfo* info = good->tensors().find(tensor.toStdString());
            QVERIFY(info != nullptr);
            place = info->offset + info->bytes / 2;
        }
        const Bytes before = test::read_file(output_);
        bool spoilt = false;
        const auto report =
            pack({.profile_path = profile_}, [&](const tools::PackProgress& progress) {
                // Written, and nothing of it read back yet.
                if (progress.written_bytes < progress.output_bytes || spoilt) {
                    return;
                }
                spoilt = true;
                std::fstream file(output_ + ".partial",
                                  std::ios::binary | std::ios::in | std::ios::out);
                file.seekg(static_cast<std::streamoff>(place));
                const auto byte = static_cast<char>(file.get() ^ 0x10);
                file.seekp(static_cast<std::streamoff>(place));
                file.put(byte);
            });
        QVERIFY(spoilt);
        QVERIFY(!report);
        if (!tensor.isEmpty()) {
            QVERIFY2(
                report.error().code == ErrorCode::WriteFailed &&
                    report.error().message.find("does not read back the same") != std::string::npos,
                report.error().message.c_str());
            QCOMPARE(files_in(dir_->path()), std::size_t{3});  // no partial file is kept of this
        }
        QVERIFY(test::read_file(output_) == before);
    }
};

QTEST_GUILESS_MAIN(PackTest)
#include "pack_test.moc"
