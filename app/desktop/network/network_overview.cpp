#include "network/network_overview.h"

#include "network/network_control.h"
#include "settings/app_settings.h"
#include "settings/network_settings.h"

namespace hearth::ui {

NetworkOverview::NetworkOverview(NetworkControl& control, AppSettings& settings,
                                 NetworkSettings& network, QObject* parent)
    : QObject(parent),
      control_(control),
      settings_(settings),
      network_(network),
      requests_(control.log()) {
    connect(&network_, &NetworkSettings::changed, this, [this] {
        carry();
        emit changed();
    });
    carry();
}

void NetworkOverview::carry() {
    control_.setRules(
        {.forbidAll = !network_.allowed(),
         .mirror = network_.mirror(),
         .proxy = network_.proxy(),
         .bytesPerSecondMost = static_cast<qint64>(network_.bytesPerSecond().value_or(0))});
}

bool NetworkOverview::allowed() const {
    return network_.allowed();
}

void NetworkOverview::setAllowed(bool allowed) {
    settings_.set("network/allowed", allowed ? QStringLiteral("true") : QStringLiteral("false"));
}

}  // namespace hearth::ui
