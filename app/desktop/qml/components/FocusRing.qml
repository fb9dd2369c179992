import QtQuick
import Hearth

// Drawn around its parent while that has the keyboard.
Rectangle {
    required property bool shown
    property int gap: 2

    anchors.fill: parent
    anchors.margins: -gap
    radius: ((parent as Rectangle)?.radius ?? Theme.radius) + gap
    color: "transparent"
    border.width: 2
    border.color: Theme.focus
    visible: shown
}
