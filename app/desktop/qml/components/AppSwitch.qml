import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A switch with its label beside it.
Basic.AbstractButton {
    id: control

    property bool on: false  // belongs to the caller: a press only asks for a change

    signal asked(bool on)

    implicitWidth: track.width + (text === "" ? 0 : Theme.small + label.implicitWidth)
    implicitHeight: Math.max(Theme.control, label.implicitHeight)
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    onClicked: asked(!on)

    Accessible.role: Accessible.CheckBox
    Accessible.name: text
    Accessible.checkable: true
    Accessible.checked: on
    Accessible.onPressAction: control.clicked()
    Accessible.onToggleAction: control.clicked()

    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            control.clicked()
        }
    }

    contentItem: Item {
        Rectangle {
            id: track

            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: Math.round(36 * Theme.zoom)
            height: Math.round(20 * Theme.zoom)
            radius: height / 2
            color: control.on ? Theme.accent : Theme.surface
            border.width: control.on ? 0 : 1
            border.color: Theme.controlBorder

            Rectangle {
                x: control.on !== control.mirrored ? parent.width - width - 3 : 3
                anchors.verticalCenter: parent.verticalCenter
                width: parent.height - 6
                height: width
                radius: width / 2
                color: control.on ? Theme.accentInk : Theme.controlBorder

                Behavior on x {
                    NumberAnimation {
                        duration: Theme.quick
                    }
                }
            }

            FocusRing {
                shown: control.visualFocus
            }
        }

        Text {
            id: label

            anchors.left: track.right
            anchors.leftMargin: Theme.small
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            text: control.text
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: control.enabled ? Theme.text : Theme.textMuted
        }
    }
}
