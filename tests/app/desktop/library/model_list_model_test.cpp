// The titles of models that share a name.
#include "library/model_list_model.h"

#include <QtTest>

#include "library/found_model.h"

using namespace hearth::ui;

namespace {

FoundModel found(const QString& path, const QString& name, const QString& app = {}) {
    FoundModel model;
    model.paths = QStringList{path};
    model.name = name;
    model.app = app;
    return model;
}

ModelFacts called(const QString& name) {
    ModelFacts facts;
    facts.name = name;
    return facts;
}

QStringList titles(const ModelListModel& list) {
    QStringList all;
    for (int row = 0; row < list.rowCount(); ++row) {
        all << list.data(list.index(row), ModelListModel::TitleRole).toString();
    }
    return all;
}

}  // namespace

class ModelListModelTest : public QObject {
    Q_OBJECT

private slots:
    // Each row's title is its own, wherever its namesake stands.
    void namesakesAreToldApart() {
        const QList<FoundModel> some{found("/x/one/a.gguf", "a"), found("/x/two/a.gguf", "a"),
                                     found("/x/two/b.gguf", "b")};
        QList<int> order{0, 1, 2};
        do {
            ModelListModel list;
            QList<FoundModel> models;
            QStringList wanted;
            for (const int at : order) {
                models << some.at(at);
                wanted << QStringList{"T · a · one", "T · a · two", "T · b"}.at(at);
            }
            list.reset(models);
            for (const FoundModel& model : models) {
                list.setFacts(model.path(), called("T"));
            }
            QCOMPARE(titles(list), wanted);
        } while (std::next_permutation(order.begin(), order.end()));
    }

    // Its application stands for the folder.
    void anApplicationTellsApart() {
        ModelListModel list;
        list.reset({found("/x/blobs/a", "a", "Ollama"), found("/x/one/a.gguf", "a")});
        QCOMPARE(titles(list), QStringList({"a · Ollama", "a · one"}));
    }

    // A view hears of every row whose title changes: of the new namesake and of the one it left.
    void aChangedTitleIsTold() {
        ModelListModel list;
        list.reset({found("/x/one/a.gguf", "a"), found("/x/two/a.gguf", "a"),
                    found("/x/two/b.gguf", "b"), found("/x/two/c.gguf", "c")});
        QStringList shown = titles(list);
        connect(&list, &QAbstractItemModel::dataChanged, this,
                [&](const QModelIndex& from, const QModelIndex& to) {
                    for (int row = from.row(); row <= to.row(); ++row) {
                        shown[row] =
                            list.data(list.index(row), ModelListModel::TitleRole).toString();
                    }
                });
        list.setFacts("/x/one/a.gguf", called("b"));
        QCOMPARE(titles(list), QStringList({"b · a", "a", "b", "c"}));
        QCOMPARE(shown, titles(list));
        list.setFacts("/x/one/a.gguf", called("a"));
        QCOMPARE(titles(list), QStringList({"a · one", "a · two", "b", "c"}));
        QCOMPARE(shown, titles(list));
    }
};

QTEST_GUILESS_MAIN(ModelListModelTest)
#include "model_list_model_test.moc"
