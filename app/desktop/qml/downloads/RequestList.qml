import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// Every request of this run, latest first.
ListView {
    id: list

    clip: true
    activeFocusOnTab: true
    keyNavigationEnabled: true
    highlightFollowsCurrentItem: false
    boundsBehavior: Flickable.StopAtBounds
    spacing: Theme.tiny
    Basic.ScrollBar.vertical: AppScrollBar { }

    Accessible.role: Accessible.List
    Accessible.name: qsTr("Requests")

    onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)

    delegate: Item {
        id: row

        required property int index
        required property string time
        required property string what
        required property string purpose
        required property string outcome
        required property bool failed

        objectName: "requestRow"
        width: ListView.view.width
        implicitHeight: texts.implicitHeight + 2 * Theme.small

        Accessible.role: Accessible.ListItem
        Accessible.name: purpose === "" ? qsTr("%1: %2. %3").arg(time).arg(what).arg(outcome)
            : qsTr("%1, %2: %3. %4").arg(time).arg(purpose).arg(what).arg(outcome)
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

        Column {
            id: texts

            x: Theme.small
            y: Theme.small
            width: parent.width - 2 * x - Theme.small
            spacing: 2

            component Line: Text {
                width: texts.width
                textFormat: Text.PlainText
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                Accessible.ignored: true
            }

            Line {
                text: row.purpose === "" ? row.time : qsTr("%1 · %2").arg(row.time).arg(row.purpose)
                font.weight: Font.Medium
            }
            Line {
                text: row.what
                font.family: Theme.mono
                font.pixelSize: Theme.fontTiny
                maximumLineCount: 3
                elide: Text.ElideRight
            }
            Line {
                text: row.outcome
                color: row.failed ? Theme.errorText : Theme.textMuted
            }
        }
    }
}
