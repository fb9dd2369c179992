import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The log of tools in this run, latest first.
ListView {
    id: list

    clip: true
    activeFocusOnTab: true
    keyNavigationEnabled: true
    highlightFollowsCurrentItem: false
    boundsBehavior: Flickable.StopAtBounds
    Basic.ScrollBar.vertical: AppScrollBar { }

    Accessible.role: Accessible.List
    Accessible.name: qsTr("Log of tools")

    onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

    delegate: Item {
        id: row

        required property string time
        required property string source
        required property string words

        width: ListView.view.width
        implicitHeight: label.implicitHeight + Theme.small

        Accessible.role: Accessible.ListItem
        Accessible.name: label.text
        Accessible.focusable: true
        Accessible.focused: activeFocus

        Rectangle {
            anchors.fill: parent
            radius: Theme.radius
            color: row.activeFocus ? Theme.hover : "transparent"

            FocusRing {
                shown: row.activeFocus
                gap: -1
            }
        }
        Text {
            id: label

            x: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - 2 * x - Theme.small
            text: qsTr("%1 · %2: %3").arg(row.time).arg(row.source).arg(row.words)
            textFormat: Text.PlainText
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
            Accessible.ignored: true
        }
    }
}
