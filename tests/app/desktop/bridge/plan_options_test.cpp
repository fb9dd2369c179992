#include "bridge/plan_options.h"

#include <QTemporaryDir>
#include <QtTest>
#include <string>

using namespace hearth::ui;

class PlanOptionsTest : public QObject {
    Q_OBJECT

private slots:
    // Every field has a value of its own, so that no two can be mistaken for each other.
    void eachFieldIsPassedOn() {
        PlanQuestion question;
        question.options.path = QStringLiteral("a model");
        question.options.threads = 3;
        question.options.contextTokens = 4096;
        question.options.gpu = QStringLiteral("a card");
        question.options.ramBytes = 5;
        question.options.vramBytes = 6;
        question.options.mode = QStringLiteral("predicted");
        question.options.kv = QStringLiteral("q8_0");
        question.options.activation = QStringLiteral("reglu");
        question.options.predictorInput = QStringLiteral("residual");
        question.options.predictorsPath = QStringLiteral("predictors");
        question.options.thresholdsPath = QStringLiteral("thresholds");
        question.ramFreed = 7;
        question.vramFreed = 8;
        const hearth::tools::PlanOptions plan = planOptions(question);
        QCOMPARE(plan.model_path, std::string("a model"));
        QCOMPARE(plan.threads, 3);
        QCOMPARE(plan.n_ctx, 4096);
        QCOMPARE(plan.gpu, std::string("a card"));
        QCOMPARE(plan.ram_bytes.value_or(0), quint64{5});
        QCOMPARE(plan.vram_bytes.value_or(0), quint64{6});
        QCOMPARE(plan.mode, std::string("predicted"));
        QCOMPARE(plan.kv, std::string("q8_0"));
        QCOMPARE(plan.activation, std::string("reglu"));
        QCOMPARE(plan.predictor_input, std::string("residual"));
        QCOMPARE(plan.predictors_path, std::string("predictors"));
        QCOMPARE(plan.thresholds_path, std::string("thresholds"));
        QCOMPARE(plan.freed_ram_bytes, quint64{7});
        QCOMPARE(plan.freed_vram_bytes, quint64{8});
        QVERIFY(plan.disk_folder.empty());
    }

    void noBudgetIsNone() {
        const hearth::tools::PlanOptions plan = planOptions({});
        QVERIFY(!plan.ram_bytes.has_value() && !plan.vram_bytes.has_value());
    }

    // A folder that the first download makes lies on the disk of the one above it.
    void aFolderThatIsNotThereYet() {
        const QTemporaryDir folder;
        for (const char* name : {"", "/models", "/models/deeper"}) {
            const auto plan = planOptions({{}, folder.path() + QString::fromLatin1(name)});
            QCOMPARE(QString::fromStdString(plan.disk_folder),
                     QDir::toNativeSeparators(folder.path()));
        }
    }
};

QTEST_GUILESS_MAIN(PlanOptionsTest)
#include "plan_options_test.moc"
