// Whether the system wants dark windows and less motion, and news of it.
#pragma once

#include <QObject>

#include "portal_settings.h"

namespace hearth::ui {

class SystemTheme : public QObject {
    Q_OBJECT

public:
    explicit SystemTheme(QObject* parent = nullptr);
    // What the desktop asks for; where it asks for nothing, as dark as its palette.
    bool dark() const { return dark_; }
    bool lessMotion() const { return lessMotion_; }

signals:
    void darkChanged();
    void lessMotionChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void look();

    PortalSettings portal_;
    bool dark_ = false;
    bool lessMotion_ = false;
};

}  // namespace hearth::ui
