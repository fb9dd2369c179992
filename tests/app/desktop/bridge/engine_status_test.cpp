#include "bridge/engine_status.h"

#include <QtTest>

#include "bridge/remote_path.h"

using namespace hearth::ui;

class EngineStatusTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void goesThroughItsStates();
    void saysWhereWordsGo();
    void describesTheModel_data();
    void describesTheModel();
};

void EngineStatusTest::saysWhereWordsGo() {
    EngineStatus status;
    ModelSummary model;
    model.path = remotePath({QStringLiteral("0123abcd"), QStringLiteral("big")});
    model.name = QStringLiteral("big");
    model.host = QStringLiteral("example.org");
    status.setLoading(model.path);
    QCOMPARE(status.modelName(), QStringLiteral("big · not local"));
    QCOMPARE(status.host(), QString());
    status.setReady(model);
    QCOMPARE(status.modelName(), QStringLiteral("big · not local"));
    QCOMPARE(status.host(), QStringLiteral("example.org"));
    QCOMPARE(status.detail(), QStringLiteral("example.org"));
    status.setFailed(QStringLiteral("It broke."));
    QCOMPARE(status.host(), QString());
    status.setReady(model);
    status.setLoading(QStringLiteral("/d.gguf"));
    QCOMPARE(status.host(), QString());
    QCOMPARE(status.modelName(), QStringLiteral("d.gguf"));
    status.setReady(model);
    status.setEmpty();
    QCOMPARE(status.host(), QString());
}

void EngineStatusTest::goesThroughItsStates() {
    EngineStatus status;
    QCOMPARE(status.state(), QStringLiteral("empty"));
    status.setLoading(QStringLiteral("/a/b c.gguf"));
    QCOMPARE(status.state(), QStringLiteral("loading"));
    QCOMPARE(status.modelName(), QStringLiteral("b c.gguf"));
    QCOMPARE(status.progress(), 0.0);
    QSignalSpy progress(&status, &EngineStatus::progressChanged);
    status.setProgress(0.5);
    status.setProgress(0.5);
    QCOMPARE(progress.size(), 1);
    status.setProgress(7);
    QCOMPARE(status.progress(), 1.0);
    status.setFailed(QStringLiteral("It broke."));
    QCOMPARE(status.state(), QStringLiteral("failed"));
    QCOMPARE(status.errorText(), QStringLiteral("It broke."));
    QCOMPARE(status.path(), QStringLiteral("/a/b c.gguf"));  // to try again
    status.setLoading(QStringLiteral("/d.gguf"));
    QCOMPARE(status.errorText(), QString());
    ModelSummary model;
    model.path = QStringLiteral("/d.gguf");
    model.name = QStringLiteral("D");
    status.setReady(model);
    QCOMPARE(status.state(), QStringLiteral("ready"));
    QCOMPARE(status.progress(), 1.0);
    QCOMPARE(status.modelName(), QStringLiteral("D"));
    model.type = QStringLiteral("Q4_0");
    status.setReady(model);
    QCOMPARE(status.detail(), QStringLiteral("Q4_0"));
    QSignalSpy changed(&status, &EngineStatus::changed);
    status.setFailed(QStringLiteral("It broke."));
    QCOMPARE(status.detail(), QString());  // nothing of it is there any more
    QCOMPARE(status.progress(), 0.0);
    status.setReady(model);
    QCOMPARE(status.errorText(), QString());
    status.setLoading(QStringLiteral("/e.gguf"));
    QCOMPARE(status.detail(), QString());
    status.setEmpty();
    QCOMPARE(changed.size(), 4);
    QCOMPARE(status.state(), QStringLiteral("empty"));
    QCOMPARE(status.path(), QString());
    QCOMPARE(status.modelName(), QString());
    QCOMPARE(status.progress(), 0.0);
}

void EngineStatusTest::describesTheModel_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("detail");
    QTest::addRow("small") << qint64{36'400'000} << 2
                           << QString::fromUtf8("Q4_0 · 36 MB · context 1024 · avx512 · 2 threads");
    QTest::addRow("large") << qint64{4'370'000'000} << 1
                           << QString::fromUtf8("Q4_0 · 4.4 GB · context 1024 · avx512 · 1 thread");
    QTest::addRow("nearly large") << qint64{999'400'000} << 1
                                  << QString::fromUtf8(
                                         "Q4_0 · 999 MB · context 1024 · avx512 · 1 thread");
    QTest::addRow("just large") << qint64{1'000'000'000} << 1
                                << QString::fromUtf8(
                                       "Q4_0 · 1.0 GB · context 1024 · avx512 · 1 thread");
    QTest::addRow("unknown") << qint64{0} << 0 << QString::fromUtf8("Q4_0 · context 1024 · avx512");
}

void EngineStatusTest::describesTheModel() {
    QFETCH(qint64, bytes);
    QFETCH(int, threads);
    EngineStatus status;
    ModelSummary model;
    model.path = QStringLiteral("/x.gguf");
    model.type = QStringLiteral("Q4_0");
    model.isa = QStringLiteral("avx512");
    model.fileBytes = bytes;
    model.contextTokens = 1024;
    model.threads = threads;
    status.setReady(model);
    QTEST(status.detail(), "detail");
    QCOMPARE(status.modelName(), QStringLiteral("x.gguf"));
}

QTEST_GUILESS_MAIN(EngineStatusTest)
#include "engine_status_test.moc"
