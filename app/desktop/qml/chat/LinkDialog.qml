import QtQuick
import Hearth

// Asks before an address is opened, and shows all of it: a model wrote the link's text. Enter, Escape and a
// click outside leave it unopened.
AppDialog {
    id: dialog

    required property var app
    property string link
    property bool failed: false

    function ask(address: string): void {
        link = address
        failed = false
        open()
    }

    title: qsTr("Open this address?")
    first: cancel

    Text {
        width: parent.width
        text: qsTr("Your browser or mail program would open it. It leads to %1.")
            .arg(Links.host(dialog.link))
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        lineHeight: 1.25
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Rectangle {
        width: parent.width
        height: address.implicitHeight + 2 * Theme.medium
        radius: Theme.radius
        color: Theme.code
        border.width: 1
        border.color: Theme.border

        Text {
            id: address

            objectName: "linkAddress"
            anchors.left: parent.left
            anchors.right: parent.right
            anchors.margins: Theme.medium
            anchors.verticalCenter: parent.verticalCenter
            text: Links.styled(dialog.link, false)
            textFormat: Text.StyledText
            wrapMode: Text.WrapAnywhere
            font.family: Theme.mono
            font.pixelSize: Theme.fontCode
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: dialog.link
        }
    }

    Text {
        objectName: "linkFailed"
        visible: dialog.failed
        width: parent.width
        text: qsTr("No program on this computer opens it. You can copy it.")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.errorText
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Flow {
        width: parent.width
        layoutDirection: Qt.RightToLeft
        spacing: Theme.small

        AppButton {
            id: cancel

            objectName: "cancelLink"
            text: qsTr("Cancel")
            onClicked: dialog.close()
        }

        AppButton {
            objectName: "copyLink"
            kind: "quiet"
            text: qsTr("Copy")
            Accessible.name: qsTr("Copy the address")
            onClicked: {
                dialog.app.copyText(dialog.link)
                dialog.close()
            }
        }

        AppButton {
            objectName: "openLink"
            kind: "quiet"
            text: qsTr("Open")
            Accessible.name: qsTr("Open the address")
            onClicked: {
                dialog.failed = !Links.open(dialog.link)
                if (!dialog.failed) {
                    dialog.close()
                }
            }
        }
    }
}
