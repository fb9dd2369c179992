#include <QtTest>

#include "toolbox/event_stream.h"

using hearth::toolbox::EventStream;

class EventStreamTest : public QObject {
    Q_OBJECT

private slots:
    void events_do_not_depend_on_pieces() {
        const std::string bytes =
            ": hello\n\nevent: message\ndata: {\"a\":\ndata:1}\nid: 7\n\nretry: 5\n\ndata: "
            "two\r\n\r\n"
            "data: unfinished\n";
        for (std::size_t step = 1; step <= bytes.size(); ++step) {
            EventStream stream(100);
            QStringList events;
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                stream.push(std::string_view(bytes).substr(at, step));
                while (const auto event = stream.next()) {
                    events << QString::fromStdString(*event);
                }
            }
            QCOMPARE(events, QStringList({"{\"a\":\n1}", "two"}));
        }
    }

    void an_event_of_many_lines_is_bounded() {
        EventStream stream(100);
        for (int i = 0; i < 100 && !stream.is_too_long(); ++i) {
            stream.push("data: 0123456789\n");
            QVERIFY(!stream.next());
        }
        QVERIFY(stream.is_too_long());
        stream.push("\n\ndata: x\n\n");
        QVERIFY(!stream.next());
    }
};

QTEST_APPLESS_MAIN(EventStreamTest)
#include "event_stream_test.moc"
