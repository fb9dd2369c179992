import QtQuick
import Hearth

// Models on other computers: the servers, their models to use, and a form for a new one.
AppDialog {
    id: dialog

    required property RemoteServers servers
    required property ActiveModel model

    title: qsTr("Remote models")
    width: Math.min(680, (parent ? parent.width : 680) - 2 * Theme.large)

    onAboutToShow: servers.look()

    component Line: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        lineHeight: 1.2
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Line {
        text: qsTr("A model of another computer can answer in place of one on this computer: another "
                   + "Hearth, or any server that speaks OpenAI's API. The words of a chat then go "
                   + "there. Hearth asks before the first of them does, and says so wherever the "
                   + "model's name is shown. While it is chosen, no model is held in memory here.")
    }

    Repeater {
        model: dialog.servers.list.length

        delegate: RemoteServerCard {
            required property int index

            width: parent.width
            servers: dialog.servers
            server: dialog.servers.list[index] ?? {
                id: "", name: "", address: "", host: "", always: false, hasKey: false,
                keyIsKept: false, asking: false, wrong: "", models: []
            }
            current: dialog.model.path
            onUsed: path => {
                dialog.model.openPath(path)
                dialog.close()
            }
        }
    }

    Line {
        text: qsTr("Add a server")
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
    }
    RemoteServerForm {
        objectName: "remoteForm"
        width: parent.width
        servers: dialog.servers
    }
}
