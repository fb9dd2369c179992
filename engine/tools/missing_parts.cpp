#include <hearth/tools.h>

#include "gguf/encoding.h"
#include "model/architectures/architectures.h"
#include "text/chat_template.h"

namespace hearth::tools {

std::vector<MissingPart> missing_parts(const ModelTraits& traits) {
    using Kind = MissingPart::Kind;
    std::vector<MissingPart> missing;
    if (find_architecture(traits.arch) == nullptr) {
        missing.push_back({Kind::Architecture, traits.arch});
    }
    for (const std::string& name : traits.types) {
        const auto type = dtype_from_name(name);
        if (!type || find_encoding(*type) == nullptr) {
            missing.push_back({Kind::WeightType, name});
        }
    }
    if (!traits.chat_template) {
        missing.push_back({Kind::NoTemplate, {}});
    } else if (ChatTemplate::why_unreadable(traits.jinja)) {
        missing.push_back({Kind::Template, {}});
    }
    return missing;
}

}  // namespace hearth::tools
