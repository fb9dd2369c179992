#include "ui_window.h"

#include <QPointer>
#include <QQmlComponent>
#include <QRegularExpression>
#include <QTest>
#include <QtQml/QQmlExtensionPlugin>
#include <algorithm>

#include "app/demo/demo_scripts.h"

Q_IMPORT_QML_PLUGIN(HearthPlugin)

namespace hearth::ui::test {

namespace {

void collect(QQuickItem* item, const QString& name, QList<QQuickItem*>& found) {
    if (!item->isVisible()) {
        return;
    }
    if (item->objectName() == name) {
        found.append(item);
    }
    for (QQuickItem* child : item->childItems()) {
        collect(child, name, found);
    }
}

}  // namespace

UiWindow::UiWindow(const QString& folder, Size size, const QString& language) {
    QString place = folder;
    if (place.isEmpty()) {
        ownFolder_ = std::make_unique<QTemporaryDir>();
        place = ownFolder_->path();
    }
    inference_ = std::make_unique<FakeInference>();
    inference_->setPieceDelayMs(0);
    inference_->setScripts(demo::scripts());
    inference_->setModel(demo::model());
    store_ = std::make_unique<ConversationStore>();
    store_->open(place);
    settings_ = std::make_unique<AppSettings>(place + QStringLiteral("/settings.ini"));
    settings_->setThemeMode(QStringLiteral("light"));
    settings_->set("window/motion", QStringLiteral("none"));  // what a test looks at is there
    const bool isPseudo = language.startsWith(QLatin1String("pseudo"));
    settings_->set("window/language", isPseudo ? QStringLiteral("en") : language);
    if (isPseudo) {
        qputenv("HEARTH_LANGUAGE", language.toLatin1());
    }
    language_ = std::make_unique<Language>(*settings_);
    qunsetenv("HEARTH_LANGUAGE");
    app_ = std::make_unique<AppController>(*inference_, *store_, *settings_, &machine_, &planner_,
                                           &packer_, &serving_);
    app_->follow(*language_);
    app_->setCommit(QStringLiteral("0123456789ab"));
    app_->attachments()->desk().setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));
    app_->drawings()->setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));
    engine_ = std::make_unique<QQmlApplicationEngine>();
    engine_->addImportPath(QStringLiteral("qrc:/qt/qml"));
    engine_->setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(app_.get())}});
    engine_->load(QUrl(QStringLiteral("qrc:/qt/qml/Hearth/qml/Main.qml")));
    if (!engine_->rootObjects().isEmpty()) {
        window_ = qobject_cast<QQuickWindow*>(engine_->rootObjects().constFirst());
        if (size == Size::Usual) {
            window_->resize(1080, 760);
        }
    }
    app_->model()->openPath(demo::model().path);
    ready_ =
        QTest::qWaitFor([this] { return app_->model()->state() == QLatin1String("ready"); }, 30000);
}

UiWindow::~UiWindow() {
    app_->flush();
    inference_->shutdown(2000);
    themeHolder_.reset();
    engine_.reset();
    app_.reset();
    language_.reset();
}

bool UiWindow::activate() {
    if (window_ == nullptr) {
        return false;
    }
    QTest::failOnWarning(QRegularExpression(QStringLiteral("qrc:|QQuick|QQml")));
    window_->show();
    window_->requestActivate();
    return QTest::qWaitForWindowExposed(window_) && QTest::qWaitForWindowActive(window_);
}

QObject* UiWindow::theme() {
    if (themeHolder_ == nullptr) {
        QQmlComponent component(engine_.get());
        component.setData("import QtQml; import Hearth; QtObject { property var theme: Theme }",
                          {});
        themeHolder_.reset(component.create());
    }
    return themeHolder_ == nullptr ? nullptr : themeHolder_->property("theme").value<QObject*>();
}

QList<QQuickItem*> UiWindow::items(const QString& objectName) const {
    QList<QQuickItem*> found;
    collect(window_->contentItem(), objectName, found);
    return found;
}

QQuickItem* UiWindow::item(const QString& objectName) const {
    const QList<QQuickItem*> found = items(objectName);
    return found.isEmpty() ? nullptr : found.constFirst();
}

QQuickItem* UiWindow::lastItem(const QString& objectName) const {
    // A list creates its delegates in any order: the last is the lowest on the screen.
    QQuickItem* lowest = nullptr;
    for (QQuickItem* one : items(objectName)) {
        if (lowest == nullptr || area(one).top() > area(lowest).top()) {
            lowest = one;
        }
    }
    return lowest;
}

QList<QQuickItem*> UiWindow::downwards(const QString& objectName) const {
    QList<QQuickItem*> found = items(objectName);
    std::stable_sort(found.begin(), found.end(),
                     [](const QQuickItem* one, const QQuickItem* other) {
                         return area(one).top() < area(other).top();
                     });
    return found;
}

QQuickItem* UiWindow::button(const QString& name, QQuickItem* whole) const {
    QList<QQuickItem*> items{whole == nullptr ? window_->contentItem() : whole};
    while (!items.isEmpty()) {
        QQuickItem* item = items.takeFirst();
        if (!item->isVisible()) {
            continue;
        }
        if (item->inherits("QQuickAbstractButton") && accessibleName(item) == name) {
            return item;
        }
        items += item->childItems();
    }
    return nullptr;
}

QRectF UiWindow::area(const QQuickItem* item) {
    return item->mapRectToScene(QRectF(0, 0, item->width(), item->height()));
}

QString UiWindow::accessibleName(QObject* object) {
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(object);
    return interface == nullptr ? QString() : interface->text(QAccessible::Name);
}

void UiWindow::press(int key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(window_, static_cast<Qt::Key>(key), modifiers);
}

void UiWindow::type(const QString& text) {
    for (const QChar letter : text) {
        QTest::keyClick(window_, letter.toLatin1());
    }
}

void UiWindow::settle() {
    for (int round = 0; round < 2; ++round) {
        QCoreApplication::processEvents();
        window_->grabWindow();
    }
    QCoreApplication::processEvents();
}

void UiWindow::click(const QQuickItem* item) {
    const QPointer<const QQuickItem> there(item);
    settle();
    if (there.isNull()) {
        QTest::qFail("what is to be clicked is not there, or went while the window settled",
                     __FILE__, __LINE__);
        return;
    }
    QTest::mouseClick(window_, Qt::LeftButton, Qt::NoModifier, area(item).center().toPoint());
}

bool UiWindow::waitForAnswer(int timeoutMs) {
    return QTest::qWaitFor([this] { return !app_->replies()->generating(); }, timeoutMs);
}

bool UiWindow::ask(const QString& text) {
    return app_->replies()->send(text) && waitForAnswer();
}

QVariant UiWindow::message(int row, const QByteArray& role) {
    const MessageListModel* messages = app_->chats()->messages();
    return messages->data(messages->index(row, 0), messages->roleNames().key(role));
}

int UiWindow::messageCount() {
    return app_->chats()->messages()->count();
}

}  // namespace hearth::ui::test
