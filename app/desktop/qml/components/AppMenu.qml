import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.Menu {
    id: menu

    // The width of the widest item, so that none is cut; the margins keep the menu inside the window.
    readonly property real widest: {
        let most = 0
        for (let i = 0; i < count; ++i) {
            const item = itemAt(i)
            most = Math.max(most, item === null ? 0 : item.implicitWidth)
        }
        return most
    }

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
    exit: null  // the chosen action comes next, and wants the keyboard
    delegate: AppMenuItem { }

    background: Rectangle {
        implicitWidth: Math.max(300, menu.widest + menu.leftPadding + menu.rightPadding)
        radius: Theme.radius + 2
        color: Theme.raised
        border.width: 1
        border.color: Theme.border

        Shadow { }
    }
}
