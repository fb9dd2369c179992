import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// Other programs can use the model: a mark that is there as long as they can, and leads to its settings.
Basic.AbstractButton {
    id: mark

    required property ModelServing serving
    property bool compact: false  // there is room for the dot alone

    visible: serving.state === "on"
    implicitHeight: Theme.control
    implicitWidth: (compact ? 0 : Math.ceil(label.implicitWidth) + Theme.small) + dot.width + leftPadding
        + rightPadding
    leftPadding: Theme.small + 2
    rightPadding: Theme.small + 2
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    text: qsTr("API")

    Accessible.role: Accessible.Button
    Accessible.name: qsTr("Local API")
    Accessible.description: tip.text
    Accessible.onPressAction: mark.clicked()
    Keys.onReturnPressed: mark.clicked()
    Keys.onEnterPressed: mark.clicked()

    background: Rectangle {
        radius: height / 2
        color: mark.down ? Theme.pressed : mark.hovered ? Theme.hover : Theme.surface
        border.width: 1
        border.color: Theme.border

        FocusRing {
            shown: mark.visualFocus
        }
    }

    contentItem: Item {
        Rectangle {
            id: dot

            anchors.left: parent.left
            anchors.verticalCenter: parent.verticalCenter
            width: 8
            height: 8
            radius: 4
            color: mark.serving.answering === "" ? Theme.success : Theme.accent
        }

        Text {
            id: label

            visible: !mark.compact
            anchors.left: dot.right
            anchors.leftMargin: Theme.small
            anchors.verticalCenter: parent.verticalCenter
            text: mark.text
            textFormat: Text.PlainText
            font.family: Theme.sans
            font.pixelSize: Theme.fontSmall
            font.weight: Font.Medium
            color: Theme.text
        }
    }

    AppToolTip {
        id: tip

        text: qsTr("Other programs of this computer can use the model at %1")
            .arg(mark.serving.address)
        visible: mark.hovered || mark.visualFocus
    }
}
