#include "system/this_computer.h"

#include <QHostAddress>
#include <QNetworkInterface>
#include <algorithm>

namespace hearth::ui {

bool isThisComputer(const QString& host) {
    if (host.compare(QLatin1String("localhost"), Qt::CaseInsensitive) == 0) {
        return true;
    }
    QHostAddress address(host);
    if (address.isNull()) {
        return false;
    }
    if (address.isLoopback()) {
        return true;
    }
    address.setScopeId({});
    const QList<QHostAddress> own = QNetworkInterface::allAddresses();
    return std::any_of(own.begin(), own.end(), [&](QHostAddress one) {
        one.setScopeId({});
        return one.isEqual(address, QHostAddress::ConvertV4MappedToIPv4);
    });
}

}  // namespace hearth::ui
