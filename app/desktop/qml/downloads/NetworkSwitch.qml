import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// On or off, with what that means beside it.
Basic.AbstractButton {
    id: control

    property string detail

    checkable: true
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    implicitHeight: Math.max(Theme.control, words.implicitHeight + 2 * Theme.small)
    leftPadding: Theme.medium
    rightPadding: Theme.medium

    Accessible.role: Accessible.CheckBox
    Accessible.name: text
    Accessible.description: detail
    Accessible.checkable: true
    Accessible.checked: checked
    Accessible.onPressAction: control.click()
    Accessible.onToggleAction: control.click()

    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            control.click()
        }
    }

    background: Rectangle {
        radius: Theme.radius + 2
        color: control.hovered ? Theme.hover : Theme.surface
        border.width: 1
        border.color: Theme.border

        FocusRing {
            shown: control.visualFocus
        }
    }

    contentItem: Item {
        Column {
            id: words

            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - knob.width - Theme.large
            spacing: 2

            Text {
                width: parent.width
                text: control.text
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontBody
                font.weight: Font.Medium
                color: Theme.text
            }
            Text {
                width: parent.width
                visible: text !== ""
                text: control.detail
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.textMuted
            }
        }

        Rectangle {
            id: knob

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            width: 40
            height: 22
            radius: 11
            color: control.checked ? Theme.accent : "transparent"
            border.width: control.checked ? 0 : 2
            border.color: Theme.controlBorder

            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                x: control.checked ? parent.width - width - 4 : 4
                width: 14
                height: 14
                radius: 7
                color: control.checked ? Theme.accentInk : Theme.controlBorder
            }
        }
    }
}
