#include "system/desktop_notification.h"

#include <QObject>
#include <QVariantMap>

#ifdef HEARTH_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#endif

namespace hearth::ui {

void notifyDesktop(const QString& title, const QString& text, QObject* context,
                   std::function<void()> refused) {
#ifdef HEARTH_DBUS
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (bus.isConnected()) {
        QDBusMessage message = QDBusMessage::createMethodCall(
            QStringLiteral("org.freedesktop.Notifications"),
            QStringLiteral("/org/freedesktop/Notifications"),
            QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
        message << QStringLiteral("Hearth") << quint32{0} << QStringLiteral("hearth") << title
                << text.toHtmlEscaped() << QStringList()
                << QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("hearth")}}
                << qint32{-1};
        auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(message), context);
        QObject::connect(watcher, &QDBusPendingCallWatcher::finished, context,
                         [refused = std::move(refused)](QDBusPendingCallWatcher* call) {
                             const QDBusPendingReply<quint32> reply = *call;
                             call->deleteLater();
                             if (reply.isError()) {
                                 refused();
                             }
                         });
        return;
    }
#else
    Q_UNUSED(title)
    Q_UNUSED(text)
#endif
    Q_UNUSED(context)
    refused();
}

}  // namespace hearth::ui
