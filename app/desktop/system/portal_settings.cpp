#include "system/portal_settings.h"

#include <QtGlobal>

#ifdef HEARTH_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QDebug>
#endif

#include "system/display.h"

namespace hearth::ui {

#ifdef HEARTH_DBUS

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColorScheme = QStringLiteral("color-scheme");
const QString kReducedMotion = QStringLiteral("reduced-motion");
const QString kGnome = QStringLiteral("org.gnome.desktop.interface");
const QString kAnimations = QStringLiteral("enable-animations");

// Read() wraps the value in one variant more than it documents.
QVariant unwrapped(QVariant value) {
    for (int depth = 0; depth < 4 && value.userType() == qMetaTypeId<QDBusVariant>(); ++depth) {
        value = value.value<QDBusVariant>().variant();
    }
    return value;
}

}  // namespace

PortalSettings::PortalSettings(QObject* parent) : QObject(parent) {
    if (!hasSessionBus()) {
        return;  // to ask for a bus would start one
    }
    // Qt's window system plugin has already opened this connection, for screen readers.
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        return;
    }
    qRegisterMetaType<QDBusVariant>("QDBusVariant");  // the slot's type is found by its name
    if (!bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                     SLOT(onSettingChanged(QString, QString, QDBusVariant)))) {
        qWarning() << "changes of the desktop's colours will not be heard";
    }
    ask(kAppearance, kColorScheme);
    ask(kAppearance, kReducedMotion);
    ask(kGnome, kAnimations);
}

void PortalSettings::ask(const QString& space, const QString& key) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    call.setArguments({space, key});
    auto* watcher =
        new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, space, key] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (!reply.isError()) {  // an error: no portal, or one that does not know this key
            take(space, key, reply.value().variant());
        }
    });
}

void PortalSettings::onSettingChanged(const QString& space, const QString& key,
                                      const QDBusVariant& value) {
    take(space, key, value.variant());
}

void PortalSettings::take(const QString& space, const QString& key, const QVariant& value) {
    const QVariant plain = unwrapped(value);
    const std::optional<bool> darkBefore = dark_;
    const bool motionBefore = lessMotion_;
    if (space == kAppearance && key == kColorScheme) {
        const uint scheme = plain.toUInt();
        dark_ = scheme == 1 || scheme == 2 ? std::optional(scheme == 1) : std::nullopt;
    } else if (space == kAppearance && key == kReducedMotion) {
        reducedMotion_ = plain.toUInt() == 1;
    } else if (space == kGnome && key == kAnimations) {
        noAnimations_ = plain.userType() == QMetaType::Bool && !plain.toBool();
    }
    lessMotion_ = reducedMotion_ || noAnimations_;
    if (dark_ != darkBefore || lessMotion_ != motionBefore) {
        emit changed();
    }
}

#else

PortalSettings::PortalSettings(QObject* parent) : QObject(parent) {}

void PortalSettings::onSettingChanged(const QString&, const QString&, const QDBusVariant&) {}

#endif

}  // namespace hearth::ui
