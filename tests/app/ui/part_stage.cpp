#include "part_stage.h"

#include <QAccessible>
#include <QDesktopServices>
#include <QMetaMethod>
#include <QQmlContext>
#include <QQmlExpression>
#include <QTest>
#include <functional>

namespace hearth::ui::test {

namespace {

// named(): the item of the part with this objectName.
constexpr const char* kItems = R"(import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth
Item {
    property alias part: part
    anchors.fill: parent
    function named(name, whole) {
        const items = (whole ?? part).children
        for (let i = 0; i < items.length; ++i) {
            const found = items[i].objectName === name ? items[i] : named(name, items[i])
            if (found !== null) {
                return found
            }
        }
        return null
    }
%1
}
)";

QString inBrackets(const QVariantList& values) {
    QStringList words;
    for (const QVariant& one : values) {
        words << one.toString();
    }
    return QLatin1Char('(') + words.join(QLatin1String(", ")) + QLatin1Char(')');
}

}  // namespace

PartStage::PartStage() {
    QDesktopServices::setUrlHandler(QStringLiteral("https"), &calls_, "openUrl");
    engine_.addImportPath(QStringLiteral("qrc:/qt/qml"));
    engine_.rootContext()->setContextProperty(QStringLiteral("calls"), &calls_);
    engine_.loadData(
        "import QtQuick\nimport QtQuick.Controls.Basic\nimport Hearth\n"
        "ApplicationWindow {\n    width: 900\n    height: 1400\n    visible: true\n"
        "    color: Theme.window\n}\n");
    if (!files_.write() || engine_.rootObjects().isEmpty()) {
        trouble_ = QStringLiteral("no window");
        return;
    }
    window_ = qobject_cast<QQuickWindow*>(engine_.rootObjects().constFirst());
    QQmlComponent theme(&engine_);
    theme.setData("import QtQml; import Hearth; QtObject { property var theme: Theme }", {});
    theme_.reset(theme.create());
    if (theme_ == nullptr) {
        trouble_ = theme.errorString();
        return;
    }
    words_ = std::make_unique<PartAccount>(theme_->property("theme").value<QObject*>());
    window_->requestActivate();
    if (!QTest::qWaitForWindowActive(window_)) {
        trouble_ = QStringLiteral("the window does not become active");
    }
}

PartStage::~PartStage() {
    QDesktopServices::unsetUrlHandler(QStringLiteral("https"));
    heard_.clear();
    shown_.reset();
}

QString PartStage::show(const QString& qml) {
    heard_.clear();
    shown_.reset();
    calls_.setStanding(false);
    theme_->property("theme").value<QObject*>()->setProperty("motion", false);
    calls_.setProperty("answers", QVariantMap());
    calls_.take();
    QTest::mouseMove(window_, {window_->width() - 1, window_->height() - 1});  // over nothing
    auto& component = components_[qml];
    if (component == nullptr) {
        component = std::make_unique<QQmlComponent>(&engine_);
        component->setData(QString::fromLatin1(kItems).arg(ScriptedQml::adapted(qml)).toUtf8(),
                           QUrl::fromLocalFile(files_.folder() + QStringLiteral("/Shown.qml")));
    }
    if (component->isError()) {
        return component->errorString();
    }
    shown_.reset(component->createWithInitialProperties(
        {{QStringLiteral("parent"), window_->property("contentItem")}}));
    if (shown_ == nullptr) {
        return component->errorString();
    }
    auto* part = shown_->property("part").value<QObject*>();
    const QMetaObject* type = part->metaObject();
    for (int i = 0; i < type->methodCount(); ++i) {
        const QMetaMethod method = type->method(i);
        const QString name = QString::fromLatin1(method.name());
        const bool ofQml = QByteArray(method.enclosingMetaObject()->className()).contains("_QML");
        if (method.methodType() == QMetaMethod::Signal && ofQml &&
            !name.endsWith(QLatin1String("Changed"))) {
            heard_.push_back({name, std::make_unique<QSignalSpy>(part, method)});
        }
    }
    calls_.setStanding(true);
    settle();
    return {};
}

QString PartStage::run(const QString& statement) {
    QQmlExpression expression(QQmlEngine::contextForObject(shown_.get()), shown_.get(), statement);
    expression.evaluate();
    settle();
    return expression.hasError() ? expression.error().toString() : QString();
}

QString PartStage::value(const QString& text) {
    QQmlExpression expression(QQmlEngine::contextForObject(shown_.get()), shown_.get(), text);
    const QVariant value = expression.evaluate();
    return expression.hasError() ? expression.error().toString() : value.toString();
}

void PartStage::settle() {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCoreApplication::processEvents();
    window_->grabWindow();  // lays it out
    QCoreApplication::processEvents();
}

QStringList PartStage::account() const {
    QStringList lines = words_->of(window_->contentItem());
    QQuickItem* const focus = window_->activeFocusItem();
    const bool somewhere = focus != nullptr && focus != window_->contentItem() &&
                           focus != window_->property("contentItem").value<QQuickItem*>();
    lines << QStringLiteral("keyboard: ") +
                 (somewhere ? PartAccount::told(focus) : QStringLiteral("nowhere"));
    return lines;
}

QStringList PartStage::asked() {
    QStringList lines = calls_.take();
    for (const Heard& one : heard_) {
        for (const QVariantList& values : std::as_const(*one.spy)) {
            lines << QStringLiteral("signal ") + one.name + inBrackets(values);
        }
        one.spy->clear();
    }
    return lines;
}

QQuickItem* PartStage::item(const QString& name) const {
    const QString number = name.section(QLatin1Char(' '), -1);
    const int wanted = number.toInt();
    const QString words =
        wanted > 0 && name.contains(QLatin1Char(' ')) ? name.chopped(number.size() + 1) : name;
    int left = std::max(1, wanted);
    QQuickItem* found = nullptr;
    const std::function<void(QQuickItem*)> visit = [&](QQuickItem* item) {
        if (!item->isVisible() || found != nullptr) {
            return;
        }
        if (item->objectName() == words ||
            (QAccessible::queryAccessibleInterface(item) != nullptr &&
             PartAccount::called(item) == words)) {
            if (--left == 0) {
                found = item;
                return;
            }
        }
        for (QQuickItem* child : item->childItems()) {
            visit(child);
        }
    };
    visit(window_->contentItem());
    return found;
}

}  // namespace hearth::ui::test
