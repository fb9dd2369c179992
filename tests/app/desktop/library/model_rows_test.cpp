// The rows of the page of models: each role, whom a view is told of, their order, the search.
#include <QAbstractItemModelTester>
#include <QDir>
#include <QSignalSpy>
#include <QtTest>
#include <memory>

#include "library/model_list_model.h"

using namespace hearth::ui;
using Kind = ModelFit::Kind;
using Use = ModelFacts::Use;

namespace {

FoundModel found(const char* path, const char* name, quint64 bytes = 1, const char* app = "") {
    FoundModel model;
    model.paths = QStringList{QString::fromLatin1(path)};
    model.name = QString::fromLatin1(name);
    model.app = QString::fromLatin1(app);
    model.bytes = bytes;
    return model;
}

ModelFacts runs() {
    ModelFacts facts;
    facts.use = Use::Model;
    facts.runs = true;
    return facts;
}

}  // namespace

class ModelRowsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { list_ = std::make_unique<ModelListModel>(); }

    void eachRowHasItsOwn() {
        list_->reset(
            {found("/m/a.gguf", "a", 2'000'000'000), found("/o/blobs/x", "llama3", 7, "Ollama")});
        ModelFacts facts = runs();
        facts.name = QStringLiteral("Some Llama");
        facts.architecture = QStringLiteral("llama");
        facts.type = QStringLiteral("Q4_0");
        facts.noChat = QStringLiteral("It does not chat.");
        facts.guess = QStringLiteral("Its words are a guess.");
        facts.asksActivation = true;
        list_->setFacts(QStringLiteral("/m/a.gguf"), facts);
        list_->setFit(QStringLiteral("/m/a.gguf"), {Kind::Partly, QStringLiteral("Fits partly")});
        list_->setCurrent(QStringLiteral("/m/a.gguf"));
        facts = runs();
        facts.asksPredictorInput = true;
        facts.runs = false;
        facts.whyNot = QStringLiteral("It cannot.");
        list_->setFacts(QStringLiteral("/o/blobs/x"), facts);
        using M = ModelListModel;
        for (const auto& [role, first, second] :
             {std::tuple<M::Role, QVariant, QVariant>{M::PathRole, "/m/a.gguf", "/o/blobs/x"},
              {M::NameRole, "a", "llama3"},
              {M::TitleRole, "Some Llama", "llama3"},
              {M::SummaryRole, QString::fromUtf8("a · llama · Q4_0 · 2.0 GB"), "7 bytes"},
              {M::PlaceRole, QDir::toNativeSeparators(QStringLiteral("/m")), "Ollama"},
              {M::AppRole, "", "Ollama"},
              {M::RunsRole, true, false},
              {M::WhyNotRole, "", "It cannot."},
              {M::SideFileRole, false, false},
              {M::FitRole, "partly", ""},
              {M::FitTextRole, "It does not chat. Its words are a guess. Fits partly", ""},
              {M::CurrentRole, true, false},
              {M::AsksRole, true, false},
              {M::AsksInputRole, false, true}}) {
            QVERIFY2(data(0, role) == first, qPrintable(data(0, role).toString()));
            QVERIFY2(data(1, role) == second, qPrintable(data(1, role).toString()));
        }
        list_->setExperts({.card = 3, .memory = 1});
        QVERIFY2(data(0, M::FitTextRole)
                     .toString()
                     .endsWith(QString::fromUtf8("Fits partly · experts of its answers: 75 % "
                                                 "graphics card, 25 % memory")),
                 qPrintable(data(0, M::FitTextRole).toString()));
        QCOMPARE(data(1, M::FitTextRole).toString(), QString());
        // Choices of one model are not shown for the next.
        list_->setCurrent(QStringLiteral("/o/blobs/x"));
        QCOMPARE(data(1, M::FitTextRole).toString(), QString());
        list_->setCurrent(QStringLiteral("/m/a.gguf"));
        QVERIFY(data(0, M::FitTextRole).toString().endsWith(QLatin1String("Fits partly")));
        QCOMPARE(data(0, M::Role(Qt::DisplayRole)).toString(), QStringLiteral("a"));
        QVERIFY(!data(0, M::DetailsRole).toList().isEmpty());
        QCOMPARE(list_->nameOf(QStringLiteral("/m/a.gguf")), QStringLiteral("Some Llama"));
        QCOMPARE(list_->nameOf(QStringLiteral("/n/b.c.gguf")), QStringLiteral("b.c"));
        QVERIFY(list_->find(QStringLiteral("/n/b.c.gguf")) == nullptr);
        QCOMPARE(list_->rowCount(list_->index(0)), 0);
        const QHash<int, QByteArray> names = list_->roleNames();
        for (const auto& [role, name] : {std::pair{M::PathRole, "path"},
                                         {M::NameRole, "name"},
                                         {M::TitleRole, "title"},
                                         {M::SummaryRole, "summary"},
                                         {M::PlaceRole, "place"},
                                         {M::AppRole, "ownedBy"},
                                         {M::RunsRole, "runs"},
                                         {M::WhyNotRole, "whyNot"},
                                         {M::SideFileRole, "sideFile"},
                                         {M::FitRole, "fit"},
                                         {M::FitTextRole, "fitText"},
                                         {M::CurrentRole, "current"},
                                         {M::AsksRole, "asks"},
                                         {M::AsksInputRole, "asksInput"},
                                         {M::DetailsRole, "details"},
                                         {M::PreparesRole, "prepares"}}) {
            QCOMPARE(names[role], QByteArray(name));
        }
    }

    // Only a sparse model that streams gains by a copy, and one that can be read as it is.
    void preparesWhatGains_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("prepares");
        QTest::addRow("it streams") << "" << true;
        QTest::addRow("experts with predictors") << "foretold" << true;
        for (const char* what : {"fits", "partly", "packed", "dense", "asks", "broken", "missing",
                                 "unknown", "unread", "experts"}) {
            QTest::addRow("%s", what) << QString::fromLatin1(what) << false;
        }
    }
    void preparesWhatGains() {
        QFETCH(const QString, what);
        QFETCH(const bool, prepares);
        FoundModel model = found("/m/a.gguf", "a");
        model.partsMissing = what == QLatin1String("missing") ? 1 : 0;
        list_->reset({model});
        ModelFacts facts = runs();
        facts.activation =
            what == QLatin1String("dense") ? QStringLiteral("silu") : QStringLiteral("reglu");
        facts.packed = what == QLatin1String("packed");
        facts.experts =
            what == QLatin1String("experts") || what == QLatin1String("foretold") ? 8 : 0;
        facts.predictorLayers = what == QLatin1String("foretold") ? 32 : 0;
        facts.asksActivation = what == QLatin1String("asks");
        if (what == QLatin1String("broken")) {
            facts.whyNot = QStringLiteral("It is broken.");
        }
        if (what != QLatin1String("unread")) {
            list_->setFacts(model.path(), facts);
        }
        list_->setFit(model.path(), {what == QLatin1String("fits")      ? Kind::Fits
                                     : what == QLatin1String("partly")  ? Kind::Partly
                                     : what == QLatin1String("unknown") ? Kind::Unknown
                                                                        : Kind::Streams,
                                     {}});
        QCOMPARE(data(0, ModelListModel::PreparesRole).toBool(), prepares);
    }

    // A view is told of the rows that change, and of no others.
    void tellsWhatChanges() {
        const QAbstractItemModelTester tester(list_.get());
        list_->reset({found("/m/a", "a"), found("/m/b", "b"), found("/m/c", "c")});
        QList<int> told;
        connect(list_.get(), &QAbstractItemModel::dataChanged, this,
                [&](const QModelIndex& from, const QModelIndex& to) {
                    QCOMPARE(from.row(), to.row());
                    told << from.row();
                });
        const auto after = [&told](const std::function<void()>& change) {
            told.clear();
            change();
            return told;
        };
        const auto path = [](char name) { return QStringLiteral("/m/") + QLatin1Char(name); };
        QCOMPARE(after([&] { list_->setCurrent(path('b')); }), QList<int>({1}));
        QCOMPARE(after([&] { list_->setCurrent(path('c')); }), QList<int>({1, 2}));
        QCOMPARE(after([&] { list_->setCurrent({}); }), QList<int>({2}));
        QCOMPARE(after([&] { list_->setRecent({path('b'), path('a')}); }), QList<int>({0, 1}));
        QCOMPARE(after([&] { list_->setRecent({path('b'), path('c')}); }), QList<int>({0, 2}));
        QCOMPARE(list_->rows().at(1).recency, 0);
        QCOMPARE(list_->rows().at(2).recency, 1);
        QCOMPARE(list_->rows().at(0).recency, -1);
        QCOMPARE(after([&] { list_->setFit(path('c'), {Kind::Fits, {}}); }), QList<int>({2}));
        QCOMPARE(after([&] { list_->setFit(path('x'), {Kind::Fits, {}}); }), QList<int>());
        QCOMPARE(after([&] { list_->setFacts(path('a'), runs()); }), QList<int>({0}));
        QCOMPARE(after([&] { list_->setFacts(path('x'), runs()); }), QList<int>());
    }

    // A look at the folders keeps what is known of the same file, and forgets it of another one.
    void keepsWhatIsKnownOfTheSameFile() {
        list_->setRecent({QStringLiteral("/m/b")});
        list_->reset({found("/m/a", "a"), found("/m/b", "b")});
        QCOMPARE(list_->rows().at(1).recency, 0);
        for (const char* path : {"/m/a", "/m/b"}) {
            list_->setFacts(QString::fromLatin1(path), runs());
            list_->setFit(QString::fromLatin1(path), {Kind::Fits, {}});
        }
        list_->setCurrent(QStringLiteral("/m/b"));
        list_->reset({found("/m/c", "c"), found("/m/b", "b", 2), found("/m/a", "a")});
        QVERIFY(!list_->rows().at(0).factsKnown);
        QVERIFY(!list_->rows().at(1).factsKnown);  // it has another size now
        QVERIFY(list_->rows().at(1).fit == ModelFit());
        QCOMPARE(list_->rows().at(1).recency, 0);
        QVERIFY(data(1, ModelListModel::CurrentRole).toBool());
        QVERIFY(list_->rows().at(2).factsKnown);
        QVERIFY(list_->rows().at(2).fit.kind == Kind::Fits);
    }

    // Models that run come first, then the others, then what is no model; the latest used leads.
    void standInOrder() {
        ModelFilter filter(*list_);
        list_->setRecent({QStringLiteral("/m/z"), QStringLiteral("/m/y")});
        list_->reset({found("/m/side", "a side file"), found("/m/cannot", "a broken one"),
                      found("/m/B", "B"), found("/m/a", "a"), found("/m/y", "y"),
                      found("/m/z", "z"), found("/m/unread", "c")});
        ModelFacts side;
        side.use = Use::SideFile;
        ModelFacts cannot;
        cannot.use = Use::Model;
        const auto order = [&] {
            QStringList names;
            for (int row = 0; row < filter.count(); ++row) {
                names << filter.data(filter.index(row, 0), ModelListModel::NameRole).toString();
            }
            return names;
        };
        list_->setFacts(QStringLiteral("/m/side"), side);
        list_->setFacts(QStringLiteral("/m/cannot"), cannot);
        for (const char* path : {"/m/B", "/m/a", "/m/y", "/m/z"}) {
            list_->setFacts(QString::fromLatin1(path), runs());
        }
        QCOMPARE(order().mid(0, 2), QStringList({"z", "y"}));
        QCOMPARE(order().mid(4), QStringList({"c", "a broken one", "a side file"}));
        QVERIFY(data(0, ModelListModel::SideFileRole).toBool());
        QVERIFY(!data(1, ModelListModel::SideFileRole).toBool());
        list_->setRecent({QStringLiteral("/m/y"), QStringLiteral("/m/side")});
        QCOMPARE(order().first(), QStringLiteral("y"));
        QCOMPARE(order().last(), QStringLiteral("a side file"));
        // Two of one title stand in the order of their files' names.
        ModelFacts called = runs();
        called.name = QStringLiteral("T");
        list_->setFacts(QStringLiteral("/m/z"), called);
        list_->setFacts(QStringLiteral("/m/a"), called);
        QVERIFY(order().indexOf(QStringLiteral("a")) < order().indexOf(QStringLiteral("z")));
    }

    // Each word is in one of its names, whatever the case.
    void finds_data() {
        QTest::addColumn<QString>("search");
        QTest::addColumn<int>("count");
        for (const auto& [search, count] : {std::pair{"", 2},
                                            {"  ", 2},
                                            {"LLAMA", 2},
                                            {"some", 1},
                                            {"q4_0", 1},
                                            {"ollama", 1},
                                            {"file-7b", 1},
                                            {"gguf", 1},
                                            {"mini", 1},
                                            {"some q4_0 qwen", 0},
                                            {"some Q4", 1},
                                            {"folder", 0}}) {
            QTest::addRow("'%s'", search) << QString::fromLatin1(search) << count;
        }
    }
    void finds() {
        QFETCH(const QString, search);
        QFETCH(const int, count);
        list_->reset({found("/folder/file-7b.gguf", "mini"), found("/o/x", "llama3", 7, "Ollama")});
        ModelFacts facts = runs();
        facts.name = QStringLiteral("Some Model");
        facts.architecture = QStringLiteral("llama");
        facts.type = QStringLiteral("Q4_0");
        list_->setFacts(QStringLiteral("/folder/file-7b.gguf"), facts);
        ModelFilter filter(*list_);
        const QSignalSpy searched(&filter, &ModelFilter::searchChanged);
        const QSignalSpy counted(&filter, &ModelFilter::countChanged);
        filter.setSearch(search);
        filter.setSearch(search);
        QCOMPARE(filter.count(), count);
        QCOMPARE(filter.search(), search);
        QCOMPARE(searched.size(), search.isEmpty() ? 0 : 1);
        QCOMPARE(counted.isEmpty(), count == 2);
        const qsizetype before = counted.size();
        filter.setSearch({});
        QCOMPARE(filter.count(), 2);
        QCOMPARE(counted.size() > before, count < 2);
    }

private:
    QVariant data(int row, ModelListModel::Role role) const {
        return list_->data(list_->index(row), role);
    }
    std::unique_ptr<ModelListModel> list_;
};

QTEST_GUILESS_MAIN(ModelRowsTest)
#include "model_rows_test.moc"
