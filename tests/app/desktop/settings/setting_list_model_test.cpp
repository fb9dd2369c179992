// The rows of the settings page: what is found, what is written where, what a row says.
#include "settings/setting_list_model.h"

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QUrl>
#include <QtTest>
#include <memory>

#include "settings/app_settings.h"
#include "settings/settings_page.h"
#include "support/fake_machine.h"

using namespace hearth::ui;

class SettingListModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("s.ini")));
        rows_ = std::make_unique<SettingListModel>(*settings_);
    }
    void cleanup() {
        rows_.reset();
        settings_.reset();
    }

    void hasARowForEachSetting();
    void finds_data();
    void finds();
    void rowsThatStayAreNotToldAnew();
    void thePageOpensWithoutASearch();
    void thePageAsksForItsModelsModes();
    void writesAndResets();
    void saysWhatIsWrong();
    void tellsOnlyWhatHasChanged();
    void writesForOneModel();
    void showsWhatTheStyleGives();
    void offersTheCards();
    void saysWhichModesAreRefused();
    void knowsTheMachine();
    void saysWhatRuns();
    void saysWhatRunsOnACard();
    void saysWhatTheTemplateKnows();
    void takesFolders();
    void saysWhichPlacesAreMissing();

private:
    QVariant of(const QString& key, SettingListModel::Role role) {
        const int row = rows_->indexOf(key);
        return row < 0 ? QVariant() : rows_->data(rows_->index(row), role);
    }
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<SettingListModel> rows_;
};

void SettingListModelTest::hasARowForEachSetting() {
    const QAbstractItemModelTester tester(rows_.get());
    QSet<QString> shown;
    for (const char* section : {"model", "answers", "appearance", "folders", "network", "api"}) {
        rows_->setSection(QString::fromLatin1(section));
        QVERIFY2(rows_->count() > 0, section);
        for (int row = 0; row < rows_->count(); ++row) {
            const QModelIndex index = rows_->index(row);
            shown.insert(rows_->data(index, SettingListModel::KeyRole).toString());
            QVERIFY(!rows_->data(index, SettingListModel::LabelRole).toString().isEmpty());
            QVERIFY(rows_->data(index, SettingListModel::SaysRole)
                        .toString()
                        .endsWith(QLatin1Char('.')));
        }
    }
    for (const SettingSpec& spec : settingTable()) {
        QCOMPARE(shown.contains(QString::fromLatin1(spec.key)),
                 spec.scope != SettingSpec::Scope::Window);
    }
}

void SettingListModelTest::finds_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("first");
    QTest::addColumn<int>("count");
    QTest::newRow("label") << "temperature"
                           << "sampling/temp" << 1;
    QTest::newRow("key") << "min-p"
                         << "sampling/min-p" << 1;
    QTest::newRow("description") << "  FLUENT   nonsense "
                                 << "engine/activation" << 1;
    QTest::newRow("section") << "appearance motion"
                             << "window/motion" << 1;
    QTest::newRow("nothing") << "warp"
                             << "" << 0;
}

void SettingListModelTest::finds() {
    QFETCH(const QString, words);
    QFETCH(const QString, first);
    QFETCH(const int, count);
    QSignalSpy changed(rows_.get(), &SettingListModel::shownChanged);
    rows_->setSearch(words);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(rows_->count(), count);
    QCOMPARE(rows_->indexOf(first) >= 0, count > 0);
    rows_->setSection(QStringLiteral("network"));  // ends the search
    QVERIFY(rows_->search().isEmpty());
    QVERIFY(rows_->indexOf(QStringLiteral("network/proxy")) >= 0);
}

// The page forgets its search when somebody leaves it.
void SettingListModelTest::thePageOpensWithoutASearch() {
    SettingsPage page(*settings_, nullptr);
    page.setShown(true);
    const int whole = page.rows()->count();
    for (const char* words : {"proxy", "warp"}) {
        page.rows()->setSearch(QString::fromLatin1(words));
        QVERIFY(page.rows()->count() < whole);
        page.setShown(false);
        page.setShown(true);
        QCOMPARE(page.rows()->search(), QString());
        QCOMPARE(page.rows()->count(), whole);
    }
}

// And what is answered of another model is not this one's.
void SettingListModelTest::thePageAsksForItsModelsModes() {
    FakeMachine machine;
    SettingsPage page(*settings_, &machine);
    const QString model = QStringLiteral("/m/a.gguf");
    page.setModel(model);
    QCOMPARE(machine.modesAsked().size(), 0);  // nobody looks
    page.setShown(true);
    QCOMPARE(machine.modesAsked().size(), 1);
    QCOMPARE(machine.modesAsked().last().path, model);
    int asked = 1;
    for (const auto& [key, text] : {std::pair{"engine/activation", "reglu"},
                                    {"engine/predictors", "/p.gguf"},
                                    {"engine/predictor-input", "normed"},
                                    {"engine/thresholds", "/t.gguf"}}) {
        QCOMPARE(settings_->set(key, QString::fromLatin1(text), model), QString());
        QCOMPARE(machine.modesAsked().size(), ++asked);
    }
    QCOMPARE(settings_->set("engine/threads", QStringLiteral("2")), QString());
    QCOMPARE(machine.modesAsked().size(), asked);
    const auto refused = [&] {
        const SettingListModel* rows = page.rows();
        const QVariantList choices =
            rows->data(rows->index(rows->indexOf(QStringLiteral("engine/mode"))),
                       SettingListModel::ChoicesRole)
                .toList();
        QStringList all;
        for (const QVariant& choice : choices) {
            if (!choice.toMap().value(QStringLiteral("whyNot")).toString().isEmpty()) {
                all << choice.toMap().value(QStringLiteral("value")).toString();
            }
        }
        return all;
    };
    machine.setRefused({{QStringLiteral("predicted"), QStringLiteral("It has none.")}});
    settings_->reset("engine/activation", model);
    QTRY_COMPARE(refused(), QStringList({"predicted"}));
    emit machine.modes(1, {{QStringLiteral("exact"), QStringLiteral("Of long ago.")}});
    QCOMPARE(refused(), QStringList({"predicted"}));
    // Another model: nothing is known of it, and what comes late is of the one before.
    page.setShown(false);
    page.setModel(QStringLiteral("/m/b.gguf"));
    QCOMPARE(refused(), QStringList());
    for (int id = 1; id <= machine.modesAsked().size() + 1; ++id) {
        emit machine.modes(static_cast<quint64>(id),
                           {{QStringLiteral("exact"), QStringLiteral("Of the other.")}});
        QCOMPARE(refused(), QStringList());
    }
}

// Each letter of a search takes rows away or brings some, and the others keep their controls.
void SettingListModelTest::rowsThatStayAreNotToldAnew() {
    const QAbstractItemModelTester tester(rows_.get());
    QSignalSpy reset(rows_.get(), &QAbstractItemModel::modelReset);
    QSignalSpy inserted(rows_.get(), &QAbstractItemModel::rowsInserted);
    QSignalSpy removed(rows_.get(), &QAbstractItemModel::rowsRemoved);
    rows_->setSearch(QStringLiteral("p"));
    const int first = rows_->count();
    inserted.clear();
    removed.clear();
    rows_->setSearch(QStringLiteral("pro"));
    const int second = rows_->count();
    QVERIFY(second > 1 && second < first);
    QCOMPARE(inserted.size(), 0);
    QCOMPARE(removed.size(), first - second);
    rows_->setSearch(QStringLiteral("p"));
    QCOMPARE(inserted.size(), first - second);
    QCOMPARE(removed.size(), first - second);
    QCOMPARE(reset.size(), 0);
    // In the order of the page, whatever went and came.
    QStringList keys, all;
    for (int row = 0; row < rows_->count(); ++row) {
        keys << rows_->data(rows_->index(row), SettingListModel::KeyRole).toString();
    }
    for (const SettingSpec& spec : settingTable()) {
        if (keys.contains(QString::fromLatin1(spec.key))) {
            all << QString::fromLatin1(spec.key);
        }
    }
    QCOMPARE(keys, all);
    // Later changes are reported for the right row.
    QSignalSpy changed(rows_.get(), &QAbstractItemModel::dataChanged);
    QVERIFY(rows_->set(QStringLiteral("network/proxy"), QStringLiteral("none")));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toModelIndex().row(),
             rows_->indexOf(QStringLiteral("network/proxy")));
}

void SettingListModelTest::writesAndResets() {
    const QString key = QStringLiteral("engine/ram");
    QVERIFY(of(key, SettingListModel::AutoRole).toBool());
    QVERIFY(!of(key, SettingListModel::ChangedRole).toBool());
    QVERIFY(rows_->setNumber(key, 3.0 * (1 << 30)));
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("3G"));
    QCOMPARE(of(key, SettingListModel::NumberRole).toDouble(), 3.0 * (1 << 30));
    QVERIFY(!of(key, SettingListModel::AutoRole).toBool());
    QVERIFY(of(key, SettingListModel::ChangedRole).toBool());
    // In the words of every other page, beside what was typed.
    QCOMPARE(of(key, SettingListModel::RunsRole).toString(), QStringLiteral("3G is 3.2 GB."));
    QVERIFY(rows_->set(key, QStringLiteral("64M")));
    QCOMPARE(of(key, SettingListModel::RunsRole).toString(), QStringLiteral("64M is 67.1 MB."));
    rows_->reset(key);
    QCOMPARE(of(key, SettingListModel::RunsRole).toString(), QString());
    QVERIFY(of(key, SettingListModel::AutoRole).toBool());
    QVERIFY(!rows_->setNumber(key, qQNaN()));
    QVERIFY(!rows_->set(QStringLiteral("engine/warp"), QStringLiteral("9")));
    rows_->setSection(QStringLiteral("answers"));
    QVERIFY(rows_->set(QStringLiteral("sampling/preset"), QStringLiteral("own")));
    QVERIFY(rows_->setNumber(QStringLiteral("sampling/temp"), 0.30000000000000004));
    QCOMPARE(settings_->text("sampling/temp"), QStringLiteral("0.3"));
    // A slider's end, and what lies beyond what may be.
    QVERIFY(rows_->setNumber(key, 1.0));
    QCOMPARE(settings_->text("engine/ram"), QStringLiteral("16M"));
    QVERIFY(rows_->setNumber(QStringLiteral("engine/threads"), 3.6));
    QCOMPARE(settings_->text("engine/threads"), QStringLiteral("4"));
    QVERIFY(rows_->setNumber(QStringLiteral("sampling/temp"), 99));
    QCOMPARE(settings_->text("sampling/temp"), QStringLiteral("10"));
}

void SettingListModelTest::saysWhatIsWrong() {
    const QString key = QStringLiteral("engine/threads");
    QVERIFY(!rows_->set(key, QStringLiteral("many")));
    QVERIFY(of(key, SettingListModel::ProblemRole).toString().contains(QLatin1String("1 to 1024")));
    QCOMPARE(settings_->text("engine/threads"), QStringLiteral("auto"));
    QVERIFY(rows_->set(key, QStringLiteral("4")));
    QVERIFY(of(key, SettingListModel::ProblemRole).toString().isEmpty());
    QVERIFY(!rows_->set(key, QStringLiteral("0")));
    rows_->reset(key);
    QVERIFY(of(key, SettingListModel::ProblemRole).toString().isEmpty());
    // Said of one model, it is not true of the next.
    rows_->setModel(QStringLiteral("/m/a.gguf"));
    QVERIFY(!rows_->set(key, QStringLiteral("0")));
    QVERIFY(!of(key, SettingListModel::ProblemRole).toString().isEmpty());
    rows_->setModel(QStringLiteral("/m/b.gguf"));
    QVERIFY(of(key, SettingListModel::ProblemRole).toString().isEmpty());
    // And not of what is set elsewhere, on another page say.
    QVERIFY(!rows_->set(key, QStringLiteral("0")));
    QCOMPARE(settings_->set("engine/threads", QStringLiteral("5")), QString());
    QVERIFY(of(key, SettingListModel::ProblemRole).toString().isEmpty());
}

void SettingListModelTest::tellsOnlyWhatHasChanged() {
    QSignalSpy changed(rows_.get(), &QAbstractItemModel::dataChanged);
    QVERIFY(rows_->set(QStringLiteral("engine/mode"), QStringLiteral("exact")));
    QSet<int> roles;
    for (const QVariantList& told : changed) {
        QCOMPARE(told.at(0).toModelIndex().row(), rows_->indexOf(QStringLiteral("engine/mode")));
        const auto some = told.at(2).value<QList<int>>();
        roles += QSet<int>(some.begin(), some.end());
    }
    QCOMPARE(roles, (QSet<int>{SettingListModel::ValueRole, SettingListModel::ChangedRole}));
    changed.clear();
    QVERIFY(rows_->set(QStringLiteral("engine/mode"), QStringLiteral("exact")));
    QVERIFY(changed.isEmpty());
    // Another section's rows are compared with their own.
    rows_->setSection(QStringLiteral("answers"));
    rows_->setReport({});
    QVERIFY(changed.isEmpty());
}

void SettingListModelTest::writesForOneModel() {
    const QString activation = QStringLiteral("engine/activation");
    const QString threads = QStringLiteral("engine/threads");
    const QString model = QStringLiteral("/m/a.gguf");
    rows_->setForModel(true);
    QVERIFY(!rows_->forModel());  // of which?
    QVERIFY(!of(activation, SettingListModel::EnabledRole).toBool());
    QVERIFY(!rows_->set(activation, QStringLiteral("reglu")));
    rows_->setForModel(false);
    rows_->setModel(model);
    QVERIFY(rows_->set(activation, QStringLiteral("reglu")));  // always of the model
    QCOMPARE(settings_->text("engine/activation", model), QStringLiteral("reglu"));
    QVERIFY(rows_->set(threads, QStringLiteral("4")));
    QVERIFY(!of(threads, SettingListModel::OwnRole).toBool());
    rows_->setForModel(true);
    QVERIFY(rows_->set(threads, QStringLiteral("2")));
    QVERIFY(of(threads, SettingListModel::OwnRole).toBool());
    QCOMPARE(settings_->text("engine/threads"), QStringLiteral("4"));
    // What the row shows is what is changed: the model's own counts.
    rows_->setForModel(false);
    QCOMPARE(of(threads, SettingListModel::ValueRole).toString(), QStringLiteral("2"));
    QVERIFY(rows_->set(threads, QStringLiteral("3")));
    QCOMPARE(settings_->text("engine/threads", model), QStringLiteral("3"));
    rows_->reset(threads);
    QCOMPARE(of(threads, SettingListModel::ValueRole).toString(), QStringLiteral("4"));
    QVERIFY(!of(threads, SettingListModel::OwnRole).toBool());
}

void SettingListModelTest::showsWhatTheStyleGives() {
    rows_->setSection(QStringLiteral("answers"));
    const QString key = QStringLiteral("sampling/temp");
    QVERIFY(rows_->set(QStringLiteral("sampling/preset"), QStringLiteral("precise")));
    QCOMPARE(of(key, SettingListModel::ValueRole).toString(), QStringLiteral("0.2"));
    QVERIFY(rows_->set(QStringLiteral("sampling/preset"), QStringLiteral("creative")));
    for (const auto& [row, text] : {std::pair{"sampling/temp", "1.2"},
                                    {"sampling/top-k", "100"},
                                    {"sampling/top-p", "0.98"},
                                    {"sampling/min-p", "0.05"}}) {
        const QString name = QString::fromLatin1(row);
        QCOMPARE(of(name, SettingListModel::ValueRole).toString(), QString::fromLatin1(text));
        QVERIFY2(!of(name, SettingListModel::EnabledRole).toBool(), row);
    }
    QVERIFY(of(QStringLiteral("sampling/seed"), SettingListModel::EnabledRole).toBool());
    QVERIFY(!of(key, SettingListModel::EnabledRole).toBool());
    QVERIFY(!rows_->set(key, QStringLiteral("1")));
    QVERIFY(rows_->set(QStringLiteral("sampling/preset"), QStringLiteral("own")));
    QVERIFY(rows_->set(key, QStringLiteral("1")));
    QCOMPARE(of(key, SettingListModel::NumberRole).toDouble(), 1.0);
}

void SettingListModelTest::saysWhichModesAreRefused() {
    const auto whyNot = [this](int index) {
        return of(QStringLiteral("engine/mode"), SettingListModel::ChoicesRole)
            .toList()
            .at(index)
            .toMap()
            .value(QStringLiteral("whyNot"))
            .toString();
    };
    const QStringList modes = findSetting(QStringLiteral("engine/mode"))->wordList();
    const auto predicted = static_cast<int>(modes.indexOf(QStringLiteral("predicted")));
    QVERIFY(whyNot(predicted).isEmpty());
    rows_->setRefusedModes({{QStringLiteral("predicted"), QStringLiteral("It has none.")}});
    for (int i = 0; i < modes.size(); ++i) {
        QCOMPARE(whyNot(i), i == predicted ? QStringLiteral("It has none.") : QString());
    }
    rows_->setRefusedModes({});
    QVERIFY(whyNot(predicted).isEmpty());
}

void SettingListModelTest::offersTheCards() {
    const auto values = [this] {
        QStringList list;
        const QVariantList choices =
            of(QStringLiteral("engine/gpu"), SettingListModel::ChoicesRole).toList();
        for (const QVariant& choice : choices) {
            list << choice.toMap().value(QStringLiteral("value")).toString();
        }
        return list;
    };
    QCOMPARE(values(), QStringList({"auto", "none"}));
    MachineFacts facts;
    facts.cards = {{.index = 0,
                    .name = "Twin",
                    .memoryBytes = quint64{8} << 30,
                    .gbPerSecond = 448.4,
                    .status = "ok",
                    .chosen = true},
                   {.index = 1, .name = "Twin", .status = "failed", .reason = "it hangs"},
                   {.index = 2, .name = "Other", .status = "unprobed", .chosen = true}};
    rows_->setFacts(facts);
    QCOMPARE(values(), QStringList({"auto", "none", "0", "1", "Other"}));
    QVERIFY(settings_->set("engine/gpu", QStringLiteral("Gone")).isEmpty());
    QCOMPARE(values().last(), QStringLiteral("Gone"));
    const auto note = [this](int row) {
        return of(QStringLiteral("engine/gpu"), SettingListModel::ChoicesRole)
            .toList()
            .at(row)
            .toMap()
            .value(QStringLiteral("note"))
            .toString();
    };
    QCOMPARE(note(2), QStringLiteral("8.6 GB, 448 GB/s, tried, works"));
    QCOMPARE(note(3), QStringLiteral("tried, failed; not used automatically: it hangs"));
    QCOMPARE(note(4), QStringLiteral("not tried yet"));
    facts.cards[1] = {.index = 1,
                      .name = "Twin",
                      .memoryBytes = quint64{4} << 30,
                      .sharesRam = true,
                      .status = "skipped",
                      .chosen = true};
    rows_->setFacts(facts);
    QCOMPARE(note(3),
             QStringLiteral("4.3 GB, shared with the processor, this version cannot use it"));
}

void SettingListModelTest::knowsTheMachine() {
    MachineFacts facts;
    facts.mostThreads = 12;
    facts.ramBytes = quint64{16} << 30;
    facts.cards = {{.memoryBytes = quint64{2} << 30}, {.memoryBytes = quint64{6} << 30}, {}};
    rows_->setFacts(facts);
    QCOMPARE(of(QStringLiteral("engine/threads"), SettingListModel::MostRole).toDouble(), 12.0);
    QCOMPARE(of(QStringLiteral("engine/ram"), SettingListModel::MostRole).toDouble(),
             16.0 * (1 << 30));
    QCOMPARE(of(QStringLiteral("engine/vram"), SettingListModel::MostRole).toDouble(),
             6.0 * (1 << 30));
}

void SettingListModelTest::saysWhatRuns() {
    const auto said = [this](const char* key) {
        return of(QString::fromLatin1(key), SettingListModel::RunsRole).toString();
    };
    EngineReport report;
    report.modelPath = QStringLiteral("/m/a.gguf");
    report.threads = 2;
    report.contextTokens = 1024;
    report.mode = QStringLiteral("exact");
    report.ramBudget = quint64{2200} << 20;
    report.ramUsed = quint64{2100} << 20;
    rows_->setReport(report);
    QCOMPARE(said("engine/threads"), QString());  // of another model
    rows_->setModel(report.modelPath);
    QCOMPARE(said("engine/threads"), QStringLiteral("Now: 2 threads."));
    QCOMPARE(said("engine/ctx"), QStringLiteral("Now: 1024 tokens."));
    QCOMPARE(said("engine/mode"), QStringLiteral("Now: exact."));
    QCOMPARE(said("engine/ram"), QStringLiteral("Now: holds 2.2 GB of 2.3 GB."));
    QCOMPARE(said("engine/gpu"), QStringLiteral("Now: none."));
    QCOMPARE(of(QStringLiteral("engine/threads"), SettingListModel::NumberRole).toDouble(), 1.0);
    rows_->setSection(QStringLiteral("answers"));
    QCOMPARE(said("chat/system"), QString());
    report.defaultSystem = QStringLiteral("You are\n") + QString(500, QLatin1Char('x'));
    rows_->setReport(report);
    QCOMPARE(said("chat/system"),
             QStringLiteral("Without instructions, this model is told: “You are ") +
                 QString(392, QLatin1Char('x')) + QStringLiteral("…”"));
}

void SettingListModelTest::saysWhatTheTemplateKnows() {
    const auto refused = [this] {
        QStringList words;
        for (const QVariant& choice :
             of(QStringLiteral("chat/reasoning"), SettingListModel::ChoicesRole).toList()) {
            if (!choice.toMap().value(QStringLiteral("whyNot")).toString().isEmpty()) {
                words << choice.toMap().value(QStringLiteral("value")).toString();
            }
        }
        return words.join(QLatin1Char(' '));
    };
    rows_->setSection(QStringLiteral("answers"));
    QCOMPARE(refused(), QString());  // no model is open
    EngineReport report;
    report.modelPath = QStringLiteral("/m/a.gguf");
    rows_->setModel(report.modelPath);
    rows_->setReport(report);
    QCOMPARE(refused(), QStringLiteral("off on low medium high"));
    report.hasThinkingSwitch = true;
    rows_->setReport(report);
    QCOMPARE(refused(), QStringLiteral("low medium high"));
    report.hasThinkingSwitch = false;
    report.hasReasoningEffort = true;
    rows_->setReport(report);
    QCOMPARE(refused(), QStringLiteral("off on"));
    rows_->setModel(QStringLiteral("/m/b.gguf"));  // the report is about another one
    QCOMPARE(refused(), QString());
}

// Each row its own, and where the program chooses, a slider stands where it runs.
void SettingListModelTest::saysWhatRunsOnACard() {
    MachineFacts facts;
    facts.mostThreads = 12;
    facts.ramBytes = quint64{16} << 30;
    facts.cards = {{.memoryBytes = quint64{8} << 30}};
    rows_->setFacts(facts);
    EngineReport report;
    report.modelPath = QStringLiteral("/m/a.gguf");
    report.threads = 1;
    report.contextTokens = 2048;
    report.gpu = QStringLiteral("Aurora");
    report.gpuShare = 0.396;
    report.ramBudget = quint64{4} << 30;
    report.ramUsed = quint64{3} << 30;
    report.vramBudget = quint64{2} << 30;
    report.vramUsed = quint64{1} << 30;
    report.diskPerToken = 12'000'000;
    rows_->setReport(report);
    rows_->setModel(report.modelPath);
    for (const auto& [key, says, number] :
         {std::tuple{"engine/gpu", "Now: Aurora, with 40 % of the model.", 0.0},
          {"engine/vram", "Now: holds 1.1 GB of 2.1 GB.", 2.0 * (1 << 30)},
          {"engine/ram",
           "Now: holds 3.2 GB of 4.3 GB. 12.0 MB of the model are read from the disk for each "
           "word.",
           4.0 * (1 << 30)},
          {"engine/threads", "Now: 1 thread.", 1.0},
          {"engine/ctx", "Now: 2048 tokens.", 2048.0}}) {
        const QString row = QString::fromLatin1(key);
        QCOMPARE(of(row, SettingListModel::RunsRole).toString(), QString::fromLatin1(says));
        QCOMPARE(of(row, SettingListModel::NumberRole).toDouble(), number);
    }
    report.gpu.clear();
    report.gpuNote = QStringLiteral("It was lost.");
    rows_->setReport(report);
    QCOMPARE(of(QStringLiteral("engine/gpu"), SettingListModel::RunsRole).toString(),
             QStringLiteral("Now: none. It was lost."));
    QCOMPARE(of(QStringLiteral("engine/vram"), SettingListModel::RunsRole).toString(),
             QStringLiteral("Now: no card takes part."));
}

void SettingListModelTest::saysWhichPlacesAreMissing() {
    const auto said = [this](const char* key) {
        return of(QString::fromLatin1(key), SettingListModel::PlaceRole).toString();
    };
    const QDir here(folder_->path());
    const QString there = here.filePath(QStringLiteral("there"));
    const QString gone = here.filePath(QStringLiteral("gone"));
    const QString file = here.filePath(QStringLiteral("file"));
    QVERIFY(here.mkdir(QStringLiteral("there")));
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    rows_->setSection(QStringLiteral("folders"));
    QVERIFY(rows_->set(QStringLiteral("folders/models"), there + QLatin1Char('\n') + gone));
    QCOMPARE(said("folders/models"), QString());
    rows_->setWatched(true);
    QTRY_COMPARE(
        said("folders/models"),
        QStringLiteral("The folder “%1” is not there. Attach its disk, or take it off.").arg(gone));
    QCOMPARE(settings_->text("folders/models"), there + QLatin1Char('\n') + gone);  // it stays
    QCOMPARE(said("folders/downloads"), QString());
    QVERIFY(rows_->set(QStringLiteral("folders/downloads"), file));
    QTRY_COMPARE(said("folders/downloads"),
                 QStringLiteral("“%1” is a file. Name the folder that it is in.").arg(file));
    QVERIFY(!said("folders/models").isEmpty());
    QVERIFY(rows_->set(QStringLiteral("folders/downloads"), gone));
    QTRY_VERIFY(said("folders/downloads").contains(QLatin1String("the next download makes")));
    QVERIFY(rows_->set(QStringLiteral("folders/downloads"), there));
    QTRY_COMPARE(said("folders/downloads"), QString());
    rows_->reset(QStringLiteral("folders/models"));
    QCOMPARE(said("folders/models"), QString());

    // A file of the open model, and a disk that comes while nobody looks.
    rows_->setModel(QStringLiteral("/m/a.gguf"));
    rows_->setSection(QStringLiteral("model"));
    QVERIFY(rows_->set(QStringLiteral("engine/predictors"), gone));
    QTRY_COMPARE(said("engine/predictors"),
                 QStringLiteral("The file “%1” is not there. Attach its disk, or choose another.")
                     .arg(gone));
    rows_->setWatched(false);
    QVERIFY(QFile::rename(file, gone));
    rows_->setWatched(true);
    QTRY_COMPARE(said("engine/predictors"), QString());
    QVERIFY(rows_->set(QStringLiteral("engine/predictors"), there));
    QTRY_COMPARE(said("engine/predictors"),
                 QStringLiteral("“%1” is a folder. Name a file in it.").arg(there));
    // Three are named where many are missing.
    rows_->setSection(QStringLiteral("folders"));
    QStringList many{there};
    for (int i = 0; i < 5; ++i) {
        many << here.filePath(QStringLiteral("gone%1").arg(i));
    }
    QVERIFY(rows_->set(QStringLiteral("folders/models"), many.join(QLatin1Char('\n'))));
    QTRY_COMPARE(said("folders/models").count(QLatin1Char('\n')), 2);
    QVERIFY(said("folders/models").contains(many.at(3)));
    QVERIFY(!said("folders/models").contains(many.at(4)));
}

void SettingListModelTest::takesFolders() {
    rows_->setSection(QStringLiteral("folders"));
    const QString key = QStringLiteral("folders/models");
    QVERIFY(rows_->addFolder(key, QStringLiteral("/a b")));
    QVERIFY(rows_->addFolder(key, QStringLiteral("/c")));
    QVERIFY(!rows_->addFolder(key, QStringLiteral("c")));
    QCOMPARE(settings_->text("folders/models"), QStringLiteral("/a b\n/c"));
    QVERIFY(rows_->set(QStringLiteral("folders/downloads"), QStringLiteral("/d")));
    QCOMPARE(settings_->text("folders/downloads"), QStringLiteral("/d"));
    QCOMPARE(rows_->textOf(QStringLiteral("folders/downloads")), QStringLiteral("/d"));
    QCOMPARE(rows_->textOf(QStringLiteral("not/there")), QString());
}

QTEST_GUILESS_MAIN(SettingListModelTest)
#include "setting_list_model_test.moc"
