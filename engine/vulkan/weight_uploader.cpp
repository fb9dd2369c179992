#include "vulkan/weight_uploader.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/first_error.h"
#include "gguf/rows.h"
#include "include/params.h"
#include "vulkan/check.h"

namespace hearth::vulkan {
namespace {

// Rows a thread takes at a time: whole tiles of the source's.
constexpr std::uint64_t kRowsPerTask = 32;
constexpr std::uint64_t kUnitRows = 16;
// Bytes a thread copies at a time.
constexpr std::uint64_t kBytesPerTask = std::uint64_t{256} << 10;

std::uint64_t floats(std::uint64_t rows, int width) {
    return rows * static_cast<std::uint64_t>(width) * sizeof(float);
}

std::uint64_t places_bytes(const ExpertsSpec& experts) {
    return static_cast<std::uint64_t>(experts.n) * sizeof(std::uint32_t);
}

// Calls visit(bytes, role) for every vector of a layer that may be uploaded.
template <class Visit>
void for_each_vector(const LayerTensors& tensors, Visit&& visit) {
    for (const RoleRow& row : layer_roles()) {
        const Weight& weight = tensors[row.role];
        if (row.is_vector() && weight.present()) {
            visit(weight.values() * sizeof(float), row.role);
        }
    }
}

Arena::Pieces gpu_pieces(const ModelSpec& spec, const ModelTensors& tensors, int n_batch) {
    Arena::Pieces pieces{floats(static_cast<std::uint64_t>(n_batch), spec.n_embd)};
    for (const LayerTensors& layer : tensors.layers) {
        for_each_vector(layer, [&](std::uint64_t bytes, Role) { pieces.push_back(bytes); });
    }
    for (const LayerSpec& layer : spec.layers) {
        if (layer.is_mixture()) {
            pieces.push_back(places_bytes(layer.experts));
        }
    }
    pieces.push_back(TileArranger::kTableBytes);
    return pieces;
}

// The bytes of the rows that an expert has of a matrix.
std::uint64_t expert_bytes(const Weight& weight, std::uint64_t rows) {
    return weight.present() ? MatrixLayout(weight.type, rows, weight.cols).bytes : 0;
}

// q, k, v.
Arena::Pieces head_pieces(const ModelSpec& spec, int n_batch) {
    const auto batch = static_cast<std::uint64_t>(n_batch);
    return {floats(batch, spec.n_embd_q_max()), floats(batch, spec.n_embd_kv_max()),
            floats(batch, spec.n_embd_kv_max())};
}

}  // namespace

std::uint64_t WeightUploader::bytes(const ModelSpec& spec, const ModelTensors& tensors, int n_batch,
                                    std::uint64_t slot_bytes) {
    return Arena::bytes_for(gpu_pieces(spec, tensors, n_batch)) +
           (kSlots + 1) * piece_bytes(slot_bytes);
}

std::uint64_t WeightUploader::host_bytes(const ModelSpec& spec, int n_batch,
                                         std::uint64_t slot_bytes) {
    return Arena::bytes_for(head_pieces(spec, n_batch)) +
           piece_bytes(floats(static_cast<std::uint64_t>(n_batch), spec.n_embd_q_max())) +
           kSlots * piece_bytes(slot_bytes);
}

std::uint64_t WeightUploader::slot_bytes_min(const ModelSpec& spec, const ModelTensors& tensors) {
    const auto rows_of = [](std::uint64_t rows, int cols) {
        return matrix_bytes_max(rows, static_cast<std::uint64_t>(cols));
    };
    const int n_ff = spec.most([](const LayerSpec& layer) {
        return layer.is_mixture() ? layer.experts.n_ff_shared : layer.n_ff;
    });
    std::uint64_t least =
        std::max({rows_of(2 * kBlockColumns, spec.n_embd), rows_of(kUnitRows, n_ff),
                  rows_of(kUnitRows, std::max(spec.n_embd_q_max(), spec.n_attended_max())),
                  rows_of(kUnitRows, spec.n_embd_layer),
                  rows_of(kUnitRows,
                          spec.most([](const LayerSpec& layer) { return layer.latent.q_rank; }))});
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
        const LayerTensors& layer = tensors.layers[l];
        if (const LayerSpec& of = spec.layers[l]; of.is_latent()) {
            // The processor holds what is turned in floats.
            const LatentSpec& latent = of.latent;
            least =
                std::max({least, rows_of(static_cast<std::uint64_t>(latent.rank), latent.plain_dim),
                          rows_of(static_cast<std::uint64_t>(latent.value_dim), latent.rank)});
        }
        if (spec.layers[l].is_mixture()) {
            const ExpertsSpec& experts = spec.layers[l].experts;
            const auto expert = static_cast<std::uint64_t>(experts.n_ff);
            const Weight& down = layer[Role::Down];
            least = std::max({least, rows_of(kUnitRows, experts.n_latent),
                              expert_bytes(layer[Role::Gate], expert),
                              expert_bytes(layer[Role::Up], 2 * expert),
                              expert_bytes(down, down.expert_rows())});
        }
    }
    return least;
}

WeightUploader::WeightUploader(std::shared_ptr<Device> device, const WeightSource& weights,
                               ThreadPool& pool)
    : device_(std::move(device)),
      weights_(weights),
      pool_(pool),
      direct_(device_->physical().info.shares_ram) {}

Result<std::unique_ptr<WeightUploader>> WeightUploader::create(
    const std::shared_ptr<Device>& device, const PlanSlice& slice, const WeightSource& weights,
    ThreadPool& pool) {
    std::unique_ptr<WeightUploader> self(new WeightUploader(device, weights, pool));
    self->layers_.resize(static_cast<std::size_t>(slice.spec.n_layer()));
    const std::uint64_t range =
        std::min(slice.plan.upload.slot_bytes, device->features().storage_range_bytes_max);
    for (int layer = 0; layer < slice.spec.n_layer(); ++layer) {
        self->add_layer(layer, slice, range);
    }
    self->find_maps(slice, range);
    self->prepare_staging();
    auto done = self->take_memory(slice);
    if (done) {
        done = self->upload_vectors(slice);
    }
    if (done) {
        done = self->upload_places(slice);
    }
    if (done) {
        done = self->arranger_.upload(device, self->arena_.take(TileArranger::kTableBytes));
    }
    if (done && !self->direct_) {
        done = self->make_copy_commands();
    }
    for (Timeline* timeline : {&self->there_, &self->done_}) {
        if (!done) {
            return std::move(done).error();
        }
        auto made = Timeline::create(device);
        if (!made) {
            return std::move(made).error();
        }
        *timeline = std::move(*made);
    }
    return self;
}

WeightUploader::~WeightUploader() {
    // What is about to be freed must not be running. A lost device has ended its work.
    [[maybe_unused]] const auto idle = device_->wait_idle();
    for (const VkCommandPool pool : pools_) {
        if (pool != VK_NULL_HANDLE) {
            vkDestroyCommandPool(device_->handle(), pool, nullptr);
        }
    }
}

void WeightUploader::add_matrix(int layer, Role role, std::uint64_t unit,
                                std::uint64_t range_bytes_max) {
    const SourceShape shape = weights_.shape(layer, role);
    if (!shape.present()) {
        return;
    }
    GpuMatrix& matrix = layers_[static_cast<std::size_t>(layer)].matrices[role];
    matrix = plan_matrix(shape.type, shape.rows, shape.cols, unit, range_bytes_max);
    uploaded_.push_back(std::make_unique<Uploaded>(Uploaded{&matrix, {{layer, role, shape}}}));
}

// Gates lie beside ups where they are of one type. unit: the neurons that stay together.
void WeightUploader::add_gates_and_ups(int layer, Role gate, Role up, std::uint64_t unit,
                                       std::uint64_t range_bytes_max) {
    const SourceShape gates = weights_.shape(layer, gate);
    const SourceShape ups = weights_.shape(layer, up);
    if (!gates.present() || gates.type != ups.type) {
        add_matrix(layer, gate, unit, range_bytes_max);
        add_matrix(layer, up, unit, range_bytes_max);
        return;
    }
    GpuMatrix& both = layers_[static_cast<std::size_t>(layer)].matrices[up];
    both = plan_matrix(ups.type, 2 * ups.rows, ups.cols, 2 * unit, range_bytes_max);
    uploaded_.push_back(
        std::make_unique<Uploaded>(Uploaded{&both, {{layer, gate, gates}, {layer, up, ups}}}));
}

void WeightUploader::add_layer(int index, const PlanSlice& slice, std::uint64_t range) {
    GpuLayer& layer = layers_[static_cast<std::size_t>(index)];
    layer.attention = weights_.shape(index, Role::Q).present();
    for (const RoleRow& row : layer_roles()) {
        if (row.part == Part::Attention && !row.is_vector()) {
            const bool of_heads = row.role == Role::KeyUp || row.role == Role::ValueUp;
            const auto n_head =
                static_cast<std::uint64_t>(slice.spec.layer(index).attention.n_head);
            add_matrix(index, row.role,
                       of_heads ? weights_.shape(index, row.role).rows / n_head : kUnitRows, range);
        }
    }
    const SourceShape up = weights_.shape(index, Role::Up);
    if (!up.present()) {
        return;
    }
    layer.n_neurons = static_cast<int>(up.rows);
    if (slice.spec.layer(index).is_mixture()) {
        add_experts(index, slice, range);
        return;
    }
    add_gates_and_ups(index, Role::Gate, Role::Up, kBlockColumns, range);
    layer.down_by_neuron = weights_.shape(index, Role::Down).by_neuron;
    add_matrix(index, Role::Down, layer.down_by_neuron ? kBlockColumns : kUnitRows, range);
}

// With the router and the shared expert where the processor has these, and with what each unit has
// that has experts of the layer, unless the GPU is one.
void WeightUploader::add_experts(int index, const PlanSlice& slice, std::uint64_t range) {
    const ExpertsSpec& spec = slice.spec.layer(index).experts;
    GpuLayer& layer = layers_[static_cast<std::size_t>(index)];
    layer.expert_neurons = spec.n_ff;
    add_matrix(index, Role::Router, kUnitRows, range);
    if (slice.plan.placement.hot(index) == 0) {
        add_matrix(index, Role::ExpertLatentDown, kUnitRows, range);
        add_matrix(index, Role::ExpertLatentUp, kUnitRows, range);
    }
    add_gates_and_ups(index, Role::SharedGate, Role::SharedUp, kBlockColumns, range);
    add_matrix(index, Role::SharedDown, kUnitRows, range);
    const auto n_ff = static_cast<std::uint64_t>(spec.n_ff);
    add_gates_and_ups(index, Role::Gate, Role::Up, n_ff, range);
    const auto n_experts = static_cast<std::uint64_t>(layer.n_experts());
    add_matrix(index, Role::Down, weights_.shape(index, Role::Down).rows / n_experts, range);
}

// Finds out which matrices the GPU can lay out.
void WeightUploader::find_maps(const PlanSlice& slice, std::uint64_t range_bytes_max) {
    const std::uint64_t most = std::min(slice.plan.upload.slot_bytes, range_bytes_max);
    for (const auto& uploaded : uploaded_) {
        const bool in_tiles =
            std::all_of(uploaded->sources.begin(), uploaded->sources.end(),
                        [](const Source& source) { return source.shape.in_tiles; });
        if (!in_tiles) {
            continue;
        }
        uploaded->map = arranger_.map_of(weights_, uploaded->sources.front().shape);
        for (std::size_t i = 0; i < uploaded->matrix->slices.size(); ++i) {
            if (bytes_of({uploaded.get(), i}) > most) {
                uploaded->map = TileArranger::kNoMap;
            }
        }
    }
}

// Here, where a refusal can still be an error.
void WeightUploader::prepare_staging() {
    std::uint64_t most = 0;
    for (const auto& uploaded : uploaded_) {
        for (const Source& source : uploaded->sources) {
            if (uploaded->mapped()) {
                continue;
            }
            most = std::max(most, row_bytes(source.shape.type, source.shape.cols));
        }
    }
    rows_.assign(static_cast<std::size_t>(pool_.n_threads()),
                 std::vector<std::byte>(kRowsPerTask * most));
}

Result<void> WeightUploader::take_memory(const PlanSlice& slice) {
    const std::uint64_t slot = slice.plan.upload.slot_bytes;
    for (const auto& uploaded : uploaded_) {
        for (const GpuMatrix::Slice& part : uploaded->matrix->slices) {
            if (part.layout.bytes > slot) {
                return Error{ErrorCode::OutOfMemory,
                             "the few rows that are computed together are larger than the part of "
                             "the GPU's memory that uploaded weights get"};
            }
        }
    }
    const Arena::Pieces slots(kSlots + 1, slot);
    const auto make = [&](Arena& arena, MemoryKind kind, const Arena::Pieces& pieces,
                          const char* what) -> Result<void> {
        auto made = Arena::create(device_, kind, pieces, what);
        if (!made) {
            return std::move(made).error();
        }
        arena = std::move(*made);
        return {};
    };
    const int n_batch = slice.plan.n_batch;
    const Arena::Pieces heads = head_pieces(slice.spec, n_batch);
    Arena::Pieces host = heads;
    for (int i = 0; i < kSlots && !direct_; ++i) {
        host.push_back(slot);
    }
    const std::uint64_t attended =
        floats(static_cast<std::uint64_t>(n_batch), slice.spec.n_embd_q_max());
    auto made = make(arena_, MemoryKind::Device, gpu_pieces(slice.spec, slice.tensors, n_batch),
                     "what uploaded weights add");
    if (made) {  // through the processor's caches: rows are written a few bytes here and there
        made = make(slots_arena_, direct_ ? MemoryKind::Readback : MemoryKind::Device, slots,
                    "uploaded weights");
    }
    if (made) {
        made = make(host_arena_, MemoryKind::Readback, host, "weights on their way");
    }
    if (made) {
        made = make(written_arena_, MemoryKind::Shared, {attended}, "what the processor sends");
    }
    if (!made) {
        return made;
    }
    q_ = host_arena_.take(heads[0]);
    k_ = host_arena_.take(heads[1]);
    v_ = host_arena_.take(heads[2]);
    attended_ = written_arena_.take(attended);
    for (int i = 0; i < kSlots; ++i) {
        const auto at = static_cast<std::size_t>(i);
        slots_[at] = slots_arena_.take(slot);
        on_their_way_[at] = direct_ ? BufferView{} : host_arena_.take(slot);
    }
    arranged_ = slots_arena_.take(slot);
    out_ = arena_.take(floats(static_cast<std::uint64_t>(n_batch), slice.spec.n_embd));
    return {};
}

Result<void> WeightUploader::upload_vectors(const PlanSlice& slice) {
    auto upload = Upload::create(device_);
    if (!upload) {
        return std::move(upload).error();
    }
    Result<void> status;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        for_each_vector(slice.tensors.layers[i], [&](std::uint64_t bytes, Role role) {
            BufferView& view = layers_[i].vectors[role];
            const BufferView piece = arena_.take(bytes);
            const auto values = weights_.vector(static_cast<int>(i), role);
            if (status && !values) {
                status = values.error();
            }
            if (!status || values->empty()) {
                return;  // the GPU has its own, or there is none
            }
            HEARTH_ASSERT(values->size_bytes() <= bytes && bytes <= Upload::kBufferBytes);
            view = piece.part(0, values->size_bytes());
            status = send(*values, view, *upload);
        });
    }
    return status ? upload->finish() : status;
}

Result<void> WeightUploader::send(std::span<const float> values, const BufferView& view,
                                  Upload& upload) {
    auto buffer = upload.next();
    if (!buffer) {
        return std::move(buffer).error();
    }
    std::memcpy(buffer->data(), values.data(), values.size_bytes());
    const Upload::Copy copy{0, view};
    return upload.start({&copy, 1});
}

// Says where each expert is among those that the processor has.
Result<void> WeightUploader::upload_places(const PlanSlice& slice) {
    auto upload = Upload::create(device_);
    if (!upload) {
        return std::move(upload).error();
    }
    for (int i = 0; i < slice.spec.n_layer(); ++i) {
        const ExpertsSpec& experts = slice.spec.layer(i).experts;
        if (!experts.present()) {
            continue;
        }
        layers_[static_cast<std::size_t>(i)].places = arena_.take(places_bytes(experts));
        if (auto sent = send_places(slice, i, *upload); !sent) {
            return sent;
        }
    }
    return upload->finish();
}

// The places of a mixture's experts among those that are uploaded.
Result<void> WeightUploader::send_places(const PlanSlice& slice, int index, Upload& upload) {
    const GpuLayer& layer = layers_[static_cast<std::size_t>(index)];
    auto buffer = upload.next();
    if (!buffer) {
        return std::move(buffer).error();
    }
    HEARTH_ASSERT(layer.places.bytes <= buffer->size());
    const int n = slice.spec.layer(index).experts.n;
    const std::span places(reinterpret_cast<std::uint32_t*>(buffer->data()),
                           static_cast<std::size_t>(n));
    std::fill(places.begin(), places.end(), NOWHERE);
    const std::span<const int> order = slice.plan.placement.order(index);
    const int first = n - layer.n_experts();
    for (int place = 0; place < layer.n_experts(); ++place) {
        const auto at = static_cast<std::size_t>(first + place);
        places[order.empty() ? at : static_cast<std::size_t>(order[at])] =
            static_cast<std::uint32_t>(place);
    }
    const Upload::Copy copy{0, layer.places};
    return upload.start({&copy, 1});
}

Result<void> WeightUploader::exchange(const PlanSlice& slice,
                                      std::span<const PlaceExchange> pairs) {
    auto upload = Upload::create(device_);
    if (!upload) {
        return std::move(upload).error();
    }
    std::set<int> changed;
    for (const PlaceExchange& two : pairs) {
        changed.insert(two.layer);
    }
    for (const int layer : changed) {
        auto sent = slice.spec.layer(layer).is_mixture() ? send_places(slice, layer, *upload)
                                                         : send_up_biases(layer, *upload);
        if (!sent) {
            return sent;
        }
    }
    return upload->finish();
}

// The biases of the neurons that are uploaded, if they have any.
Result<void> WeightUploader::send_up_biases(int index, Upload& upload) {
    const BufferView& view = layers_[static_cast<std::size_t>(index)].vectors[Role::UpBias];
    if (view.bytes == 0) {
        return {};
    }
    const auto values = weights_.vector(index, Role::UpBias);
    if (!values) {
        return values.error();
    }
    HEARTH_ASSERT(values->size_bytes() == view.bytes);
    return send(*values, view, upload);
}

Result<void> WeightUploader::make_copy_commands() {
    for (std::size_t i = 0; i < kSlots; ++i) {
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.queueFamilyIndex = device_->copy_family();
        HEARTH_VK(vkCreateCommandPool(device_->handle(), &pool, nullptr, &pools_[i]),
                  "record commands");
        VkCommandBufferAllocateInfo buffer{};
        buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        buffer.commandPool = pools_[i];
        buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        buffer.commandBufferCount = 1;
        HEARTH_VK(vkAllocateCommandBuffers(device_->handle(), &buffer, &commands_[i]),
                  "record commands");
    }
    return {};
}

BufferView WeightUploader::place(const GpuMatrix& matrix, std::size_t slice) {
    const auto from = std::find_if(uploaded_.begin(), uploaded_.end(), [&](const auto& uploaded) {
        return uploaded->matrix == &matrix;
    });
    HEARTH_ASSERT(from != uploaded_.end());
    const BufferView& slot = (*from)->mapped() ? arranged_ : slots_[items_.size() % kSlots];
    items_.push_back({from->get(), slice});
    return slot.part(0, matrix.slices[slice].layout.bytes);
}

// The barrier waits for whoever multiplies with what was laid out before.
void WeightUploader::arrange(Recorder& recorder) const {
    const Item& item = items_.back();
    if (!item.from->mapped()) {
        return;
    }
    const std::size_t slot = (items_.size() - 1) % kSlots;
    const MatrixLayout& layout = item.from->matrix->slices[item.slice].layout;
    const std::size_t turns = item.from->sources.size();
    recorder.barrier();
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Tiles tiles = tiles_of(item, turn);
        arranger_.record(recorder, item.from->map,
                         {slots_[slot].part(tiles.at, tiles.bytes), tiles.count, turn, turns},
                         layout, arranged_.part(0, layout.bytes));
    }
    recorder.barrier();
}

// Whole tiles of each source, one source behind the other.
WeightUploader::Tiles WeightUploader::tiles_of(const Item& item, std::size_t source) {
    const GpuMatrix::Slice& slice = item.from->matrix->slices[item.slice];
    const std::uint64_t turns = item.from->sources.size();
    const SourceShape& shape = item.from->sources[source].shape;
    const std::uint64_t count = slice.layout.rows / turns;
    const std::uint64_t bytes = TileArranger::bytes_of(shape, count);
    return {slice.first_row / turns, count, source * piece_bytes(bytes), bytes};
}

std::uint64_t WeightUploader::bytes_of(const Item& item) {
    if (!item.from->mapped()) {
        return item.from->matrix->slices[item.slice].layout.bytes;
    }
    const Tiles last = tiles_of(item, item.from->sources.size() - 1);
    return last.at + last.bytes;
}

TimelinePoint WeightUploader::there(int item) const {
    return {&there_, value_of(item)};
}

TimelinePoint WeightUploader::done_with(int item) const {
    return {&done_, value_of(item)};
}

Result<void> WeightUploader::send(int number) {
    const Item& item = items_[static_cast<std::size_t>(number)];
    const int slot = number % kSlots;
    const bool again = number >= kSlots;  // the slot was used in this pass
    if (again) {
        const std::uint64_t before = value_of(number - kSlots);
        if (auto free = (direct_ ? done_ : there_).wait(before, kPatienceSeconds); !free) {
            return free;
        }
    }
    const Source& source = item.from->sources.front();
    if (auto here = weights_.hold(source.layer, row_of(source.matrix).part); !here) {
        return here;
    }
    const bool mapped = item.from->mapped();
    const auto at = static_cast<std::size_t>(slot);
    const BufferView to = slots_[at].part(0, bytes_of(item));
    std::byte* out = direct_ ? to.mapped : on_their_way_[at].mapped;
    if (auto filled = mapped ? fill_tiles(item, out) : fill(item, out); !filled) {
        return filled;
    }
    sent_ = value_of(number);
    sent_bytes_ += to.bytes;
    if (direct_) {
        return there_.signal(sent_);
    }
    return copy(slot, to,
                {nullptr, again ? done_with(number - kSlots) : TimelinePoint{}, there(number)});
}

Result<void> WeightUploader::fill_tiles(const Item& item, std::byte* base) {
    struct Copy {
        const std::byte* from;
        std::byte* to;
        std::uint64_t bytes;
    };
    std::vector<Copy> copies;
    for (std::size_t s = 0; s < item.from->sources.size(); ++s) {
        const Source& source = item.from->sources[s];
        const Tiles tiles = tiles_of(item, s);
        const auto held = weights_.tiles(source.layer, source.matrix, tiles.first, tiles.count);
        if (!held) {
            return held.error();
        }
        HEARTH_ASSERT(held->size() == tiles.bytes);
        for (std::uint64_t at = 0; at < tiles.bytes; at += kBytesPerTask) {
            copies.push_back({held->data() + at, base + tiles.at + at,
                              std::min(kBytesPerTask, tiles.bytes - at)});
        }
    }
    pool_.run(static_cast<int>(copies.size()), [&](int task, int) {
        const Copy& copy = copies[static_cast<std::size_t>(task)];
        std::memcpy(copy.to, copy.from, copy.bytes);
    });
    return {};
}

Result<void> WeightUploader::fill(const Item& item, std::byte* base) {
    const GpuMatrix::Slice& slice = item.from->matrix->slices[item.slice];
    const std::vector<Source>& sources = item.from->sources;
    const std::uint64_t turns = sources.size();
    const RunPlaces runs = runs_of(slice.layout, base);
    // Of each source.
    const std::uint64_t first = slice.first_row / turns;
    const std::uint64_t count = slice.layout.rows / turns;
    const auto n_tasks = static_cast<int>((count + kRowsPerTask - 1) / kRowsPerTask);
    FirstError failure;
    pool_.run(n_tasks, [&](int task, int worker) {
        if (failure.failed()) {
            return;
        }
        std::byte* rows = rows_[static_cast<std::size_t>(worker)].data();
        const std::uint64_t from = static_cast<std::uint64_t>(task) * kRowsPerTask;
        const std::uint64_t n = std::min(kRowsPerTask, count - from);
        for (std::uint64_t s = 0; s < turns; ++s) {
            const Source& source = sources[s];
            if (auto read = weights_.rows(source.layer, source.matrix, first + from, n, rows);
                !read) {
                failure.set(std::move(read).error());
                return;
            }
            const std::uint64_t size = row_bytes(source.shape.type, source.shape.cols);
            for (std::uint64_t r = 0; r < n; ++r) {
                put_in_runs(slice.layout, rows + r * size, 0,
                            places_of_row(slice.layout, runs, (from + r) * turns + s));
            }
        }
    });
    return failure.failed() ? Result<void>(failure.error()) : Result<void>{};
}

// From the slot on its way to the GPU's.
Result<void> WeightUploader::copy(int slot, const BufferView& to, const Submission& points) {
    const auto at = static_cast<std::size_t>(slot);
    HEARTH_VK(vkResetCommandPool(device_->handle(), pools_[at], 0), "record commands");
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    HEARTH_VK(vkBeginCommandBuffer(commands_[at], &info), "record commands");
    const VkBufferCopy region{on_their_way_[at].offset, to.offset, to.bytes};
    vkCmdCopyBuffer(commands_[at], on_their_way_[at].buffer, to.buffer, 1, &region);
    HEARTH_VK(vkEndCommandBuffer(commands_[at]), "record commands");
    return submit_copy(*device_, commands_[at], points);
}

Result<void> WeightUploader::finish() {
    return there_.wait(sent_, kPatienceSeconds);
}

}  // namespace hearth::vulkan
