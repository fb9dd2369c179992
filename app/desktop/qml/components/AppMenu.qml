import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.Menu {
    id: menu

    padding: 6
    margins: Theme.small
    overlap: 0
    enter: null
    exit: null
    delegate: AppMenuItem { }

    background: Rectangle {
        implicitWidth: 236
        radius: Theme.radius + 2
        color: Theme.raised
        border.width: 1
        border.color: Theme.border
    }
}
