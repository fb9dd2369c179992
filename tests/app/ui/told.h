// Everything that a part of the window shows and says, in words: a test compares all of it at once.
#pragma once

#include <QStringList>

class QObject;
class QQuickItem;

namespace hearth::ui::test {

// The visible items of `whole`, each after its parent, a line each. Colours have their names in
// `theme` (the singleton Theme; null: as numbers). Lines are of these kinds:
//   Button "name" says "text" (description) tip "text" off, no tab, checked, focus
//   Heading "name" (description)          any other item that a screen reader knows
//   text "words" colour pixels bold mono  "prose" where it can be selected
//   field "words" hint "placeholder"      where it can be written
//   icon name colour pixels
//   ground colour edge colour width 40 %  a rectangle; the share of its parent where it is a line
//   ring                                  of what has the keyboard
//   list 2 of 5                           the current row
// "unseen": it has no opacity, but Tab finds it.
QStringList told(QQuickItem* whole, QObject* theme);

}  // namespace hearth::ui::test
