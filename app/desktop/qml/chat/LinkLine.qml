import QtQuick
import Hearth

// The target of the link under the pointer or the keyboard, at the lower edge of the messages.
Rectangle {
    id: line

    property string link
    property real widthMost: 400

    visible: link !== ""
    width: Math.min(widthMost, label.implicitWidth + 2 * Theme.medium)
    height: label.implicitHeight + Theme.small + 2
    radius: Theme.radius
    color: Theme.raised
    border.width: 1
    border.color: Theme.controlBorder

    Text {
        id: label

        objectName: "linkTarget"
        x: Theme.medium
        anchors.verticalCenter: parent.verticalCenter
        width: line.widthMost - 2 * Theme.medium
        text: line.link === "" ? "" : Links.styled(line.link, true)
        textFormat: Text.StyledText
        wrapMode: Text.WrapAnywhere
        maximumLineCount: 6
        font.family: Theme.sans
        font.pixelSize: Theme.fontSmall
        color: Theme.text
        Accessible.ignored: true  // the link itself is read aloud
    }
}
