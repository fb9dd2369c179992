// Writes packed files: plans all of it, writes tensor by tensor into a file that a later attempt
// can go on with, makes every tensor's bytes from the sources a second time and compares them with
// what the disk gives back.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/tools.h>

#include "base/aligned_buffer.h"
#include "base/guarded.h"
#include "base/resumable_file.h"
#include "base/thread_pool.h"
#include "model/packed_layout.h"
#include "model/stored_rows.h"
#include "tools/pack_plan.h"

namespace hearth::tools {
namespace {

constexpr std::uint64_t kRunBytes = 4 << 20;
constexpr int kMostThreads = 64;

using Sink = std::function<Result<void>(std::span<const std::byte>)>;
using Progress = std::function<void(const PackProgress&)>;

Error stopped() {
    return Error{.code = ErrorCode::Cancelled,
                 .message = "stopped; the same command goes on from here",
                 .path = {},
                 .field = {}};
}

// Makes the bytes of any tensor of the packed file.
class Producer {
public:
    static Result<Producer> create(const GgufFile& model, const PackPlan& plan, ThreadPool& pool,
                                   const Cancellation& cancellation) {
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < plan.items.size(); ++i) {
            if (plan.items[i].kind == PackItem::Kind::Neurons) {
                most = std::max(most, plan.layout.tensors.entries()[i].bytes);
            }
        }
        auto records = AlignedBuffer::create(most, "a layer's records");
        if (!records) {
            return std::move(records).error();
        }
        return Producer(model, plan, pool, cancellation, *std::move(records));
    }

    // bytes: of the tensor in the packed file. shape: of the layer's records.
    Result<void> produce(const PackItem& item, std::uint64_t bytes, const RecordShape& shape,
                         const Sink& sink) {
        const std::vector<std::int32_t>& order = plan_->order[item.layer];
        switch (item.kind) {
            case PackItem::Kind::Copy:
                return copy(item, sink);
            case PackItem::Kind::Neurons: {
                const std::span<std::byte> records(records_.data(),
                                                   static_cast<std::size_t>(bytes));
                auto built = builder_.build(plan_->layers[item.layer], shape, order, records);
                return built ? sink(records) : built;
            }
            case PackItem::Kind::Permutation:
                return sink(std::as_bytes(std::span(order)));
            case PackItem::Kind::Fired:
                return sink(profile_tensor_bytes(plan_->profile->layers[item.layer]));
            case PackItem::Kind::Reordered:
                return reorder(item, order, sink);
        }
        return {};
    }

private:
    Producer(const GgufFile& model, const PackPlan& plan, ThreadPool& pool,
             const Cancellation& cancellation, AlignedBuffer records)
        : plan_(&plan),
          cancellation_(&cancellation),
          records_(std::move(records)),
          builder_(model, plan.spec, pool, cancellation) {}

    Result<void> copy(const PackItem& item, const Sink& sink) {
        const TensorInfo& source = *item.source.tensor;
        for (std::uint64_t at = 0; at < source.bytes; at += kRunBytes) {
            if (cancellation_->requested()) {
                return stopped();
            }
            const std::uint64_t count = std::min(kRunBytes, source.bytes - at);
            input_.resize(static_cast<std::size_t>(count));
            item.file->file().will_read(source.offset + at + count,
                                        std::min(kRunBytes, source.bytes - at - count));
            if (auto read = item.file->read(source, at, input_); !read) {
                return read;
            }
            if (auto done = sink(input_); !done) {
                return done;
            }
        }
        return {};
    }

    // Rows of a matrix, or single values of a bias: one for each neuron.
    Result<void> reorder(const PackItem& item, const std::vector<std::int32_t>& order,
                         const Sink& sink) {
        const Weight& source = item.source;
        input_.resize(static_cast<std::size_t>(source.bytes()));
        if (auto read = item.file->read(*source.tensor, source.offset, input_); !read) {
            return read;
        }
        const std::size_t bytes = input_.size() / order.size();
        std::vector<std::byte> moved(input_.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            std::memcpy(moved.data() + i * bytes,
                        input_.data() + static_cast<std::size_t>(order[i]) * bytes, bytes);
        }
        return sink(moved);
    }

    const PackPlan* plan_;
    const Cancellation* cancellation_;
    AlignedBuffer records_;
    RecordBuilder builder_;
    std::vector<std::byte> input_;
};

class Packer {
public:
    Packer(const PackPlan& plan, const PackOptions& options, Producer producer,
           const Progress& progress, const Cancellation& cancellation)
        : plan_(plan),
          options_(options),
          tensors_(plan.layout.tensors.entries()),
          producer_(std::move(producer)),
          progress_(progress),
          cancellation_(cancellation) {}

    Result<void> pack(PackReport& report) {
        auto file = ResumableFile::open(options_.output_path, plan_.label, plan_.layout.file_bytes);
        if (!file) {
            return std::move(file).error();
        }
        file_ = *std::move(file);
        if (auto written = write(report); !written) {
            if (auto same = check_sources(plan_); !same) {
                file_.discard();
                return same;
            }
            // What is whole is kept for the next attempt. Where even that fails, the journal still
            // speaks of less.
            if (file_.cut(whole_tensors(file_.written_bytes()))) {
                static_cast<void>(file_.checkpoint().has_value());
            }
            return written;
        }
        // Whoever stops the verifying need not write again.
        if (auto safe = file_.checkpoint(); !safe) {
            return safe;
        }
        if (auto settled = file_.settle(); !settled) {
            return settled;
        }
        auto verified = verify(report);
        // A source that changed meanwhile looks like a disk that fails, or like nothing at all.
        if (verified || verified.error().code == ErrorCode::WriteFailed) {
            if (auto same = check_sources(plan_); !same) {
                verified = std::move(same);
            }
            if (!verified) {
                file_.discard();
            }
        }
        return verified ? file_.commit() : verified;
    }

private:
    // The end of the last tensor that lies whole in the first `bytes`.
    std::uint64_t whole_tensors(std::uint64_t bytes) const {
        std::uint64_t end = 0;
        if (plan_.layout.header.size() <= bytes) {
            end = plan_.layout.header.size();
            for (const TensorInfo& tensor : tensors_) {
                if (tensor.offset + tensor.bytes <= bytes) {
                    end = std::max(end, tensor.offset + tensor.bytes);
                }
            }
        }
        return end;
    }

    Result<void> pad_to(std::uint64_t position) {
        const std::vector<std::byte> zeros(
            static_cast<std::size_t>(position - file_.written_bytes()));
        return file_.write(zeros);
    }

    RecordShape shape_of(const PackItem& item, const TensorInfo& tensor) const {
        RecordShape shape;
        if (item.kind == PackItem::Kind::Neurons) {
            const PackSourceLayer& layer = plan_.layers[item.layer];
            const auto n_embd = static_cast<std::uint64_t>(plan_.spec.n_embd);
            shape.neuron_bytes = tensor.cols();
            shape.in_neuron_rows = plan_.in_neuron_rows;
            const auto bytes = [&](const Weight& rows) {
                return rows.present() ? stored_row_bytes(rows.type, n_embd, plan_.in_neuron_rows)
                                      : 0;
            };
            shape.up_offset = bytes(layer.gate);
            shape.down_offset = shape.up_offset + bytes(layer.up);
        }
        return shape;
    }

    void tell(std::uint64_t verified_bytes) const {
        if (progress_) {
            progress_({.written_bytes = file_.written_bytes(),
                       .verified_bytes = verified_bytes,
                       .output_bytes = plan_.layout.file_bytes});
        }
    }

    // In pieces, so that it can be stopped within the records of a large layer.
    Result<void> write_told(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            if (cancellation_.requested()) {
                return stopped();
            }
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(kRunBytes, bytes.size()));
            if (auto written = file_.write(bytes.first(count)); !written) {
                return written;
            }
            bytes = bytes.subspan(count);
            tell(0);
        }
        return {};
    }

    Result<void> write(PackReport& report) {
        if (auto cut = file_.cut(whole_tensors(file_.written_bytes())); !cut) {
            return cut;
        }
        report.resumed_bytes = file_.written_bytes();
        if (report.resumed_bytes == 0) {
            if (auto written = file_.write(plan_.layout.header); !written) {
                return written;
            }
        }
        tell(0);
        std::uint64_t safe_bytes = report.resumed_bytes;
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            const TensorInfo& tensor = tensors_[i];
            if (tensor.offset + tensor.bytes <= report.resumed_bytes) {
                continue;
            }
            if (auto padded = pad_to(tensor.offset); !padded) {
                return padded;
            }
            const Sink sink = [&](std::span<const std::byte> bytes) { return write_told(bytes); };
            if (auto done = producer_.produce(plan_.items[i], tensor.bytes,
                                              shape_of(plan_.items[i], tensor), sink);
                !done) {
                return done;
            }
            if (file_.written_bytes() - safe_bytes >= options_.checkpoint_bytes) {
                if (auto same = check_sources(plan_); !same) {
                    return same;
                }
                if (auto safe = file_.checkpoint(); !safe) {
                    return safe;
                }
                safe_bytes = file_.written_bytes();
            }
        }
        auto padded = pad_to(plan_.layout.file_bytes);
        if (padded) {
            tell(0);
        }
        return padded;
    }

    Error differs(const std::string& field, std::uint64_t offset) const {
        return Error{.code = ErrorCode::WriteFailed,
                     .message = options_.output_path + ": what was written of " + field +
                                " does not read back the same (at byte " + std::to_string(offset) +
                                "); the disk may be failing",
                     .path = options_.output_path,
                     .field = field};
    }

    // Where records and rows lie is taken from the written file, as whoever loads it will do.
    Result<void> verify(PackReport& report) {
        const auto packed = GgufFile::open(file_.partial_path());
        if (!packed) {
            return packed.error();
        }
        const auto spec = read_model_spec(*packed);
        const auto layout = read_packed_layout(*packed, plan_.spec);
        if (!spec || !layout || spec->activation() != plan_.spec.activation()) {
            return differs("the header", 0);
        }
        const auto order = read_neuron_order(*packed, *layout);
        if (!order || *order != plan_.order) {
            return differs("the permutation", 0);
        }
        if (packed->tensors().entries().size() != tensors_.size() ||
            packed->file_bytes() != plan_.layout.file_bytes) {
            return differs("the header", 0);
        }
        std::vector<std::byte> back;
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            const PackItem& item = plan_.items[i];
            const TensorInfo* tensor = packed->tensors().find(tensors_[i].name);
            if (tensor == nullptr || tensor->shape != tensors_[i].shape ||
                tensor->type != tensors_[i].type) {
                return differs(tensors_[i].name, tensors_[i].offset);
            }
            RecordShape shape;
            if (item.kind == PackItem::Kind::Neurons) {
                const PackedLayer& layer = layout->layers[item.layer];
                shape = {layout->neuron_bytes, layer.rows[Role::Up].offset,
                         layer.rows[Role::Down].offset, layout->in_neuron_rows()};
            }
            std::uint64_t at = 0;
            const Sink compare = [&](std::span<const std::byte> wanted) -> Result<void> {
                while (!wanted.empty()) {
                    if (cancellation_.requested()) {
                        return stopped();
                    }
                    const auto count =
                        static_cast<std::size_t>(std::min<std::uint64_t>(kRunBytes, wanted.size()));
                    back.resize(count);
                    if (auto read = packed->read(*tensor, at, back); !read) {
                        return read;
                    }
                    if (std::memcmp(back.data(), wanted.data(), count) != 0) {
                        return differs(tensor->name, tensor->offset + at);
                    }
                    at += count;
                    wanted = wanted.subspan(count);
                    report.verified_bytes += count;
                    tell(report.verified_bytes);
                }
                return {};
            };
            if (auto same = producer_.produce(item, tensor->bytes, shape, compare); !same) {
                return same;
            }
        }
        tell(plan_.layout.file_bytes);  // header and padding
        return {};
    }

    const PackPlan& plan_;
    const PackOptions& options_;
    const std::vector<TensorInfo>& tensors_;
    Producer producer_;
    const Progress& progress_;
    const Cancellation& cancellation_;
    ResumableFile file_;
};

bool same_file(const std::string& a, const std::string& b) {
    std::error_code unknown;
    return std::filesystem::equivalent(std::u8string(a.begin(), a.end()),
                                       std::u8string(b.begin(), b.end()), unknown);
}

// What a packing is made from, and what it will make.
class Inputs {
public:
    // options: outlives it.
    static Result<std::unique_ptr<Inputs>> open(const std::string& input_path,
                                                const PackOptions& options) {
        auto model = GgufFile::open(input_path);
        if (!model) {
            return std::move(model).error();
        }
        for (const std::string& path :
             {input_path, options.profile_path, options.predictors_path}) {
            if (!path.empty() && same_file(path, options.output_path)) {
                return Error{
                    .code = ErrorCode::InvalidArgument,
                    .message = options.output_path + ": input and output are the same file",
                    .path = {},
                    .field = "output_path"};
            }
        }
        auto inputs = std::make_unique<Inputs>(*std::move(model));
        if (!options.predictors_path.empty()) {
            auto file = GgufFile::open(options.predictors_path);
            if (!file) {
                return std::move(file).error();
            }
            inputs->predictors = *std::move(file);
        }
        auto plan =
            plan_pack(inputs->model, inputs->predictors ? &*inputs->predictors : nullptr, options);
        if (!plan) {
            return std::move(plan).error();
        }
        inputs->plan = *std::move(plan);
        return inputs;
    }

    explicit Inputs(GgufFile file) : model(std::move(file)) {}

    GgufFile model;
    std::optional<GgufFile> predictors;
    PackPlan plan;  // of the two, which stay where they are
};

Result<PackReport> pack_file(const std::string& input_path, const PackOptions& options,
                             const Progress& progress, const Cancellation& cancellation) {
    const auto inputs = Inputs::open(input_path, options);
    if (!inputs) {
        return inputs.error();
    }
    const PackPlan& plan = (*inputs)->plan;
    ThreadPool pool(
        std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads));
    auto producer = Producer::create((*inputs)->model, plan, pool, cancellation);
    if (!producer) {
        return std::move(producer).error();
    }
    PackReport report;
    report.model_hash = plan.model_hash;
    report.input_bytes = (*inputs)->model.file_bytes();
    report.output_bytes = plan.layout.file_bytes;
    report.profile_tokens = plan.profile ? plan.profile->tokens : 0;
    report.by_hotness = plan.profile.has_value();
    report.by_itself = plan.by_itself;
    report.predictor_layers = plan.predictor_layers;
    report.gate_matrix_bytes = plan.gate_matrix_bytes;
    for (const PackSourceLayer& layer : plan.layers) {
        report.down_types.push_back({std::string(dtype_info(layer.down.type).name),
                                     std::string(dtype_info(layer.down_type).name)});
    }
    if (auto packed =
            Packer(plan, options, *std::move(producer), progress, cancellation).pack(report);
        !packed) {
        return std::move(packed).error();
    }
    return report;
}

Result<PackPreview> preview(const std::string& input_path, const PackOptions& options) {
    const auto inputs = Inputs::open(input_path, options);
    if (!inputs) {
        return inputs.error();
    }
    const PackPlan& plan = (*inputs)->plan;
    PackPreview out;
    out.input_bytes = (*inputs)->model.file_bytes();
    out.output_bytes = plan.layout.file_bytes;
    out.kept_bytes = ResumableFile::kept_bytes(options.output_path, plan.label);
    out.by_hotness = plan.profile.has_value();
    out.profile_tokens = plan.profile ? plan.profile->tokens : 0;
    return out;
}

}  // namespace

Result<PackReport> pack(const std::string& input_path, const PackOptions& options,
                        const std::function<void(const PackProgress&)>& progress,
                        const Cancellation& cancellation) {
    return guarded(input_path,
                   [&] { return pack_file(input_path, options, progress, cancellation); });
}

Result<PackPreview> preview_pack(const std::string& input_path, const PackOptions& options) {
    return guarded(input_path, [&] { return preview(input_path, options); });
}

Result<void> discard_partial_pack(const std::string& output_path) {
    return guarded(output_path, [&] { return ResumableFile::discard_partial(output_path); });
}

}  // namespace hearth::tools
