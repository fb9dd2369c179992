import QtQuick
import Hearth

// Shown round its parent while the keyboard is there.
Rectangle {
    property bool shown: parent.visualFocus ?? parent.activeFocus
    property int gap: 2

    anchors.fill: parent
    anchors.margins: -gap
    radius: (parent.radius ?? Theme.radius) + gap
    color: "transparent"
    border.width: 2
    border.color: Theme.focus
    visible: shown
}
