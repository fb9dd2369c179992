import QtQuick
import Hearth

// One message that a search found.
Item {
    id: row

    required property int index
    required property var messageId
    required property var conversationId
    required property string title
    required property string from
    required property string line
    required property string styled  // the line with the hit in bold

    objectName: "searchHit"

    readonly property bool current: ListView.isCurrentItem
    readonly property bool lit: hover.hovered || (current && ListView.view.activeFocus)

    signal opened()

    implicitHeight: column.implicitHeight + 2 * Theme.small
    activeFocusOnTab: current || activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: title
    Accessible.description: from === "user" ? qsTr("You wrote: %1").arg(line)
        : qsTr("Hearth answered: %1").arg(line)
    Accessible.focusable: true
    Accessible.focused: activeFocus
    Accessible.onPressAction: row.opened()

    Keys.onReturnPressed: event => {
        if (!event.isAutoRepeat) {
            row.opened()
        }
    }
    Keys.onEnterPressed: event => {
        if (!event.isAutoRepeat) {
            row.opened()
        }
    }
    Keys.onSpacePressed: row.opened()

    Rectangle {
        anchors.fill: parent
        anchors.topMargin: 1
        anchors.bottomMargin: 1
        radius: Theme.radius
        color: row.lit ? Theme.hover : "transparent"

        FocusRing {
            shown: row.activeFocus
            gap: -1
        }
    }

    HoverHandler {
        id: hover
    }

    TapHandler {
        onTapped: row.opened()
    }

    Column {
        id: column

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.medium
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        spacing: 2

        Text {
            width: parent.width
            text: row.title
            textFormat: Text.PlainText
            elide: Text.ElideRight
            maximumLineCount: 1
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall + 1
            color: Theme.text
            Accessible.ignored: true
        }

        Text {
            objectName: "searchLine"
            width: parent.width
            text: row.styled
            textFormat: Text.StyledText
            wrapMode: Text.Wrap
            elide: Text.ElideRight
            maximumLineCount: 2
            font.family: Theme.sans
            font.pixelSize: Theme.fontTiny
            color: Theme.textMuted
            Accessible.ignored: true
        }
    }
}
