#include "library/fit_text.h"

#include <QCoreApplication>

#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FitText)
};

QString number(double value) {
    return windowLocale().toString(value, 'f', value < 10 ? 1 : 0);
}

}  // namespace

QString speedWords(double low, double high) {
    if (low <= 0 || high <= 0) {
        return {};
    }
    const QString from = number(low);
    const QString to = number(high);
    return from == to ? Words::tr("about %1 tokens/s").arg(from)
                      : Words::tr("%1 to %2 tokens/s").arg(from, to);
}

ModelFit fitOf(const PlanAnswer& answer) {
    if (!answer.sentence.isEmpty()) {
        return {ModelFit::Kind::Cannot, answer.sentence};
    }
    ModelFit fit;
    QStringList words;
    if (answer.diskBytes > 0) {
        fit.kind = ModelFit::Kind::Streams;
        words << Words::tr("Streams from disk: %1 do not fit in memory")
                     .arg(sizeWords(answer.diskBytes));
    } else if (answer.vramBytes > 0 && answer.ramBytes > answer.vramBytes / 8) {
        // Every model needs memory for the embeddings and the batch.
        fit.kind = ModelFit::Kind::Partly;
        words << Words::tr("Fits partly on the graphics card: %1 there, %2 in memory")
                     .arg(sizeWords(answer.vramBytes), sizeWords(answer.ramBytes));
    } else if (answer.vramBytes > 0) {
        fit.kind = ModelFit::Kind::Fits;
        words << Words::tr("Fits: %1 on the graphics card").arg(sizeWords(answer.vramBytes));
    } else {
        fit.kind = ModelFit::Kind::Fits;
        words << Words::tr("Fits: %1 of memory").arg(sizeWords(answer.ramBytes));
    }
    // One place alone is what was said already.
    if (const QString experts = expertShareWords(answer.experts);
        experts.contains(QLatin1Char(','))) {
        words << Words::tr("experts: %1").arg(experts);
    }
    const QString speed = speedWords(answer.tokensLow, answer.tokensHigh);
    if (!speed.isEmpty()) {
        words << speed;
    }
    if (answer.firstTokenMs > 0 && answer.firstTokenMs < 100) {
        words << Words::tr("first word at once");  // instead of "after 0.0 s"
    } else if (answer.firstTokenMs > 0) {
        words << Words::tr("first word after %1 s").arg(number(answer.firstTokenMs / 1000));
    }
    if (answer.busy && !speed.isEmpty()) {
        words << Words::tr("perhaps faster: the computer was busy when this was measured");
    }
    fit.busy = answer.busy;
    fit.text = words.join(QStringLiteral(" · "));
    return fit;
}

}  // namespace hearth::ui
