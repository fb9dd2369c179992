import QtQuick
import Hearth

// Shown round its parent while the keyboard is there.
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
