#include "bridge/expert_shares.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ExpertShares)
};

}  // namespace

QString expertShareWords(const ExpertShares& shares) {
    // As numbers: a sum of counts may not fit 64 bits.
    const double all = static_cast<double>(shares.card) + static_cast<double>(shares.memory) +
                       static_cast<double>(shares.disk);
    QStringList words;
    const auto add = [&](quint64 part, const QString& text) {
        if (part == 0) {
            return;
        }
        const double percent = 100 * static_cast<double>(part) / all;
        // A place that has some never shows 0 %, and not 100 % beside another one.
        if (percent < 1) {
            words << text.arg(Words::tr("under 1 %"));
        } else {
            const int whole = qRound(percent);
            words << text.arg(Words::tr("%1 %").arg(percent < 100 ? std::min(whole, 99) : whole));
        }
    };
    add(shares.card, Words::tr("%1 graphics card"));
    add(shares.memory, Words::tr("%1 memory"));
    add(shares.disk, Words::tr("%1 disk"));
    return words.join(QStringLiteral(", "));
}

}  // namespace hearth::ui
