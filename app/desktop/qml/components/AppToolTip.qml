import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.ToolTip {
    id: tip

    delay: 600
    timeout: 6000
    padding: 6
    leftPadding: 10
    rightPadding: 10
    font.family: Theme.sans
    font.pixelSize: Theme.fontTiny
    enter: Transition {
        NumberAnimation {
            property: "opacity"
            from: 0
            to: 1
            duration: Theme.quick
        }
    }
    exit: Transition {
        NumberAnimation {
            property: "opacity"
            from: 1
            to: 0
            duration: Theme.quick
        }
    }

    contentItem: Text {
        text: tip.text
        textFormat: Text.PlainText
        font: tip.font
        color: Theme.window
    }

    background: Rectangle {
        radius: 6
        color: Theme.text
    }
}
