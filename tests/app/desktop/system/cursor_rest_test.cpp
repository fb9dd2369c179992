#include "system/cursor_rest.h"

#include <QGuiApplication>
#include <QQuickItem>
#include <QQuickView>
#include <QSignalSpy>
#include <QStyleHints>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class CursorRestTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        system_ = QGuiApplication::styleHints()->cursorFlashTime();
        QVERIFY(system_ > 0);
    }

    // Twice: a cursor that woke rests again.
    void restsAndWakes() {
        QWindow window;
        const CursorRest rest(20);
        QCOMPARE(pace(), system_);
        for (int turn = 0; turn < 2; ++turn) {
            QTRY_COMPARE(pace(), 0);
            QKeyEvent key(QEvent::KeyPress, Qt::Key_A, Qt::NoModifier);
            QCoreApplication::sendEvent(&window, &key);  // no timer comes meanwhile
            QCOMPARE(pace(), system_);
        }
        QTRY_COMPARE(pace(), 0);
        QMouseEvent press(QEvent::MouseButtonPress, QPointF(), QPointF(), Qt::LeftButton,
                          Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &press);
        QCOMPARE(pace(), system_);
    }

    void leavesTheSystemsPaceBehind() {
        {
            const CursorRest rest(0);
            QTRY_COMPARE(pace(), 0);
        }
        QCOMPARE(pace(), system_);
    }

    // A field with the keyboard draws nothing any more, and its cursor is there.
    void aFieldIsDrawnNoMore() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("Field.qml")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import QtQuick\nTextInput { width: 99; height: 30; focus: true }");
        file.close();
        QQuickView view(QUrl::fromLocalFile(file.fileName()));
        view.show();
        view.requestActivate();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        QVERIFY(view.rootObject() != nullptr && view.rootObject()->hasActiveFocus());
        const CursorRest rest(0);
        QTRY_COMPARE(pace(), 0);
        QTest::qWait(100);  // what was asked for before is drawn
        QSignalSpy drawn(&view, &QQuickWindow::frameSwapped);
        QTest::qWait(2 * system_);
        QCOMPARE(drawn.size(), 0);
        QVERIFY(view.rootObject()->property("cursorVisible").toBool());
    }

private:
    static int pace() { return QGuiApplication::styleHints()->cursorFlashTime(); }
    int system_ = 0;
};

QTEST_MAIN(CursorRestTest)
#include "cursor_rest_test.moc"
