// The accessibility bus as a screen reader has it: from another process, over AT-SPI.
#pragma once

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusVariant>
#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui::test {

// One object of one program: "(so)" on the bus.
struct AccessibleRef {
    QString service;
    QDBusObjectPath path;
};

inline QDBusArgument& operator<<(QDBusArgument& to, const AccessibleRef& ref) {
    to.beginStructure();
    to << ref.service << ref.path;
    to.endStructure();
    return to;
}

inline const QDBusArgument& operator>>(const QDBusArgument& from, AccessibleRef& ref) {
    from.beginStructure();
    from >> ref.service >> ref.path;
    from.endStructure();
    return from;
}

class AccessibleBus {
public:
    // On that session bus, which starts the accessibility bus (at-spi2-core) when asked for it.
    // Empty: it runs. Else why not.
    QString start(const QDBusConnection& session) {
        qDBusRegisterMetaType<AccessibleRef>();
        qDBusRegisterMetaType<QList<AccessibleRef>>();
        session_ = session;
        const QDBusMessage reply = session_.call(QDBusMessage::createMethodCall(
            kBus, QStringLiteral("/org/a11y/bus"), kBus, QStringLiteral("GetAddress")));
        if (reply.type() != QDBusMessage::ReplyMessage) {
            return QStringLiteral("no accessibility bus (Debian package at-spi2-core): ") +
                   reply.errorMessage();
        }
        bus_ = QDBusConnection::connectToBus(reply.arguments().value(0).toString(),
                                             QStringLiteral("accessibility"));
        return bus_.isConnected() ? QString() : bus_.lastError().message();
    }

    // Announces a screen reader as its start does, or withdraws it as its end does.
    bool announce(bool runs) {
        QDBusMessage call = QDBusMessage::createMethodCall(kBus, QStringLiteral("/org/a11y/bus"),
                                                           kProperties, QStringLiteral("Set"));
        call << QStringLiteral("org.a11y.Status") << QStringLiteral("ScreenReaderEnabled")
             << QVariant::fromValue(QDBusVariant(runs));
        return session_.call(call).type() == QDBusMessage::ReplyMessage;
    }

    // The programs that are there now.
    QList<AccessibleRef> programs() const {
        return children({QStringLiteral("org.a11y.atspi.Registry"),
                         QDBusObjectPath(QStringLiteral("/org/a11y/atspi/accessible/root"))});
    }
    QList<AccessibleRef> children(const AccessibleRef& of) const {
        const QVariant answer = ask(of, kAccessible, QStringLiteral("GetChildren"));
        return answer.isValid() ? qdbus_cast<QList<AccessibleRef>>(answer) : QList<AccessibleRef>();
    }
    QString name(const AccessibleRef& of) const {
        QDBusMessage call = QDBusMessage::createMethodCall(of.service, of.path.path(), kProperties,
                                                           QStringLiteral("Get"));
        call << kAccessible << QStringLiteral("Name");
        const QVariant answer = bus_.call(call).arguments().value(0);
        return answer.value<QDBusVariant>().variant().toString();
    }
    QString role(const AccessibleRef& of) const {
        return ask(of, kAccessible, QStringLiteral("GetRoleName")).toString();
    }
    // True if the object is visible.
    bool isShown(const AccessibleRef& of) const {
        constexpr int kShowing = 25;  // AT-SPI's number of that state
        const auto states =
            qdbus_cast<QList<uint>>(ask(of, kAccessible, QStringLiteral("GetState")));
        return !states.isEmpty() && ((states.constFirst() >> kShowing) & 1U) != 0;
    }
    // That object and what is shown below it, in the order of the tree: "push button: New chat".
    QStringList lines(const AccessibleRef& of) const {
        QStringList all;
        collect(of, 0, all);
        return all;
    }

private:
    void collect(const AccessibleRef& of, int depth, QStringList& all) const {
        constexpr int kDeepest = 60;
        constexpr int kMost = 5000;
        if (depth > kDeepest || all.size() > kMost) {
            return;
        }
        all.append(role(of) + QStringLiteral(": ") + name(of));
        for (const AccessibleRef& child : children(of)) {
            if (isShown(child)) {
                collect(child, depth + 1, all);
            }
        }
    }
    QVariant ask(const AccessibleRef& of, const QString& interface, const QString& method) const {
        const QDBusMessage reply = bus_.call(
            QDBusMessage::createMethodCall(of.service, of.path.path(), interface, method));
        return reply.arguments().value(0);
    }

    const QString kBus = QStringLiteral("org.a11y.Bus");
    const QString kProperties = QStringLiteral("org.freedesktop.DBus.Properties");
    const QString kAccessible = QStringLiteral("org.a11y.atspi.Accessible");
    QDBusConnection session_{QString()};
    QDBusConnection bus_{QString()};
};

}  // namespace hearth::ui::test
