// Whether the system wants dark windows, and news of it.
#pragma once

#include <QObject>

namespace hearth::ui {

class SystemTheme : public QObject {
    Q_OBJECT

public:
    explicit SystemTheme(QObject* parent = nullptr);
    bool dark() const { return dark_; }

signals:
    void darkChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void look();

    bool dark_ = false;
};

}  // namespace hearth::ui
