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
    // The template, or a shorter one that is made of the same parts of Jinja; and where it is a
    // shorter one, length and FNV-1a (64 bit) of the whole, as far as they are known.
    QString jinja = {};
    quint64 templateBytes = 0;
    quint64 templateFnv1a = 0;

    friend bool operator==(const OfferTraits&, const OfferTraits&) = default;
};

// Which part is missing, in sentences; empty: none, as far as is known. The engine is asked, so
// that a version that can do more says less.
QString whatIsMissing(const OfferTraits& traits);

}  // namespace hearth::ui
