import QtQuick
import Hearth

// The folders that are searched, and those of other applications that can be added.
Column {
    id: column

    required property ModelLibrary library

    signal addAsked()

    spacing: Theme.tiny

    component Line: Item {
        id: line

        property string words
        property string button
        property string name
        property bool removes: false

        signal asked()

        width: column.width
        implicitHeight: Math.max(label.implicitHeight, action.implicitHeight)

        Icon {
            id: sign

            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            name: "folder"
            size: 16
            color: Theme.textMuted
        }
        Text {
            id: label

            anchors.left: sign.right
            anchors.leftMargin: Theme.small
            anchors.right: action.left
            anchors.rightMargin: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            text: line.words
            textFormat: Text.PlainText
            elide: Text.ElideMiddle
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            color: Theme.text
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        AppButton {
            id: action

            objectName: line.removes ? "removeFolder" : "addPlace"
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            kind: "quiet"
            text: line.button
            Accessible.name: line.name
            onClicked: line.asked()
        }
    }

    Text {
        width: parent.width
        text: qsTr("Folders")
        textFormat: Text.PlainText
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        font.weight: Font.DemiBold
        color: Theme.text
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }

    Repeater {
        model: column.library.folders

        delegate: Line {
            required property string modelData

            words: modelData
            button: qsTr("Take off")
            name: qsTr("Take the folder %1 off the list").arg(modelData)
            removes: true
            onAsked: column.library.removeFolder(modelData)
        }
    }

    Repeater {
        model: column.library.offered

        delegate: Line {
            required property var modelData

            words: qsTr("%1 has models in %2").arg(modelData.app).arg(modelData.path)
            button: qsTr("Show them")
            name: qsTr("Show the models of %1").arg(modelData.app)
            onAsked: column.library.addPlace(modelData.path)
        }
    }

    AppButton {
        objectName: "addFolder"
        iconName: "plus"
        kind: "quiet"
        text: qsTr("Add a folder…")
        onClicked: column.addAsked()
    }
}
