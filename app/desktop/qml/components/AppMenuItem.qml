import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

Basic.MenuItem {
    id: item

    property string iconName
    property string hint

    readonly property real iconSpace: Math.round(16 * Theme.zoom) + 10

    implicitHeight: Math.max(Theme.control, label.implicitHeight + 2 * Theme.small)
    leftPadding: 10
    rightPadding: 10
    spacing: 10
    font.family: Theme.sans
    font.pixelSize: Theme.fontSmall

    Accessible.role: checkable ? Accessible.RadioButton : Accessible.MenuItem
    Accessible.name: text
    Accessible.checkable: checkable
    Accessible.checked: checked
    Accessible.onPressAction: item.triggered()

    indicator: null
    arrow: null

    contentItem: Item {
        implicitWidth: item.iconSpace + label.implicitWidth
            + (hintLabel.text === "" ? 0 : 24 + hintLabel.implicitWidth)
        implicitHeight: label.implicitHeight

        Icon {
            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            name: item.checkable ? (item.checked ? "check" : "") : item.iconName
            color: item.checkable ? Theme.accentText : Theme.textMuted
            size: 16
        }

        Text {
            id: label

            anchors.verticalCenter: parent.verticalCenter
            anchors.left: parent.left
            anchors.leftMargin: item.iconSpace
            width: parent.width - item.iconSpace - (hintLabel.text === "" ? 0 : hintLabel.implicitWidth + 12)
            text: item.text
            textFormat: Text.PlainText
            font: item.font
            color: item.enabled ? Theme.text : Theme.textMuted
            elide: Text.ElideRight
        }

        Text {
            id: hintLabel

            anchors.verticalCenter: parent.verticalCenter
            anchors.right: parent.right
            text: item.hint
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
        }
    }

    background: Rectangle {
        radius: 6
        color: item.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: item.visualFocus
            gap: 0
        }
    }
}
