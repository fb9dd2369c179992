import QtQuick
import Hearth

// The access token for the model hub: entered, or forgotten. It is never shown.
Column {
    id: line

    required property TokenKeeper tokens

    property string wrong

    spacing: Theme.small

    function save(): void {
        wrong = tokens.setToken(field.text)
        if (wrong === "") {
            field.clear()
        }
    }

    Text {
        width: parent.width
        text: line.tokens.hasToken
            ? qsTr("There is an access token for %1. %2").arg(line.tokens.host)
                .arg(line.tokens.place)
            : qsTr("Some models of %1 ask for an access token, which you get on its pages.")
                .arg(line.tokens.host)
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Row {
        width: parent.width
        spacing: Theme.small
        visible: !line.tokens.hasToken

        AppTextField {
            id: field

            objectName: "tokenField"
            width: parent.width - saveButton.width - parent.spacing
            name: qsTr("Access token for %1").arg(line.tokens.host)
            placeholderText: qsTr("Access token")
            echoMode: TextInput.Password
            inputMethodHints: Qt.ImhHiddenText | Qt.ImhSensitiveData | Qt.ImhNoPredictiveText
            maximumLength: 1000
            wrong: line.wrong !== ""
            onAccepted: line.save()
        }
        AppButton {
            id: saveButton

            objectName: "saveToken"
            text: qsTr("Keep")
            enabled: field.text !== ""
            Accessible.name: qsTr("Keep the access token")
            onClicked: line.save()
        }
    }

    AppButton {
        objectName: "forgetToken"
        visible: line.tokens.hasToken
        text: qsTr("Forget the token")
        onClicked: line.tokens.forget()
    }

    Text {
        width: parent.width
        visible: text !== ""
        text: line.wrong
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
}
