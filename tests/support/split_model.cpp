#include "support/split_model.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "gguf/parts.h"
#include "gguf/reader.h"
#include "gguf/writer.h"

namespace hearth::test {
namespace {

void add_number(Metadata& metadata, const char* key, MetadataType type, std::uint64_t value) {
    if (type == MetadataType::I32) {
        metadata.add(key, {type, static_cast<std::int64_t>(value)});
    } else {
        metadata.add(key, {type, value});
    }
}

bool write_part(const GgufFile& model, const std::string& path, const Metadata& metadata,
                const std::vector<TensorInfo>& tensors) {
    auto writer = GgufWriter::create(path, metadata, tensors, model.container());
    if (!writer) {
        return false;
    }
    std::vector<std::byte> bytes;
    for (const TensorInfo& tensor : tensors) {
        bytes.resize(static_cast<std::size_t>(tensor.bytes));
        if (!model.read(*model.tensors().find(tensor.name), 0, bytes) || !writer->write(bytes)) {
            return false;
        }
    }
    return writer->finish().has_value();
}

}  // namespace

std::string part_of(const std::string& first, int part) {
    return part_name(first)->path_of(static_cast<std::uint32_t>(part));
}

std::string split_model(const std::string& path, int parts,
                        const std::function<void(int part, Metadata& metadata)>& change) {
    const auto model = GgufFile::open(path);
    if (!model) {
        return {};
    }
    const PartName name{path.substr(0, path.rfind('.')), 1, static_cast<std::uint32_t>(parts)};
    const std::vector<TensorInfo>& all = model->tensors().entries();
    for (int part = 0; part < parts; ++part) {
        Metadata metadata;
        for (const auto& [key, value] : model->metadata().entries()) {
            if (part == 0 || key == "general.alignment") {
                metadata.add(key, value);
            }
        }
        add_number(metadata, "split.no", MetadataType::U16, static_cast<std::uint64_t>(part));
        add_number(metadata, "split.count", MetadataType::U16, static_cast<std::uint64_t>(parts));
        add_number(metadata, "split.tensors.count", MetadataType::I32, all.size());
        if (change) {
            change(part + 1, metadata);
        }
        const auto at = [&](int index) {
            return all.begin() +
                   static_cast<std::ptrdiff_t>(all.size() * static_cast<std::size_t>(index) /
                                               static_cast<std::size_t>(parts));
        };
        if (!write_part(*model, name.path_of(static_cast<std::uint32_t>(part + 1)), metadata,
                        {at(part), at(part + 1)})) {
            return {};
        }
    }
    return name.path_of(1);
}

}  // namespace hearth::test
