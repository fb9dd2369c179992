#include "library/model_texts.h"

#include <QCoreApplication>
#include <QDir>
#include <QVariantMap>

#include "bridge/expert_shares.h"
#include "library/model_list_model.h"
#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Models)
};

QString numberWords(quint64 count, int decimals) {
    return windowLocale().toString(static_cast<double>(count), 'f', decimals);
}

}  // namespace

QString parameterWords(quint64 count) {
    const auto in = [count](double unit) {
        return windowLocale().toString(static_cast<double>(count) / unit, 'f', 1);
    };
    if (count >= 1'000'000'000) {
        return Words::tr("%1 billion parameters").arg(in(1e9));
    }
    if (count >= 1'000'000) {
        return Words::tr("%1 million parameters").arg(in(1e6));
    }
    return Words::tr("%1 parameters").arg(numberWords(count, 0));
}

QString titleOf(const ModelRow& row) {
    return row.facts.name.isEmpty() ? row.found.name : row.facts.name;
}

QString summaryOf(const ModelRow& row) {
    QStringList words;
    if (titleOf(row) != row.found.name) {
        words << row.found.name;
    }
    if (row.factsKnown) {
        words << row.facts.architecture << row.facts.type;
        if (row.facts.parameters > 0) {
            words << parameterWords(row.facts.parameters);
        }
    }
    words << sizeWords(row.found.bytes);
    words.removeAll(QString());
    return words.join(QStringLiteral(" · "));
}

QString whyNot(const ModelRow& row) {
    if (row.found.partsMissing > 0) {
        return Words::tr("%n of its %1 parts are missing. Download it again.", nullptr,
                         row.found.partsMissing)
            .arg(row.found.paths.size() + row.found.partsMissing);
    }
    return row.factsKnown ? row.facts.whyNot : QString();
}

QString withExperts(const QString& fit, const ExpertShares& chosen) {
    const QString places = expertShareWords(chosen);
    QStringList words{
        fit, places.isEmpty() ? QString() : Words::tr("experts of its answers: %1").arg(places)};
    words.removeAll(QString());
    return words.join(QStringLiteral(" · "));
}

QVariantList detailsOf(const ModelRow& row) {
    QVariantList list;
    const auto add = [&list](const QString& label, const QString& value) {
        if (!value.isEmpty()) {
            list << QVariantMap{{QStringLiteral("label"), label}, {QStringLiteral("value"), value}};
        }
    };
    const ModelFacts& facts = row.facts;
    add(Words::tr("Name"), facts.name);
    add(Words::tr("Architecture"), facts.architecture);
    add(Words::tr("Weights"), facts.type);
    if (facts.parameters > 0) {
        add(Words::tr("Size"), parameterWords(facts.parameters));
    }
    add(Words::tr("On the disk"), sizeWords(row.found.bytes));
    if (facts.contextTokens > 0) {
        add(Words::tr("Context"), Words::tr("%1 tokens").arg(numberWords(facts.contextTokens, 0)));
    }
    if (facts.layers > 0) {
        add(Words::tr("Layers"), numberWords(static_cast<quint64>(facts.layers), 0));
    }
    if (facts.experts > 0) {
        add(Words::tr("Experts"), Words::tr("%1 in a layer, %2 of them for each token")
                                      .arg(numberWords(facts.experts, 0))
                                      .arg(numberWords(facts.expertsUsed, 0)));
    }
    add(Words::tr("Activation"), facts.activation);
    if (facts.predictorLayers > 0) {
        add(Words::tr("Predictors"), Words::tr("for %n layers", nullptr, facts.predictorLayers));
    }
    if (facts.packed) {
        add(Words::tr("Packed"), Words::tr("neuron by neuron, for reading from disk"));
    }
    if (row.factsKnown && facts.use == ModelFacts::Use::Model) {
        add(Words::tr("Chat template"), !facts.noChat.isEmpty() ? facts.noChat
                                        : facts.chatTemplate
                                            ? Words::tr("in the file")
                                            : Words::tr("none: a general one is used"));
        add(Words::tr("Tokenizer"), facts.guess);
        add(Words::tr("Licence"),
            facts.licence.isEmpty() ? Words::tr("the file does not say") : facts.licence);
    }
    add(Words::tr("Belongs to"), row.found.app);
    add(Words::tr("File"), QDir::toNativeSeparators(row.found.path()));
    return list;
}

}  // namespace hearth::ui
