#include "library/offer_check.h"

#include <hearth/tools.h>

#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <optional>

#include "app/desktop/network/test_server.h"
#include "bridge/local_machine.h"
#include "library/fit_text.h"
#include "library/plan_queue.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "support/fake_machine.h"
#include "support/split_model.h"
#include "support/tiny_model.h"

namespace hearth::ui {

using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using test::ServerAnswer;
using test::ServerRequest;
using test::TestServer;

class OfferCheckTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        model_.clear();
        files_.clear();
        verdicts_.clear();
        stalls_ = false;
        control_ = std::make_unique<NetworkControl>();
        door_ = std::make_unique<NetworkDoor>(*control_);
        server_ = std::make_unique<TestServer>(
            [this](const ServerRequest& request) { return answer(request); });
        QVERIFY(server_->start());
        machine_ = std::make_unique<FakeMachine>();
        plans_ = std::make_unique<PlanQueue>(machine_.get());
        make();
    }
    void cleanup() {
        check_.reset();
        plans_.reset();
        machine_.reset();
        server_.reset();
        door_.reset();
        control_.reset();
        folder_.reset();
    }

    void saysWhatItWouldDo() {
        load(TinyModel({.arch = "llama"}).file().key("general.license", "mit"));
        machine_->setAnswers(false);
        start();
        QTRY_COMPARE(machine_->questions().size(), 1);
        const PlanQuestion question = machine_->questions().first();
        QCOMPARE(question.folder, folder_->filePath(QStringLiteral("models")));
        QCOMPARE(question.options.threads, 3);
        QCOMPARE(QFileInfo(question.options.path).size(), model_.size());
        QVERIFY(verdicts_.isEmpty());
        machine_->answer(machine_->latestPlan());
        QCOMPARE(verdicts_.size(), 1);
        QCOMPARE(verdicts_[0].wrong, QString());
        QVERIFY(verdicts_[0].fit.kind == ModelFit::Kind::Streams);
        QVERIFY2(verdicts_[0].fit.text.contains(QLatin1String("14 to 21 tokens/s")),
                 qPrintable(verdicts_[0].fit.text));
        QVERIFY2(verdicts_[0].facts.startsWith(QStringLiteral("llama · F32 · ")) &&
                     verdicts_[0].facts.endsWith(QStringLiteral(" · licence: mit")),
                 qPrintable(verdicts_[0].facts));
        QVERIFY(noHeaders());
    }

    // The real planner says of the header what it says of the file.
    void asOfTheWholeFile() {
        load(TinyModel({.arch = "llama", .n_embd = 256, .n_ff = 1024}).file());
        const QString whole = folder_->filePath(QStringLiteral("whole.gguf"));
        QFile file(whole);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(model_) == model_.size());
        file.close();
        LocalMachine real(folder_->filePath(QStringLiteral("cache")), {});
        PlanQueue plans(&real);
        std::optional<PlanAnswer> ofWhole;
        LoadOptions options = question().options;
        options.path = whole;
        plans.ask({options}, this, [&](const PlanAnswer& answer) { ofWhole = answer; });
        QTRY_VERIFY_WITH_TIMEOUT(ofWhole.has_value(), 60'000);
        OfferCheck check(*door_, plans, headers());
        connect(&check, &OfferCheck::done, this,
                [this](const OfferVerdict& verdict) { verdicts_ << verdict; });
        check.start(question());
        QTRY_COMPARE_WITH_TIMEOUT(verdicts_.size(), 1, 60'000);
        QVERIFY(ofWhole->sentence.isEmpty());
        QVERIFY(verdicts_[0].fit.kind == fitOf(*ofWhole).kind);
        // Speeds are measured each time; what comes before them is not.
        QCOMPARE(verdicts_[0].fit.text.section(QStringLiteral(" · "), 0, 0),
                 fitOf(*ofWhole).text.section(QStringLiteral(" · "), 0, 0));
        QVERIFY(verdicts_[0].fit.text.contains(QLatin1String("tokens/s")));
        QVERIFY(noHeaders());
    }

    // Of a model in several files each part has a header, and the plan is made of all.
    void ofAModelInParts() {
        const std::string whole = folder_->filePath(QStringLiteral("whole.gguf")).toStdString();
        QVERIFY(TinyModel({.arch = "llama"}).write(whole));
        const std::string first = hearth::test::split_model(whole, 3);
        QVERIFY(!first.empty());
        OfferCheck::Question parts = question();
        parts.urls.clear();
        qint64 bytes = 0;
        for (int part = 1; part <= 3; ++part) {
            QFile file(QString::fromStdString(hearth::test::part_of(first, part)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            files_.insert(QFileInfo(file).fileName().toUtf8(), file.readAll());
            bytes += file.size();
            parts.urls << QUrl(server_->base() + QLatin1Char('/') + QFileInfo(file).fileName());
        }
        machine_->setAnswers(false);
        check_->start(parts);
        QTRY_COMPARE(machine_->questions().size(), 1);
        const auto seen = tools::inspect(machine_->questions()[0].options.path.toStdString());
        QVERIFY2(seen, seen ? "" : seen.error().message.c_str());
        QCOMPARE(static_cast<qint64>(seen->file_bytes), bytes);
        QVERIFY(seen->supported);
        machine_->answer(machine_->latestPlan());
        QTRY_COMPARE(verdicts_.size(), 1);
        QCOMPARE(verdicts_[0].wrong, QString());
        QCOMPARE(server_->requests().size(), 3);
        QVERIFY(noHeaders());
        files_.remove("whole-00002-of-00003.gguf");  // gone meanwhile
        check_->start(parts);
        QTRY_COMPARE(verdicts_.size(), 2);
        QVERIFY(verdicts_[1].wrong.contains(QLatin1String("no such file")));
        QVERIFY(noHeaders());
    }

    void anotherTakesItsPlace() {
        load(TinyModel({.arch = "llama"}).file());
        machine_->setAnswers(false);
        start();
        QTRY_COMPARE(machine_->questions().size(), 1);
        start();
        QTest::qWait(50);
        QCOMPARE(machine_->questions().size(), 1);  // one after another
        machine_->answer(machine_->latestPlan());
        QVERIFY(verdicts_.isEmpty());
        QTRY_COMPARE(machine_->questions().size(), 2);
        QVERIFY(QFileInfo::exists(machine_->questions()[1].options.path));
        machine_->answer(machine_->latestPlan());
        QCOMPARE(verdicts_.size(), 1);
        QVERIFY(noHeaders());
    }

    void cancelledWhileItIsFetched() {
        load(TinyModel({.arch = "llama"}).file());
        stalls_ = true;
        start();
        QTRY_VERIFY(server_->stalls());
        check_->cancel();
        QTest::qWait(50);
        QVERIFY(verdicts_.isEmpty() && machine_->questions().isEmpty() && noHeaders());
    }

    void cancelledWhileItIsPlanned() {
        load(TinyModel({.arch = "llama"}).file());
        machine_->setAnswers(false);
        start();
        QTRY_COMPARE(machine_->questions().size(), 1);
        check_->cancel();
        machine_->answer(machine_->latestPlan());
        QVERIFY(verdicts_.isEmpty() && noHeaders());
    }

    void goneWhileItIsPlanned() {
        load(TinyModel({.arch = "llama"}).file());
        machine_->setAnswers(false);
        start();
        QTRY_COMPARE(machine_->questions().size(), 1);
        check_.reset();
        QVERIFY(noHeaders());
        machine_->answer(machine_->latestPlan());
        QVERIFY(verdicts_.isEmpty());
    }

    // The sentence is about the model, not about a file that nobody knows.
    void whatCannotRun() {
        load(TinyModel({.arch = "llama"})
                 .file()
                 .without("general.architecture")
                 .key("general.architecture", "mamba"));
        start();
        QTRY_COMPARE(verdicts_.size(), 1);
        QCOMPARE(verdicts_[0].wrong, QString());
        QVERIFY(verdicts_[0].fit.kind == ModelFit::Kind::Cannot);
        QVERIFY2(verdicts_[0].fit.text.contains(QLatin1String("mamba")) &&
                     !verdicts_[0].fit.text.contains(QLatin1String(".header.")),
                 qPrintable(verdicts_[0].fit.text));
        QVERIFY(machine_->questions().isEmpty() && noHeaders());
    }

    void anOpenActivationIsSaid() {
        load(TinyModel({.arch = "llama"})
                 .file()
                 .without("general.name")
                 .key("general.name", "ProSparse"));
        start();
        QTRY_COMPARE(verdicts_.size(), 1);
        QVERIFY2(verdicts_[0].fit.text.contains(QLatin1String("ReLU")),
                 qPrintable(verdicts_[0].wrong + verdicts_[0].fit.text));
        OfferCheck::Question known = question();
        known.options.activation = QStringLiteral("reglu");
        check_->start(known);
        QTRY_COMPARE(verdicts_.size(), 2);
        QVERIFY(!verdicts_[1].fit.text.contains(QLatin1String("ReLU")));
    }

    void whyNothingIsKnown() {
        start();  // there is no such file
        QTRY_COMPARE(verdicts_.size(), 1);
        QVERIFY(verdicts_[0].wrong.contains(QLatin1String("no such file")));
        model_ = QByteArray(100, 'x');
        start();
        QTRY_COMPARE(verdicts_.size(), 2);
        QVERIFY(verdicts_[1].wrong.contains(QLatin1String("no model")));
        control_->setRules({.forbidAll = true});
        const qsizetype asked = server_->requests().size();
        start();
        QTRY_COMPARE(verdicts_.size(), 3);
        QVERIFY(!verdicts_[2].wrong.isEmpty());
        QCOMPARE(server_->requests().size(), asked);
        QVERIFY(machine_->questions().isEmpty() && noHeaders());
    }

    void nobodyPlans() {
        PlanQueue none(nullptr);
        OfferCheck check(*door_, none, headers());
        connect(&check, &OfferCheck::done, this,
                [this](const OfferVerdict& verdict) { verdicts_ << verdict; });
        check.start(question());
        QCOMPARE(verdicts_.size(), 1);
        QVERIFY(!verdicts_[0].wrong.isEmpty());
        QVERIFY(server_->requests().isEmpty());
    }

    void whatACrashLeftIsRemoved() {
        QVERIFY(QDir().mkpath(headers()));
        QFile left(headers() + QStringLiteral("/abc-1.header.gguf"));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.close();
        load(TinyModel({.arch = "llama"}).file());
        start();
        QTRY_COMPARE(verdicts_.size(), 1);
        QVERIFY(noHeaders());
    }

    // A model that is open is given up before another one is loaded.
    void whatIsHeldIsFreed() {
        load(TinyModel({.arch = "llama"}).file());
        plans_->setHeld(1000, 200);
        start();
        QTRY_COMPARE(verdicts_.size(), 1);
        QCOMPARE(machine_->questions().first().ramFreed, quint64{1000});
        QCOMPARE(machine_->questions().first().vramFreed, quint64{200});
    }

private:
    QString headers() const { return folder_->filePath(QStringLiteral("headers")); }
    bool noHeaders() const { return QDir(headers()).isEmpty(); }
    void load(const GgufBuilder& file) {
        const hearth::test::Bytes bytes = file.bytes();
        model_ = QByteArray(reinterpret_cast<const char*>(bytes.data()),
                            static_cast<qsizetype>(bytes.size()));
    }
    ServerAnswer answer(const ServerRequest& request) {
        if (!files_.isEmpty()) {
            model_ = files_.value(request.path().mid(1));
        }
        if (model_.isEmpty()) {
            return {.status = 404};
        }
        if (stalls_) {
            return {.bodyBytesSent = 10, .saidLength = 100, .then = ServerAnswer::Then::Stall};
        }
        const auto range = request.range();
        const qint64 end = std::min<qint64>(range->second, model_.size());
        return {.status = 206,
                .headers = {{"Content-Range", "bytes " + QByteArray::number(range->first) + '-' +
                                                  QByteArray::number(end - 1) + '/' +
                                                  QByteArray::number(model_.size())}},
                .body = model_.mid(range->first, end - range->first)};
    }
    void make() {
        check_ = std::make_unique<OfferCheck>(*door_, *plans_, headers());
        connect(check_.get(), &OfferCheck::done, this,
                [this](const OfferVerdict& verdict) { verdicts_ << verdict; });
    }
    OfferCheck::Question question() const {
        LoadOptions options;
        options.path = folder_->filePath(QStringLiteral("models/model.gguf"));
        options.gpu = QStringLiteral("none");
        options.threads = 3;
        options.ramBytes = quint64{1} << 30;
        return {{QUrl(server_->base() + QStringLiteral("/model.gguf"))},
                QStringLiteral("Model"),
                options};
    }
    void start() { check_->start(question()); }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<NetworkControl> control_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<TestServer> server_;
    std::unique_ptr<FakeMachine> machine_;
    std::unique_ptr<PlanQueue> plans_;
    std::unique_ptr<OfferCheck> check_;
    QByteArray model_;
    QHash<QByteArray, QByteArray> files_;  // by name; empty: the model is all there is
    QList<OfferVerdict> verdicts_;
    bool stalls_ = false;
};

}  // namespace hearth::ui

QTEST_GUILESS_MAIN(hearth::ui::OfferCheckTest)
#include "offer_check_test.moc"
