// Logits bit for bit as they were recorded: of small models of every architecture, weight type and
// kind of file, and of the starter model, for a batch and for tokens passed alone, on every
// instruction set that this processor runs.
//
// tests/data/logit_hashes.txt holds a line for each row: instruction set, mode, the hash of a
// batch's logits, the hash of single tokens' logits, and the model. HEARTH_RECORD=FILE writes the
// file anew instead of comparing. A change of the arithmetic may do that and says so; a change that
// only moves code may not.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QFile>
#include <QtTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "gguf/encoding.h"
#include "hardware/cpu_features.h"
#include "model/model_hash.h"
#include "session/loaded_model.h"
#include "session/processor.h"
#include "support/covering_sample.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

using hearth::DType;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

const QString kRecord = QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/logit_hashes.txt");
const std::string kShared = HEARTH_SHARED_DIR "/starter-model/";
const std::string kMaster = kShared + "hearth-starter-f16.gguf";
const std::string kMasterPredictors = kShared + "hearth-starter-predictors-q8_0.gguf";
const std::string kShipped = HEARTH_SOURCE_DIR "/resources/starter-model/hearth-starter-q4_0.gguf";

// ---- hashes ------------------------------------------------------------------------------------

class Hash {  // FNV-1a
public:
    void add(std::span<const float> values) {
        for (const float value : values) {
            const auto bits = std::bit_cast<std::uint32_t>(value);
            for (int shift = 0; shift < 32; shift += 8) {
                hash_ = (hash_ ^ (bits >> shift & 0xFFU)) * 0x100000001B3U;
            }
        }
    }
    std::string text() const {
        return QString("%1").arg(hash_, 16, 16, QLatin1Char('0')).toStdString();
    }

private:
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

// The functions that the engine takes from the system's library of mathematics; libraries round
// them differently, and the hashes follow.
std::string library_hash() {
    Hash hash;
    for (int i = -400; i < 400; ++i) {
        const float x = 0.037F * static_cast<float>(i);
        hash.add(std::array{std::exp(x), std::tanh(x), std::sin(x), std::cos(x),
                            std::pow(10000.0F, x / 16)});
    }
    return hash.text();
}

// ---- models ------------------------------------------------------------------------------------

enum class Made {
    Whole,        // as TinyModel writes it
    Packed,       // by tools::pack, in the file's order
    PackedByHot,  // likewise, by a profile
    SidePredictors,
    SharedMaster,
    Shipped,
};

struct Model {
    std::string name;
    TinyModelOptions options;
    std::vector<std::string> modes;
    Made made = Made::Whole;
    std::string activation{};  // EngineOptions
};

std::string name_of(DType type) {
    return std::string(hearth::dtype_info(type).name);
}

TinyModelOptions sized(TinyModelOptions options) {
    const bool superblocks = options.type == DType::Q6_K || options.gate_type == DType::Q6_K ||
                             options.output_type == DType::Q6_K;
    if (options.n_embd == 64) {  // not chosen
        options.n_embd = superblocks ? 256 : 160;
        options.n_head = superblocks ? 8 : 5;
        options.n_head_kv = options.arch == "opt" ? options.n_head : superblocks ? 2 : 1;
    }
    if (options.n_ff == 96) {
        options.n_ff = superblocks ? 256 : 224;
    }
    return options;
}

std::vector<Model> models() {
    std::vector<Model> all;
    const auto add = [&](const std::string& name, TinyModelOptions options,
                         std::vector<std::string> modes, Made made = Made::Whole,
                         const std::string& activation = {}) {
        all.push_back({name, sized(std::move(options)), std::move(modes), made, activation});
    };
    constexpr std::array kTypes{DType::F32,  DType::F16,  DType::BF16,   DType::Q8_0, DType::Q4_0,
                                DType::Q5_0, DType::Q6_K, DType::IQ4_NL, DType::Q4_1, DType::Q5_1};
    const std::vector<std::string> dense{"dense"};
    const std::vector<std::string> both{"dense", "exact"};
    const std::vector<std::string> all_three{"dense", "exact", "predicted"};
    for (const DType type : kTypes) {
        const std::string name = name_of(type);
        const bool by_input = hearth::encoding_of(type).has(hearth::Layout::InputColumn);
        add("llama " + name, {.arch = "llama", .type = type, .tied = type == DType::Q8_0},
            by_input ? std::vector<std::string>{"dense", "approximate"} : dense);
        const int width = type == DType::Q6_K ? 512 : 64;
        add("bamboo " + name, {.type = type, .predictor_width = width}, all_three);
        add("falcon " + name, {.arch = "falcon", .type = type}, dense);
        add("opt " + name, {.arch = "opt", .type = type}, both);
        add("bamboo by neuron " + name,
            {.type = type,
             .by_neuron = true,
             .pwri = true,
             .predictor_width = width,
             .predictor_type = type,
             .sparse_threshold = 0.1F},
            all_three);
        add("llama of PowerInfer " + name,
            {.arch = "llama",
             .type = type,
             .by_neuron = true,
             .pwri = true,
             .predictor_width = width,
             .sparse_threshold = 0.05F},
            all_three);
    }
    for (const DType type : {DType::F32, DType::Q4_0}) {
        const std::string name = name_of(type);
        add("falcon of PowerInfer " + name,
            {.arch = "falcon",
             .type = type,
             .by_neuron = true,
             .pwri = true,
             .predictor_width = 64,
             .second_norm = true},
            all_three);
        add("falcon with two norms " + name, {.arch = "falcon", .type = type, .second_norm = true},
            dense);
        add("opt of PowerInfer " + name,
            {.arch = "opt",
             .type = type,
             .by_neuron = true,
             .pwri = true,
             .predictor_width = 64,
             .sparse_threshold = 0.02F},
            all_three);
        add("biases of q, k and v " + name,
            {.arch = "llama", .type = type, .tied = true, .qkv_bias = true}, dense);
        add("q, k and v in one " + name,
            {.arch = "llama", .type = type, .n_padding_rows = 21, .fused_qkv = true}, dense);
        add("relu2 " + name,
            {.arch = "falcon", .type = type, .block_biases = true, .activation = "relu2"}, both);
        add("reglu above a threshold " + name,
            {.arch = "llama", .type = type, .activation = "reglu", .relu_threshold = 0.1F}, both);
        add("reglu as stated " + name, {.arch = "llama", .type = type}, both, Made::Whole, "reglu");
        add("planted " + name, {.type = type, .by_neuron = type == DType::F32, .planted = true},
            both);
        add("packed " + name, {.type = type, .predictor_width = 64}, all_three, Made::Packed);
        add("packed by hotness " + name, {.type = type, .predictor_width = 64}, all_three,
            Made::PackedByHot);
        add("predictors beside " + name, {.type = type, .predictor_width = 64}, {"predicted"},
            Made::SidePredictors);
    }
    for (const DType type : {DType::F16, DType::Q8_0, DType::Q5_0}) {
        add("packed by hotness " + name_of(type), {.type = type}, both, Made::PackedByHot);
    }
    add("packed of opt", {.arch = "opt", .type = DType::Q4_0}, both, Made::Packed);
    add("packed of reglu", {.arch = "llama", .type = DType::Q8_0, .activation = "reglu"}, both,
        Made::Packed);
    add("rope factors", {.arch = "llama", .rope_factors = true}, dense);
    add("rope stretched", {.arch = "llama", .rope_linear_factor = 4.0F, .rope_base = 5e5F}, dense);
    add("part of a head is rotated", {.arch = "llama", .rope_dim = 16, .norm_eps = 1e-2F}, dense);
    add("part of a head is rotated, by halves", {.arch = "falcon", .rope_dim = 16}, dense);
    add("larger heads",
        {.arch = "llama", .n_embd = 96, .n_head = 3, .n_head_kv = 3, .head_dim = 64}, dense);
    add("norms of F16", {.arch = "opt", .type = DType::F16, .vector_type = DType::F16}, both);
    add("gate apart from up", {.type = DType::Q4_0, .gate_type = DType::Q8_0}, both);
    add("gate of floats apart from up", {.type = DType::Q8_0, .gate_type = DType::F16}, both);
    add("gate of Q5_0 apart from up", {.type = DType::Q4_0, .gate_type = DType::Q5_0}, both);
    add("head of Q6_K", {.type = DType::Q4_0, .output_type = DType::Q6_K}, both);
    add("predictors of Q8_0",
        {.type = DType::Q4_0, .predictor_width = 128, .predictor_type = DType::Q8_0},
        {"predicted"});
    // Blocks whose rows, tiles and groups all have remainders.
    add("odd sizes", {.n_embd = 72, .n_head = 3, .n_head_kv = 3, .n_ff = 101, .n_padding_rows = 4},
        both);
    add("odd sizes of Q8_0",
        {.type = DType::Q8_0, .n_layer = 3, .n_embd = 96, .n_head = 6, .n_head_kv = 2, .n_ff = 288},
        both);
    add("starter model, shipped", {}, both, Made::Shipped);
    add("starter model, F16 master", {}, all_three, Made::SharedMaster);
    return all;
}

bool is_starter(const Model& model) {
    return model.made == Made::Shipped || model.made == Made::SharedMaster;
}

// ---- what is asked of the engine ---------------------------------------------------------------

struct CpuOverride {
    explicit CpuOverride(const std::string& isa) {
        qputenv("HEARTH_CPU", QByteArray::fromStdString(isa));
    }
    ~CpuOverride() { qunsetenv("HEARTH_CPU"); }
};

// Files of a model, written when first asked for: they depend on no instruction set.
struct Files {
    std::string model, predictors, thresholds;
};

hearth::EngineOptions options_for(const Model& model, const Files& files, const std::string& mode) {
    hearth::EngineOptions options;
    options.model_path = files.model;
    options.gpu = "none";
    // Sums do not depend on it.
    options.threads = 1 + static_cast<int>((model.name.size() + mode.size()) % 2);
    options.mode = mode;
    options.activation = model.activation;
    options.n_ctx = 64;
    if (mode == "predicted") {
        options.predictors_path = files.predictors;
        const bool says = model.options.pwri || model.made == Made::SidePredictors;
        options.predictor_input = says ? "" : "normed";
    } else if (mode == "approximate") {
        options.thresholds_path = files.thresholds;
    }
    return options;
}

// Empty: it worked.
std::string write_thresholds(const std::string& model, const std::string& path) {
    const auto file = hearth::GgufFile::open(model);
    const auto hash = file ? hearth::model_hash(*file) : hearth::Result<std::string>(file.error());
    if (!hash) {
        return hash.error().message;
    }
    const bool written = GgufBuilder()
                             .key("general.architecture", "hearth-thresholds")
                             .key("hearth.format_version", std::uint32_t{1})
                             .key("hearth.model_hash", *hash)
                             .key("hearth.threshold.sparsity", 0.4F)
                             .key("hearth.threshold.tokens", std::uint64_t{100})
                             .array("hearth.threshold.input", std::vector<float>{0.5F, 0.4F})
                             .array("hearth.threshold.hidden", std::vector<float>{0.05F, 0.04F})
                             .write(path);
    return written ? "" : "thresholds could not be written";
}

// Side file with the predictors that TinyModel puts into a model of the same options.
std::string write_predictors(const Model& model, const Files& files) {
    const auto file = hearth::GgufFile::open(files.model);
    const auto hash = file ? hearth::model_hash(*file) : hearth::Result<std::string>(file.error());
    if (!hash) {
        return hash.error().message;
    }
    const int width = model.options.predictor_width;
    GgufBuilder side;
    side.key("general.architecture", "hearth-predictors")
        .key("hearth.format_version", std::uint32_t{1})
        .key("hearth.model_hash", *hash)
        .key("hearth.predictor.input", "residual")
        .key("hearth.predictor.kind", "low_rank")
        .array("hearth.predictor.thresholds", std::vector<float>{0.02F, -0.03F});
    unsigned state = 7;
    const auto values = [&](int count) {
        std::vector<float> out;
        for (int i = 0; i < count; ++i) {
            state = state * 1664525U + 1013904223U;
            out.push_back((static_cast<float>(state >> 8) * 0x1p-24F - 0.5F) * 0.25F);
        }
        return out;
    };
    const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
    // The last layer runs exact.
    side.tensor_f32("blk.0.fc1.weight", {size(width), size(model.options.n_embd)},
                    values(width * model.options.n_embd))
        .tensor_f32("blk.0.fc2.weight", {size(model.options.n_ff), size(width)},
                    values(model.options.n_ff * width));
    return side.write(files.predictors) ? "" : "predictors could not be written";
}

// Packing by a profile is done with plain loops: what fires must not depend on the machine.
std::string write_packed(const Model& model, const std::string& source, const std::string& packed,
                         const std::string& profile) {
    const CpuOverride use("generic");
    if (model.made == Made::PackedByHot) {
        hearth::EngineOptions options;
        options.model_path = source;
        options.gpu = "none";
        options.threads = 1;
        options.mode = "dense";
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            return engine.error().message;
        }
        std::string text;
        for (int i = 0; i < 120; ++i) {
            text += static_cast<char>('a' + i * 7 % 26);
        }
        auto counted =
            hearth::tools::profile(**engine, text, {.n_ctx = 60, .output_path = profile}, {}, {});
        if (!counted) {
            return counted.error().message;
        }
    }
    hearth::tools::PackOptions options;
    options.output_path = packed;
    options.profile_path = model.made == Made::PackedByHot ? profile : "";
    options.predictor_input = model.options.predictor_width > 0 ? "normed" : "";
    const auto report = hearth::tools::pack(source, options, {}, {});
    return report ? "" : report.error().message;
}

// The hashes of a batch and of tokens that are passed alone after a short one.
struct Hashes {
    std::string batch, single;
    std::string problem;
    // The hashes of single tokens again, and of the same passed together as drafts are; empty: this
    // model's cannot be.
    std::string alone{}, together{};
};

Hashes hashes_of(const Model& model, const hearth::EngineOptions& options, const std::string& isa) {
    const CpuOverride use(isa);
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        return {{}, {}, engine.error().message};
    }
    if ((*engine)->settings().mode != options.mode || (*engine)->settings().isa != isa) {
        return {{}, {}, "the engine computes in mode " + (*engine)->settings().mode};
    }
    hearth::Session& session = *(*engine)->impl().session;
    const int n_batch = is_starter(model) ? 9 : 24;
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < n_batch; ++i) {
        tokens.push_back(3 + (i * 37 + 11) % 256);
    }
    Hash batch;
    auto done = session.score(tokens, hearth::Decoder::Want::All,
                              [&](std::size_t, std::span<const float> row) { batch.add(row); }, {});
    Hash single;
    Hash alone;
    const std::span<const std::int32_t> all(tokens);
    session.clear();
    done = done ? session.append(all.first(5), {}) : done;
    for (std::size_t i = 5; done && i <= 9; ++i) {
        const auto logits = session.last_logits({});
        if (!logits) {
            return {{}, {}, logits.error().message};
        }
        single.add(*logits);
        if (i > 5) {
            alone.add(*logits);
        }
        if (i < 9) {
            done = session.decode_one(all[i], {});
        }
    }
    Hash together;
    const bool drafts = session.can_draft();
    if (done && drafts) {
        session.truncate(5);
        done = session.look_ahead(
            all.subspan(5, 4), [&](std::size_t, std::span<const float> row) { together.add(row); },
            {});
    }
    if (!done) {
        return {{}, {}, done.error().message};
    }
    return {
        batch.text(), single.text(), {}, drafts ? alone.text() : "", drafts ? together.text() : ""};
}

}  // namespace

class LogitHashesTest : public QObject {
    Q_OBJECT

private:
    static inline const std::vector<Model> models_ = models();
    hearth::test::TempDir dir_;
    std::map<std::size_t, Files> files_;
    std::map<std::string, Hashes> recorded_;  // by row
    std::string recorded_library_;
    std::set<std::string> recorded_isas_;
    std::ostringstream record_;
    int n_together_ = 0;  // rows whose tokens were passed together, too

    static bool records() { return qEnvironmentVariableIsSet("HEARTH_RECORD"); }

    // Empty: it worked.
    std::string make(std::size_t index, Files& files) {
        const Model& model = models_[index];
        if (model.made == Made::SharedMaster || model.made == Made::Shipped) {
            const bool master = model.made == Made::SharedMaster;
            files = {master ? kMaster : kShipped, master ? kMasterPredictors : "", ""};
            return {};
        }
        const std::string stem = dir_.file(std::to_string(index));
        files.model = stem + ".gguf";
        TinyModelOptions options = model.options;
        if (model.made == Made::SidePredictors) {
            options.predictor_width = 0;
        }
        if (!TinyModel(options).write(files.model)) {
            return "the model could not be written";
        }
        switch (model.made) {
            case Made::Packed:
            case Made::PackedByHot: {
                const std::string source = files.model;
                files.model = stem + "-packed.gguf";
                return write_packed(model, source, files.model, stem + "-profile.gguf");
            }
            case Made::SidePredictors:
                files.predictors = stem + "-predictors.gguf";
                return write_predictors(model, files);
            case Made::Whole:
            case Made::SharedMaster:
            case Made::Shipped:
                break;
        }
        files.thresholds = stem + "-thresholds.gguf";
        return write_thresholds(files.model, files.thresholds);
    }

    static std::string row_name(const Model& model, const std::string& mode,
                                const std::string& isa) {
        return isa + "/" + mode + "/" + model.name;
    }

private slots:
    void initTestCase() {
        if (records()) {
            record_ << "library " << library_hash() << "\n";
            return;
        }
        QFile file(kRecord);
        QVERIFY(file.open(QIODevice::ReadOnly | QIODevice::Text));
        std::istringstream lines(file.readAll().toStdString());
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string isa, mode, batch, single, name;
            words >> isa >> mode;
            if (isa == "library") {
                recorded_library_ = mode;
                continue;
            }
            words >> batch >> single >> std::ws;
            std::getline(words, name);
            recorded_[isa + "/" + mode + "/" + name] = {batch, single, {}};
            recorded_isas_.insert(isa);
        }
        QVERIFY(recorded_.size() > 300);
    }
    void cleanupTestCase() {
        if (records()) {
            std::ofstream(qEnvironmentVariable("HEARTH_RECORD").toStdString()) << record_.str();
        }
    }

    void as_recorded_data() {
        QTest::addColumn<std::size_t>("index");
        QTest::addColumn<std::string>("mode");
        QTest::addColumn<std::string>("isa");
        hearth::test::CoveringSample sample(hearth::test::all_rows() || records());
        for (std::size_t i = 0; i < models_.size(); ++i) {
            for (const std::string& mode : models_[i].modes) {
                for (const std::string isa : {"generic", "avx2", "avxvnni", "avx512"}) {
                    // Generic code takes seconds for the starter model.
                    const std::string kind = is_starter(models_[i]) && isa == "generic"
                                                 ? "generic starter"
                                                 : row_name(models_[i], mode, isa);
                    if (sample.takes({kind})) {
                        QTest::newRow(row_name(models_[i], mode, isa).c_str()) << i << mode << isa;
                    }
                }
            }
        }
    }
    void as_recorded() {
        QFETCH(std::size_t, index);
        QFETCH(std::string, mode);
        QFETCH(std::string, isa);
        const Model& model = models_[index];
        const auto devices = hearth::runnable_isas(hearth::detect_cpu_features().flags);
        if (std::find(devices.begin(), devices.end(), isa) == devices.end()) {
            QSKIP(qPrintable(QString("this processor lacks %1").arg(isa.c_str())));
        }
        if (!records() && recorded_library_ != library_hash()) {
            QSKIP("this system's library of mathematics rounds otherwise");
        }
        if (model.made == Made::SharedMaster && !QFile::exists(kMaster.c_str())) {
            QSKIP("needs ../shared/starter-model");
        }
        auto at = files_.find(index);
        if (at == files_.end()) {
            Files files;
            const std::string problem = make(index, files);
            QVERIFY2(problem.empty(), problem.c_str());
            at = files_.emplace(index, files).first;
        }
        const Hashes seen = hashes_of(model, options_for(model, at->second, mode), isa);
        QVERIFY2(seen.problem.empty(), seen.problem.c_str());
        if (records()) {
            record_ << isa << " " << mode << " " << seen.batch << " " << seen.single << " "
                    << model.name << "\n";
            return;
        }
        const auto wanted = recorded_.find(row_name(model, mode, isa));
        QVERIFY2(wanted != recorded_.end(), "no hash of this row was recorded");
        QCOMPARE(QString::fromStdString(seen.batch), QString::fromStdString(wanted->second.batch));
        QCOMPARE(QString::fromStdString(seen.single),
                 QString::fromStdString(wanted->second.single));
        QCOMPARE(QString::fromStdString(seen.together), QString::fromStdString(seen.alone));
        n_together_ += seen.together.empty() ? 0 : 1;
    }
    // The rows above compared something.
    void models_pass_drafts() { QVERIFY(records() || n_together_ > 20); }

    // No line of the file waits for a row that is gone.
    void every_line_has_its_row() {
        std::set<std::string> rows;
        for (const Model& model : models_) {
            for (const std::string& mode : model.modes) {
                for (const std::string isa : {"generic", "avx2", "avxvnni", "avx512"}) {
                    rows.insert(row_name(model, mode, isa));
                }
            }
        }
        for (const auto& [row, hashes] : recorded_) {
            QVERIFY2(rows.contains(row), row.c_str());
        }
        QVERIFY(records() || rows.size() == recorded_.size());
    }
};

QTEST_GUILESS_MAIN(LogitHashesTest)
#include "logit_hashes_test.moc"
