// A file of tests/app/ui/parts: the items to show, and cases of what is done to them, each followed
// by what it brought about.
//
//   | QML                 the items, at the top of the file; `id: part` is the one whose signals
//   are heard
//   == name               a case. It begins with the items as they are at the top.
//   > statement           JavaScript in their scope; before the first look silent
//   > look                all that is seen and said
//   > press NAME          presses the button, as a click does
//   > press all           each button in turn, each on items of its own
//   > say NAME            presses it as a screen reader does
//   > focus NAME          gives it the keyboard
//   > key Shift+Tab       > key Return held    (as the system repeats it)    > type words
//   > click NAME          with the mouse, in its middle
//   > tabs                where Tab leads, until it comes back
//   > ? expression        its value
//   > until expression    waits until it is true
//     line                what is expected, indented by two spaces: what was asked of the models,
//     the
//                         part's signals, and lines of the account that went (-) or came (+)
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui::test {

class PartStage;

struct PartStep {
    QString deed;
    QStringList expected;
};

struct PartCase {
    QString name;
    QList<PartStep> steps;
};

class PartScript {
public:
    // False: there is no such file, or a line of it cannot be read.
    bool read(const QString& path);
    const QList<PartCase>& cases() const { return cases_; }

    // Returns the outcome of each step of a case; the first line that begins with "!" says what is
    // wrong.
    QList<QStringList> play(PartStage& stage, const PartCase& one) const;
    // The file with other expectations.
    QString text(const QList<QList<QStringList>>& outcomes) const;

private:
    QString qml_;
    QStringList head_;  // comments and the QML
    QList<PartCase> cases_;
};

}  // namespace hearth::ui::test
