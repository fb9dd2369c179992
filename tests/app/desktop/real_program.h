// The real `hearth` in its real window on an X server, and keys and buttons that reach it as a
// user's do: through the server (xdotool). What it did is read from its log, its database and its
// picture.
#pragma once

#include <QColor>
#include <QImage>
#include <QProcess>
#include <QRect>
#include <QString>
#include <QStringList>
#include <QVariantList>
#include <QtTest>

// QTRY_VERIFY asks once more after it was told "yes", and a frame may have come between: of what
// the program shows this asks once. It fails after a minute.
#define HEARTH_COMES_TRUE(condition) \
    QVERIFY2(QTest::qWaitFor([&] { return (condition); }, 60'000), #condition)

namespace hearth::ui::test {

class RealProgram {
public:
    // On the display that this process has.
    explicit RealProgram(const QString& dataFolder);
    // After a failure in the test: keeps the picture, as screenshots/failed-FUNCTION.png of the
    // build. Ends the program.
    ~RealProgram();
    RealProgram(const RealProgram&) = delete;
    RealProgram& operator=(const RealProgram&) = delete;

    // Empty: this system has all that is needed.
    static QString whyNot();

    void setVariable(const QString& name, const QString& value);
    // Waits until the window is there and has the keyboard.
    bool start(const QStringList& arguments);
    // Ctrl+Q, and waits for the end. False: it did not end, or not well.
    bool quit();

    // As xdotool names them: "ctrl+n", "Return". False: xdotool failed.
    bool key(const QString& name);
    // Pressed for so long that the server repeats it.
    bool hold(const QString& name, int ms);
    bool type(const QString& text);
    bool click(const QPoint& place, int times = 1);
    bool moveTo(const QPoint& place);
    bool resize(const QSize& size);

    qint64 processId() const { return program_.processId(); }
    // The processes that it has started and that run now.
    QList<qint64> children() const;
    QByteArray log() const;
    // Waits for the log to have `line` so often altogether.
    bool waitForLog(const QByteArray& line, int times = 1) const;
    // The rows of a query on the program's database.
    QList<QVariantList> rows(const QString& sql) const;
    qlonglong number(const QString& sql) const;
    QImage picture() const;
    // That part of it once nothing in it has moved for a second; null: it never stood still.
    QImage stillPicture(const QRect& part) const;
    // Where the picture has exactly this colour: around all of it; empty: nowhere.
    QRect areaOf(const QColor& color) const;
    // Likewise where `side` pixels in each direction have it, as text never has.
    QRect solidAreaOf(const QColor& color, int side) const;
    // areaOf() once it is somewhere and has not changed for a second; empty: that never came.
    QRect stillAreaOf(const QColor& color) const;
    // How many pixels of that part have it.
    int countOf(const QColor& color, const QRect& part) const;

private:
    bool xdotool(const QStringList& arguments) const;

    QString folder_;
    QProcess program_;
    QString window_;
};

}  // namespace hearth::ui::test
