import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// Edits a question in place. Saving it asks again; the old version is kept.
Rectangle {
    id: editor

    property alias text: input.text
    property bool canSave: true

    signal saved()
    signal cancelled()

    function takeFocus(): void {
        input.forceActiveFocus(Qt.OtherFocusReason)
        input.cursorPosition = input.length
    }

    implicitHeight: input.implicitHeight + row.implicitHeight + 2 * Theme.small
    radius: Theme.radiusLarge
    color: Theme.surface
    border.width: input.activeFocus ? 2 : 1
    border.color: input.activeFocus ? Theme.focus : Theme.controlBorder

    Basic.TextArea {
        id: input

        objectName: "messageEditor"
        x: Theme.small
        width: parent.width - 2 * Theme.small
        y: Theme.tiny
        textFormat: TextEdit.PlainText
        wrapMode: TextEdit.Wrap
        selectByMouse: true
        background: null
        font.family: Theme.sans
        font.pixelSize: Theme.fontBody
        color: Theme.text
        selectionColor: Theme.selection
        selectedTextColor: Theme.text

        Accessible.role: Accessible.EditableText
        Accessible.name: qsTr("Edit your message")
        Accessible.description: qsTr("Enter asks again, Escape leaves it as it was")
        Accessible.multiLine: true

        Keys.onPressed: event => {
            const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
            if (enter && !(event.modifiers & Qt.ShiftModifier)) {
                event.accepted = true
                if (save.enabled) {
                    editor.saved()
                }
            } else if (event.key === Qt.Key_Tab || event.key === Qt.Key_Backtab) {
                event.accepted = true
                input.nextItemInFocusChain(event.key === Qt.Key_Tab)
                    .forceActiveFocus(Qt.TabFocusReason)
            } else if (event.key === Qt.Key_Escape) {
                event.accepted = true
                editor.cancelled()
            }
        }
    }

    Row {
        id: row

        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: Theme.small
        spacing: Theme.small

        AppButton {
            id: cancel

            kind: "quiet"
            text: qsTr("Cancel")
            Keys.onEscapePressed: editor.cancelled()
            onClicked: editor.cancelled()
        }

        AppButton {
            id: save

            objectName: "saveEdit"
            kind: "primary"
            text: qsTr("Ask again")
            enabled: editor.canSave && input.text.trim() !== ""
            Keys.onEscapePressed: editor.cancelled()
            onClicked: editor.saved()
        }
    }
}
