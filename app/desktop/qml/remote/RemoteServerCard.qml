import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A server of models elsewhere: its address and key, its models to use, and what can be done with it.
Rectangle {
    id: card

    required property RemoteServers servers
    required property var server  // a row of RemoteServers.list
    required property string current  // the path of the model that answers

    signal used(string path)

    property bool edited: false
    property string words: ""  // that a model's name must contain
    readonly property var models: server.models.filter(
        model => model.name.toLowerCase().includes(words.toLowerCase()))
    readonly property bool many: server.models.length > 8

    objectName: "remoteServer"
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

        Line {
            text: qsTr("%1 · not local").arg(card.server.name)
            font.weight: Font.DemiBold
            color: Theme.text
        }
        Line {
            text: card.server.address
            font.family: Theme.mono
            font.pixelSize: Theme.fontTiny
        }
        Line {
            objectName: "remoteKeySays"
            text: !card.server.hasKey ? qsTr("No key is shown to it.")
                : card.server.keyIsKept ? qsTr("Its key is in this system's keychain.")
                : qsTr("Its key is forgotten when Hearth ends: there is no keychain here that keeps it.")
        }
        Line {
            objectName: "remoteSays"
            visible: text !== ""
            text: card.server.asking ? qsTr("Asking for its models…") : card.server.wrong
            color: card.server.asking ? Theme.textMuted : Theme.errorText
            Accessible.role: card.server.asking ? Accessible.StaticText : Accessible.AlertMessage
        }

        AppTextField {
            objectName: "remoteFilter"
            visible: card.many
            width: parent.width
            name: qsTr("Search the models of %1").arg(card.server.name)
            placeholderText: qsTr("Search its models")
            iconName: "search"
            onTextChanged: card.words = text
        }
        ListView {
            id: list

            objectName: "remoteModels"
            width: parent.width
            height: Math.min(contentHeight, Math.round(200 * Theme.zoom))
            visible: count > 0
            clip: contentHeight > height
            boundsBehavior: Flickable.StopAtBounds
            model: card.models.length
            Basic.ScrollBar.vertical: AppScrollBar { }

            Accessible.role: Accessible.List
            Accessible.name: qsTr("Models of %1").arg(card.server.name)

            FollowFocus {
                view: list
            }

            delegate: Item {
                id: row

                required property int index
                readonly property var entry: card.models[index] ?? {name: "", path: ""}
                readonly property bool answers: entry.path === card.current

                width: ListView.view.width
                implicitHeight: use.implicitHeight + 2

                Line {
                    anchors.left: parent.left
                    width: parent.width - use.width - Theme.medium
                    anchors.verticalCenter: parent.verticalCenter
                    text: row.entry.name
                    color: Theme.text
                }
                AppButton {
                    id: use

                    objectName: "useRemote"
                    anchors.right: parent.right
                    anchors.rightMargin: Theme.medium
                    enabled: !row.answers
                    text: row.answers ? qsTr("Answers now") : qsTr("Use")
                    Accessible.name: row.answers ? qsTr("%1 answers now").arg(row.entry.name)
                                                 : qsTr("Use %1").arg(row.entry.name)
                    onClicked: card.used(row.entry.path)
                }
            }
        }

        AppSwitch {
            objectName: "remoteAlways"
            width: parent.width
            text: qsTr("Send words to %1 without a question").arg(card.server.host)
            on: card.server.always
            onAsked: on => card.servers.setAlways(card.server.id, on)
        }
        RemoteServerForm {
            id: form

            objectName: "remoteEdit"
            visible: card.edited
            width: parent.width
            servers: card.servers
            serverId: card.server.id
            host: card.server.host
            onDone: card.edited = false
        }
        Flow {
            width: parent.width
            spacing: Theme.small

            AppButton {
                objectName: "askRemote"
                iconName: "refresh"
                enabled: !card.server.asking
                text: qsTr("Show its models")
                Accessible.name: qsTr("Show the models of %1").arg(card.server.name)
                onClicked: card.servers.ask(card.server.id)
            }
            AppButton {
                objectName: "editRemote"
                visible: !card.edited
                text: qsTr("Change…")
                Accessible.name: qsTr("Change %1").arg(card.server.name)
                onClicked: {
                    form.fill(card.server.name, card.server.address)
                    card.edited = true
                }
            }
            AppButton {
                objectName: "removeRemote"
                kind: "quiet"
                text: qsTr("Remove")
                Accessible.name: qsTr("Remove %1 and its key").arg(card.server.name)
                onClicked: card.servers.remove(card.server.id)
            }
        }
    }
}
