import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A found repository. Pressing it shows its files.
Basic.AbstractButton {
    id: row

    required property int index
    property var found

    objectName: "hubModel"
    implicitHeight: Math.max(Theme.control, body.implicitHeight) + 2 * Theme.small + Theme.tiny
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    text: row.found.repository

    Accessible.role: Accessible.Button
    Accessible.name: row.found.repository + ". " + row.found.facts
    Accessible.onPressAction: row.clicked()

    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            row.clicked()
        }
    }
    Keys.onEnterPressed: event => {
        if (!event.isAutoRepeat) {
            row.clicked()
        }
    }

    background: Rectangle {
        height: row.height - Theme.tiny
        radius: Theme.radius + 2
        color: row.down ? Theme.pressed : row.hovered ? Theme.hover : Theme.surface
        border.width: 1
        border.color: Theme.border

        FocusRing {
            shown: row.visualFocus
            gap: -1
        }
    }

    contentItem: Item {
        Column {
            id: body

            x: Theme.at(Theme.medium, width, parent.width)
            y: Math.round((row.height - Theme.tiny - height) / 2)
            width: parent.width - 2 * Theme.medium - arrow.width - Theme.small
            spacing: 2

            Text {
                width: parent.width
                text: row.found.repository
                textFormat: Text.PlainText
                wrapMode: Text.WrapAnywhere
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                font.weight: Font.DemiBold
                color: Theme.text
                Accessible.ignored: true
            }
            Text {
                width: parent.width
                text: row.found.facts
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.textMuted
                Accessible.ignored: true
            }
        }
        Icon {
            id: arrow

            x: Theme.at(parent.width - width - Theme.medium, width, parent.width)
            y: Math.round((row.height - Theme.tiny - height) / 2)
            name: "chevronRight"
            size: 16
            color: Theme.textMuted
        }
    }
}
