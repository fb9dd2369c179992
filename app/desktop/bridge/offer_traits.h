// Describes a model that is not here, and names the parts that this engine lacks for a chat with
// it.
#pragma once

#include <QString>
#include <QStringList>

namespace hearth::ui {

struct OfferTraits {
    enum class Template { Unknown, None, Known };
    QString architecture = {};  // "llama"
    QStringList types = {};     // of its weights: "Q4_0"
    Template chatTemplate = Template::Unknown;
    QString family = {};  // whose template it is: "Llama 3"
    QString jinja = {};   // the template, or a shorter one that is made of the same parts of Jinja

    friend bool operator==(const OfferTraits&, const OfferTraits&) = default;
};

// Which part is missing, in sentences; empty: none, as far as is known. The engine is asked, so
// that a version that can do more says less.
QString whatIsMissing(const OfferTraits& traits);

}  // namespace hearth::ui
