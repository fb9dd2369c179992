import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// The text that the model gets before a chat.
AppDialog {
    id: dialog

    required property Chats chats

    property var chatId: -1

    function ask(chat: var): void {
        chatId = chat
        area.text = chats.instructions(chat)
        open()
        area.cursorPosition = area.length
    }

    function save(): void {
        if (chats.setInstructions(chatId, area.text.trim())) {
            close()
        }
    }

    title: qsTr("Instructions of this chat")
    width: Math.min(560, (parent ? parent.width : 560) - 2 * Theme.large)
    first: area

    Text {
        width: parent.width
        text: dialog.chatId < 0
            ? qsTr("The model reads them before the new chat. Without any, those of the settings hold.")
            : qsTr("The model reads them before the chat, from its next answer on.")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted

        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Rectangle {
        width: parent.width
        height: Math.max(96, Math.min(260, (dialog.parent ? dialog.parent.height : 640) - 260))
        radius: Theme.radius
        color: Theme.surface
        border.width: area.activeFocus ? 2 : 1
        border.color: area.activeFocus ? Theme.focus : Theme.controlBorder

        Basic.ScrollView {
            anchors.fill: parent
            anchors.margins: 2

            Basic.TextArea {
                id: area

                objectName: "instructionsField"
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.Wrap
                selectByMouse: true
                background: null
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text

                Accessible.role: Accessible.EditableText
                Accessible.name: dialog.title
                Accessible.multiLine: true

                Keys.onTabPressed: nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                Keys.onEscapePressed: dialog.close()
            }
        }
    }

    Flow {
        width: parent.width
        layoutDirection: Qt.RightToLeft
        spacing: Theme.small

        AppButton {
            objectName: "saveInstructions"
            kind: "primary"
            text: qsTr("Save")
            onClicked: dialog.save()
        }

        AppButton {
            objectName: "cancelInstructions"
            text: qsTr("Cancel")
            onClicked: dialog.close()
        }
    }
}
