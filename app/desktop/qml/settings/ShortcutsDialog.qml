import QtQuick
import Hearth

AppDialog {
    id: dialog

    signal aboutAsked()

    title: qsTr("Keyboard shortcuts")

    Repeater {
        model: [
            [qsTr("Send the message"), qsTr("Enter")],
            [qsTr("New line"), qsTr("Shift+Enter")],
            [qsTr("Stop the answer"), qsTr("Esc")],
            [qsTr("Answer again"), qsTr("Ctrl+R")],
            [qsTr("New chat"), qsTr("Ctrl+N")],
            [qsTr("Earlier or later chat in the list"), qsTr("Ctrl+Page Up / Down")],
            [qsTr("Rename the chat"), qsTr("F2")],
            [qsTr("Instructions of the chat"), qsTr("Ctrl+I")],
            [qsTr("Menu of the chat chosen in the list"), qsTr("Menu or Shift+F10")],
            [qsTr("Delete the chat chosen in the list"), qsTr("Del")],
            [qsTr("Bring back the chat deleted last"), qsTr("Ctrl+Z")],
            [qsTr("Show or hide the list of chats"), qsTr("Ctrl+B")],
            [qsTr("Search all chats"), qsTr("Ctrl+Shift+F")],
            [qsTr("Go to the message field"), qsTr("Ctrl+L")],
            [qsTr("Settings"), qsTr("Ctrl+,")],
            [qsTr("Choose a message, then Tab to its links and actions"), qsTr("Up / Down")],
            [qsTr("Open a model"), qsTr("Ctrl+O")],
            [qsTr("Models"), qsTr("Ctrl+M")],
            [qsTr("Neuron map"), qsTr("Ctrl+Shift+M")],
            [qsTr("Downloads"), qsTr("Ctrl+J")],
            [qsTr("Larger, smaller, normal text"), qsTr("Ctrl++ / Ctrl+− / Ctrl+0")],
            [qsTr("This list"), qsTr("F1 or Ctrl+/")]
        ]

        delegate: Item {
            required property var modelData

            width: parent.width
            implicitHeight: Math.max(what.implicitHeight, keys.implicitHeight)

            Accessible.role: Accessible.StaticText
            Accessible.name: modelData[0] + ": " + modelData[1]

            Text {
                id: what

                anchors.left: parent.left
                width: parent.width - keys.width - Theme.medium
                text: parent.modelData[0]
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                Accessible.ignored: true
            }

            Text {
                id: keys

                anchors.right: parent.right
                text: parent.modelData[1]
                textFormat: Text.PlainText
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                font.weight: Font.Medium
                color: Theme.textMuted
                Accessible.ignored: true
            }
        }
    }

    AppButton {
        objectName: "aboutFromShortcuts"
        text: qsTr("About Hearth")
        onClicked: {
            dialog.close()
            dialog.aboutAsked()
        }
    }
}
