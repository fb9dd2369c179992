import QtQuick
import Hearth

// The program's name and version, the folder of the chats, and the licences.
Column {
    id: about

    required property var app

    signal licencesAsked()

    spacing: Theme.medium

    component Line: Text {
        width: parent.width
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        lineHeight: 1.25
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    // Text that the mouse can select.
    component Copied: TextEdit {
        width: parent.width
        textFormat: TextEdit.PlainText
        readOnly: true
        selectByMouse: true
        font.family: Theme.mono
        font.pixelSize: Theme.fontTiny
        color: Theme.text
        selectionColor: Theme.selection
        selectedTextColor: Theme.text
        activeFocusOnTab: false
        Accessible.role: Accessible.StaticText
        Accessible.name: text
        Accessible.readOnly: true
    }

    Line {
        text: qsTr("A chat with a language model that runs on this computer. "
            + "Nothing you write leaves it, unless you choose a remote model.")
    }
    // For a report of a fault.
    Copied {
        objectName: "builtFrom"
        text: about.app.builtFrom
        wrapMode: TextEdit.Wrap
    }
    Line {
        text: qsTr("Your chats are kept in")
        color: Theme.textMuted
    }
    Copied {
        text: about.app.dataFolder
        wrapMode: TextEdit.WrapAnywhere
    }
    AppButton {
        iconName: "copy"
        text: qsTr("Copy the folder's path")
        onClicked: about.app.copyText(about.app.dataFolder)
    }
    Line {
        text: qsTr("The program is free software under the MIT licence; "
            + "the starter model that comes with it is under CC BY-SA 4.0.")
        color: Theme.textMuted
    }
    AppButton {
        objectName: "showLicences"
        text: qsTr("All licences…")
        onClicked: about.licencesAsked()
    }
}
