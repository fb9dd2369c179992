// Projects by keyboard and by mouse: the list, its menus, the page of a project, its deletion.
#include <QDir>
#include <QTest>

#include "support/document_maker.h"
#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class ProjectsWindowTest : public QObject {
    Q_OBJECT

    std::unique_ptr<UiWindow> ui_;

    QQuickItem* item(const char* name) const { return ui_->item(QLatin1String(name)); }
    QString text(const char* name) const {
        const QQuickItem* found = item(name);
        return found == nullptr ? QString() : found->property("text").toString();
    }
    QString focused() const {
        const QQuickItem* now = ui_->window()->activeFocusItem();
        return now == nullptr ? QString() : now->objectName();
    }
    bool tabTo(const char* name, int key = Qt::Key_Tab) {
        for (int i = 0; i < 60 && focused() != QLatin1String(name); ++i) {
            ui_->press(key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
        }
        return focused() == QLatin1String(name);
    }
    Projects& projects() { return *ui_->app().projects(); }
    Chats& chats() { return *ui_->app().chats(); }
    // The rows from the top down: "project Name", "conversation Title".
    QStringList rows() {
        ui_->settle();
        QList<std::pair<qreal, QString>> found;
        for (const char* kind : {"project", "conversation"}) {
            for (QQuickItem* row : ui_->items(QLatin1String(kind))) {
                found.append({UiWindow::area(row).top(), QLatin1String(kind) + QLatin1Char(' ') +
                                                             row->property("title").toString()});
            }
        }
        std::sort(found.begin(), found.end());
        QStringList list;
        for (const auto& [top, words] : found) {
            list << words;
        }
        return list;
    }
    QQuickItem* row(const char* kind, const QString& title) {
        ui_->settle();
        for (QQuickItem* one : ui_->items(QLatin1String(kind))) {
            if (one->property("title").toString() == title) {
                return one;
            }
        }
        return nullptr;
    }
    void showProject(qint64 id) {
        QMetaObject::invokeMethod(item("dialogs"), "showProject", Q_ARG(QVariant, id),
                                  Q_ARG(QVariant, qint64{-1}));
        QTRY_VERIFY(item("projectName") != nullptr);
        ui_->settle();
    }

private slots:
    void init() {
        ui_ = std::make_unique<UiWindow>();
        QVERIFY(ui_->ok() && ui_->activate());
    }
    void cleanup() { ui_.reset(); }

    void isMadeByKeys() {
        QVERIFY(tabTo("newProject", Qt::Key_Backtab) || tabTo("newProject"));
        QCOMPARE(UiWindow::accessibleName(item("newProject")), QString("New project"));
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("projectName") != nullptr);
        QCOMPARE(focused(), QString("projectName"));
        QVERIFY(!item("saveProject")->isEnabled());
        QVERIFY(item("addProjectFile") == nullptr);
        ui_->type("Garden");
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(focused(), QString("projectInstructions"));
        ui_->type("Talk of plants.");
        QVERIFY(tabTo("saveProject"));
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("projectName") == nullptr);
        QCOMPARE(rows(), QStringList{"project Garden"});
        const qint64 id = projects().all().value(0).toMap().value("id").toLongLong();
        QCOMPARE(projects().details(id).value("instructions").toString(),
                 QString("Talk of plants."));
        QCOMPARE(UiWindow::accessibleName(row("project", "Garden")), QString("Project Garden"));
        // Escape leaves everything as it was.
        showProject(id);
        ui_->type("Other");
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("projectName") == nullptr);
        QCOMPARE(projects().details(id).value("name").toString(), QString("Garden"));
    }

    void groupsAndFoldsByKeys() {
        const qint64 one = projects().add("Garden");
        projects().add("House");
        QVERIFY(ui_->ask("Outside"));
        chats().newConversationIn(one);
        ui_->settle();
        QCOMPARE(text("title"), QString("New chat in Garden"));
        QVERIFY(ui_->ask("Roses"));
        QCOMPARE(rows(), QStringList({"project Garden", "conversation Roses", "project House",
                                      "conversation Outside"}));
        QMetaObject::invokeMethod(item("sidebar"), "takeFocus");
        ui_->press(Qt::Key_Home);
        for (int i = 0; i < 4; ++i) {
            ui_->press(Qt::Key_Up);
        }
        QCOMPARE(focused(), QString("project"));
        ui_->press(Qt::Key_Left);
        QCOMPARE(rows(), QStringList({"project Garden", "project House", "conversation Outside"}));
        ui_->press(Qt::Key_Return);
        QCOMPARE(rows().size(), 4);
        ui_->press(Qt::Key_Space);
        QCOMPARE(rows().size(), 3);
        ui_->press(Qt::Key_Right);
        QCOMPARE(rows().size(), 4);
        // F2 renames the project.
        ui_->press(Qt::Key_F2);
        QTRY_COMPARE(focused(), QString("renameField"));
        ui_->type("Zoo");
        ui_->press(Qt::Key_Return);
        QCOMPARE(rows(), QStringList({"project House", "project Zoo", "conversation Roses",
                                      "conversation Outside"}));
        // The keys for the next chat go as the list stands.
        chats().newConversation();
        ui_->press(Qt::Key_Escape);
        QMetaObject::invokeMethod(ui_->window(), "step", Q_ARG(int, 1));
        QCOMPARE(chats().currentTitle(), QString("Roses"));
        QMetaObject::invokeMethod(ui_->window(), "step", Q_ARG(int, 1));
        QCOMPARE(chats().currentTitle(), QString("Outside"));
    }

    void movesByTheMenu() {
        const qint64 one = projects().add("Garden");
        QVERIFY(ui_->ask("Roses"));
        const qint64 chat = chats().currentId();
        ui_->settle();
        QMetaObject::invokeMethod(item("sidebar"), "takeFocus");
        ui_->press(Qt::Key_End);
        row("conversation", "Roses")->forceActiveFocus();
        ui_->press(Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(item("moveChat") != nullptr);
        ui_->click(item("moveChat"));
        QTRY_VERIFY(item("moveInto") != nullptr);
        QCOMPARE(UiWindow::accessibleName(item("moveInto")), QString("Move into Garden"));
        ui_->press(Qt::Key_Down);
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(chats().currentProject(), one);
        QCOMPARE(rows(), QStringList({"project Garden", "conversation Roses"}));
        // Out of it again, by mouse.
        row("conversation", "Roses")->forceActiveFocus();
        ui_->press(Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(item("moveChat") != nullptr);
        ui_->click(item("moveChat"));
        QTRY_VERIFY(item("moveOut") != nullptr);
        ui_->click(item("moveOut"));
        QTRY_COMPARE(chats().currentProject(), kNoId);
        // Into a new one.
        row("conversation", "Roses")->forceActiveFocus();
        ui_->press(Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(item("moveChat") != nullptr);
        ui_->click(item("moveChat"));
        QTRY_VERIFY(item("moveIntoNew") != nullptr);
        ui_->click(item("moveIntoNew"));
        QTRY_VERIFY(item("projectName") != nullptr);
        ui_->type("Plants");
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(projects().currentName(), QString("Plants"));
        QCOMPARE(chats().currentId(), chat);
    }

    void newChatsBeginThere() {
        const qint64 one = projects().add("Garden");
        row("project", "Garden")->forceActiveFocus();
        ui_->press(Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(item("newChatInProject") != nullptr);
        ui_->click(item("newChatInProject"));
        QTRY_COMPARE(chats().currentProject(), one);
        QTRY_COMPARE(focused(), QString("composerInput"));
        QVERIFY(ui_->ask("Roses"));
        QCOMPARE(rows(), QStringList({"project Garden", "conversation Roses"}));
        ui_->click(item("newConversation"));
        QCOMPARE(chats().currentProject(), kNoId);
    }

    void hasModelTemperatureAndFiles() {
        const qint64 one = projects().add("Garden");
        const QString folder = ui_->store().folder() + "/notes";
        QVERIFY(QDir().mkpath(folder));
        hearth::test::writeFile(folder + "/rose.md", "The rose is called Rex.");
        showProject(one);
        QCOMPARE(text("projectModel"), QString("The model that is loaded answers."));
        QVERIFY(tabTo("useLoadedModel"));
        ui_->press(Qt::Key_Return);
        QVERIFY(item("useLoadedModel") == nullptr);
        QCOMPARE(projects().details(one).value("model").toString(), ui_->app().model()->path());
        QVERIFY(tabTo("ownTemperature"));
        ui_->press(Qt::Key_Space);
        QCOMPARE(projects().details(one).value("temperature").toDouble(), 0.8);
        QVERIFY(tabTo("projectTemperature"));
        ui_->press(Qt::Key_Right);
        QCOMPARE(projects().details(one).value("temperature").toDouble(), 0.85);
        projects().files()->attach(one, {folder + "/rose.md"});
        QTRY_VERIFY(!projects().files()->isReading());
        ui_->settle();
        QCOMPARE(ui_->items("projectFile").size(), 1);
        projects().setFolder(one, folder);
        QTRY_COMPARE(text("projectFolderSays"), QString("One file is searched."));
        QVERIFY(tabTo("leaveProjectFolder"));
        ui_->press(Qt::Key_Return);
        QCOMPARE(projects().details(one).value("folder").toString(), QString());
        QCOMPARE(text("projectFolder"), QString("No folder."));
        QVERIFY(tabTo("removeFile", Qt::Key_Backtab));
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(ui_->items("projectFile").size(), 0);
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("projectName") == nullptr);
    }

    void choosesAFolder() {
        const qint64 one = projects().add("Garden");
        const QString folder = ui_->store().folder() + "/notes";
        QVERIFY(QDir().mkpath(folder));
        showProject(one);
        QVERIFY(tabTo("chooseProjectFolder"));
        ui_->press(Qt::Key_Return);
        auto* picker = ui_->window()->findChild<QObject*>("projectFolderPicker");
        QTRY_VERIFY(picker != nullptr && picker->property("opened").toBool());
        QMetaObject::invokeMethod(picker, "chosen", Q_ARG(QString, folder));
        QMetaObject::invokeMethod(picker, "close");
        QTRY_COMPARE(text("projectFolder"), QFileInfo(folder).canonicalFilePath());
    }

    void asksWhatBecomesOfTheChats_data() {
        QTest::addColumn<bool>("with");
        QTest::addRow("kept") << false;
        QTest::addRow("deleted") << true;
    }
    void asksWhatBecomesOfTheChats() {
        QFETCH(bool, with);
        const qint64 one = projects().add("Garden");
        chats().newConversationIn(one);
        QVERIFY(ui_->ask("Roses"));
        row("project", "Garden")->forceActiveFocus();
        ui_->press(Qt::Key_Delete);
        QTRY_VERIFY(item("removeProjectAlone") != nullptr);
        QCOMPARE(focused(), QString("removeProjectAlone"));
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("removeProjectAlone") == nullptr);
        QCOMPARE(rows().size(), 2);
        ui_->press(Qt::Key_Delete);
        QTRY_VERIFY(item("removeProjectAlone") != nullptr);
        ui_->click(item(with ? "removeProjectWithChats" : "removeProjectAlone"));
        QTRY_VERIFY(projects().all().isEmpty());
        QCOMPARE(rows(), with ? QStringList{} : QStringList{"conversation Roses"});
        QCOMPARE(chats().undoOffered(), with);
    }

    void alwaysInThisProject() {
        ui_->app().tools()->setBuiltInOn("calculate", true);
        FakeInference::Script calling = FakeInference::scriptFrom("Let me see.");
        calling.summary.calls = {{"c1", "calculate", R"({"expression":"6*7"})"}};
        ui_->inference().setScripts({calling, FakeInference::scriptFrom("It is 42.")});
        const qint64 one = projects().add("Garden");
        QVERIFY(ui_->app().replies()->send("6*7?"));
        QTRY_VERIFY(item("allowOnce") != nullptr);
        ui_->settle();
        QVERIFY(item("allowInProject") == nullptr);
        ui_->click(item("allowOnce"));
        QVERIFY(ui_->waitForAnswer());
        chats().newConversationIn(one);
        QVERIFY(ui_->app().replies()->send("6*7?"));
        QTRY_VERIFY(item("allowInProject") != nullptr);
        QCOMPARE(text("allowInProject"), QString("Always in this project: calculate"));
        QVERIFY(tabTo("allowInProject", Qt::Key_Backtab));
        ui_->press(Qt::Key_Return);
        QVERIFY(ui_->waitForAnswer());
        showProject(one);
        QVERIFY(text("askAgainInProject").contains("1 allowed"));
        QVERIFY(tabTo("askAgainInProject"));
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("askAgainInProject") == nullptr);
    }
};

QTEST_MAIN(ProjectsWindowTest)
#include "projects_test.moc"
