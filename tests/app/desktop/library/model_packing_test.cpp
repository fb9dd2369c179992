// Preparing a model, as the window asks for it, on a packer that does as it is told.
#include "library/model_packing.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "library/model_library.h"
#include "settings/app_settings.h"
#include "support/fake_machine.h"
#include "support/fake_packing.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using test::TinyModel;
using End = PackOutcome::End;

class ModelPackingTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(home_.isValid());
        qputenv("HOME", home_.path().toUtf8());
        qputenv("XDG_DATA_HOME", (home_.path() + QStringLiteral("/data")).toUtf8());
    }
    void init() {
        QVERIFY(QDir(home_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(at("models")));
        settings_ = std::make_unique<AppSettings>(at("hearth.ini"));
        machine_ = std::make_unique<FakeMachine>();
        library_ = std::make_unique<ModelLibrary>(*settings_, machine_.get(),
                                                  ModelLibrary::Places{at("downloads"), {}});
        start();
    }
    void cleanup() {
        packing_.reset();
        packer_.reset();
        library_.reset();
        machine_.reset();
        settings_.reset();
    }

    // A sparse model that does not fit, in one file that is not packed.
    void whatGains_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<quint64>("diskBytes");
        QTest::addColumn<bool>("gains");
        QTest::newRow("sparse, larger than memory") << "bamboo" << quint64{1000} << true;
        QTest::newRow("sparse, fits") << "bamboo" << quint64{0} << false;
        QTest::newRow("dense, larger than memory") << "llama" << quint64{1000} << false;
    }
    void whatGains() {
        QFETCH(const QString, arch);
        QFETCH(const quint64, diskBytes);
        QFETCH(const bool, gains);
        machine_->setPlan({.ramBytes = 5000, .diskBytes = diskBytes});
        model("models/a.gguf", arch);
        QTRY_VERIFY(!value("a", "fit").toString().isEmpty());
        QCOMPARE(value("a", "prepares").toBool(), gains);
    }

    // A file that does not say what it is gains once somebody said so, at the next start too.
    void whatWasAnsweredCounts() {
        model("models/prosparse.gguf", QStringLiteral("llama"));
        QTRY_VERIFY(value("prosparse", "asks").toBool());
        QVERIFY(!value("prosparse", "prepares").toBool());
        library_->answerActivation(at("models/prosparse.gguf"), QStringLiteral("reglu"));
        QTRY_VERIFY(value("prosparse", "prepares").toBool());
        packing_.reset();
        library_ = std::make_unique<ModelLibrary>(*settings_, machine_.get(),
                                                  ModelLibrary::Places{at("downloads"), {}});
        start();
        library_->look();
        QTRY_VERIFY(value("prosparse", "prepares").toBool());
        packing_->consider(at("models/prosparse.gguf"));
        QTRY_COMPARE(packing_->state(), QStringLiteral("ready"));
        packing_->begin();
        QCOMPARE(packer_->packed().constLast().activation, QStringLiteral("reglu"));
    }

    void saysWhatItTakes() {
        model("models/a.gguf");
        packing_->consider(at("models/a.gguf"));
        QCOMPARE(packing_->state(), QStringLiteral("looking"));
        QTRY_COMPARE(packing_->state(), QStringLiteral("ready"));
        const QString facts = packing_->facts().join(QLatin1Char('\n'));
        for (const char* words : {"5.1 GB", "212.0 GB free", "original stays", "about a minute",
                                  "4,210 tokens", "a.hearth.gguf"}) {
            QVERIFY2(facts.contains(QLatin1String(words)), qPrintable(facts));
        }
        packer_->setOutlook({.sourceBytes = 30'000'000'000, .targetBytes = 40'000'000'000});
        packing_->consider(at("models/a.gguf"));
        QTRY_COMPARE(packing_->state(), QStringLiteral("ready"));
        const QString others = packing_->facts().join(QLatin1Char('\n'));
        for (const char* words : {"about 8 minutes", "are not known yet", "a few answers"}) {
            QVERIFY2(others.contains(QLatin1String(words)), qPrintable(others));
        }
        packing_->dismiss();
        QCOMPARE(packing_->state(), QString());
        QVERIFY(packer_->packed().isEmpty());
    }

    // Somebody looks at another model before the answer about the first is there.
    void looksAtTheLatest() {
        model("models/a.gguf");
        model("models/b.gguf");
        packing_->consider(at("models/a.gguf"));
        packing_->consider(at("models/b.gguf"));
        QTRY_COMPARE(packing_->state(), QStringLiteral("ready"));
        QCOMPARE(packing_->name(), QStringLiteral("b"));
        packing_->begin();
        QVERIFY(packer_->packed().constLast() ==
                (PackJob{.source = at("models/b.gguf"), .target = at("models/b.hearth.gguf")}));
    }

    // A file of the copy that no note names would stay after a crash.
    void beginsNothingWithoutItsNote() {
        model("models/a.gguf");
        write("file");
        packing_ = std::make_unique<ModelPacking>(*library_, *settings_, packer_.get(),
                                                  at("file/packing.json"));
        consider("models/a.gguf");
        packing_->begin();
        QCOMPARE(packing_->state(), QStringLiteral("failed"));
        QVERIFY2(packing_->wrong().contains(QLatin1String("nothing was begun")),
                 qPrintable(packing_->wrong()));
        QVERIFY(packer_->packed().isEmpty());
        QVERIFY(QFile::remove(at("file")));
        consider("models/a.gguf");
        QCOMPARE(packing_->wrong(), QString());
        packing_->begin();
        QCOMPARE(packing_->state(), QStringLiteral("running"));
        QVERIFY(QFile::exists(at("file/packing.json")));
    }

    void theSecondBeginsAtTheBeginning() {
        model("models/a.gguf");
        consider("models/a.gguf");
        packing_->begin();
        QCOMPARE(packing_->line(), QStringLiteral("Beginning…"));
        QCOMPARE(packing_->progress(), -1.0);
        packer_->tell(5'000'000'000, 2'500'000'000, 5'000'000'000);
        packing_->stop();
        packer_->tell(5'000'000'000, 3'000'000'000, 5'000'000'000);  // it was on its way
        QCOMPARE(packing_->line(), QStringLiteral("Stopping…"));
        QCOMPARE(packing_->progress(), 0.75);
        packer_->end(End::Stopped);
        packer_->end(End::Failed, QStringLiteral("late"));  // there is none any more
        QCOMPARE(packing_->state(), QString());
        consider("models/a.gguf");
        packing_->begin();
        QCOMPARE(packing_->line(), QStringLiteral("Beginning…"));
        QCOMPARE(packing_->progress(), -1.0);
    }

    void packs() {
        model("models/a.gguf");
        QSignalSpy done(packing_.get(), &ModelPacking::done);
        consider("models/a.gguf");
        packing_->begin();
        QCOMPARE(packing_->state(), QStringLiteral("running"));
        QVERIFY(packer_->packed().constLast() ==
                (PackJob{.source = at("models/a.gguf"), .target = at("models/a.hearth.gguf")}));
        QVERIFY(QFile::exists(note()));  // for the next start
        packer_->tell(1'250'000'000, 0, 5'000'000'000);
        QCOMPARE(packing_->progress(), 0.125);
        QVERIFY(packing_->line().startsWith(QLatin1String("1.3 GB of 5.0 GB written")) ||
                packing_->line().startsWith(QLatin1String("1.2 GB of 5.0 GB written")));
        packer_->tell(5'000'000'000, 2'500'000'000, 5'000'000'000);
        QCOMPARE(packing_->progress(), 0.75);
        QVERIFY(packing_->line().startsWith(QLatin1String("2.5 GB of 5.0 GB checked")));
        packing_->dismiss();  // its dialog is closed
        QCOMPARE(packing_->state(), QStringLiteral("running"));
        packing_->consider(at("models/a.gguf"));  // one at a time
        QCOMPARE(packing_->state(), QStringLiteral("running"));
        QVERIFY(TinyModel({.arch = "bamboo"}).write(at("models/a.hearth.gguf").toStdString()));
        packer_->end(End::Done);
        QCOMPARE(packing_->state(), QStringLiteral("done"));
        QCOMPARE(done.count(), 1);
        QVERIFY(!QFile::exists(note()));
        QTRY_VERIFY(library_->models().find(at("models/a.hearth.gguf")) != nullptr);
    }

    // A model that was opened by hand lies in a folder that is not looked through.
    void isInTheListWhereverItIs() {
        QVERIFY(QDir().mkpath(at("elsewhere")));
        QVERIFY(TinyModel({.arch = "bamboo"}).write(at("elsewhere/a.gguf").toStdString()));
        library_->open();
        library_->noteUsed(at("elsewhere/a.gguf"));
        QTRY_VERIFY(library_->models().find(at("elsewhere/a.gguf")) != nullptr);
        consider("elsewhere/a.gguf");
        packing_->begin();
        QVERIFY(TinyModel({.arch = "bamboo"}).write(at("elsewhere/a.hearth.gguf").toStdString()));
        packer_->end(End::Done);
        QTRY_VERIFY(library_->models().find(at("elsewhere/a.hearth.gguf")) != nullptr);
    }

    // The data folder is another window's.
    void readsOnly() {
        model("models/a.gguf");
        ModelPacking packing(*library_, *settings_, nullptr, note());
        packing.consider(at("models/a.gguf"));
        QCOMPARE(packing.state(), QStringLiteral("refused"));
        QVERIFY(packing.wrong().contains(QLatin1String("another window")));
        packing.begin();
        packing.dismiss();
        QCOMPARE(packing.state(), QString());
    }

    void stops() {
        model("models/a.gguf");
        consider("models/a.gguf");
        packing_->begin();
        packing_->stop();
        QCOMPARE(packing_->state(), QStringLiteral("stopping"));
        QVERIFY(packer_->stopped());
        packer_->end(End::Stopped);
        QCOMPARE(packing_->state(), QString());
        QVERIFY(!QFile::exists(note()));
    }

    void saysWhyNot() {
        model("models/a.gguf");
        packer_->setOutlook({.wrong = QStringLiteral("There is no room.")});
        packing_->consider(at("models/a.gguf"));
        QTRY_COMPARE(packing_->state(), QStringLiteral("refused"));
        QCOMPARE(packing_->wrong(), QStringLiteral("There is no room."));
        packing_->begin();
        QVERIFY(packer_->packed().isEmpty());
        packer_->setOutlook({});
        consider("models/a.gguf");
        QSignalSpy failed(packing_.get(), &ModelPacking::failed);
        packing_->begin();
        packer_->end(End::Failed, QStringLiteral("The disk is full."));
        QCOMPARE(packing_->state(), QStringLiteral("failed"));
        QCOMPARE(packing_->wrong(), QStringLiteral("The disk is full."));
        QCOMPARE(failed.count(), 1);
        QVERIFY(!QFile::exists(note()));
    }

    // A crash: the next start knows what was left, goes on with it or removes it.
    void isToldOfByTheNextStart_data() {
        QTest::addColumn<bool>("goesOn");
        QTest::newRow("goes on") << true;
        QTest::newRow("removes") << false;
    }
    void isToldOfByTheNextStart() {
        QFETCH(const bool, goesOn);
        model("models/a.gguf");
        consider("models/a.gguf");
        packing_->begin();
        write("models/a.hearth.gguf.partial");
        start();
        QCOMPARE(packing_->state(), QStringLiteral("interrupted"));
        QCOMPARE(packing_->name(), QStringLiteral("a"));
        packing_->consider(at("models/a.gguf"));
        packing_->dismiss();
        QCOMPARE(packing_->state(), QStringLiteral("interrupted"));
        if (goesOn) {
            packing_->begin();
            QCOMPARE(packing_->state(), QStringLiteral("running"));
            QCOMPARE(packer_->packed().constLast().target, at("models/a.hearth.gguf"));
            return;
        }
        packer_->setDiscardWrong(QStringLiteral("It is in use."));
        packing_->discard();
        QTRY_COMPARE(packing_->state(), QStringLiteral("interrupted"));
        QCOMPARE(packing_->wrong(), QStringLiteral("It is in use."));
        QVERIFY(QFile::exists(note()));
        packer_->setDiscardWrong({});
        packing_->discard();
        QTRY_COMPARE(packing_->state(), QString());
        QCOMPARE(packer_->discards().constLast(), at("models/a.hearth.gguf"));
        QVERIFY(!QFile::exists(note()));
    }

    void nothingWasLeft() {
        model("models/a.gguf");
        consider("models/a.gguf");
        packing_->begin();
        start();
        QCOMPARE(packing_->state(), QString());
        QVERIFY(!QFile::exists(note()));
    }

    void whereTheCopyGoes() {
        model("models/a b:c.gguf");
        QCOMPARE(packing_->targetsFor(at("models/a b:c.gguf")),
                 QStringList({at("models/a-b-c.hearth.gguf"), at("downloads/a-b-c.hearth.gguf")}));
        // In a folder of another application it would be in the way.
        QVERIFY(QDir().mkpath(at(".lmstudio/models/pub")));
        model(".lmstudio/models/pub/theirs.gguf");
        QCOMPARE(packing_->targetsFor(at(".lmstudio/models/pub/theirs.gguf")),
                 QStringList({at("downloads/theirs.hearth.gguf")}));
    }

private:
    QString at(const char* name) const { return home_.filePath(QString::fromLatin1(name)); }
    QString note() const { return at("packing.json"); }
    void start() {
        packing_.reset();
        packer_ = std::make_unique<FakePacking>();
        packing_ = std::make_unique<ModelPacking>(*library_, *settings_, packer_.get(), note());
    }
    void write(const char* name) {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("x");
    }
    void model(const char* name, const QString& arch = QStringLiteral("bamboo")) {
        QVERIFY(TinyModel({.arch = arch.toStdString()}).write(at(name).toStdString()));
        library_->addPlace(QFileInfo(at(name)).path());
        library_->look();
        QTRY_VERIFY(library_->models().find(at(name)) != nullptr);
    }
    void consider(const char* name) {
        packing_->consider(at(name));
        QTRY_COMPARE(packing_->state(), QStringLiteral("ready"));
    }
    QVariant value(const char* name, const char* role) const {
        const int key = library_->list()->roleNames().key(role);
        for (int i = 0; i < library_->list()->rowCount(); ++i) {
            const QModelIndex index = library_->list()->index(i, 0);
            if (index.data(Qt::DisplayRole).toString() == QLatin1String(name)) {
                return index.data(key);
            }
        }
        return {};
    }

    const QTemporaryDir home_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<ModelLibrary> library_;
    std::unique_ptr<FakePacking> packer_;
    std::unique_ptr<ModelPacking> packing_;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::ModelPackingTest)
#include "model_packing_test.moc"
