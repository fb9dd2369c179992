#include "library/model_library.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "settings/app_settings.h"
#include "support/fake_machine.h"
#include "support/split_model.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using test::TinyModel;

// The bin and what other applications have are those of a home of this test's own.
class ModelLibraryTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(home_.isValid());
        qputenv("HOME", home_.path().toUtf8());
        qputenv("XDG_DATA_HOME", (home_.path() + QStringLiteral("/data")).toUtf8());
        qputenv("XDG_CACHE_HOME", (home_.path() + QStringLiteral("/cache")).toUtf8());
        qputenv("XDG_CONFIG_HOME", (home_.path() + QStringLiteral("/config")).toUtf8());
        for (const char* name :
             {"OLLAMA_MODELS", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
            qunsetenv(name);
        }
    }

    void init() {
        QVERIFY(QDir(home_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(home_.filePath(QStringLiteral("models"))));
        QVERIFY(QDir().mkpath(home_.filePath(QStringLiteral("data"))));  // for the bin
        settings_ = std::make_unique<AppSettings>(home_.filePath(QStringLiteral("hearth.ini")));
        machine_ = std::make_unique<FakeMachine>();
        library_ = std::make_unique<ModelLibrary>(
            *settings_, machine_.get(),
            ModelLibrary::Places{home_.filePath(QStringLiteral("downloads")), {}});
    }
    void cleanup() {
        library_.reset();
        machine_.reset();
        settings_.reset();
    }

    void findsAndDescribes() {
        model("models/deep/er/tiny.gguf");
        model("models/other.gguf", "bamboo");
        QVERIFY(write("models/broken.gguf", "GGUF and no more"));
        addModels();
        QCOMPARE(names(), QStringList({"other", "tiny", "broken"}));  // those that run first
        QTRY_COMPARE(value("tiny", "fit").toString(), QStringLiteral("streams"));
        QVERIFY(value("tiny", "fitText").toString().contains(QLatin1String("14 to 21 tokens/s")));
        const QString summary = value("tiny", "summary").toString();
        QVERIFY2(summary.startsWith(QStringLiteral("tiny · llama · F32 · ")), qPrintable(summary));
        // The header's name; another row has it too.
        QCOMPARE(value("tiny", "title").toString(), QStringLiteral("Tiny · tiny"));
        QCOMPARE(value("broken", "title").toString(), QStringLiteral("broken"));
        QVERIFY(value("tiny", "runs").toBool());
        QVERIFY(!value("broken", "runs").toBool());
        QVERIFY(value("broken", "whyNot").toString().contains(QLatin1String("broken.gguf")));
        QVERIFY(value("tiny", "details").toList().size() > 5);
        QVERIFY(library_->problems().isEmpty());
    }

    void whatIsKnownIsNotAskedAgain() {
        model("models/a.gguf");
        addModels();
        QTRY_COMPARE(machine_->plansAsked().size(), 1);
        QTRY_COMPARE(value("a", "fit").toString(), QStringLiteral("streams"));
        library_->look();
        QTRY_VERIFY(!library_->looking());
        QCOMPARE(value("a", "fit").toString(), QStringLiteral("streams"));
        QCOMPARE(machine_->plansAsked().size(), 1);
    }

    // A changed budget changes the forecast of each row, also of a model with settings of its own.
    void aChangedBudgetChangesThePage() {
        model("models/a.gguf");
        model("models/b.gguf", "bamboo");
        addModels();
        QTRY_COMPARE(machine_->plansAsked().size(), 2);
        QTRY_COMPARE(value("b", "fit").toString(), QStringLiteral("streams"));
        machine_->setPlan({.ramBytes = 2'000'000'000, .tokensLow = 3, .tokensHigh = 4});
        QCOMPARE(settings_->set("engine/ram", QStringLiteral("2G")), QString());
        QTRY_COMPARE(value("a", "fit").toString(), QStringLiteral("fits"));
        QTRY_COMPARE(value("b", "fit").toString(), QStringLiteral("fits"));
        QCOMPARE(machine_->plansAsked().size(), 4);
        QCOMPARE(machine_->plansAsked().last().ramBytes, std::optional<quint64>(quint64{2} << 30));
        const QString path = home_.filePath(QStringLiteral("models/b.gguf"));
        QCOMPARE(settings_->set("engine/ram", QStringLiteral("1G"), path), QString());
        QTRY_COMPARE(machine_->plansAsked().size(), 5);
        QCOMPARE(machine_->plansAsked().last().path, path);
        QCOMPARE(settings_->set("window/zoom", QStringLiteral("1.5")), QString());
        QTest::qWait(1);
        QCOMPARE(machine_->plansAsked().size(), 5);  // that changes no plan
    }

    // A forecast from a busy moment says so, and is made anew once the computer is quiet.
    void aBusyForecastIsMadeAnew() {
        PlanAnswer busy{.ramBytes = 2'000'000'000, .tokensLow = 3, .tokensHigh = 4, .busy = true};
        machine_->setPlan(busy);
        model("models/a.gguf");
        model("models/b.gguf", "bamboo");
        addModels();
        QTRY_VERIFY(value("a", "fitText").toString().contains(QLatin1String("busy")));
        QTRY_VERIFY(value("b", "fitText").toString().contains(QLatin1String("busy")));
        QCOMPARE(machine_->plansAsked().size(), 2);  // nobody asks again and again
        library_->open();
        QTRY_COMPARE(machine_->plansAsked().size(), 4);
        QTest::qWait(1);
        QCOMPARE(machine_->plansAsked().size(), 4);
        busy.busy = false;
        machine_->setPlan(busy);
        settings_->set("engine/ram", QStringLiteral("2G"), home_.filePath("models/a.gguf"));
        QTRY_VERIFY(!value("a", "fitText").toString().contains(QLatin1String("busy")));
        QTRY_VERIFY(!value("b", "fitText").toString().contains(QLatin1String("busy")));
        QCOMPARE(machine_->plansAsked().size(), 6);
    }

    // Another file of the same name is described anew.
    void aChangedFileIsReadAnew() {
        model("models/a.gguf");
        model("models/b.gguf");
        addModels();
        QTRY_VERIFY(value("a", "summary").toString().contains(QLatin1String("llama")));
        model("models/a.gguf", "bamboo");
        library_->look();
        QTRY_VERIFY2(value("a", "summary").toString().contains(QLatin1String("bamboo")),
                     qPrintable(value("a", "summary").toString()));
        QVERIFY(value("b", "summary").toString().contains(QLatin1String("llama")));
        QTRY_COMPARE(value("a", "fit").toString(), QStringLiteral("streams"));
    }

    // The folder of downloads is looked through without being in the list, whichever it is.
    void downloadsAreInTheList() {
        model("downloads/d.gguf");
        model("elsewhere/e.gguf");
        addModels();
        QCOMPARE(shown(), QStringList({"d"}));
        QCOMPARE(library_->downloadFolder(), at("downloads"));
        QCOMPARE(settings_->set("folders/downloads", at("elsewhere")), QString());
        QCOMPARE(library_->downloadFolder(), at("elsewhere"));
        QTRY_COMPARE(shown(), QStringList({"e"}));
        QVERIFY(library_->problems().isEmpty());
        settings_->reset("folders/downloads");
        QTRY_COMPARE(shown(), QStringList({"d"}));
    }

    void aFolderIsListedOnce() {
        addModels();
        library_->addPlace(at("models/"));
        library_->addPlace(at("models/../models"));
        QCOMPARE(library_->folders(), QStringList(at("models")));
        library_->removeFolder(at("mod"));
        QCOMPARE(library_->folders(), QStringList(at("models")));
    }

    // A copy that was made beside a model of a listed folder needs no mention; another one does.
    void includesWhatLiesElsewhere() {
        addModels();
        model("models/sub/in.gguf");
        library_->include(at("models/sub/in.gguf"));
        QTRY_COMPARE(shown(), QStringList({"in"}));
        QVERIFY(library_->recent().isEmpty());
        model("models2/out.gguf");  // its folder's name only begins as the listed one's
        library_->include(at("models2/out.gguf"));
        QTRY_COMPARE(shown(), QStringList({"out", "in"}));
        QCOMPARE(library_->recent().size(), 1);
        library_->noteUsed({});
        library_->noteUsed(QStringLiteral("relative.gguf"));
        QCOMPARE(library_->recent().size(), 1);
    }

    // The list's rows, as a view is told of them.
    void rowsAreToldOfChanges() {
        ModelListModel list;
        FoundModel a;
        a.name = QStringLiteral("a");
        a.paths = QStringList{QStringLiteral("/m/a.gguf")};
        FoundModel b = a;
        b.name = QStringLiteral("b");
        b.paths = QStringList{QStringLiteral("/m/b.gguf")};
        list.reset({a, b});
        QSignalSpy told(&list, &QAbstractItemModel::dataChanged);
        const auto rows = [&] {
            QList<int> all;
            for (const QList<QVariant>& one : told) {
                all << one.first().toModelIndex().row();
            }
            told.clear();
            std::sort(all.begin(), all.end());
            return all;
        };
        ModelFacts facts;
        facts.name = QStringLiteral("Tiny");
        list.setFacts(a.path(), facts);
        QCOMPARE(rows(), QList<int>({0}));
        list.setFacts(b.path(), facts);
        QCOMPARE(rows(), QList<int>({0, 1}));  // the first has the same title now
        list.setFit(b.path(), {});
        QCOMPARE(rows(), QList<int>({1}));
        list.setCurrent(a.path());
        QCOMPARE(rows(), QList<int>({0}));
        list.setCurrent(b.path());
        QCOMPARE(rows(), QList<int>({0, 1}));
        QVERIFY(!list.index(0).data(ModelListModel::CurrentRole).toBool());
        QVERIFY(list.index(1).data(ModelListModel::CurrentRole).toBool());
        list.setRecent({b.path()});
        QCOMPARE(rows(), QList<int>({1}));
        list.setRecent({a.path(), b.path()});
        QCOMPARE(rows(), QList<int>({0, 1}));
        list.setRecent({a.path(), b.path()});
        QCOMPARE(rows(), QList<int>());
        list.setFacts(QStringLiteral("/m/none.gguf"), facts);
        QCOMPARE(rows(), QList<int>());
    }

    // Three files whose headers have one name.
    void equalNamesAreToldApart() {
        model("models/one.gguf");
        model("models/two.gguf");
        model("models/sub/two.gguf");
        model("models/other.gguf", "bamboo");
        addModels();
        QStringList titles;
        QTRY_VERIFY([&] {
            titles.clear();
            for (int row = 0; row < library_->list()->count(); ++row) {
                titles << library_->list()
                              ->data(library_->list()->index(row, 0), ModelListModel::TitleRole)
                              .toString();
            }
            return titles.size() == 4 && titles.filter(QStringLiteral("Tiny")).size() == 4;
        }());
        titles.removeDuplicates();
        QCOMPARE(titles.size(), 4);
        QVERIFY2(titles.contains(QStringLiteral("Tiny · one")),
                 qPrintable(titles.join(QLatin1Char('|'))));
        QVERIFY2(titles.contains(QStringLiteral("Tiny · two · sub")),
                 qPrintable(titles.join(QLatin1Char('|'))));
        library_->noteUsed(home_.filePath(QStringLiteral("models/one.gguf")));
        QCOMPARE(library_->recent().first().toMap().value(QStringLiteral("name")).toString(),
                 QStringLiteral("Tiny · one"));
    }

    void verdicts_data() {
        QTest::addColumn<PlanAnswer>("answer");
        QTest::addColumn<QString>("fit");
        QTest::addColumn<QString>("words");
        constexpr quint64 kGb = 1'000'000'000;
        QTest::newRow("memory") << PlanAnswer{.ramBytes = 2 * kGb} << "fits"
                                << "Fits: 2.0 GB of memory";
        QTest::newRow("card") << PlanAnswer{.ramBytes = kGb / 10, .vramBytes = 4 * kGb} << "fits"
                              << "Fits: 4.0 GB on the graphics card";
        QTest::newRow("both") << PlanAnswer{.ramBytes = 3 * kGb, .vramBytes = 4 * kGb} << "partly"
                              << "Fits partly on the graphics card: 4.0 GB there, 3.0 GB in memory";
        QTest::newRow("card, and what every model needs of memory")
            << PlanAnswer{.ramBytes = kGb / 2, .vramBytes = 4 * kGb} << "fits"
            << "Fits: 4.0 GB on the graphics card";
        QTest::newRow("a little more of memory")
            << PlanAnswer{.ramBytes = kGb / 2 + 1, .vramBytes = 4 * kGb} << "partly"
            << "Fits partly on the graphics card: 4.0 GB there, 500.0 MB in memory";
        QTest::newRow("one speed")
            << PlanAnswer{.ramBytes = 2 * kGb, .tokensLow = 31.9, .tokensHigh = 32.1} << "fits"
            << "Fits: 2.0 GB of memory · about 32 tokens/s";
        QTest::newRow("nearly at once")
            << PlanAnswer{.ramBytes = 2 * kGb, .firstTokenMs = 100} << "fits"
            << "Fits: 2.0 GB of memory · first word after 0.1 s";
        QTest::newRow("busy, and no speed known")
            << PlanAnswer{.ramBytes = 2 * kGb, .busy = true} << "fits"
            << "Fits: 2.0 GB of memory";
        QTest::newRow("disk") << PlanAnswer{.ramBytes = 3 * kGb, .diskBytes = 9 * kGb} << "streams"
                              << "Streams from disk: 9.0 GB do not fit in memory";
        QTest::newRow("a small one")
            << PlanAnswer{.ramBytes = 2 * kGb, .firstTokenMs = 40} << "fits"
            << "Fits: 2.0 GB of memory · first word at once";
        QTest::newRow("a slow one")
            << PlanAnswer{.ramBytes = 2 * kGb, .firstTokenMs = 8100} << "fits"
            << "Fits: 2.0 GB of memory · first word after 8.1 s";
        QTest::newRow("busy") << PlanAnswer{.ramBytes = 2 * kGb,
                                            .tokensLow = 3,
                                            .tokensHigh = 4,
                                            .busy = true}
                              << "fits"
                              << "Fits: 2.0 GB of memory · 3.0 to 4.0 tokens/s · perhaps faster: "
                                 "the computer was busy when this was measured";
        QTest::newRow("no") << PlanAnswer{.sentence = QStringLiteral("It does not.")} << "cannot"
                            << "It does not.";
    }
    void verdicts() {
        QFETCH(const PlanAnswer, answer);
        QFETCH(const QString, fit);
        QFETCH(const QString, words);
        machine_->setPlan(answer);
        model("models/a.gguf");
        addModels();
        QTRY_COMPARE(value("a", "fit").toString(), fit);
        QCOMPARE(value("a", "fitText").toString(), words);
    }

    void searches() {
        model("models/llama-one.gguf");
        model("models/two.gguf", "bamboo");
        addModels();
        library_->list()->setSearch(QStringLiteral("BAMB"));
        QTRY_COMPARE(shown(), QStringList({"two"}));
        library_->list()->setSearch(QStringLiteral("llama one"));
        QCOMPARE(shown(), QStringList({"llama-one"}));
        library_->list()->setSearch(QStringLiteral("three"));
        QCOMPARE(shown(), QStringList());
        QCOMPARE(library_->count(), 2);
    }

    void lastUsedFirst() {
        model("models/a.gguf");
        model("models/b.gguf");
        addModels();
        QCOMPARE(shown(), QStringList({"a", "b"}));
        library_->noteUsed(at("models/b.gguf"));
        QCOMPARE(shown(), QStringList({"b", "a"}));
        for (int i = 0; i < 20; ++i) {
            library_->noteUsed(at(QStringLiteral("models/%1.gguf").arg(i)));
        }
        library_->noteUsed(at("models/b.gguf"));
        const QVariantList recent = library_->recent();
        QCOMPARE(recent.size(), ModelLibrary::kRecentMost);
        QCOMPARE(recent.at(0).toMap().value(QStringLiteral("path")).toString(),
                 at("models/b.gguf"));
        QCOMPARE(recent.at(0).toMap().value(QStringLiteral("name")).toString(),
                 QStringLiteral("Tiny · b"));  // the model's own, which a.gguf has too
        QCOMPARE(recent.at(1).toMap().value(QStringLiteral("name")).toString(),
                 QStringLiteral("19"));
    }

    // The first look of the next start knows the models that were used, and so does the second.
    void lastUsedFirstAfterAStart() {
        model("models/a.gguf");
        model("models/b.gguf");
        addModels();
        library_->noteUsed(at("models/b.gguf"));
        library_.reset();
        library_ = std::make_unique<ModelLibrary>(*settings_, machine_.get(),
                                                  ModelLibrary::Places{at("downloads"), {}});
        library_->open();
        QTRY_COMPARE(shown(), QStringList({"b", "a"}));
        model("models/c.gguf");
        library_->noteUsed(at("models/c.gguf"));
        library_->look();
        QTRY_COMPARE(shown(), QStringList({"c", "b", "a"}));
    }

    // What was opened by hand is in the list although its folder is not.
    void openedByHand() {
        model("elsewhere/c.gguf");
        addModels();
        QCOMPARE(shown(), QStringList());
        library_->noteUsed(at("elsewhere/c.gguf"));
        QTRY_COMPARE(shown(), QStringList({"c"}));
    }

    void deletesAndUndoes() {
        model("models/a.gguf");
        model("models/b.gguf");
        addModels();
        library_->noteUsed(at("models/b.gguf"));
        library_->noteUsed(at("models/a.gguf"));
        library_->remove(at("models/a.gguf"));
        QTRY_COMPARE(shown(), QStringList({"b"}));
        QCOMPARE(library_->recent().size(), 1);  // it is nothing to go on with
        QCOMPARE(library_->recent().first().toMap().value(QStringLiteral("path")).toString(),
                 at("models/b.gguf"));
        QVERIFY(!QFileInfo::exists(at("models/a.gguf")));
        QVERIFY(library_->canUndo());
        library_->remove(at("models/b.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        const int before = notesInBin();
        library_->undoRemove();
        QTRY_COMPARE(shown(), QStringList({"b"}));
        library_->undoRemove();
        QTRY_COMPARE(shown(), QStringList({"a", "b"}));
        QVERIFY(!library_->canUndo());
        QVERIFY(QFileInfo(at("models/a.gguf")).size() > 1000);
#ifdef Q_OS_LINUX
        // The desktop's bin shows no entry for a file that has left it.
        QCOMPARE(before - notesInBin(), 2);
#else
        Q_UNUSED(before)
#endif
    }

    // The notes that the desktop's bin keeps, one for each of its entries.
    int notesInBin() const {
        return static_cast<int>(
            QDir(at("data/Trash/info")).entryList({"*.trashinfo"}, QDir::Files).size());
    }

    // The folder that the program was started in is no bin.
    void withoutABin() {
        model("models/a.gguf");
        addModels();
        QVERIFY(write("no-folder", "a file"));
        qputenv("XDG_DATA_HOME", at("no-folder").toUtf8());
        const QTemporaryDir started;
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(started.path()));
        library_->remove(at("models/a.gguf"));
        const bool said = QTest::qWaitFor([this] { return !library_->said().isEmpty(); });
        QVERIFY(QDir::setCurrent(before));
        qputenv("XDG_DATA_HOME", at("data").toUtf8());
        QVERIFY(said);
        // Either the system has another bin for that disk, or the file is where it was.
        QVERIFY(QFileInfo::exists(at("models/a.gguf")) || library_->canUndo());
        QVERIFY(QDir(started.path()).isEmpty());
        if (library_->canUndo()) {
            library_->undoRemove();
            QTRY_VERIFY(QFileInfo::exists(at("models/a.gguf")));
        }
    }

    void nothingIsOverwrittenByUndo() {
        model("models/a.gguf");
        addModels();
        library_->remove(at("models/a.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        QVERIFY(write("models/a.gguf", "GGUF, another one"));
        library_->undoRemove();
        QTRY_VERIFY(library_->said().contains(QLatin1String("stays in the bin")));
        QCOMPARE(QFileInfo(at("models/a.gguf")).size(), 17);
    }

    void theOpenOneStays() {
        model("models/a.gguf");
        addModels();
        library_->setCurrent(at("models/a.gguf"));
        library_->remove(at("models/a.gguf"));
        QVERIFY(library_->said().contains(QLatin1String("is open")));
        QVERIFY(QFileInfo::exists(at("models/a.gguf")));
        QVERIFY(!library_->canUndo());
        QVERIFY(value("a", "current").toBool());
        library_->look();
        QTRY_VERIFY(!library_->looking());
        QVERIFY(value("a", "current").toBool());
        library_->setCurrent({});  // another one is open
        library_->remove(at("models/a.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        QVERIFY(!QFileInfo::exists(at("models/a.gguf")));
    }

    // The program's own model leaves the list and keeps its file, also after the next start.
    void theStarterStays() {
        model("share/s.gguf");
        const auto start = [this] {
            library_ = std::make_unique<ModelLibrary>(
                *settings_, machine_.get(),
                ModelLibrary::Places{at("downloads"), at("share/s.gguf")});
            library_->open();
        };
        start();
        QTRY_COMPARE(shown(), QStringList({"s"}));
        library_->remove(at("share/s.gguf"));
        QVERIFY(library_->said().contains(QLatin1String("came with Hearth")));
        QTRY_COMPARE(shown(), QStringList());
        QVERIFY(QFileInfo::exists(at("share/s.gguf")));
        QVERIFY(library_->canUndo());
        library_->undoRemove();
        QTRY_COMPARE(shown(), QStringList({"s"}));
        library_->remove(at("share/s.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        start();
        QTRY_VERIFY(!library_->looking());
        QCOMPARE(shown(), QStringList());
        QVERIFY(QFileInfo::exists(at("share/s.gguf")));
    }

    // One of its files cannot go to the bin: the others stay as well.
    void aHalfDeletedOneIsWhole() {
        const QString whole = at("models/x.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(whole.toStdString()));
        QVERIFY(!hearth::test::split_model(whole.toStdString(), 2).empty());
        QVERIFY(QFile::remove(whole));
        addModels();
        QTRY_COMPARE(shown(), QStringList({"x"}));
        QVERIFY(QFile::rename(at("models/x-00002-of-00002.gguf"), at("away")));
        library_->remove(at("models/x-00001-of-00002.gguf"));
        QTRY_VERIFY2(library_->said().contains(QLatin1String("is not there any more")),
                     qPrintable(library_->said()));
        QVERIFY(QFileInfo::exists(at("models/x-00001-of-00002.gguf")));
        QVERIFY(!library_->canUndo());
        QVERIFY(QFile::rename(at("away"), at("models/x-00002-of-00002.gguf")));
        library_->remove(at("models/x-00001-of-00002.gguf"));
        QTRY_VERIFY(!QFileInfo::exists(at("models/x-00001-of-00002.gguf")));
        QTRY_VERIFY(library_->canUndo());
    }

    // Another application's file is never touched: it only leaves the list, and can come back.
    void othersFilesStay() {
        model(".lmstudio/models/pub/theirs.gguf");
        addModels();
        QCOMPARE(library_->offered().size(), 1);
        const QVariantMap offer = library_->offered().constFirst().toMap();
        QCOMPARE(offer.value(QStringLiteral("app")).toString(), QStringLiteral("LM Studio"));
        library_->addPlace(offer.value(QStringLiteral("path")).toString());
        QTRY_COMPARE(shown(), QStringList({"theirs"}));
        QVERIFY(library_->offered().isEmpty());
        QCOMPARE(value("theirs", "ownedBy").toString(), QStringLiteral("LM Studio"));
        library_->remove(at(".lmstudio/models/pub/theirs.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        QVERIFY(library_->said().contains(QLatin1String("LM Studio")));
        QVERIFY(QFileInfo::exists(at(".lmstudio/models/pub/theirs.gguf")));
        library_->undoRemove();
        QTRY_COMPARE(shown(), QStringList({"theirs"}));
    }

    void asksForTheActivation() {
        model("models/prosparse.gguf");
        addModels();
        QTRY_VERIFY(value("prosparse", "asks").toBool());
        library_->answerActivation(at("models/prosparse.gguf"), QStringLiteral("reglu"));
        QVERIFY(!value("prosparse", "asks").toBool());
        QCOMPARE(settings_->loadOptions(at("models/prosparse.gguf")).activation,
                 QStringLiteral("reglu"));
        // An answer is an answer, in the next look and in the next start.
        library_->look();
        QTRY_VERIFY(!library_->looking());
        QTest::qWait(0);
        QVERIFY(!value("prosparse", "asks").toBool());
    }

    // By name and size, as the catalogue knows them: exactly, or about.
    void isKnownToTheCatalogue_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("size");  // the catalogue's, as a share of the file's
        QTest::addColumn<bool>("exact");
        QTest::addColumn<QString>("mine");  // what a person said before
        QTest::addColumn<QString>("activation");
        const QString file = QStringLiteral("prosparse.gguf");
        QTest::newRow("exactly") << file << 1.0 << true << ""
                                 << "reglu";
        QTest::newRow("exactly another size") << file << 1.01 << true << ""
                                              << "";
        QTest::newRow("about") << file << 1.04 << false << ""
                               << "reglu";
        QTest::newRow("about another size") << file << 1.06 << false << ""
                                            << "";
        QTest::newRow("much smaller") << file << 0.9 << false << ""
                                      << "";
        QTest::newRow("another name") << "other.gguf" << 1.0 << true << ""
                                      << "";
        QTest::newRow("a person said otherwise") << file << 1.0 << true << "silu"
                                                 << "silu";
    }
    void isKnownToTheCatalogue() {
        QFETCH(const QString, name);
        QFETCH(const double, size);
        QFETCH(const bool, exact);
        QFETCH(const QString, mine);
        QFETCH(const QString, activation);
        model("models/prosparse.gguf");
        const QString path = at("models/prosparse.gguf");
        if (!mine.isEmpty()) {
            QCOMPARE(settings_->set("engine/activation", mine, path), QString());
        }
        CatalogEntry entry;
        entry.file = name;
        entry.bytes = qRound64(static_cast<double>(QFileInfo(path).size()) * size);
        entry.exact = exact;
        entry.activation = QStringLiteral("reglu");
        CatalogEntry other = entry;  // stands before it, and is of another file
        other.file = QStringLiteral("none.gguf");
        other.activation = QStringLiteral("relu");
        library_ = std::make_unique<ModelLibrary>(
            *settings_, machine_.get(), ModelLibrary::Places{at("downloads"), {}, {other, entry}});
        addModels();
        QCOMPARE(settings_->isSet("engine/activation", path), !activation.isEmpty());
        QCOMPARE(settings_->loadOptions(path).activation, activation);
        QCOMPARE(value("prosparse", "asks").toBool(), activation.isEmpty());
    }

    void asksWhatThePredictorsRead() {
        for (const char* name : {"models/open.gguf", "models/known.gguf", "models/said.gguf"}) {
            auto file = TinyModel({.arch = "bamboo"}).file();
            for (const char* layer : {"blk.0", "blk.1"}) {
                file.tensor(std::string(layer) + ".fc1.weight", {32, 64}, DType::F32)
                    .tensor(std::string(layer) + ".fc2.weight", {96, 32}, DType::F32);
            }
            if (QLatin1String(name) == QLatin1String("models/said.gguf")) {
                file.key("hearth.predictor.input", "normed");
            }
            QVERIFY(file.write(at(name).toStdString()));
        }
        CatalogEntry entry;
        entry.file = QStringLiteral("known.gguf");
        entry.bytes = QFileInfo(at("models/known.gguf")).size();
        entry.exact = true;
        entry.predictorInput = QStringLiteral("residual");
        CatalogEntry other = entry;  // of that name, and another model
        other.file = QStringLiteral("open.gguf");
        other.bytes = 5;
        library_ = std::make_unique<ModelLibrary>(
            *settings_, machine_.get(), ModelLibrary::Places{at("downloads"), {}, {entry, other}});
        addModels();
        QVERIFY(value("open", "asksInput").toBool());
        QVERIFY(!value("said", "asksInput").toBool());
        QVERIFY(!value("known", "asksInput").toBool());
        QCOMPARE(settings_->loadOptions(at("models/known.gguf")).predictorInput,
                 QStringLiteral("residual"));
        QVERIFY(settings_->loadOptions(at("models/said.gguf")).predictorInput.isEmpty());
        library_->answerPredictorInput(at("models/open.gguf"), QStringLiteral("residual"));
        QVERIFY(!value("open", "asksInput").toBool());
        QCOMPARE(settings_->loadOptions(at("models/open.gguf")).predictorInput,
                 QStringLiteral("residual"));
        library_->look();
        QTRY_VERIFY(!library_->looking());
        QTest::qWait(0);
        QVERIFY(!value("open", "asksInput").toBool());
    }

    // Also where an earlier version's was used last, and still lies there.
    void listsTheRunningVersionsStarterAlone() {
        const QString place = QStringLiteral("%1/share/hearth/starter-model/s.gguf");
        model(place.arg(QStringLiteral("models/0.1.0")));
        model(place.arg(QStringLiteral("models/0.2.0")));
        const QString old = at(place.arg(QStringLiteral("models/0.1.0")));
        const QString starter = at(place.arg(QStringLiteral("models/0.2.0")));
        library_.reset();
        settings_ = std::make_unique<AppSettings>(at("starter.ini"), starter);
        QCOMPARE(settings_->set("model/recent", old), QString());
        library_ = std::make_unique<ModelLibrary>(*settings_, machine_.get(),
                                                  ModelLibrary::Places{at("downloads"), starter});
        QCOMPARE(library_->recent().first().toMap().value(QStringLiteral("path")), starter);
        addModels();
        QCOMPARE(names(), QStringList({"s"}));
        QCOMPARE(value("s", "path").toString(), starter);
        library_->noteUsed(starter);
        QCOMPARE(library_->recent().size(), 1);
    }

    // Those in a file of their own are asked for as those inside are.
    void asksWhatPredictorsBesideRead() {
        model("models/m.gguf");
        for (const char* name : {"open.fc.gguf", "said.fc.gguf"}) {
            hearth::test::GgufBuilder file;
            file.tensor("blk.0.fc1.weight", {32, 64}, DType::F32)
                .tensor("blk.0.fc2.weight", {96, 32}, DType::F32);
            if (QLatin1String(name) == QLatin1String("said.fc.gguf")) {
                file.key("hearth.predictor.input", "normed");
            }
            QVERIFY(file.write(at(name).toStdString()));
        }
        CatalogEntry entry;  // what it says is of no other predictors
        entry.file = QStringLiteral("m.gguf");
        entry.bytes = QFileInfo(at("models/m.gguf")).size();
        entry.exact = true;
        entry.predictorInput = QStringLiteral("residual");
        library_ = std::make_unique<ModelLibrary>(
            *settings_, machine_.get(), ModelLibrary::Places{at("downloads"), {}, {entry}});
        addModels();
        QVERIFY(!value("m", "asksInput").toBool());
        const auto use = [&](const QString& file) {
            return settings_->set("engine/predictors", file, at("models/m.gguf"));
        };
        QCOMPARE(use(at("open.fc.gguf")), QString());
        QTRY_VERIFY(value("m", "asksInput").toBool());
        QCOMPARE(use(at("said.fc.gguf")), QString());
        QTRY_VERIFY(!value("m", "asksInput").toBool());
        QCOMPARE(use(at("open.fc.gguf")), QString());
        QTRY_VERIFY(value("m", "asksInput").toBool());
        library_->answerPredictorInput(at("models/m.gguf"), QStringLiteral("normed"));
        QVERIFY(!value("m", "asksInput").toBool());
        QCOMPARE(settings_->loadOptions(at("models/m.gguf")).predictorInput,
                 QStringLiteral("normed"));
        // Taken back, it is asked again; without the file nothing is.
        settings_->reset("engine/predictor-input", at("models/m.gguf"));
        QTRY_VERIFY(value("m", "asksInput").toBool());
        settings_->reset("engine/predictors", at("models/m.gguf"));
        QTRY_VERIFY(!value("m", "asksInput").toBool());
    }

    // A model in several files is one of the list, and goes to the bin as one.
    void splitOnesAreOne() {
        const QString whole = at("models/x.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(whole.toStdString()));
        QVERIFY(!hearth::test::split_model(whole.toStdString(), 2).empty());
        QVERIFY(QFile::remove(whole));
        QVERIFY(write("models/y-00001-of-00002.gguf", "GGUF1"));
        addModels();
        QCOMPARE(shown(), QStringList({"x", "y"}));
        QVERIFY(value("x", "runs").toBool());
        QTRY_COMPARE(value("x", "fit").toString(), QStringLiteral("streams"));
        QVERIFY(value("y", "whyNot").toString().contains(QLatin1String("1 of its 2 parts")));
        library_->remove(at("models/y-00001-of-00002.gguf"));
        QTRY_COMPARE(shown(), QStringList({"x"}));
        library_->remove(at("models/x-00001-of-00002.gguf"));
        QTRY_COMPARE(shown(), QStringList());
        QVERIFY(!QFileInfo::exists(at("models/x-00002-of-00002.gguf")));
        library_->undoRemove();
        QTRY_COMPARE(shown(), QStringList({"x"}));
        QVERIFY(QFileInfo::exists(at("models/x-00002-of-00002.gguf")));
    }

    void missingFolderIsSaid() {
        library_->addPlace(at("gone"));
        library_->open();
        QTRY_COMPARE(library_->problems().size(), 1);
        library_->removeFolder(at("gone"));
        QTRY_VERIFY(library_->problems().isEmpty());
    }

private:
    QString at(const QString& name) const {
        return home_.filePath(name);
    }
    bool write(const QString& name, const QByteArray& bytes) {
        QFile file(at(name));
        return QDir().mkpath(QFileInfo(at(name)).path()) && file.open(QIODevice::WriteOnly) &&
               file.write(bytes) == bytes.size();
    }
    void model(const QString& name, const char* arch = "llama") {
        QVERIFY(QDir().mkpath(QFileInfo(at(name)).path()));
        QVERIFY(TinyModel({.arch = arch}).write(at(name).toStdString()));
    }
    // Waits until all of it was looked into.
    void addModels() {
        library_->addPlace(at("models"));
        library_->open();
        QTRY_VERIFY(!library_->looking());
        QTRY_VERIFY([this] {
            for (const ModelRow& row : library_->models().rows()) {
                if (!row.factsKnown) {
                    return false;
                }
            }
            return true;
        }());
    }
    QStringList shown() const {
        QStringList list;
        for (int i = 0; i < library_->list()->rowCount(); ++i) {
            list << library_->list()->index(i, 0).data(ModelListModel::NameRole).toString();
        }
        return list;
    }
    QStringList names() const {
        return shown();
    }
    QVariant value(const QString& name, const QByteArray& role) const {
        const int number = library_->list()->roleNames().key(role);
        for (int i = 0; i < library_->list()->rowCount(); ++i) {
            const QModelIndex index = library_->list()->index(i, 0);
            if (index.data(ModelListModel::NameRole).toString() == name) {
                return index.data(number);
            }
        }
        return {};
    }

    QTemporaryDir home_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<ModelLibrary> library_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelLibraryTest)
#include "model_library_test.moc"
