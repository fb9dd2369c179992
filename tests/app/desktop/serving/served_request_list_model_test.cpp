// The latest requests to the local API: bounded, the newest first, and a stranger's names made
// harmless.
#include "serving/served_request_list_model.h"

#include <QAbstractItemModelTester>
#include <QtTest>

using namespace hearth::ui;
using State = ServedRequest::State;

class ServedRequestListModelTest : public QObject {
    Q_OBJECT

private:
    static QString at(const ServedRequestListModel& list, int row, int role) {
        return list.index(row).data(role).toString();
    }

private slots:
    void theNewestComesFirst() {
        ServedRequestListModel list;
        const QAbstractItemModelTester tester(&list);
        list.take({{.number = 1, .client = "a", .path = "/v1/models", .status = 200},
                   {.number = 2, .client = "b", .path = "/v1/messages", .state = State::Waits}});
        QCOMPARE(list.count(), 2);
        QCOMPARE(at(list, 0, ServedRequestListModel::Client), QString("b"));
        QCOMPARE(at(list, 0, ServedRequestListModel::Path), QString("/v1/messages"));
        QCOMPARE(at(list, 0, ServedRequestListModel::Outcome), QString("waits for its turn"));
        QCOMPARE(at(list, 1, ServedRequestListModel::Outcome), QString("200 · done"));
        list.take({{.number = 2, .client = "b", .state = State::IsAnswered}});
        QCOMPARE(list.count(), 2);
        QCOMPARE(at(list, 0, ServedRequestListModel::Outcome), QString("is answered"));
        list.take(
            {{.number = 2, .client = "b", .status = 200, .promptTokens = 9, .answerTokens = 4}});
        QCOMPARE(at(list, 0, ServedRequestListModel::Outcome),
                 QString("200 · 9 tokens read, 4 written"));
    }

    void theOldestGo() {
        ServedRequestListModel list;
        const QAbstractItemModelTester tester(&list);
        QSignalSpy count(&list, &ServedRequestListModel::countChanged);
        for (quint64 number = 1; number <= 60; ++number) {
            list.take({{.number = number, .client = QString::number(number), .status = 200}});
        }
        QCOMPARE(list.count(), int(ServedRequestListModel::kMost));
        QCOMPARE(at(list, 0, ServedRequestListModel::Client), QString("60"));
        QCOMPARE(at(list, 49, ServedRequestListModel::Client), QString("11"));
        QCOMPARE(count.size(), 50);
    }

    void whatWentWrongIsTold_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<bool>("isCut");
        QTest::addColumn<QString>("words");
        QTest::newRow("left") << 0 << false << "the program left";
        QTest::newRow("token") << 401 << false << "401 · the token is missing or wrong";
        QTest::newRow("model") << 503 << false << "503 · no model answers";
        QTest::newRow("queue") << 429 << false << "429 · too many requests wait";
        QTest::newRow("engine") << 500 << false << "500 · the model could not answer";
        QTest::newRow("request") << 418 << false << "418 · the request was not understood";
        QTest::newRow("cut") << 200 << true << "200 · the answer was cut off";
    }
    void whatWentWrongIsTold() {
        QFETCH(int, status);
        QFETCH(bool, isCut);
        QFETCH(QString, words);
        ServedRequestListModel list;
        list.take({{.number = 1, .status = status, .isCut = isCut}});
        QCOMPARE(at(list, 0, ServedRequestListModel::Outcome), words);
        QCOMPARE(list.index(0).data(ServedRequestListModel::Failed).toBool(), status != 0);
    }

    void namesAreMadeHarmless_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("shown");
        QTest::newRow("usual") << "OpenAI/Python 1.2"
                               << "OpenAI/Python 1.2";
        QTest::newRow("none") << ""
                              << "a program without a name";
        QTest::newRow("nothing to see") << "\u200B\u202E \t"
                                        << "a program without a name";
        QTest::newRow("turned around") << "a\u202Eexe.txt\u2066b"
                                       << "aexe.txtb";
        QTest::newRow("lines") << "a\n\n  b"
                               << "a b";
        QTest::newRow("long") << QString("x").repeated(5000) << QString("x").repeated(59) + u'…';
    }
    void namesAreMadeHarmless() {
        QFETCH(QString, name);
        QFETCH(QString, shown);
        QCOMPARE(ServedRequestListModel::clientWords(name), shown);
    }
};

QTEST_GUILESS_MAIN(ServedRequestListModelTest)
#include "served_request_list_model_test.moc"
