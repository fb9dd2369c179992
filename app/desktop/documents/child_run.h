// Runs a process that handles what strangers made, with bounds on its time and its answer.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <functional>

namespace hearth::ui {

struct ChildBounds {
    int mostMs = 60'000;  // then it is killed
    qint64 mostBytes = 0;
};

struct ChildAnswer {
    const char* why = nullptr;  // it failed: a few words for the log; null: it ended well
    QByteArray output;          // of a child that ended well
};

// Starts `program`, gives it `input` as its standard input, and waits for it. stopped: asked again
// and again; true ends the child and the wait. Any thread but the window's.
ChildAnswer runChild(const QString& program, const QStringList& arguments, const QByteArray& input,
                     const std::function<bool()>& stopped, const ChildBounds& bounds);

}  // namespace hearth::ui
