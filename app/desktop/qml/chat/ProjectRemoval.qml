import QtQuick
import Hearth

// Asks what becomes of the chats of a project that is deleted.
AppDialog {
    id: dialog

    required property Projects projects

    property var projectId: -1
    property string name
    property int count: 0

    function ask(project: var): void {
        projectId = project
        name = projects.details(project).name ?? ""
        count = projects.chatCount(project)
        open()
    }

    function remove(withChats: bool): void {
        close()
        projects.remove(projectId, withChats)
    }

    title: qsTr("Delete the project “%1”?").arg(name)
    first: keep

    Text {
        width: parent.width
        text: {
            const gone = qsTr("Its instructions and its list of files are deleted. The files themselves stay where they are.")
            const chats = qsTr("Its %n chats can stay, or be deleted too; they can then be brought back for 30 days.",
                "", dialog.count)
            return dialog.count === 0 ? gone : gone + " " + chats
        }
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text

        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Flow {
        width: parent.width
        spacing: Theme.small

        AppButton {
            id: keep

            objectName: "removeProjectAlone"
            kind: "primary"
            text: dialog.count === 0 ? qsTr("Delete the project") : qsTr("Delete it and keep the chats", "", dialog.count)
            onClicked: dialog.remove(false)
        }
        AppButton {
            objectName: "removeProjectWithChats"
            visible: dialog.count > 0
            text: qsTr("Delete it with its chats", "", dialog.count)
            onClicked: dialog.remove(true)
        }
        AppButton {
            objectName: "keepProject"
            kind: "quiet"
            text: qsTr("Cancel")
            onClicked: dialog.close()
        }
    }
}
