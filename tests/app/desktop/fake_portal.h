// A desktop portal of a test's own, on a message bus of its own.
#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QHash>
#include <QProcess>
#include <QStandardPaths>
#include <QVariant>

namespace hearth::ui::test {

// A session bus that nothing else uses, while this object lives.
class OwnBus {
public:
    ~OwnBus() {
        if (daemon_.state() != QProcess::NotRunning) {
            daemon_.kill();
            daemon_.waitForFinished();
        }
    }
    // Empty: it runs, and this process and its children find it. Else why not.
    QString start() {
        const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (program.isEmpty()) {
            return QStringLiteral("dbus-daemon is not installed (Debian package dbus-daemon)");
        }
        daemon_.start(program, {QStringLiteral("--session"), QStringLiteral("--nofork"),
                                QStringLiteral("--print-address=1")});
        if (!daemon_.waitForStarted() || !daemon_.waitForReadyRead(10'000)) {
            return QStringLiteral("dbus-daemon does not start");
        }
        address_ = daemon_.readLine().trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address_);
        return {};
    }
    // Another connection than the program's under test.
    QDBusConnection connection() const {
        return QDBusConnection::connectToBus(QString::fromLatin1(address_),
                                             QStringLiteral("the portal's"));
    }

private:
    QProcess daemon_;
    QByteArray address_;
};

inline const QString kScheme = QStringLiteral("org.freedesktop.appearance color-scheme");
inline const QString kMotion = QStringLiteral("org.freedesktop.appearance reduced-motion");
inline const QString kGnome = QStringLiteral("org.gnome.desktop.interface enable-animations");

// The settings of a portal: answers Read() with what it has, an error for what it has not, and
// tells of changes. Names are "namespace key".
class FakePortal : public QDBusVirtualObject {
public:
    explicit FakePortal(const QDBusConnection& bus) : bus_(bus) {
        bus_.registerVirtualObject(path(), this);
        bus_.registerService(service());
    }
    ~FakePortal() override {
        bus_.unregisterService(service());
        bus_.unregisterObject(path());
    }
    void set(const QString& name, const QVariant& value) { values_[name] = value; }
    void change(const QString& name, const QVariant& value) {
        set(name, value);
        QDBusMessage signal =
            QDBusMessage::createSignal(path(), QStringLiteral("org.freedesktop.portal.Settings"),
                                       QStringLiteral("SettingChanged"));
        signal.setArguments({name.section(QLatin1Char(' '), 0, 0),
                             name.section(QLatin1Char(' '), 1, 1),
                             QVariant::fromValue(QDBusVariant(value))});
        bus_.send(signal);
    }

    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        const QVariantList words = message.arguments();
        const QString name =
            words.value(0).toString() + QLatin1Char(' ') + words.value(1).toString();
        if (message.member() != QLatin1String("Read") || !values_.contains(name)) {
            return connection.send(message.createErrorReply(
                QStringLiteral("org.freedesktop.portal.Error.NotFound"), name));
        }
        // A variant in a variant, as real portals answer.
        const QDBusVariant inner(values_.value(name));
        return connection.send(
            message.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(inner)))));
    }

private:
    static QString service() { return QStringLiteral("org.freedesktop.portal.Desktop"); }
    static QString path() { return QStringLiteral("/org/freedesktop/portal/desktop"); }

    QDBusConnection bus_;
    QHash<QString, QVariant> values_;
};

}  // namespace hearth::ui::test
