// What the desktop says of colours and motion through its portal
// (org.freedesktop.portal.Settings), and news of it.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

class QDBusVariant;

namespace hearth::ui {

class PortalSettings : public QObject {
    Q_OBJECT

public:
    // Asks, and returns before the answer is there. Where there is no session bus or no portal,
    // nothing is ever known.
    explicit PortalSettings(QObject* parent = nullptr);

    std::optional<bool> dark() const { return dark_; }  // none: unknown, or the desktop has no wish
    bool lessMotion() const { return lessMotion_; }

signals:
    void changed();

private slots:  // NOLINT(readability-redundant-access-specifiers): D-Bus calls it by name
    void onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& space, const QString& key);
    void take(const QString& space, const QString& key, const QVariant& value);

    std::optional<bool> dark_;
    bool reducedMotion_ = false;  // the portal's own key
    bool noAnimations_ = false;   // that of GNOME and its relatives, which is older
    bool lessMotion_ = false;
};

}  // namespace hearth::ui
