// Binds the tensors of a file to roles, and checks their shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "gguf/rows.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"
#include "model/roles.h"

namespace hearth {

// Rows somewhere in a tensor: all of it, some of its rows (q of a fused matrix), or a part of each
// row (the gate of packed neurons). A vector is one row, and may be a part of one.
struct Weight {
    const TensorInfo* tensor = nullptr;  // of the file's table; null: the model has no such weight
    DType type{};
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::uint64_t offset = 0;     // bytes of row 0 from the tensor's beginning
    std::uint64_t stride = 0;     // bytes from one row to the next
    std::uint64_t n_experts = 1;  // as many matrices of equal size, one behind the other
    // Rows of the tensor from an expert's first one to that of the next expert, where rows of other
    // roles stand between them. 0: expert_rows().
    std::uint64_t expert_step = 0;
    bool by_neuron = false;       // of Down: rows are neurons, not outputs
    bool in_neuron_rows = false;  // laid out by gguf/neuron_row.h, else by gguf/rows.h
    // Rows of a matrix stand in runs of so many, and run i is run (*runs)[i] of those from the
    // offset on. Null: rows stand in their order, one behind the other.
    std::shared_ptr<const std::vector<int>> runs{};
    std::uint64_t run = 1;
    // Its rows are so many parts of equal length, and part_stride bytes lie from the beginning of
    // one to that of the next.
    std::uint64_t n_parts = 1;
    std::uint64_t part_stride = 0;  // of several parts
    // The matrix has each part's rows as columns. It is computed with in F32.
    bool turned = false;

    bool present() const { return tensor != nullptr; }
    std::uint64_t values() const { return rows * cols; }
    std::uint64_t expert_rows() const { return rows / n_experts; }  // of one of them
    // The number of row 0 in the tensor. Precondition: its rows are the tensor's, and no records.
    std::uint64_t first_row() const { return offset / stride; }
    // From one expert's first row to the next one's, in rows.
    std::uint64_t expert_stride() const { return expert_step == 0 ? expert_rows() : expert_step; }
    // Of a row as gguf/rows.h has it. Where it is stored it may have more: stored_row_bytes().
    std::uint64_t row_size() const { return present() ? row_bytes(type, cols) : 0; }
    std::uint64_t bytes() const { return rows * row_size(); }
    std::uint64_t in_file() const { return tensor->offset + offset; }  // of row 0
    // Rows of other roles stand between its own, so that one read brings a neuron's of all.
    bool in_records() const { return stride != row_size(); }
    // The same bytes of the file.
    bool same_as(const Weight& other) const {
        return tensor == other.tensor && offset == other.offset;
    }
};
Weight whole(const TensorInfo& tensor);

struct LayerTensors {
    ByRole<Weight> weights;
    // The gates again, in a matrix of their own, where `weights` has them in the records of a
    // packed file (gate_matrix.h). Absent: the file has none.
    Weight gate_matrix;
    float predictor_threshold = 0.0F;
    // For a single token, an input of gate and up below the first threshold counts as zero, and so
    // does an input of down below the second.
    float input_threshold = 0.0F;
    float hidden_threshold = 0.0F;

    Weight& operator[](Role role) { return weights[role]; }
    const Weight& operator[](Role role) const { return weights[role]; }
    bool has_predictor() const { return weights[Role::PredictorFc1].present(); }
};

// A layer's FfnNorm may be its AttnNorm, and Output may be TokenEmbd.
struct ModelTensors {
    ByRole<Weight> weights;
    std::vector<LayerTensors> layers;
    // The file whose predictors the layers use; see use_predictors().
    const GgufFile* predictor_file = nullptr;  // null: none; must live as long as this
    PredictorInput predictor_input = PredictorInput::Normed;
    bool predictor_linear = false;

    Weight& operator[](Role role) { return weights[role]; }
    const Weight& operator[](Role role) const { return weights[role]; }
    int predictor_width() const;  // of the widest; 0: none
};

// BadFile: a tensor is missing or has another shape than the spec asks. Unsupported: a tensor has a
// type that nothing here computes with, or a layer holds a tensor that no row knows (a model that
// ignores a tensor gives fluent nonsense). The message names the tensor and both shapes. Activation
// predictors (blk.N.fc1, blk.N.fc2) are known but not bound here: use_predictors() does that.
Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec);
// Only the matrices of the feed-forward blocks, of a file that is not packed. One a layer. Errors
// as above.
Result<std::vector<LayerTensors>> bind_neurons(const GgufFile& file, const ModelSpec& spec);

// Gives each layer its predictor. The layers that have one compute only the neurons it names from
// then on. `file` holds the predictors' tensors and must outlive `tensors`.
void use_predictors(const GgufFile& file, const PredictorTensors& predictors,
                    ModelTensors& tensors);

}  // namespace hearth
