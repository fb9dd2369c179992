import QtQuick
import Hearth

// A bar of progress. `value` is 0 to 1; below 0 it is unknown, and nothing is filled.
Rectangle {
    id: bar

    property real value: -1
    property bool lively: true  // still ones are grey
    property string what        // for a screen reader

    implicitHeight: 6
    radius: height / 2
    color: Theme.pressed

    Accessible.role: Accessible.ProgressBar
    Accessible.name: value < 0 ? qsTr("%1: progress unknown").arg(what)
        : qsTr("%1: %2 %").arg(what).arg(Math.floor(value * 100))

    Rectangle {
        width: bar.value < 0 ? 0 : Math.max(bar.value > 0 ? height : 0,
            Math.round(parent.width * bar.value))
        height: parent.height
        radius: parent.radius
        color: bar.lively ? Theme.accent : Theme.controlBorder
    }
}
