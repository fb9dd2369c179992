// A part of the window alone, with scripted models and no engine: a test puts it into a state,
// presses keys, and reads all that it shows, says and asks for.
#pragma once

#include <QObject>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QStringList>
#include <QTemporaryDir>
#include <QVariant>
#include <memory>
#include <utility>

namespace hearth::ui::test {

// Hears the calls of scripted models and the signals of objects, in their order.
class Hearing : public QObject {
    Q_OBJECT

public:
    // The signals that its QML declares, and clicked, toggled, moved, accepted, closed.
    void listenTo(QObject* object);
    // For QML: log.note("send", text).
    Q_INVOKABLE void note(const QString& what, const QVariant& first = {},
                          const QVariant& second = {});
    // "edited", "versionAsked 2"; the next call begins with what comes after.
    QStringList take() { return std::exchange(heard_, {}); }

private:
    QStringList heard_;
};

class UiWindow;

// The scripted engine of a whole window, for expressions.
class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(UiWindow& ui) : ui_(ui) {}
    // One answer after the other.
    Q_INVOKABLE void answers(const QStringList& texts);
    // An answer that begins with `text` and fails.
    Q_INVOKABLE void fails(const QString& text, const QString& sentence);
    Q_INVOKABLE void pauseAfter(int pieces);
    Q_INVOKABLE void loadError(const QString& sentence);
    // Sends and waits for the whole answer, or until no more pieces come.
    Q_INVOKABLE void ask(const QString& text);
    Q_INVOKABLE void wait();
    // "ready", "failed"
    Q_INVOKABLE void waitForModel(const QString& state);
    Q_INVOKABLE void notify(const QString& kind, const QString& text, const QString& action);
    Q_INVOKABLE void resize(int width, int height);
    Q_INVOKABLE void clipboard(const QString& text);

private:
    UiWindow& ui_;
};

class PartBench {
public:
    // `qml`: what stands in a window below its imports (QtQuick, Controls.Basic as Basic, Hearth).
    // The object with `id: part` is listened to, and its scripted models may call log.note().
    explicit PartBench(const QByteArray& qml, QSize size = QSize(640, 480));
    // The whole window, shown. Expressions know the ids of Main.qml and `engine`, see Engine.
    explicit PartBench(UiWindow& ui);
    ~PartBench();
    PartBench(const PartBench&) = delete;
    PartBench& operator=(const PartBench&) = delete;

    // Why there is nothing, or empty. From here to the end of the test function a warning from QML
    // is a failure.
    QString error() const { return error_; }
    QQuickWindow* window() const { return window_; }
    QObject* theme();

    // In the scope of the window, with `theme` and, for a part, `folder`: a folder with the files
    // alpha.gguf, beta.gguf and notes.txt, and the folders empty and models, with inner.gguf. It is
    // told and heard as FOLDER.
    // `part.phase = "failed"`, `theme.dark = true`.
    void run(const QString& statements);
    QVariant value(const QString& expression);

    // The item with this objectName, in front or behind; null: none is visible.
    QQuickItem* item(const QString& objectName) const;
    // Deeds, separated by "; ":
    //   key Shift+Return    press it and let it go
    //   hold Return         three times, as the system repeats a key that is held down
    //   type some words
    //   click NAME          the middle of the item with this objectName, else of the control with
    //   this
    //                       accessible name, and away again; twice NAME: a double click
    //   press NAME          as a screen reader would
    //   focus NAME          by Tab
    //   over NAME           the pointer lies on it
    //   until WORDS         waits until a line that is told has them
    // An unknown word or name is a failure of the test.
    void act(const QString& deeds);

    // All of `whole`, else of `part`, or of the popup in front of it. (Of the whole
    // window: of `only` and of menus, and the names of dialogs, if `only` is named.)
    QStringList told(const QString& only = {});
    // The part's signals and calls since the last time.
    QStringList heard() { return hearing_.take().replaceInStrings(folder_.path(), kFolder); }
    // objectName or accessible name of what has the keyboard.
    QString focus() const;
    void settle();

private:
    QQuickItem* named(const QString& name) const;

    QQuickItem* front() const;
    void leave();
    bool rests() const;

    static inline const QString kFolder = QStringLiteral("FOLDER");

    void fillFolder() const;

    Hearing hearing_;
    QTemporaryDir folder_;
    std::unique_ptr<Engine> scripted_;
    std::unique_ptr<QQmlEngine> own_;
    std::unique_ptr<QObject> ownRoot_;
    std::unique_ptr<QQmlContext> context_;
    UiWindow* ui_ = nullptr;
    QObject* root_ = nullptr;
    QQuickWindow* window_ = nullptr;
    QString error_;
};

}  // namespace hearth::ui::test
