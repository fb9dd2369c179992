// QML, whatever it holds, asks nobody outside.
#include <QQmlComponent>
#include <QQmlEngine>
#include <QtTest>

#include "network/closed_engine.h"
#include "test_server.h"

using namespace hearth::ui;

class ClosedEngineTest : public QObject {
    Q_OBJECT

private slots:
    void asksNobody_data() {
        QTest::addColumn<bool>("closed");
        QTest::addRow("closed") << true;
        QTest::addRow("as Qt has it, so that this test can fail") << false;
    }
    void asksNobody() {
        QFETCH(bool, closed);
        test::TestServer server(
            [](const test::ServerRequest&) { return test::ServerAnswer{.body = "text"}; });
        QVERIFY(server.start());
        QQmlEngine engine;
        if (closed) {
            closeToNetwork(engine);
        }
        QQmlComponent component(&engine);
        component.setData(R"(
            import QtQml
            QtObject {
                property int state: 0
                function ask(address) {
                    const request = new XMLHttpRequest()
                    request.onreadystatechange = () => state = request.readyState
                    request.open("GET", address)
                    request.send()
                }
            })",
                          {});
        const std::unique_ptr<QObject> object(component.create());
        QVERIFY2(object != nullptr, qPrintable(component.errorString()));
        QMetaObject::invokeMethod(object.get(), "ask",
                                  Q_ARG(QVariant, server.base() + QStringLiteral("/x")));
        QTRY_COMPARE(object->property("state").toInt(), 4);
        QCOMPARE(server.connections(), closed ? 0 : 1);
    }
    void stillReadsItsOwn() {
        QQmlEngine engine;
        closeToNetwork(engine);
        QQmlComponent component(&engine, QUrl(QStringLiteral("qrc:/qt/qml/QtQml/none-such.qml")));
        QTRY_VERIFY(component.isError());
        QVERIFY(!component.errorString().contains(QLatin1String("refused")));
    }
};

QTEST_GUILESS_MAIN(ClosedEngineTest)
#include "closed_engine_test.moc"
