import QtQuick
import Hearth

// The tools that a model may ask to call: those of Hearth, servers, the chat's folder, and a log.
AppDialog {
    id: dialog

    required property ToolShelf tools
    required property ChatTools chatTools

    signal folderAsked()

    title: qsTr("Tools")
    width: Math.min(680, (parent ? parent.width : 680) - 2 * Theme.large)

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
    component Heading: Line {
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
    }

    Line {
        text: qsTr("A model may ask to call the tools that are on. Hearth shows you each call with "
                   + "its arguments and waits for your answer. Results can be wrong or meant to "
                   + "mislead.")
    }
    Line {
        objectName: "toolTrouble"
        visible: text !== ""
        text: dialog.tools.trouble
        color: Theme.errorText
    }

    Heading {
        text: qsTr("Of Hearth")
    }
    Column {
        width: parent.width
        spacing: Theme.tiny

        Repeater {
            model: dialog.tools.builtIns.length

            delegate: AppSwitch {
                required property int index
                readonly property var tool: dialog.tools.builtIns[index]

                objectName: "builtIn-" + tool.name
                width: parent.width
                text: tool.name === "calculate" ? qsTr("Calculate")
                    : tool.name === "time" ? qsTr("Tell the time")
                    : tool.name === "list_folder" ? qsTr("List the chat's folder")
                    : tool.name === "read_file" ? qsTr("Read files of the chat's folder")
                    : tool.name === "search_files" ? qsTr("Search the chat's folder")
                    : qsTr("Fetch a page of the web")
                on: tool.on
                onAsked: on => dialog.tools.setBuiltInOn(tool.name, on)
            }
        }
    }

    Heading {
        text: qsTr("This chat")
    }
    Item {
        width: parent.width
        implicitHeight: Math.max(folderText.implicitHeight, folderButtons.implicitHeight)

        Line {
            id: folderText

            objectName: "toolFolder"
            anchors.left: parent.left
            width: parent.width - folderButtons.width - Theme.small
            anchors.verticalCenter: parent.verticalCenter
            text: dialog.chatTools.folder === "" ? qsTr("No folder: files cannot be read.")
                : dialog.chatTools.folderOfProject
                    ? qsTr("The project's folder: %1").arg(dialog.chatTools.folder)
                    : dialog.chatTools.folder
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        }
        Row {
            id: folderButtons

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            visible: !dialog.chatTools.folderOfProject
            spacing: Theme.small

            AppButton {
                objectName: "chooseToolFolder"
                text: qsTr("Choose a folder…")
                onClicked: dialog.folderAsked()
            }
            AppButton {
                objectName: "leaveToolFolder"
                visible: dialog.chatTools.folder !== ""
                kind: "quiet"
                text: qsTr("None")
                Accessible.name: qsTr("No folder for this chat")
                onClicked: dialog.chatTools.setFolder("")
            }
        }
    }
    AppButton {
        objectName: "askAgain"
        visible: dialog.chatTools.allowedCount > 0
        text: qsTr("Ask again for all tools of this chat (%1 allowed)")
            .arg(dialog.chatTools.allowedCount)
        onClicked: dialog.chatTools.askAgain()
    }

    Heading {
        text: qsTr("Servers")
    }
    Line {
        text: dialog.tools.isolates
            ? qsTr("A server is a program of somebody else that speaks the Model Context Protocol. "
                   + "It runs with your rights: it can read your files. Without the permission "
                   + "below it reaches no network.")
            : qsTr("A server is a program of somebody else that speaks the Model Context Protocol. "
                   + "It runs with your rights: it can read your files. On this system Hearth "
                   + "cannot shut it out of the network, and starts it only if you allow the "
                   + "network.")
        color: Theme.textMuted
    }
    Column {
        width: parent.width
        spacing: Theme.small

        Repeater {
            model: dialog.tools.servers

            delegate: ToolServerDelegate {
                width: parent.width
                tools: dialog.tools
            }
        }
    }
    AddToolServer {
        width: parent.width
        tools: dialog.tools
    }

    Heading {
        text: qsTr("Log")
    }
    Line {
        visible: log.count === 0
        text: qsTr("Nothing was called since Hearth started.")
        color: Theme.textMuted
    }
    ToolLogList {
        id: log

        objectName: "toolLog"
        visible: count > 0
        width: parent.width
        height: Math.min(contentHeight, 200)
        model: dialog.tools.log
    }
}
