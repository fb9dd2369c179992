#include "map/layer_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "system/size_words.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LayerWords)
};

// "8.1 %", "97 %"; only what is whole is 100 %, and only nothing is 0 %.
QString percentWords(double share) {
    const double percent = std::clamp(100 * share, 0.0, 100.0);
    if (percent > 0 && percent < 0.1) {
        return Words::tr("under 0.1 %");
    }
    if (percent < 10) {
        const double tenths = std::min(std::round(percent * 10) / 10, 9.9);
        return Words::tr("%1 %").arg(tenths);
    }
    return Words::tr("%1 %").arg(percent < 100 ? std::min(std::lround(percent), 99L) : 100L);
}

QString rateWords(double bytesPerSecond) {
    return Words::tr("%1 a second").arg(sizeWords(static_cast<quint64>(bytesPerSecond)));
}

quint64 bytesOf(const MappedLayer& layer) {
    return layer.card + layer.memory + layer.disk;
}

QString activityWords(const MappedLayer& layer) {
    if (layer.experts > 0) {
        const QString chosen = Words::tr("A token chooses %1 of its %2 experts")
                                   .arg(layer.expertsOfToken)
                                   .arg(layer.experts);
        const QString places = expertShareWords(layer.chosen);
        return places.isEmpty()
                   ? chosen + QLatin1Char('.')
                   : Words::tr("%1; those of the answers lay: %2.").arg(chosen, places);
    }
    if (layer.neurons == 0) {
        return Words::tr("It has no feed-forward neurons.");
    }
    if (layer.tokens == 0) {
        return layer.dense
                   ? Words::tr("Each token computes all of its %1 neurons.").arg(layer.neurons)
                   : Words::tr("It has %1 neurons; no answer has been counted yet.")
                         .arg(layer.neurons);
    }
    const QString fires = Words::tr("%1 of its %2 neurons fire for a token")
                              .arg(percentWords(layer.fired))
                              .arg(layer.neurons);
    return layer.dense ? Words::tr("%1; all are computed, which is faster here.").arg(fires)
                       : fires + QLatin1Char('.');
}

QString hitWords(double share, bool experts) {
    return experts ? Words::tr("Of the experts needed from the disk, memory already had %1.")
                         .arg(percentWords(share))
                   : Words::tr("Of the neurons needed from the disk, memory already had %1.")
                         .arg(percentWords(share));
}

// ", 1.2 MB a second now"
QString rateSuffix(std::optional<double> rate, MapTime time) {
    if (!rate || time == MapTime::Never) {
        return {};
    }
    return time == MapTime::Now ? Words::tr(", %1 now").arg(rateWords(*rate))
                                : Words::tr(", %1 in the last answer").arg(rateWords(*rate));
}

}  // namespace

bool hasExperts(const MapReport& report) {
    return std::any_of(report.layers.begin(), report.layers.end(),
                       [](const MappedLayer& layer) { return layer.experts > 0; });
}

std::optional<double> hitShare(quint64 hits, quint64 misses) {
    const double all = static_cast<double>(hits) + static_cast<double>(misses);
    return all > 0 ? std::optional(static_cast<double>(hits) / all) : std::nullopt;
}

std::optional<double> firedShare(const MapReport& report) {
    double neurons = 0;
    double fired = 0;
    bool counted = false;
    for (const MappedLayer& layer : report.layers) {
        counted = counted || layer.tokens > 0;
        neurons += layer.neurons;
        fired += layer.neurons * (layer.tokens > 0 ? layer.fired : 1);
    }
    return counted && neurons > 0 ? std::optional(fired / neurons) : std::nullopt;
}

QString layerWords(const MapReport& report, int index, std::optional<double> rate, MapTime time) {
    const MappedLayer& layer = report.layers.at(index);
    QStringList words = {Words::tr("Layer %1 of %2.").arg(index + 1).arg(report.layers.size())};
    const QString places = expertShareWords({layer.card, layer.memory, layer.disk});
    if (!places.isEmpty()) {
        words << Words::tr("Its weights, %1, lie: %2.").arg(sizeWords(bytesOf(layer)), places);
    }
    words << activityWords(layer);
    if (const auto share = hitShare(layer.hits, layer.misses)) {
        words << hitWords(*share, layer.experts > 0);
    }
    if (layer.readBytes > 0) {
        words << Words::tr("Read from the disk so far: %1%2.")
                     .arg(sizeWords(layer.readBytes), rateSuffix(rate, time));
    }
    return words.join(QLatin1Char(' '));
}

QString placesLine(const MapReport& report) {
    MappedLayer sum;
    for (const MappedLayer& layer : report.layers) {
        sum.card += layer.card;
        sum.memory += layer.memory;
        sum.disk += layer.disk;
    }
    QStringList words;
    const auto add = [&](quint64 bytes, const QString& text) {
        if (bytes > 0) {
            words << text.arg(sizeWords(bytes));
        }
    };
    add(sum.card, Words::tr("%1 graphics card"));
    add(sum.memory, Words::tr("%1 memory"));
    add(sum.disk, Words::tr("%1 disk"));
    return words.isEmpty()
               ? QString()
               : Words::tr("Weights of the layers: %1").arg(words.join(QStringLiteral(", ")));
}

QString memoryLine(const MapReport& report) {
    QString line = Words::tr("The engine holds %1 of at most %2 memory")
                       .arg(sizeWords(report.ramUsed), sizeWords(report.ramBudget));
    if (report.vramUsed > 0) {
        line += Words::tr(", %1 of at most %2 graphics memory")
                    .arg(sizeWords(report.vramUsed), sizeWords(report.vramBudget));
    }
    return report.budgetWaits ? line + Words::tr("; a new budget holds from the next token on")
                              : line;
}

QString activityLine(const MapReport& report) {
    if (hasExperts(report)) {
        ExpertShares chosen;
        for (const MappedLayer& layer : report.layers) {
            chosen += layer.chosen;
        }
        const QString places = expertShareWords(chosen);
        return places.isEmpty() ? Words::tr("Chosen experts: no answer has been counted yet")
                                : Words::tr("Chosen experts lay: %1").arg(places);
    }
    if (const auto share = firedShare(report)) {
        return Words::tr("Neurons that fire for a token: %1").arg(percentWords(*share));
    }
    const bool dense =
        std::all_of(report.layers.begin(), report.layers.end(),
                    [](const MappedLayer& layer) { return layer.dense || layer.neurons == 0; });
    return dense ? Words::tr("Each token computes all neurons")
                 : Words::tr("Neurons that fire: no answer has been counted yet");
}

QString cacheLine(const MapReport& report) {
    quint64 hits = 0;
    quint64 misses = 0;
    for (const MappedLayer& layer : report.layers) {
        hits += layer.hits;
        misses += layer.misses;
    }
    const auto share = hitShare(hits, misses);
    return share ? Words::tr("Needed from the disk, and already in memory: %1")
                       .arg(percentWords(*share))
                 : QString();
}

QString diskLine(const MapReport& report, std::optional<double> rate, MapTime time) {
    const bool reads = std::any_of(report.layers.begin(), report.layers.end(),
                                   [](const MappedLayer& layer) { return layer.disk > 0; });
    if (!reads && report.readBytes == 0) {
        return Words::tr("Answers read nothing from the disk");
    }
    return Words::tr("Read from the disk: %1%2")
        .arg(sizeWords(report.readBytes), rateSuffix(rate, time));
}

}  // namespace hearth::ui
