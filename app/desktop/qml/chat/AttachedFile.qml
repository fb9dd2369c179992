import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// A file that goes with a message: its name and its size for the model, or a sentence about what is wrong. A click
// shows its text.
Rectangle {
    id: file

    property string name
    property string says
    property bool failed: false
    property bool ready: true       // its text can be shown
    property bool removable: false
    property bool reachable: true

    signal looked()
    signal removed()

    readonly property string whole: failed ? says : qsTr("%1, %2").arg(name).arg(says)

    implicitWidth: Math.ceil(label.implicitWidth) + label.x + Theme.medium
        + (removable ? remove.width : 0)
    implicitHeight: Math.max(Theme.control, label.implicitHeight + Theme.small)
    radius: Theme.radius
    color: failed ? Theme.errorSoft : Theme.bubble

    Basic.AbstractButton {
        id: look

        objectName: "lookAtFile"
        anchors.left: parent.left
        anchors.right: file.removable ? remove.left : parent.right
        height: parent.height
        focusPolicy: Qt.StrongFocus
        hoverEnabled: true
        enabled: file.ready
        activeFocusOnTab: file.reachable || activeFocus
        text: file.whole
        onClicked: file.looked()

        Accessible.role: file.failed ? Accessible.AlertMessage : Accessible.Button
        Accessible.name: text
        Accessible.description: file.ready ? qsTr("Shows its text") : ""
        Accessible.onPressAction: look.clicked()
        Keys.onReturnPressed: look.clicked()
        Keys.onEnterPressed: look.clicked()

        background: Rectangle {
            radius: file.radius
            color: look.hovered || look.down ? Theme.pressed : "transparent"

            FocusRing {
                shown: look.visualFocus
                gap: 0
            }
        }

        contentItem: Item { }
    }

    Icon {
        id: sign

        anchors.left: parent.left
        anchors.leftMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        name: file.failed ? "alert" : "file"
        size: 16
        color: file.failed ? Theme.errorText : Theme.textMuted
    }

    Text {
        id: label

        anchors.left: sign.right
        anchors.leftMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        width: parent.width - sign.width - 2 * Theme.small - (file.removable ? remove.width : 0) - Theme.small
        text: file.failed ? file.says : file.name + "  ·  " + file.says
        textFormat: Text.PlainText
        elide: Text.ElideMiddle
        wrapMode: file.failed ? Text.Wrap : Text.NoWrap
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: file.failed ? Theme.errorText : Theme.text
        Accessible.ignored: true
    }

    IconButton {
        id: remove

        objectName: "removeFile"
        visible: file.removable
        anchors.right: parent.right
        anchors.rightMargin: 2
        anchors.verticalCenter: parent.verticalCenter
        iconName: "close"
        iconSize: 16
        text: qsTr("Remove %1").arg(file.name)
        onClicked: file.removed()
    }
}
