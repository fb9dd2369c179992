import QtQuick
import QtQuick.Controls.Basic as Basic
import Hearth

// How many tools the model may call, and the way to them. Shown while some are on.
Basic.AbstractButton {
    id: pill

    required property var tools      // a ToolShelf
    required property var chatTools  // a ChatTools

    visible: tools.onCount > 0
    implicitHeight: Math.max(26, content.implicitHeight + 2 * Theme.tiny)
    implicitWidth: content.implicitWidth + leftPadding + rightPadding
    leftPadding: Theme.small
    rightPadding: Theme.small
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    text: chatTools.folder === "" ? qsTr("Tools: %1").arg(tools.onCount)
        : qsTr("Tools: %1, a folder").arg(tools.onCount)

    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.description: qsTr("Opens the page of tools")
    Accessible.onPressAction: pill.clicked()
    Keys.onReturnPressed: pill.clicked()
    Keys.onEnterPressed: pill.clicked()

    background: Rectangle {
        radius: height / 2
        color: pill.down ? Theme.pressed : pill.hovered ? Theme.hover : "transparent"

        FocusRing {
            shown: pill.visualFocus
        }
    }

    contentItem: Text {
        id: content

        text: pill.text
        textFormat: Text.PlainText
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted
    }

    AppToolTip {
        text: qsTr("The tools that the model may ask to call")
        visible: pill.hovered || pill.visualFocus
    }
}
