import QtQuick
import Hearth

// The fields of a server of models elsewhere: a new one, or one that is changed.
Column {
    id: form

    required property RemoteServers servers
    property string serverId      // empty: a new one
    property string host          // of the one that is changed

    property string wrong

    signal done()

    readonly property bool isNew: serverId === ""

    function fill(name: string, address: string): void {
        wrong = ""
        nameField.text = name
        addressField.text = address
        keyField.clear()
    }

    function save(): void {
        wrong = isNew ? servers.add(nameField.text, addressField.text, keyField.text)
                      : servers.change(serverId, nameField.text, addressField.text, keyField.text)
        if (wrong === "") {
            fill("", "")
            done()
        }
    }

    spacing: Theme.small

    AppTextField {
        id: addressField

        objectName: "remoteAddress"
        width: parent.width
        name: form.isNew ? qsTr("Address of the new server") : qsTr("Address of %1").arg(form.host)
        placeholderText: qsTr("Address, as in https://example.org/v1")
        inputMethodHints: Qt.ImhUrlCharactersOnly | Qt.ImhNoPredictiveText | Qt.ImhNoAutoUppercase
        maximumLength: 2000
        wrong: form.wrong !== ""
        onAccepted: keyField.forceActiveFocus(Qt.TabFocusReason)
    }
    AppTextField {
        id: keyField

        objectName: "remoteKey"
        width: parent.width
        name: form.isNew ? qsTr("Key of the new server") : qsTr("New key of %1").arg(form.host)
        placeholderText: form.isNew ? qsTr("Key, if the server asks for one")
                                    : qsTr("New key; empty: it stays")
        echoMode: TextInput.Password
        inputMethodHints: Qt.ImhHiddenText | Qt.ImhSensitiveData | Qt.ImhNoPredictiveText
        maximumLength: 1000
        onAccepted: nameField.forceActiveFocus(Qt.TabFocusReason)
    }
    Row {
        width: parent.width
        spacing: Theme.small

        AppTextField {
            id: nameField

            objectName: "remoteName"
            width: parent.width - button.width - parent.spacing
                - (form.isNew ? 0 : leave.width + parent.spacing)
            name: form.isNew ? qsTr("Name of the new server") : qsTr("Name of %1").arg(form.host)
            placeholderText: qsTr("Name; empty: its host")
            maximumLength: 100
            onAccepted: button.clicked()
        }
        AppButton {
            id: button

            objectName: form.isNew ? "addRemote" : "saveRemote"
            text: form.isNew ? qsTr("Add") : qsTr("Save")
            Accessible.name: form.isNew ? qsTr("Add the server") : qsTr("Save the server")
            enabled: addressField.text !== ""
            onClicked: form.save()
        }
        AppButton {
            id: leave

            objectName: "leaveRemote"
            visible: !form.isNew
            kind: "quiet"
            text: qsTr("Cancel")
            onClicked: form.done()
        }
    }
    Text {
        objectName: "remoteWrong"
        width: parent.width
        visible: text !== ""
        text: form.wrong
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
}
