// The system's wish for dark windows and for less motion, with news of changes.
#pragma once

#include <QObject>

#include "system/portal_settings.h"

namespace hearth::ui {

class SystemTheme : public QObject {
    Q_OBJECT

public:
    explicit SystemTheme(QObject* parent = nullptr);
    // The desktop's wish; without one, true where its palette is dark.
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
