import QtQuick
import Hearth

// A server of tools: on or off, its network, its tools.
Rectangle {
    id: row

    required property ToolShelf tools
    required property var serverId
    required property string name
    required property string entry
    required property bool isAddress
    required property bool network
    required property bool on
    required property string phase
    required property string words
    required property var toolNames

    objectName: "toolServer"
    implicitHeight: column.implicitHeight + 2 * Theme.medium
    radius: Theme.radius + 2
    color: Theme.surface
    border.width: 1
    border.color: Theme.border

    component Line: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Column {
        id: column

        x: Theme.medium
        y: Theme.medium
        width: parent.width - 2 * Theme.medium
        spacing: Theme.tiny

        Item {
            width: parent.width
            implicitHeight: Math.max(switchOn.implicitHeight, remove.implicitHeight)

            AppSwitch {
                id: switchOn

                objectName: "serverOn"
                anchors.left: parent.left
                width: parent.width - remove.width - Theme.small
                text: row.name
                on: row.on
                Accessible.name: qsTr("Server %1").arg(row.name)
                onAsked: on => row.tools.setServerOn(row.serverId, on)
            }
            AppButton {
                id: remove

                objectName: "removeServer"
                anchors.right: parent.right
                kind: "quiet"
                text: qsTr("Remove")
                Accessible.name: qsTr("Remove the server %1").arg(row.name)
                onClicked: row.tools.removeServer(row.serverId)
            }
        }
        Line {
            text: row.entry
            font.family: Theme.mono
            font.pixelSize: Theme.fontTiny
        }
        AppSwitch {
            objectName: "serverNetwork"
            visible: !row.isAddress
            width: parent.width
            text: qsTr("May use the network")
            Accessible.name: qsTr("%1 may use the network").arg(row.name)
            on: row.network
            onAsked: on => row.tools.setServerNetwork(row.serverId, on)
        }
        Line {
            objectName: "serverSays"
            visible: text !== ""
            text: row.phase === "starting" ? qsTr("Starting…")
                : row.phase === "failed" ? row.words
                : row.phase === "ready"
                ? qsTr("Ready: %1. Tools: %2").arg(row.words).arg(row.toolNames.join(", ")) : ""
            color: row.phase === "failed" ? Theme.errorText : Theme.textMuted
        }
        AppButton {
            objectName: "startAgain"
            visible: row.phase === "failed"
            text: qsTr("Start it again")
            Accessible.name: qsTr("Start the server %1 again").arg(row.name)
            onClicked: row.tools.setServerOn(row.serverId, true)
        }
    }
}
