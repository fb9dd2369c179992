// The network as the window shows it, and the switch that forbids all of it. It also passes the
// settings on to the doors.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "network/request_list_model.h"

namespace hearth::ui {

class AppSettings;
class NetworkControl;
class NetworkSettings;

class NetworkOverview : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(bool allowed READ allowed WRITE setAllowed NOTIFY changed)
    Q_PROPERTY(hearth::ui::RequestListModel* requests READ requests CONSTANT)

public:
    // All outlive it.
    NetworkOverview(NetworkControl& control, AppSettings& settings, NetworkSettings& network,
                    QObject* parent = nullptr);

    bool allowed() const;
    void setAllowed(bool allowed);
    RequestListModel* requests() { return &requests_; }

signals:
    void changed();

private:
    void carry();

    NetworkControl& control_;
    AppSettings& settings_;
    NetworkSettings& network_;
    RequestListModel requests_;
};

}  // namespace hearth::ui
