// Tells this computer from others by the host of an address.
#pragma once

#include <QString>

namespace hearth::ui {

// True for localhost, a loopback address, and an address of one of this computer's network cards:
// requests to them pass no network. Other names are not looked up.
bool isThisComputer(const QString& host);

// True for localhost and a loopback address: these lead nowhere else on any computer.
bool isLoopback(const QString& host);

}  // namespace hearth::ui
