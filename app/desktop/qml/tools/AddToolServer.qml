import QtQuick
import Hearth

// Two fields for a new server of tools.
Column {
    id: add

    required property ToolShelf tools

    property string wrong

    function save(): void {
        wrong = tools.addServer(nameField.text, entryField.text, false)
        if (wrong === "") {
            nameField.clear()
            entryField.clear()
        }
    }

    spacing: Theme.small

    AppTextField {
        id: nameField

        objectName: "serverName"
        width: parent.width
        name: qsTr("Name of the new server")
        placeholderText: qsTr("Name")
        maximumLength: 100
        onAccepted: entryField.forceActiveFocus(Qt.TabFocusReason)
    }
    Row {
        width: parent.width
        spacing: Theme.small

        AppTextField {
            id: entryField

            objectName: "serverEntry"
            width: parent.width - button.width - parent.spacing
            name: qsTr("Command line or address of the new server")
            placeholderText: qsTr("Command line, or https://…")
            inputMethodHints: Qt.ImhNoPredictiveText | Qt.ImhNoAutoUppercase
            maximumLength: 4000
            wrong: add.wrong !== ""
            onAccepted: add.save()
        }
        AppButton {
            id: button

            objectName: "addServer"
            text: qsTr("Add")
            Accessible.name: qsTr("Add the server")
            enabled: nameField.text !== "" && entryField.text !== ""
            onClicked: add.save()
        }
    }
    Text {
        objectName: "serverWrong"
        width: parent.width
        visible: text !== ""
        text: add.wrong
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
}
