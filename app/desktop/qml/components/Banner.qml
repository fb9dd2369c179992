import QtQuick
import Hearth

// A sentence about the application with up to two actions and a way to close it. `kind` is "info",
// "warning" or "error".
Rectangle {
    id: banner

    property string kind: "info"
    property string text
    property string actionText
    property string otherText  // of the second action
    property bool closable: true

    signal acted()
    signal otherActed()
    signal closed()

    readonly property color ink: kind === "error" ? Theme.errorText
        : kind === "warning" ? Theme.warningText : Theme.infoText

    implicitHeight: Math.max(label.implicitHeight, Theme.control) + 2 * Theme.small
    radius: Theme.radius + 2
    color: kind === "error" ? Theme.errorSoft
        : kind === "warning" ? Theme.warningSoft : Theme.infoSoft

    Accessible.role: Accessible.AlertMessage
    Accessible.name: text

    FadeIn {
        item: banner
    }

    Icon {
        id: sign

        anchors.left: parent.left
        anchors.leftMargin: Theme.medium
        anchors.verticalCenter: parent.verticalCenter
        name: banner.kind === "info" ? "info" : "alert"
        color: banner.ink
    }

    Text {
        id: label

        anchors.left: sign.right
        anchors.right: action.visible ? action.left : close.left
        anchors.leftMargin: Theme.small + 2
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        text: banner.text
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        maximumLineCount: 6
        elide: Text.ElideRight
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: banner.ink
        Accessible.ignored: true
    }

    AppButton {
        id: action

        objectName: "noticeAction"
        anchors.right: other.visible ? other.left : close.visible ? close.left : parent.right
        anchors.rightMargin: other.visible || close.visible ? 2 : Theme.small
        anchors.verticalCenter: parent.verticalCenter
        visible: banner.actionText !== ""
        kind: "quiet"
        ink: banner.ink
        text: banner.actionText
        onClicked: banner.acted()
    }

    AppButton {
        id: other

        objectName: "noticeOther"
        anchors.right: close.visible ? close.left : parent.right
        anchors.rightMargin: close.visible ? 2 : Theme.small
        anchors.verticalCenter: parent.verticalCenter
        visible: banner.otherText !== ""
        kind: "quiet"
        ink: banner.ink
        text: banner.otherText
        onClicked: banner.otherActed()
    }

    IconButton {
        id: close

        anchors.right: parent.right
        anchors.rightMargin: Theme.small
        anchors.verticalCenter: parent.verticalCenter
        width: visible ? room : 0
        visible: banner.closable
        iconName: "close"
        ink: banner.ink
        inkHover: banner.ink
        text: qsTr("Dismiss")
        onClicked: banner.closed()
    }
}
