// The settings page as a whole: its sections, when it asks the machine, whom it tells what runs.
#include "settings/settings_page.h"

#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "settings/app_settings.h"
#include "support/fake_machine.h"

using namespace hearth::ui;

class SettingsPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("s.ini")));
        page_ = std::make_unique<SettingsPage>(*settings_, &machine_);
    }
    void cleanup() {
        page_.reset();
        settings_.reset();
    }
    void hasSevenSections() {
        QStringList ids, titles;
        for (const QVariant& section : page_->sections()) {
            ids << section.toMap().value(QStringLiteral("id")).toString();
            titles << section.toMap().value(QStringLiteral("title")).toString();
        }
        QCOMPARE(ids, QStringList({"model", "answers", "appearance", "folders", "network", "api",
                                   "about"}));
        QCOMPARE(titles, QStringList({"Model & machine", "Answers", "Appearance", "Folders",
                                      "Network", "Local API", "About"}));
    }
    // Once, when it is shown first; cards are tried anew when somebody wishes it, one time each.
    void asksTheMachineOnce() {
        const int before = machine_.factsAsked();
        const QSignalSpy asking(page_.get(), &SettingsPage::askingChanged);
        page_->setShown(false);
        QCOMPARE(machine_.factsAsked(), before);
        page_->setShown(true);
        QVERIFY(page_->asking());
        QCOMPARE(asking.size(), 1);
        QCOMPARE(machine_.factsAsked(), before + 1);
        QVERIFY(!machine_.anewAsked());
        page_->tryCards();  // the first answer is still to come
        QCOMPARE(machine_.factsAsked(), before + 1);
        QTRY_VERIFY(!page_->asking());
        QCOMPARE(asking.size(), 2);
        page_->setShown(false);
        page_->setShown(true);
        QCOMPARE(machine_.factsAsked(), before + 1);
        page_->tryCards();
        QVERIFY(page_->asking() && machine_.anewAsked());
        QCOMPARE(machine_.factsAsked(), before + 2);
        QTRY_COMPARE(asking.size(), 4);
        QVERIFY(!page_->asking());
    }
    void tellsItsRowsAndThePlanWhatRuns() {
        page_->setShown(true);
        QTRY_VERIFY(!page_->asking());
        EngineReport report;
        report.modelPath = QStringLiteral("/m/a.gguf");
        report.threads = 2;
        report.ramBudget = report.ramUsed = quint64{1} << 30;
        page_->setModel(report.modelPath);
        QTRY_VERIFY(page_->preview()->known());
        const QString before = page_->preview()->freeText();
        page_->setRunning(settings_->loadOptions(report.modelPath), report);
        SettingListModel* rows = page_->rows();
        const auto row = rows->index(rows->indexOf(QStringLiteral("engine/threads")));
        QCOMPARE(row.data(SettingListModel::RunsRole).toString(),
                 QStringLiteral("Now: 2 threads."));
        // 20 GiB are free and one comes back, of which the plan takes 1200 MiB.
        QCOMPARE(before, QStringLiteral("20.2 GB of 34.4 GB memory stay free for other programs."));
        QCOMPARE(page_->preview()->freeText(),
                 QStringLiteral("21.3 GB of 34.4 GB memory stay free for other programs."));
        QCOMPARE(row.data(SettingListModel::MostRole).toDouble(), 16.0);  // the machine's threads
    }
    void doesWithoutAMachine() {
        SettingsPage alone(*settings_, nullptr);
        alone.setModel(QStringLiteral("/m/a.gguf"));
        alone.setShown(true);
        alone.tryCards();
        QVERIFY(!alone.asking());
        QVERIFY(alone.rows()->count() > 0);
    }

private:
    FakeMachine machine_;
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<SettingsPage> page_;
};

QTEST_GUILESS_MAIN(SettingsPageTest)
#include "settings_page_test.moc"
