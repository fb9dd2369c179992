import QtQuick
import Hearth

// Above the messages: a button for the hidden list, the title, and the model.
Item {
    id: bar

    required property var app
    property bool listShown: true

    signal listAsked()
    signal newAsked()
    signal openAsked()
    signal modelsAsked()
    signal remoteAsked()
    signal mapAsked()
    signal servingAsked()

    implicitHeight: 56

    IconButton {
        id: listButton

        objectName: "showList"
        anchors.left: parent.left
        anchors.leftMargin: Theme.medium
        anchors.verticalCenter: parent.verticalCenter
        visible: !bar.listShown
        side: 34
        iconName: "panel"
        text: qsTr("Show the list of chats")
        hint: qsTr("Ctrl+B")
        onClicked: bar.listAsked()
    }

    IconButton {
        id: newButton

        anchors.left: listButton.right
        anchors.verticalCenter: parent.verticalCenter
        visible: !bar.listShown
        side: 34
        iconName: "plus"
        text: qsTr("New chat")
        hint: qsTr("Ctrl+N")
        onClicked: bar.newAsked()
    }

    Text {
        objectName: "title"
        anchors.left: bar.listShown ? parent.left : newButton.right
        anchors.leftMargin: bar.listShown ? Theme.huge : Theme.small
        anchors.right: mark.visible ? mark.left : mapButton.visible ? mapButton.left : pill.left
        anchors.rightMargin: Theme.large
        anchors.verticalCenter: parent.verticalCenter
        text: bar.app.chats.currentId < 0 && bar.app.chats.currentTitle === ""
            ? (bar.app.projects.currentName === "" ? qsTr("New chat")
                : qsTr("New chat in %1").arg(bar.app.projects.currentName))
            : bar.app.chats.currentTitle
        textFormat: Text.PlainText
        elide: Text.ElideRight
        font.family: Theme.sans
        font.pixelSize: Theme.fontTitle
        font.weight: Font.DemiBold
        color: Theme.text

        Accessible.role: Accessible.Heading
        Accessible.name: text
    }

    ServingMark {
        id: mark

        objectName: "servingMark"
        anchors.right: mapButton.visible ? mapButton.left : pill.left
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        serving: bar.app.serving
        compact: bar.width < 560
        onClicked: bar.servingAsked()
    }

    IconButton {
        id: mapButton

        objectName: "mapButton"
        anchors.right: pill.left
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        visible: bar.width >= 560  // the menu of the model has it, too
        side: 34
        iconName: "layers"
        text: qsTr("Neuron map")
        hint: qsTr("Ctrl+Shift+M")
        onClicked: bar.mapAsked()
    }

    ModelPill {
        id: pill

        objectName: "modelPill"
        anchors.right: parent.right
        anchors.rightMargin: Theme.large
        anchors.verticalCenter: parent.verticalCenter
        width: Math.min(implicitWidth, bar.width * (mark.visible && mark.compact ? 0.42 : 0.5))
        model: bar.app.model
        library: bar.app.library
        remote: bar.app.remote
        onOpenAsked: bar.openAsked()
        onModelsAsked: bar.modelsAsked()
        onRemoteAsked: bar.remoteAsked()
        onMapAsked: bar.mapAsked()
    }

    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.border
    }
}
