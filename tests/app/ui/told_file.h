// Recorded walks through a part of the window, one file a part: a state, then steps, each with all
// that it changes in what is seen and said.
//
//   == a name
//   MessageStatus { id: part; width: 400 }      what PartBench takes; "window" for the whole
//   window,
//                                               "window NAME" for the item in it with this
//                                               objectName
//   --
//     + text "…"                                what is there at first
//   > part.phase = "failed"                     a step: an expression, or words for
//   PartBench::act()
//                                               or several of them, separated by " ;; "
//     - text "…"                                what it changes
//     + text "…"
//     heard retried                             what is asked for
//     focus retry                               where the keyboard has gone
//     title Rain — Hearth                       of the whole window
//
// The lines that begin with two spaces are recorded: HEARTH_RECORD=1 writes them anew. They are
// read before they are kept: each says what a user gets.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui::test {

struct ToldStep {
    QString does;  // empty: the first state
    QStringList told;
};

struct ToldWalk {
    QString name;
    QString part;
    QList<ToldStep> steps;
};

// The names of the files in tests/app/ui/told/, without their ending.
QStringList toldFiles();
// Empty: there is no such file, or it is no such file.
QList<ToldWalk> readTold(const QString& name);
void writeTold(const QString& name, const QList<ToldWalk>& walks);

// Walks, and gives each step what it told. A part that cannot be shown fails the test.
ToldWalk walked(const ToldWalk& walk);
// The first step that tells something else, with what was expected; empty: none.
QString difference(const ToldWalk& expected, const ToldWalk& found);

}  // namespace hearth::ui::test
