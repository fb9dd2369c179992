import QtQuick
import Hearth

// The report of an earlier crash: all of the file, its place, and a button that deletes it.
AppDialog {
    id: dialog

    required property var app

    title: qsTr("What happened last time")
    width: Math.min(720, (parent ? parent.width : 720) - 2 * Theme.large)

    Text {
        width: parent.width
        text: qsTr("Hearth ended unexpectedly. This is the whole report; it has no word of your chats,"
                   + " and nothing was sent. If you send it to the makers of Hearth, it helps them to "
                   + "find the fault.")
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
        height: report.implicitHeight + 2 * Theme.medium
        radius: Theme.radius
        color: Theme.code
        border.width: report.activeFocus ? 2 : 1
        border.color: report.activeFocus ? Theme.focus : Theme.border

        TextEdit {
            id: report

            objectName: "crashText"
            x: Theme.medium
            y: Theme.medium
            width: parent.width - 2 * Theme.medium
            text: dialog.app.crashes.text
            textFormat: TextEdit.PlainText
            wrapMode: TextEdit.WrapAtWordBoundaryOrAnywhere
            readOnly: true
            selectByMouse: true
            activeFocusOnTab: true
            color: Theme.text
            selectionColor: Theme.selection
            selectedTextColor: Theme.text
            font.family: Theme.mono
            font.pixelSize: Theme.fontTiny

            Accessible.role: Accessible.Paragraph
            Accessible.name: qsTr("The report")
            Accessible.description: text
            Accessible.readOnly: true
        }
    }

    Text {
        objectName: "crashFile"
        width: parent.width
        text: dialog.app.crashes.file
        textFormat: Text.PlainText
        wrapMode: Text.WrapAnywhere
        font.family: Theme.mono
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted
        Accessible.role: Accessible.StaticText
        Accessible.name: qsTr("It lies in %1").arg(text)
    }

    Flow {
        width: parent.width
        layoutDirection: Qt.RightToLeft
        spacing: Theme.small

        AppButton {
            objectName: "closeCrash"
            text: qsTr("Close")
            onClicked: dialog.close()
        }

        AppButton {
            objectName: "copyCrash"
            kind: "quiet"
            text: qsTr("Copy")
            Accessible.name: qsTr("Copy the report")
            onClicked: {
                dialog.app.copyText(dialog.app.crashes.text)
                dialog.close()
            }
        }

        AppButton {
            objectName: "deleteCrash"
            kind: "quiet"
            text: qsTr("Delete")
            Accessible.name: qsTr("Delete the report")
            onClicked: {
                dialog.app.crashes.remove()
                dialog.close()
            }
        }
    }
}
