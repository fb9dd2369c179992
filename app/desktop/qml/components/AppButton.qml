import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A button with a text and, if wanted, an icon before it.
//   kind  "primary"  the main action of its place
//         "plain"    outlined
//         "quiet"    text only
//         "onInk"    text only, on a ground of Theme.text
Basic.AbstractButton {
    id: button

    property string kind: "plain"
    property string iconName
    property color ink: !enabled ? Theme.textMuted
        : kind === "primary" ? Theme.accentInk : kind === "quiet" ? Theme.accentText
        : kind === "onInk" ? Theme.inverseAccent : Theme.text

    readonly property real iconSpace: iconName === "" ? 0
        : Math.round(16 * Theme.zoom) + Theme.small

    implicitWidth: Math.ceil(label.implicitWidth) + iconSpace + leftPadding + rightPadding
    implicitHeight: Math.max(Theme.control, label.implicitHeight + 2 * Theme.small)
    leftPadding: Theme.medium + 2
    rightPadding: Theme.medium + 2
    font.family: Theme.sans
    font.pixelSize: Theme.fontSmall
    font.weight: Font.Medium
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    opacity: enabled ? 1 : 0.6

    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.onPressAction: button.clicked()

    // A key that is held down presses once: the next button may stand in the place of this one.
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
        radius: Theme.radius
        color: button.kind === "primary"
            ? (button.hovered || button.down ? Theme.accentHover : Theme.accent)
            : button.kind === "onInk" ? "transparent"
            : button.down ? Theme.pressed
            : button.hovered ? Theme.hover
            : button.kind === "plain" ? Theme.surface : "transparent"
        border.width: button.kind === "plain" ? 1 : 0
        border.color: button.hovered ? Theme.controlBorder : Theme.border

        Behavior on color {
            ColorAnimation {
                duration: Theme.quick
            }
        }

        FocusRing {
            shown: button.visualFocus
            border.color: button.kind === "onInk" ? Theme.inverseAccent : Theme.focus
        }
    }

    contentItem: Item {
        Row {
            anchors.centerIn: parent
            spacing: Theme.small

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                visible: button.iconName !== ""
                name: button.iconName
                color: button.ink
                size: 16
            }

            Text {
                id: label

                anchors.verticalCenter: parent.verticalCenter
                text: button.text
                textFormat: Text.PlainText
                font: button.font
                color: button.ink
                elide: Text.ElideRight
                width: Math.min(implicitWidth,
                    Math.max(0, button.availableWidth - button.iconSpace))
            }
        }
    }
}
