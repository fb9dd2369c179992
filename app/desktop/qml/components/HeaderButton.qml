import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A small button in the header of a block: an icon and a word. Its name for screen readers says more.
Basic.AbstractButton {
    id: button

    property string iconName
    property string says
    property color ink: Theme.textMuted

    implicitWidth: word.implicitWidth + Math.round(14 * Theme.zoom) + 6 + leftPadding + rightPadding
    implicitHeight: Math.max(28, word.implicitHeight + Theme.small)
    leftPadding: Theme.small
    rightPadding: Theme.small
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus

    Accessible.role: Accessible.Button
    Accessible.name: says
    Accessible.onPressAction: button.clicked()
    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            button.clicked()
        }
    }
    Keys.onEnterPressed: event => {
        if (!event.isAutoRepeat) {
            button.clicked()
        }
    }

    background: Rectangle {
        radius: 6
        color: button.hovered || button.down ? Theme.pressed : "transparent"

        FocusRing {
            shown: button.visualFocus
            gap: 0
        }
    }

    contentItem: Row {
        spacing: 6

        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: button.iconName
            size: 14
            color: button.ink
        }

        Text {
            id: word

            anchors.verticalCenter: parent.verticalCenter
            text: button.text
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: button.ink
        }
    }
}
