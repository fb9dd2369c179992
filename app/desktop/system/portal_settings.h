// The desktop's wishes for colours and motion, from its portal (org.freedesktop.portal.Settings),
// with news of changes.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

class QDBusVariant;

namespace hearth::ui {

class PortalSettings : public QObject {
    Q_OBJECT

public:
    // Asks the portal and returns before the answer. Without a session bus or a portal, all stays
    // unknown.
    explicit PortalSettings(QObject* parent = nullptr);

    std::optional<bool> dark() const {
        return dark_;
    }  // empty: unknown, or the desktop has no
       // wish
    bool lessMotion() const { return lessMotion_; }

signals:
    void changed();

private slots:  // NOLINT(readability-redundant-access-specifiers): D-Bus calls it by name
    void onSettingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& space, const QString& key);
    void take(const QString& space, const QString& key, const QVariant& value);

    std::optional<bool> dark_;
    bool reducedMotion_ = false;  // from the portal's own key
    bool noAnimations_ = false;   // from the older key of GNOME and its relatives
    bool lessMotion_ = false;
};

}  // namespace hearth::ui
