#include "system/key_mends.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QWindow>
#include <QtTest>

using namespace hearth::ui;

namespace {

class Listener : public QWindow {
public:
    QStringList heard;

protected:
    void keyPressEvent(QKeyEvent* event) override {
        heard << event->text() + (event->isAutoRepeat() ? QStringLiteral(" held") : QString());
        event->accept();
    }
};

}  // namespace

class KeyMendsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { window_ = std::make_unique<Listener>(); }

    // As X11 sends them: every repetition is a release and a press of the same moment.
    void marksWhatIsRepeated() {
        const KeyMends keys(true);
        send(QEvent::KeyPress, Qt::Key_A, 1000);
        for (quint64 ms = 1500; ms < 1700; ms += 40) {
            send(QEvent::KeyRelease, Qt::Key_A, ms);
            send(QEvent::KeyPress, Qt::Key_A, ms);
        }
        send(QEvent::KeyRelease, Qt::Key_A, 1710);
        QCOMPARE(window_->heard,
                 QStringList({"a", "a held", "a held", "a held", "a held", "a held"}));
    }

    void leavesFingersAlone() {
        const KeyMends keys(true);
        send(QEvent::KeyPress, Qt::Key_A, 1000);
        send(QEvent::KeyRelease, Qt::Key_A, 1040);
        send(QEvent::KeyPress, Qt::Key_A, 1060);  // again, fast
        send(QEvent::KeyRelease, Qt::Key_A, 1070);
        send(QEvent::KeyPress, Qt::Key_B, 1070);  // another one, at once
        QCOMPARE(window_->heard, QStringList({"a", "a", "b"}));
    }

    // A repetition comes within a few milliseconds, and no finger does.
    void hasABound() {
        const KeyMends keys(true);
        send(QEvent::KeyPress, Qt::Key_A, 1000);
        send(QEvent::KeyRelease, Qt::Key_A, 1500);
        send(QEvent::KeyPress, Qt::Key_A, 1505);
        send(QEvent::KeyRelease, Qt::Key_A, 1600);
        send(QEvent::KeyPress, Qt::Key_A, 1606);
        send(QEvent::KeyPress, Qt::Key_A, 1607);  // the release before it was another one's
        QCOMPARE(window_->heard, QStringList({"a", "a held", "a", "a"}));
    }

    // A window system that marks them by itself.
    void leavesOthersAlone() {
        const KeyMends keys(false);
        send(QEvent::KeyPress, Qt::Key_A, 1000);
        send(QEvent::KeyRelease, Qt::Key_A, 1500);
        send(QEvent::KeyPress, Qt::Key_A, 1500);
        QCOMPARE(window_->heard, QStringList({"a", "a"}));
    }

    // A window system without clocks, and tests.
    void leavesWhatHasNoTime() {
        const KeyMends keys(true);
        send(QEvent::KeyPress, Qt::Key_A, 0);
        send(QEvent::KeyRelease, Qt::Key_A, 0);
        send(QEvent::KeyPress, Qt::Key_A, 0);
        QCOMPARE(window_->heard, QStringList({"a", "a"}));
    }

    void keepsWhatQtKnows() {
        const KeyMends keys(true);
        send(QEvent::KeyPress, Qt::Key_A, 1000);
        send(QEvent::KeyRelease, Qt::Key_A, 1500);
        send(QEvent::KeyPress, Qt::Key_A, 1500, true);
        QCOMPARE(window_->heard, QStringList({"a", "a held"}));
    }

private:
    void send(QEvent::Type type, Qt::Key key, quint64 ms, bool held = false) {
        QKeyEvent event(type, key, Qt::NoModifier, QString(QLatin1Char(char(key))).toLower(), held);
        event.setTimestamp(ms);
        QCoreApplication::sendEvent(window_.get(), &event);
    }

    std::unique_ptr<Listener> window_;
};

QTEST_MAIN(KeyMendsTest)
#include "key_mends_test.moc"
