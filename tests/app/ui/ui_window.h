// The whole window on a scripted engine, as a test drives it: real controller, models, store and
// QML.
#pragma once

#include <QAccessible>
#include <QList>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QString>
#include <QTemporaryDir>
#include <memory>

#include "settings/app_settings.h"
#include "settings/language.h"
#include "store/conversation_store.h"
#include "support/fake_inference.h"
#include "support/fake_machine.h"
#include "support/fake_packing.h"
#include "support/fake_serving.h"
#include "system/key_mends.h"
#include "window/app_controller.h"

namespace hearth::ui::test {

class UiWindow {
public:
    enum class Size {
        Usual,  // 1080 x 760, however small the screen is
        Own,    // as the window opens
    };

    // A model is "loaded" and the window shown. The data lies in `folder`; empty: in one of its own
    // that goes with the object. language: a value of the setting, or
    // "pseudo", "pseudo-rtl".
    explicit UiWindow(const QString& folder = {}, Size size = Size::Usual,
                      const QString& language = QStringLiteral("en"));
    ~UiWindow();
    UiWindow(const UiWindow&) = delete;
    UiWindow& operator=(const UiWindow&) = delete;

    bool ok() const { return window_ != nullptr && ready_; }
    // Makes the window active and waits for it. From here to the end of the test function a warning
    // from QML is a failure.
    bool activate();

    FakeInference& inference() { return *inference_; }
    FakeMachine& machine() { return machine_; }
    FakeMachine& planner() { return planner_; }  // of the models and offers
    FakePacking& packer() { return packer_; }
    FakeServing& serving() { return serving_; }
    AppSettings& settings() { return *settings_; }
    AppController& app() { return *app_; }
    ConversationStore& store() { return *store_; }
    QQuickWindow* window() { return window_; }
    QQmlApplicationEngine& engine() { return *engine_; }
    QObject* theme();

    // The visible items with this objectName, in drawing order; popups are included.
    QList<QQuickItem*> items(const QString& objectName) const;
    // The first and the last of them; null: none.
    QQuickItem* item(const QString& objectName) const;
    QQuickItem* lastItem(const QString& objectName) const;
    // The same from the top of the screen down.
    QList<QQuickItem*> downwards(const QString& objectName) const;
    // The visible button with this accessible name, in `whole`; null: in the window.
    QQuickItem* button(const QString& name, QQuickItem* whole = nullptr) const;
    // In the window's coordinates.
    static QRectF area(const QQuickItem* item);
    // What the item says to a screen reader.
    static QString accessibleName(QObject* object);

    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    void type(const QString& text);
    // Handles what waits in the event loop and lays out and draws the window, twice over: what the
    // first round changed is in place after the second. Takes as long as it takes, on any machine.
    void settle();
    // In the item's middle, once the window has come to rest.
    void click(const QQuickItem* item);
    // Sends a message as if typed and waits for the whole answer. False: it did not end.
    bool ask(const QString& text);
    bool waitForAnswer(int timeoutMs = 30000);

    // A role of a row of the messages, by its QML name.
    QVariant message(int row, const QByteArray& role);
    int messageCount();

private:
    const KeyMends keyMends_;
    std::unique_ptr<QTemporaryDir> ownFolder_;
    FakeMachine machine_;
    FakeMachine planner_;
    FakePacking packer_;
    FakeServing serving_;
    std::unique_ptr<FakeInference> inference_;
    std::unique_ptr<ConversationStore> store_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<Language> language_;
    std::unique_ptr<AppController> app_;
    std::unique_ptr<QQmlApplicationEngine> engine_;
    std::unique_ptr<QObject> themeHolder_;
    QQuickWindow* window_ = nullptr;
    bool ready_ = false;
};

}  // namespace hearth::ui::test
