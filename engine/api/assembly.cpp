#include "api/assembly.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/heap.h"
#include "hardware/core_scaling.h"
#include "plan/cost_model.h"
#include "plan/known_profile.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"
#include "session/machine_plan.h"
#include "session/model_mode.h"
#include "session/processor.h"

namespace hearth {
namespace {

// The weights of one unit come first, then the other's: half of the way each.
class HalfMonitor final : public LoadMonitor {
public:
    HalfMonitor(LoadMonitor& whole, double from, double to) : whole_(whole), from_(from), to_(to) {}
    bool loaded(double fraction) override {
        return whole_.loaded(from_ + fraction * (to_ - from_));
    }

private:
    LoadMonitor& whole_;
    double from_, to_;
};

// Null: none is used, and impl.settings.gpu_note may say why.
Result<std::unique_ptr<OpenGpu>> open_gpu_for(LoadedModel& impl) {
    std::unique_ptr<OpenGpu> none;
    const EngineOptions& options = impl.options;
    if (options.gpu == "none" || impl.without_gpu) {
        return none;
    }
    auto why = why_no_gpu(impl.mode, options.gpu);
    if (!why) {
        return std::move(why).error();
    }
    if (!why->empty()) {
        impl.settings.gpu_note = *std::move(why);
        return none;
    }
    auto wanted = open_wanted_gpu(options.gpu,
                                  {.program = options.program_path,
                                   .cache_folder = options.cache_folder,
                                   .environment = impl.environment},
                                  options.speeds);
    if (!wanted) {
        return std::move(wanted).error();
    }
    if (wanted->gpu == nullptr && !wanted->note.empty()) {
        impl.settings.gpu_note = wanted->note;
    }
    impl.gpu_speeds = wanted->speeds;
    return std::move(wanted->gpu);
}

// The model's own profile, or the one it made of itself while it was used; null: none that can be
// read.
std::unique_ptr<ActivationProfile> find_profile(const LoadedModel& impl) {
    auto known = find_profile(impl.file, impl.spec, {}, impl.options.profile_folder);
    return known && known->profile ? std::make_unique<ActivationProfile>(std::move(*known->profile))
                                   : nullptr;
}

// Plans may go by one: with a GPU, or where RAM does not hold all neurons or experts, now
// or with a budget to come.
bool asks_for_profile(const LoadedModel& impl) {
    return impl.gpu != nullptr || impl.spec.has_experts() ||
           possible_mode(impl.spec, impl.mode) != FeedForwardMode::Dense;
}

Result<void> load_units(LoadedModel& impl, LoadMonitor& monitor) {
    const PlanSlice slice{impl.file, impl.spec, impl.tensors, impl.plan, *impl.ledger};
    // What uploads needs what it uploads. Else the GPU comes first where RAM is short: what loading
    // it takes of RAM is given back before the processor's weights are there.
    const bool gpu_first = impl.plan.reads_flash() && impl.plan.upload.slot_bytes == 0;
    const bool alone = impl.gpu_executor == nullptr;
    for (const bool first : {true, false}) {
        HalfMonitor half(monitor, first || alone ? 0.0 : 0.5, first && !alone ? 0.5 : 1.0);
        if (first != gpu_first) {
            if (auto loaded = impl.executor->load(slice, half); !loaded) {
                return loaded;
            }
        } else if (!alone) {
            if (auto loaded = impl.gpu_executor->load(slice, half); !loaded) {
                impl.gpu_failed = true;
                return loaded;
            }
        }
    }
    return {};
}

// Numbers that are none cost the layer's drafts, never the model.
Result<void> load_foretelling(LoadedModel& impl, LoadMonitor& monitor) {
    if (!impl.foretells) {
        return {};
    }
    HalfMonitor last(monitor, 1.0, 1.0);
    auto made = make_foretelling(impl.file, impl.basis->foretelling, *impl.executor, impl.plan,
                                 *impl.ledger, last);
    if (made) {
        impl.foretelling = std::move(*made);
    } else if (made.error().code == ErrorCode::BadFile) {
        impl.plan.reasons.push_back("the layer that foretells tokens is left out: " +
                                    made.error().message);
    } else {
        return std::move(made).error();
    }
    return {};
}

// Whether what the session has computed is of use to the plan.
bool keeps_past(const LoadedModel& impl) {
    return impl.session != nullptr && Decoder::can_keep(impl.session->past(), impl.spec, impl.plan);
}

Result<void> load_part(LoadedModel& impl, LoadMonitor& monitor) {
    if (auto loaded = load_units(impl, monitor); !loaded) {
        return loaded;
    }
    if (auto loaded = load_foretelling(impl, monitor); !loaded) {
        return loaded;
    }
    Decoder decoder(impl.spec, impl.plan, *impl.executor, impl.gpu_executor.get());
    decoder.set_ram_budget(impl.ram_budget);
    decoder.set_foretelling(impl.foretelling.get());
    if (keeps_past(impl)) {
        const std::uint64_t bytes = impl.session->past().cpu.bytes();
        auto counted = impl.ledger->count(Purpose::Kv, bytes, "KV cache");
        if (counted) {
            impl.session->replace(std::move(decoder));
        }
        return counted;
    }
    auto past = decoder.make_past(*impl.ledger);
    if (!past) {
        return std::move(past).error();
    }
    if (impl.session != nullptr) {
        impl.session->replace(std::move(decoder), std::move(*past));
        return {};
    }
    impl.session = std::make_unique<Session>(*impl.tokenizer, std::move(decoder), std::move(*past));
    impl.session->set_recovery([&impl](const Error& lost) { return recover(impl, lost); });
    impl.session->set_upkeep(
        {.is_due =
             [&impl] {
                 return impl.executor == nullptr || (impl.budgets.waits() && !impl.keeps_executors);
             },
         .run = [&impl](const Cancellation& cancellation) -> Result<std::string> {
             struct Monitor final : LoadMonitor {
                 explicit Monitor(const Cancellation& flag) : flag_(flag) {}
                 bool loaded(double) override { return !flag_.requested(); }
                 const Cancellation& flag_;
             } own(cancellation);
             auto outcome = carry_out_budget(impl, own);
             if (!outcome) {
                 return std::move(outcome).error();
             }
             return outcome->refused ? outcome->refused->message : std::string();
         }});
    return {};
}

// What a plan may use; empty: what the machine or the GPU has to spare.
struct Allowed {
    std::optional<std::uint64_t> ram_bytes, vram_bytes;
};

// Plans and loads once.
Result<void> assemble_once(LoadedModel& impl, const Allowed& allowed, LoadMonitor& monitor) {
    const EngineOptions& options = impl.options;
    impl.foretelling.reset();
    if (impl.basis == nullptr) {
        const auto profile = asks_for_profile(impl) ? find_profile(impl) : nullptr;
        impl.basis = std::make_shared<const PlanBasis>(
            plan_basis({.file = impl.file,
                        .spec = impl.spec,
                        .tensors = impl.tensors,
                        .mode = impl.mode,
                        .budget = {.n_ctx = options.n_ctx,
                                   .threads = options.threads,
                                   .flash_without = options.flash_without},
                        .profile = profile.get(),
                        .profile_folder = options.keeps_profile ? options.profile_folder : "",
                        .gpu = impl.gpu.get(),
                        .gpu_speeds = impl.gpu_speeds,
                        .gpu_named = names_one(options.gpu),
                        .isa = impl.environment.cpu,
                        .speeds = options.speeds,
                        .cache_folder = options.cache_folder}));
    }
    Budget budget = impl.basis->budget;
    budget.ram_bytes = allowed.ram_bytes;
    budget.vram_bytes = allowed.vram_bytes;
    auto planned = plan_on(*impl.basis, budget);
    if (!planned) {
        return std::move(planned).error();
    }
    if (!planned->gpu_unsupported.empty()) {
        impl.settings.gpu_note = planned->gpu_unsupported;
        impl.gpu.reset();
    }
    impl.plan = std::move(planned->plan);
    impl.foretells = planned->foretells;
    if (impl.plan.reads_flash()) {
        impl.plan.disk_reads = known_disk_reads(impl.file.file().path(), options.cache_folder,
                                                impl.spec.has_experts());
    }
    if (impl.gpu != nullptr && impl.plan.vram.total() == 0) {
        impl.settings.gpu_note = "the plan gives " + impl.gpu->info().name + " nothing";
        for (const std::string& reason : impl.plan.reasons) {
            impl.settings.gpu_note += "; " + reason;
        }
        impl.gpu.reset();
        impl.basis.reset();
        return assemble_once(impl, allowed, monitor);
    }
    // Whoever plans again has what was measured, and the context of the conversation.
    PlanBasis known = *impl.basis;
    known.machine = std::move(planned->machine);
    known.budget.n_ctx = impl.plan.n_ctx;
    known.costs.loaded = std::make_shared<const Placement>(impl.plan.placement);
    impl.basis = std::make_shared<const PlanBasis>(std::move(known));
    if (impl.session != nullptr && !keeps_past(impl)) {
        impl.session->drop_past();
    }
    impl.info.n_ctx = impl.plan.n_ctx;
    impl.ledger = std::make_unique<Ledger>(impl.plan.ram);
    if (impl.pool == nullptr || impl.pool->n_threads() != impl.plan.threads) {
        impl.executor.reset();  // computes with the pool
        impl.pool = std::make_unique<ThreadPool>(impl.plan.threads);
    }
    impl.pool->heed_alerts(impl.gpu == nullptr || impl.gpu->info().kind != GpuKind::Cpu);
    if (impl.executor == nullptr) {
        auto executor =
            make_cpu_executor(detect_cpu_features().flags, impl.environment.cpu, *impl.pool);
        if (!executor) {
            return std::move(executor).error();
        }
        impl.executor = std::move(*executor);
    }
    if (impl.gpu != nullptr) {
        impl.gpu_executor = impl.gpu->make_executor(*impl.pool, impl.executor->weights());
    }
    impl.gpu_failed = false;
    return load_part(impl, monitor);
}

void describe(LoadedModel& impl) {
    const std::string executor(impl.executor->name());
    EngineSettings& settings = impl.settings;
    settings.threads = impl.pool->n_threads();
    settings.isa = executor.substr(executor.find('/') + 1);
    settings.ram_bytes = impl.plan.ram_budget_bytes;
    settings.mode = to_string(impl.plan.mode);
    settings.paths_chosen = impl.options.mode.empty() && impl.plan.mode == FeedForwardMode::Exact;
    const bool in_bytes =
        std::any_of(impl.spec.layers.begin(), impl.spec.layers.end(),
                    [](const LayerSpec& layer) { return layer.attention.kv == KvType::Q8_0; });
    settings.kv = in_bytes ? "q8_0" : "f16";
    settings.gpu = impl.gpu == nullptr ? "none" : impl.gpu->info().name;
    settings.vram_bytes = impl.gpu == nullptr ? 0 : impl.plan.vram_budget_bytes;
    settings.gpu_share = 0;
    if (impl.gpu_executor != nullptr) {
        const auto of_gpu = static_cast<double>(impl.gpu_executor->decode_weight_bytes());
        const auto of_cpu = static_cast<double>(impl.executor->decode_weight_bytes());
        settings.gpu_share = of_gpu / std::max(1.0, of_gpu + of_cpu);
    }
    settings.gpu_uploads_from = impl.plan.upload.tokens_min;
    double n_neurons = 0;
    for (const LayerSpec& layer : impl.spec.layers) {
        n_neurons += layer.n_ff;
    }
    const Placement& placement = impl.plan.placement;
    settings.gpu_layers = 0;
    settings.gpu_neurons = 0;
    for (int layer = 0; layer < impl.spec.n_layer(); ++layer) {
        settings.gpu_layers += placement.attention_in_vram(layer) ? 1 : 0;
        settings.gpu_neurons += placement.hot(layer) / n_neurons;
    }
}

void count_firing(LoadedModel& impl) {
    if (!impl.plan.counts_firing) {
        impl.self_profile.reset();
        return;
    }
    if (impl.self_profile == nullptr) {
        impl.self_profile = std::make_unique<SelfProfile>("", impl.spec.counted());
    }
    impl.session->count_firing(impl.self_profile.get());
}

// Weights of fewer bytes are not worth measuring paths with: caches hold much of them, and they
// answer in less time. Their paths, and so the order of their sums, depend on nothing but the text.
constexpr std::uint64_t kMeasurePathsFrom = std::uint64_t{256} << 20;

// Of the gates of each layer's neurons that the processor has, how many are open, by a profile.
std::vector<std::optional<double>> profiled_shares(const LoadedModel& impl) {
    std::vector<std::optional<double>> shares;
    const auto profile = find_profile(impl);
    const Placement& placement = impl.plan.placement;
    for (int layer = 0; layer < impl.spec.n_layer() && profile != nullptr; ++layer) {
        shares.push_back(
            impl.spec.layer(layer).is_mixture()
                ? std::nullopt
                : profiled_share(*profile, layer, placement.order(layer), placement.hot(layer)));
    }
    return shares;
}

// The paths of an executor that was just loaded; where it takes another one's place in the middle
// of an answer, the other's.
void start_paths(LoadedModel& impl) {
    const std::unique_ptr<LayerPaths> before = std::move(impl.paths);
    BlockPaths* unit = impl.executor->paths();
    if (!impl.options.mode.empty() || impl.plan.mode != FeedForwardMode::Exact || unit == nullptr) {
        return;
    }
    PathSpeeds speeds;
    if (impl.plan.ram.weights >= kMeasurePathsFrom) {
        speeds = unit->measure_paths();
    }
    impl.paths = std::make_unique<LayerPaths>(*unit, speeds.measured() ? speeds : kTypicalSpeeds);
    if (before != nullptr) {
        impl.paths->take_over(*before);
    } else {
        impl.paths->begin(profiled_shares(impl));
    }
}

void unload(LoadedModel& impl) {
    impl.foretelling.reset();
    impl.gpu_executor.reset();
    impl.executor.reset();
    if (impl.ledger != nullptr) {
        *impl.ledger = Ledger(impl.plan.ram);  // takes no memory: there may be none
    }
}

// Once: what was learned stays when other budgets are loaded.
void know_uses(LoadedModel& impl) {
    if (impl.vram_moves != nullptr || impl.gpu_executor == nullptr || !impl.plan.counts_firing ||
        !VramMoves::suits(impl.spec)) {
        return;
    }
    impl.vram_moves = std::make_unique<VramMoves>(impl.spec, find_profile(impl).get());
}

// With the GPU that is open, if one is, whose part becomes smaller where its driver has less memory
// than it said.
Result<void> load_all(LoadedModel& impl, const Allowed& allowed, LoadMonitor& monitor) {
    // A load that ends otherwise, be it by an exception, leaves nothing half loaded.
    struct Guard {
        LoadedModel& impl;
        bool done = false;
        ~Guard() {
            if (!done) {
                unload(impl);
            }
        }
    } guard{impl};
    Allowed now = allowed;
    constexpr int kTries = 4;
    for (int tries = 0;; ++tries) {
        auto done = assemble_once(impl, now, monitor);
        if (done) {
            break;
        }
        const bool of_gpu = impl.gpu_executor != nullptr && impl.gpu_failed;
        unload(impl);
        const ErrorCode code = done.error().code;
        if (!of_gpu || code == ErrorCode::Cancelled || code == ErrorCode::ReadFailed) {
            return done;
        }
        impl.settings.gpu_note = done.error().message;
        if (code == ErrorCode::OutOfMemory && tries + 1 < kTries) {
            now.vram_bytes = impl.plan.vram.total() / 4 * 3;
            impl.settings.gpu_note += "; it was given less";
            continue;
        }
        if (names_one(impl.options.gpu) && code != ErrorCode::OutOfMemory &&
            code != ErrorCode::DeviceLost) {
            return done;
        }
        impl.gpu.reset();
        impl.basis.reset();
    }
    describe(impl);
    count_firing(impl);
    know_uses(impl);
    start_paths(impl);
    if (impl.options.heeds_memory_pressure) {
        impl.ram_budget.follow(
            {read_memory_pressure, [] {
                 const auto clock = std::chrono::steady_clock::now();
                 return static_cast<std::uint64_t>(
                     std::chrono::duration_cast<std::chrono::milliseconds>(clock.time_since_epoch())
                         .count());
             }});
    }
    const std::uint64_t held = impl.ledger->actual().total();
    impl.budgets.show({.basis = impl.basis,
                       .plan = impl.plan,
                       .budgets = {allowed.ram_bytes, allowed.vram_bytes},
                       .held = held,
                       .most_spared = impl.executor->most_spared_ram(),
                       .may_open_gpu = impl.gpu == nullptr && impl.options.gpu != "none" &&
                                       !impl.without_gpu &&
                                       impl.mode != FeedForwardMode::Thresholded});
    impl.ram_budget.attach(impl.executor.get(), held);
    give_back_free_heap();  // of what was loaded before, and of loading itself
    ++impl.n_loads;
    guard.done = true;
    return {};
}

// Puts what the plan for other budgets has in the place of what is loaded, if anything is. Weights
// that the processor holds and shall hold stay where they are.
Result<void> load_anew(LoadedModel& impl, const Budgets& budgets, LoadMonitor& monitor) {
    impl.ram_budget.attach(nullptr, 0);
    if (impl.gpu_executor != nullptr) {
        impl.session->drop_past();
        if (impl.self_profile != nullptr &&
            !impl.gpu_executor->collect_firing(*impl.self_profile)) {
            impl.executor->count_firing(nullptr);
            impl.self_profile.reset();  // half of a profile would be a wrong one
        }
    }
    impl.gpu_executor.reset();
    if (impl.executor != nullptr && !impl.executor->keeps_weights()) {
        impl.executor.reset();
    }
    if (impl.gpu != nullptr) {
        impl.settings.gpu_note = impl.lost_note;  // what is wrong with it now will be said again
    }
    return load_all(impl, {budgets.ram_bytes, budgets.vram_bytes}, monitor);
}

// While it lives, BudgetControl knows that something is being loaded.
class Loading {
public:
    explicit Loading(BudgetControl& control) : control_(control) {}
    ~Loading() { control_.end(good_); }
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;
    void done() { good_ = true; }

private:
    BudgetControl& control_;
    bool good_ = false;
};

}  // namespace

void give_up_weights(LoadedModel& impl) {
    impl.ram_budget.attach(nullptr, 0);
    impl.session->drop_past();
    unload(impl);
}

Result<void> assemble(LoadedModel& impl, LoadMonitor& monitor) {
    // What goes must not be in use: the session's decoder is replaced before it is used again.
    impl.ram_budget.attach(nullptr, 0);
    unload(impl);
    // What was counted with a device that was lost goes with it: half of a profile would be a wrong
    // one.
    impl.self_profile.reset();
    impl.gpu.reset();
    impl.basis.reset();
    impl.settings.gpu_note = impl.lost_note;
    auto gpu = open_gpu_for(impl);
    if (!gpu) {
        return std::move(gpu).error();
    }
    impl.gpu = std::move(*gpu);
    Allowed allowed{impl.options.ram_bytes, impl.options.vram_bytes};
    if (const auto budgets = impl.budgets.budgets()) {  // that were set since
        allowed = {budgets->ram_bytes, budgets->vram_bytes};
    }
    return load_all(impl, allowed, monitor);
}

Result<void> recover(LoadedModel& impl, const Error& lost) {
    impl.without_gpu = impl.losses > 0;
    ++impl.losses;
    impl.options.n_ctx = impl.plan.n_ctx;  // what the session remembers must fit again
    impl.lost_note = lost.message +
                     (impl.without_gpu ? "; the processor goes on alone" : "; it was opened again");
    struct : LoadMonitor {
        bool loaded(double) override { return true; }
    } monitor;
    auto again = assemble(impl, monitor);
    if (!again && !impl.without_gpu) {
        impl.without_gpu = true;
        impl.lost_note = lost.message + "; the processor goes on alone";
        again = assemble(impl, monitor);
    }
    return again;
}

Result<BudgetOutcome> carry_out_budget(LoadedModel& impl, LoadMonitor& monitor) {
    const bool is_loaded = impl.executor != nullptr;
    impl.options.n_ctx = impl.plan.n_ctx;  // what the session remembers must fit again
    if (is_loaded && impl.budgets.wants_gpu()) {
        auto gpu = open_gpu_for(impl);
        if (gpu && *gpu != nullptr) {
            impl.gpu = std::move(*gpu);
            impl.basis.reset();
        } else {
            impl.budgets.no_gpu();
        }
    }
    auto target = impl.budgets.begin(!is_loaded);
    if ((!target || !*target) && impl.gpu_executor == nullptr) {
        impl.gpu.reset();  // opened in vain
    }
    if (!target) {
        return BudgetOutcome{std::move(target).error()};
    }
    if (!*target) {
        return BudgetOutcome{};
    }
    Loading loading(impl.budgets);
    const Budgets before = impl.budgets.in_force();
    auto done = load_anew(impl, **target, monitor);
    if (done) {
        loading.done();
        return BudgetOutcome{};
    }
    Error why = std::move(done).error();
    if (why.code == ErrorCode::Cancelled) {
        loading.done();  // it is still what is wanted
        return why;
    }
    if (**target == before) {
        return why;
    }
    if (auto back = load_anew(impl, before, monitor); !back) {
        Error both = std::move(back).error();
        both.message = "the model could not be loaded for another budget: " + why.message +
                       "; nor as it was: " + both.message;
        return both;
    }
    why.message = "the budget stays as it was: " + why.message;
    return BudgetOutcome{std::move(why)};
}

}  // namespace hearth
