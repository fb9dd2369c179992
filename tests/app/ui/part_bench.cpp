#include "part_bench.h"

#include <QAccessible>
#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QGuiApplication>
#include <QKeySequence>
#include <QMetaMethod>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlExpression>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <functional>

#include "told.h"
#include "ui_window.h"

namespace hearth::ui::test {

namespace {

void visit(QQuickItem* item, const std::function<void(QQuickItem*)>& see) {
    if (!item->isVisible()) {
        return;
    }
    see(item);
    for (QQuickItem* child : item->childItems()) {
        visit(child, see);
    }
}

// The slot of one signal. It takes whatever the signal brings.
class Ear : public QObject {
public:
    Ear(Hearing* hearing, QObject* object, int signal)
        : QObject(hearing), hearing_(hearing), signal_(object->metaObject()->method(signal)) {
        QMetaObject::connect(object, signal, this, QObject::staticMetaObject.methodCount(),
                             Qt::DirectConnection);
    }

    int qt_metacall(QMetaObject::Call call, int id, void** arguments) override {
        id = QObject::qt_metacall(call, id, arguments);
        if (call == QMetaObject::InvokeMetaMethod && id == 0) {
            QVariantList brought;
            for (int i = 0; i < signal_.parameterCount(); ++i) {
                const QMetaType type = signal_.parameterMetaType(i);
                const QVariant value(type, arguments[i + 1]);
                brought << (type == QMetaType::fromType<QVariant>()
                                ? *static_cast<const QVariant*>(arguments[i + 1])
                                : value);
            }
            hearing_->note(QString::fromLatin1(signal_.name()), brought.value(0), brought.value(1));
            return -1;
        }
        return id;
    }

private:
    Hearing* hearing_;
    QMetaMethod signal_;
};

}  // namespace

void Hearing::listenTo(QObject* object) {
    static const QList<QByteArray> kOfQt{"clicked", "toggled", "moved", "accepted", "closed"};
    const QMetaObject* type = object->metaObject();
    QList<int> changes;
    for (int i = 0; i < type->propertyCount(); ++i) {
        changes << type->property(i).notifySignalIndex();
    }
    for (int i = 0; i < type->methodCount(); ++i) {
        const QMetaMethod method = type->method(i);
        const bool ofQml = QByteArray(method.enclosingMetaObject()->className()).contains("_QML");
        if (method.methodType() == QMetaMethod::Signal && !changes.contains(i) &&
            (ofQml || kOfQt.contains(method.name()))) {
            new Ear(this, object, i);
        }
    }
}

void Hearing::note(const QString& what, const QVariant& first, const QVariant& second) {
    QString line = what;
    for (const QVariant& one : {first, second}) {
        if (one.isValid()) {
            line += QLatin1Char(' ') + one.toString();
        }
    }
    heard_ << line.replace(QLatin1Char('\n'), QStringLiteral("\\n"));
}

void Engine::answers(const QStringList& texts) {
    QList<FakeInference::Script> all;
    for (const QString& text : texts) {
        all << FakeInference::scriptFrom(text);
    }
    ui_.inference().setScripts(all);
}

void Engine::fails(const QString& text, const QString& sentence) {
    FakeInference::Script script = FakeInference::scriptFrom(text);
    script.failWith = sentence;
    ui_.inference().setScripts({script});
}

void Engine::pauseAfter(int pieces) {
    ui_.inference().pauseAfter(pieces);
}

void Engine::loadError(const QString& sentence) {
    ui_.inference().setLoadError(sentence);
}

void Engine::ask(const QString& text) {
    QVERIFY(ui_.ask(text));
}

void Engine::wait() {
    QVERIFY(ui_.waitForAnswer());
}

void Engine::waitForModel(const QString& state) {
    QTRY_COMPARE(ui_.app().model()->state(), state);
}

void Engine::notify(const QString& kind, const QString& text, const QString& action) {
    ui_.app().notices()->notify(kind, text, action);
}

void Engine::resize(int width, int height) {
    ui_.window()->resize(width, height);
    QTRY_COMPARE(ui_.window()->contentItem()->width(), double(width));
}

void Engine::clipboard(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

PartBench::PartBench(const QByteArray& qml, QSize size) {
    QAccessible::setActive(true);
    QTest::failOnWarning(QRegularExpression(QStringLiteral("qrc:|QQuick|QQml")));
    fillFolder();
    own_ = std::make_unique<QQmlEngine>();
    own_->addImportPath(QStringLiteral("qrc:/qt/qml"));
    own_->rootContext()->setContextProperty(QStringLiteral("log"), &hearing_);
    QQmlComponent component(own_.get());
    component.setData(QByteArray("import QtQuick\nimport QtQuick.Controls.Basic as Basic\n"
                                 "import Hearth\n"
                                 "Basic.ApplicationWindow { id: bench; width: ") +
                          QByteArray::number(size.width()) +
                          "; height: " + QByteArray::number(size.height()) +
                          "; color: Theme.window; property var themeOfBench: Theme\n" + qml + "\n}",
                      QUrl(QStringLiteral("qrc:/part.qml")));
    ownRoot_.reset(component.create());
    root_ = ownRoot_.get();
    window_ = qobject_cast<QQuickWindow*>(root_);
    if (window_ == nullptr) {
        error_ = component.errorString();
        return;
    }
    theme()->setProperty("dark", false);
    theme()->setProperty("zoom", 1);
    theme()->setProperty("motion", false);  // what a test looks at is there
    context_ = std::make_unique<QQmlContext>(qmlContext(root_));
    context_->setContextProperty(QStringLiteral("theme"), theme());
    context_->setContextProperty(QStringLiteral("folder"), folder_.path());
    window_->show();
    window_->requestActivate();
    if (!QTest::qWaitForWindowExposed(window_) || !QTest::qWaitForWindowActive(window_)) {
        error_ = QStringLiteral("the window is not shown");
        return;
    }
    if (auto* part = value(QStringLiteral("part")).value<QObject*>()) {
        hearing_.listenTo(part);
    }
    leave();
    settle();
}

PartBench::PartBench(UiWindow& ui)
    : scripted_(std::make_unique<Engine>(ui)), ui_(&ui), root_(ui.window()), window_(ui.window()) {
    QAccessible::setActive(true);
    if (!ui.ok() || !ui.activate()) {
        error_ = QStringLiteral("the window is not shown");
        return;
    }
    context_ = std::make_unique<QQmlContext>(qmlContext(root_));
    context_->setContextProperty(QStringLiteral("theme"), theme());
    context_->setContextProperty(QStringLiteral("engine"), scripted_.get());
    leave();
    settle();
}

PartBench::~PartBench() = default;

void PartBench::fillFolder() const {
    const QDir folder(folder_.path());
    QVERIFY(folder.mkpath(QStringLiteral("models")));
    QVERIFY(folder.mkpath(QStringLiteral("empty")));
    for (const char* name : {"alpha.gguf", "beta.gguf", "notes.txt", "models/inner.gguf"}) {
        QFile file(folder.filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(2000, 'x'));
        QVERIFY(file.flush());
        QVERIFY(file.setFileTime(QDateTime(QDate(2026, 3, 14), QTime(12, 0)),
                                 QFileDevice::FileModificationTime));
    }
}

QObject* PartBench::theme() {
    return ui_ != nullptr ? ui_->theme() : root_->property("themeOfBench").value<QObject*>();
}

void PartBench::run(const QString& statements) {
    value(statements);
    settle();
}

QVariant PartBench::value(const QString& expression) {
    QQmlExpression asked(context_.get(), root_, expression);
    QVariant found = asked.evaluate();
    if (asked.hasError()) {
        QTest::qFail(qPrintable(asked.error().toString()), __FILE__, __LINE__);
    }
    return found;
}

QQuickItem* PartBench::item(const QString& objectName) const {
    QQuickItem* found = nullptr;
    visit(window_->contentItem(), [&](QQuickItem* item) {
        if (found == nullptr && item->objectName() == objectName) {
            found = item;
        }
    });
    return found;
}

QQuickItem* PartBench::named(const QString& name) const {
    if (QQuickItem* found = item(name)) {
        return found;
    }
    QQuickItem* found = nullptr;
    visit(window_->contentItem(), [&](QQuickItem* item) {
        const auto spoken = [](const QObject* child) {
            return child->inherits("QQuickAccessibleAttached");
        };
        if (found == nullptr &&
            std::any_of(item->children().begin(), item->children().end(), spoken) &&
            UiWindow::accessibleName(item) == name) {
            found = item;
        }
    });
    if (found == nullptr) {
        QTest::qFail(qPrintable(QStringLiteral("there is no ") + name), __FILE__, __LINE__);
    }
    return found;
}

// By two steps: a window before this one may have left the pointer just there.
void PartBench::leave() {
    const QPoint corner(window_->width() - 1, window_->height() - 1);
    QTest::mouseMove(window_, corner - QPoint(1, 0));
    QTest::mouseMove(window_, corner);
}

void PartBench::act(const QString& deeds) {
    const QStringList all = deeds.split(QStringLiteral("; "), Qt::SkipEmptyParts);
    for (const QString& deed : all) {
        const QString word = deed.section(QLatin1Char(' '), 0, 0);
        const QString what = deed.section(QLatin1Char(' '), 1);
        if (word == QLatin1String("key") || word == QLatin1String("hold")) {
            QKeyCombination keys = QKeySequence(what)[0];
            if (keys == (Qt::SHIFT | Qt::Key_Tab)) {  // as a keyboard has it
                keys = Qt::SHIFT | Qt::Key_Backtab;
            }
            QTest::keyPress(window_, keys.key(), keys.keyboardModifiers());
            for (int i = 0; word == QLatin1String("hold") && i < 2; ++i) {
                QKeyEvent again(QEvent::KeyPress, keys.key(), keys.keyboardModifiers(), {}, true);
                QCoreApplication::sendEvent(window_, &again);
            }
            QTest::keyRelease(window_, keys.key(), keys.keyboardModifiers());
        } else if (word == QLatin1String("until")) {
            const auto there = [&] { return told().join(QLatin1Char('\n')).contains(what); };
            QVERIFY2(QTest::qWaitFor(there, 30000), qPrintable(what));
        } else if (word == QLatin1String("type")) {
            for (const QChar letter : what) {
                QTest::keyClick(window_, letter.toLatin1());
            }
        } else {
            QQuickItem* item = named(what);
            if (item == nullptr) {
                return;
            }
            if (deed != all.constFirst()) {
                settle();  // it may have moved
            }
            const QPoint middle = UiWindow::area(item).center().toPoint();
            if (word == QLatin1String("click")) {
                QTest::mouseClick(window_, Qt::LeftButton, Qt::NoModifier, middle);
                leave();
            } else if (word == QLatin1String("twice")) {
                QTest::mouseDClick(window_, Qt::LeftButton, Qt::NoModifier, middle);
                leave();
            } else if (word == QLatin1String("over")) {
                QTest::mouseMove(window_, middle - QPoint(1, 0));
                QTest::mouseMove(window_, middle);
            } else if (word == QLatin1String("focus")) {
                item->forceActiveFocus(Qt::TabFocusReason);
            } else if (word == QLatin1String("press")) {
                QAccessibleInterface* said = QAccessible::queryAccessibleInterface(item);
                said->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
            } else {
                QTest::qFail(qPrintable(QStringLiteral("no such deed: ") + deed), __FILE__,
                             __LINE__);
            }
        }
        if (deed != all.constLast()) {
            QCoreApplication::processEvents();
        }
    }
    settle();
}

QQuickItem* PartBench::front() const {
    QQuickItem* found = window_->contentItem();
    visit(window_->contentItem(), [&](QQuickItem* item) {
        if (item->inherits("QQuickPopupItem") && item->width() > 0) {
            found = item;
        }
    });
    return found;
}

QStringList PartBench::told(const QString& only) {
    QQuickItem* whole = front();
    if (whole == window_->contentItem() && ui_ == nullptr) {
        const QString shown = QStringLiteral("typeof whole === 'undefined' ? part : whole");
        if (auto* part = value(shown).value<QQuickItem*>()) {
            whole = part;
        }
    } else if (whole == window_->contentItem() && !only.isEmpty()) {
        whole = item(only);
    } else if (!only.isEmpty()) {
        QString dialog;  // what it lists may be of this computer
        visit(whole, [&](QQuickItem* inner) {
            const QAccessibleInterface* said = QAccessible::queryAccessibleInterface(inner);
            if (dialog.isEmpty() && said != nullptr && said->role() == QAccessible::Dialog) {
                dialog = said->text(QAccessible::Name);
            }
        });
        if (!dialog.isEmpty()) {
            return {QStringLiteral("in front: ") + dialog};
        }
    }
    return whole == nullptr ? QStringList()
                            : test::told(whole, theme()).replaceInStrings(folder_.path(), kFolder);
}

QString PartBench::focus() const {
    QQuickItem* item = window_->activeFocusItem();
    if (item == nullptr || QByteArray(item->metaObject()->className()).endsWith("ContentItem")) {
        return QStringLiteral("nothing");
    }
    const QString name = UiWindow::accessibleName(item);
    return item->objectName().isEmpty() ? name : item->objectName();
}

// Without motion an animation takes one tick of its clock, which a busy machine delays.
bool PartBench::rests() const {
    if (front()->opacity() < 1) {
        return false;
    }
    for (const QObject* one : window_->findChildren<QObject*>()) {
        if (one->inherits("QQuickAbstractAnimation") && one->property("running").toBool()) {
            return false;
        }
    }
    return true;
}

void PartBench::settle() {
    QCoreApplication::processEvents();
    QVERIFY(QTest::qWaitFor([this] { return rests(); }, 30000));
    for (int round = 0; round < 2; ++round) {
        QCoreApplication::processEvents();
        window_->grabWindow();
    }
    QCoreApplication::processEvents();
}

}  // namespace hearth::ui::test
