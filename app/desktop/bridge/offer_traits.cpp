#include "bridge/offer_traits.h"

#include <QCoreApplication>

#include <hearth/tools.h>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(OfferTraits)
};

QString sentenceOf(const tools::MissingPart& part, const QString& family) {
    using Kind = tools::MissingPart::Kind;
    const QString name = QString::fromStdString(part.name);
    switch (part.kind) {
        case Kind::Architecture:
            return Words::tr("This version cannot run its architecture, %1.").arg(name);
        case Kind::WeightType:
            return Words::tr("This version cannot compute with its weights of the type %1.")
                .arg(name);
        case Kind::NoTemplate:
            return Words::tr(
                "It was not made for chatting: it has no chat template and continues text.");
        case Kind::Template:
            return Words::tr("This version cannot run its chat template, that of %1.").arg(family);
    }
    return {};
}

}  // namespace

QString whatIsMissing(const OfferTraits& traits) {
    tools::ModelTraits asked;
    asked.arch = traits.architecture.toStdString();
    for (const QString& type : traits.types) {
        asked.types.push_back(type.toStdString());
    }
    asked.chat_template = traits.chatTemplate != OfferTraits::Template::None;
    asked.jinja = traits.jinja.toStdString();
    QStringList sentences;
    for (const tools::MissingPart& part : tools::missing_parts(asked)) {
        const bool ofTemplate = part.kind == tools::MissingPart::Kind::Template;
        if (!ofTemplate || traits.chatTemplate == OfferTraits::Template::Known) {
            sentences << sentenceOf(part, traits.family);
        }
    }
    return sentences.join(QLatin1Char(' '));
}

}  // namespace hearth::ui
