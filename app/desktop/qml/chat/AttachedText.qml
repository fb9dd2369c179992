import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A long text that goes with the message: its beginning and its size, a button to see all of it, and one to
// remove it.
Rectangle {
    id: piece

    property string begin
    property string size

    signal looked()
    signal removed()

    implicitHeight: Math.max(Theme.control, words.implicitHeight + Theme.small)
    radius: Theme.radius
    color: Theme.bubble

    Basic.AbstractButton {
        id: look

        objectName: "lookAtAttachment"
        anchors.left: parent.left
        anchors.right: remove.left
        height: parent.height
        focusPolicy: Qt.StrongFocus
        hoverEnabled: true
        text: qsTr("Pasted text, %1").arg(piece.size)
        onClicked: piece.looked()

        Accessible.role: Accessible.Button
        Accessible.name: text
        Accessible.description: qsTr("Shows all of it")
        Accessible.onPressAction: look.clicked()
        Keys.onReturnPressed: look.clicked()
        Keys.onEnterPressed: look.clicked()

        background: Rectangle {
            radius: piece.radius
            color: look.hovered || look.down ? Theme.pressed : "transparent"

            FocusRing {
                shown: look.visualFocus
                gap: 0
            }
        }

        contentItem: Item {
            Icon {
                id: sign

                anchors.left: parent.left
                anchors.leftMargin: Theme.small
                anchors.verticalCenter: parent.verticalCenter
                name: "copy"
                size: 16
                color: Theme.textMuted
            }

            Text {
                id: words

                anchors.left: sign.right
                anchors.right: parent.right
                anchors.leftMargin: Theme.small
                anchors.rightMargin: Theme.small
                anchors.verticalCenter: parent.verticalCenter
                text: piece.begin === "" ? piece.size : piece.size + "  ·  " + piece.begin
                textFormat: Text.PlainText
                elide: Text.ElideRight
                maximumLineCount: 1
                font.family: Theme.sans
                font.pixelSize: Theme.fontSmall
                color: Theme.text
            }
        }
    }

    IconButton {
        id: remove

        objectName: "removeAttachment"
        anchors.right: parent.right
        anchors.rightMargin: 2
        anchors.verticalCenter: parent.verticalCenter
        iconName: "close"
        iconSize: 16
        text: qsTr("Remove the pasted text")
        onClicked: piece.removed()
    }
}
