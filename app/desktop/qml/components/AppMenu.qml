import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.Menu {
    id: menu

    padding: 6
    margins: Theme.small
    overlap: 0
    enter: Transition {
        NumberAnimation {
            property: "opacity"
            from: 0
            to: 1
            duration: Theme.quick
        }
    }
    exit: null  // what was chosen comes next, and wants the keyboard
    delegate: AppMenuItem { }

    background: Rectangle {
        implicitWidth: 300
        radius: Theme.radius + 2
        color: Theme.raised
        border.width: 1
        border.color: Theme.border

        Shadow { }
    }
}
