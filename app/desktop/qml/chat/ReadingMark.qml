import QtQuick
import Hearth

// Between messages: the model has not read those above it.
Item {
    id: mark

    objectName: "readingMark"
    implicitHeight: words.implicitHeight + 2 * Theme.small

    Accessible.role: Accessible.StaticText
    Accessible.name: words.text

    Rectangle {
        width: parent.width
        height: 1
        y: Theme.tiny
        color: Theme.controlBorder
    }

    Text {
        id: words

        y: Theme.small + 2
        width: parent.width
        text: qsTr("The model reads from here on. What is above no longer fits into its context.")
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignHCenter
        font.family: Theme.sans
        font.pixelSize: Theme.fontTiny
        color: Theme.textMuted
        Accessible.ignored: true
    }
}
