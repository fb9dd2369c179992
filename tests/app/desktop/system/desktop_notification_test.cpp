// On a message bus of its own, with somebody there to show notifications, or nobody.
#include "system/desktop_notification.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "app/desktop/fake_portal.h"
#include "settings/app_settings.h"
#include "store/conversation_store.h"
#include "support/fake_inference.h"
#include "window/app_controller.h"

using namespace hearth::ui;

namespace {

// A desktop that shows notifications, or answers that it does not.
class FakeDesktop : public QDBusVirtualObject {
public:
    FakeDesktop(const QDBusConnection& bus, bool shows) : bus_(bus), shows_(shows) {
        bus_.registerVirtualObject(path(), this);
        bus_.registerService(service());
    }
    ~FakeDesktop() override {
        bus_.unregisterService(service());
        bus_.unregisterObject(path());
    }
    QList<QVariantList> asked() const { return asked_; }

    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        if (message.member() == QLatin1String("Notify")) {
            asked_ << message.arguments();
        }
        return connection.send(
            shows_ ? message.createReply(QVariant::fromValue(quint32{1}))
                   : message.createErrorReply(QDBusError::Failed, QStringLiteral("not now")));
    }

private:
    static QString service() { return QStringLiteral("org.freedesktop.Notifications"); }
    static QString path() { return QStringLiteral("/org/freedesktop/Notifications"); }

    QDBusConnection bus_;
    bool shows_;
    QList<QVariantList> asked_;
};

}  // namespace

class DesktopNotificationTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aFinishedDownloadIsShown();
    void whoeverIsRefusedHearsIt();

private:
    test::OwnBus bus_;
};

void DesktopNotificationTest::initTestCase() {
    const QString reason = bus_.start();
    if (!reason.isEmpty()) {
        QSKIP(qPrintable(reason));
    }
}

// As the window has it, while nobody looks at the window.
void DesktopNotificationTest::aFinishedDownloadIsShown() {
    const FakeDesktop desktop(bus_.connection(), true);
    const QTemporaryDir folder;
    FakeInference inference;
    ConversationStore store;
    store.open(folder.path());
    AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
    AppController app(inference, store, settings);
    emit app.downloads()->completed(1, QStringLiteral("Bamboo <7B> & more"), {});
    QTRY_COMPARE(desktop.asked().size(), 1);
    const QVariantList words = desktop.asked().first();
    QCOMPARE(words.value(0).toString(), QStringLiteral("Hearth"));
    QCOMPARE(words.value(3).toString(), QStringLiteral("Downloaded"));
    // A notification's text is markup.
    QCOMPARE(words.value(4).toString(), QStringLiteral("Bamboo &lt;7B&gt; &amp; more"));
    QVERIFY(app.notices()->text().isEmpty());
}

void DesktopNotificationTest::whoeverIsRefusedHearsIt() {
    int refused = 0;
    const auto ask = [&] {
        notifyDesktop(QStringLiteral("Downloaded"), QStringLiteral("x"), this, [&] { ++refused; });
    };
    ask();  // nobody is there
    QTRY_COMPARE(refused, 1);
    const FakeDesktop desktop(bus_.connection(), false);
    ask();
    QTRY_COMPARE(refused, 2);
    QCOMPARE(desktop.asked().size(), 1);
}

QTEST_MAIN(DesktopNotificationTest)
#include "desktop_notification_test.moc"
