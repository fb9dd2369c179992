#include "system/this_computer.h"

#include <QHostAddress>
#include <QNetworkInterface>
#include <algorithm>

namespace hearth::ui {

bool isLoopback(const QString& host) {
    return host.compare(QLatin1String("localhost"), Qt::CaseInsensitive) == 0 ||
           QHostAddress(host).isLoopback();
}

bool isThisComputer(const QString& host) {
    if (isLoopback(host)) {
        return true;
    }
    QHostAddress address(host);
    if (address.isNull()) {
        return false;
    }
    address.setScopeId({});
    const QList<QHostAddress> own = QNetworkInterface::allAddresses();
    return std::any_of(own.begin(), own.end(), [&](QHostAddress one) {
        one.setScopeId({});
        return one.isEqual(address, QHostAddress::ConvertV4MappedToIPv4);
    });
}

}  // namespace hearth::ui
